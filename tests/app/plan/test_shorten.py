"""A campaign shortened for a rehearsal."""

from app.plan.campaign import Campaign, parse_campaign
from app.plan.shorten import shortened

TEXT = """
name = "Night"
description = "All of it."
ranging = true
[[step]]
label = "Idle"
engine = "idle"
ramp = "1m"
runtime = "10m"
[[step]]
label = "Read"
engine = "fio"
ramp = "10s"
runtime = "5m"
[step.fio]
rw = "randread"
[step.steady]
measure = "2m"
[[step]]
label = "Copy"
engine = "copy"
runtime = "2h"
[[step]]
label = "Rate of a copy"
engine = "copy"
runtime = "10m"
[step.copy]
passes = 0
[[step]]
label = "Start"
engine = "startup"
runtime = "3m"
[step.startup]
off_for = "20s"
[[step]]
label = "Again"
engine = "idle"
runtime = "4s"
[step.repeats]
of = "power_w"
[[step]]
label = "Cool"
engine = "cooldown"
runtime = "30m"
[step.cooldown]
until = 40
at_least = "5m"
[[step]]
label = "Ask"
engine = "prompt"
runtime = "1m"
[step.prompt]
text = "Pull it."
check = "*.P < 5"
"""


def made(divisor: float) -> Campaign:
    return shortened(parse_campaign(TEXT, "night.toml"), divisor)


def test_times_are_divided_but_no_load_is_too_short() -> None:
    idle, read, copy, rate, start, again, cool, ask = made(100).steps
    assert (idle.ramp_s, idle.runtime_s) == (1.0, 6.0)
    assert (read.ramp_s, read.runtime_s) == (1.0, 12.0)
    assert read.steady is not None
    assert (read.steady.round_s, read.steady.measure_s) == (1.0, 2.0)
    assert (copy.runtime_s, ask.runtime_s) == (7200.0, 60.0)
    assert rate.runtime_s == 6.0
    assert (start.runtime_s, start.options["off_for"]) == (180.0, "2s")
    assert again.runtime_s == 2.0
    assert again.repeats is not None
    assert again.repeats.most == again.repeats.least
    assert cool.options["at_least"] == "3s"


def test_a_slope_is_taken_over_a_shorter_time_and_may_be_steeper() -> None:
    """Whether the window is written down or the default."""
    text = ""
    for window in ('window = "5m"\n', ""):
        text = TEXT.replace('until = 40\nat_least = "5m"\n', f"slope = 2\n{window}")
        [cool] = (
            step
            for step in shortened(parse_campaign(text, "night.toml"), 20).steps
            if step.engine == "cooldown"
        )
        assert cool.runtime_s == 90.0
        assert (cool.options["slope"], cool.options["window"]) == ("40", "15s")
    [cool] = (
        step
        for step in shortened(parse_campaign(text, "night.toml"), 1e5).steps
        if step.engine == "cooldown"
    )
    assert cool.runtime_s == 30.0
    assert (cool.options["slope"], cool.options["window"]) == ("1000", "10s")


def test_it_says_so_in_name_and_text() -> None:
    short = made(50)
    assert short.name == "Night (SHORTENED 1:50)"
    assert short.description.startswith("Shortened 1:50 for a rehearsal")
    assert parse_campaign(short.text, "kept").shortened == 50


def test_divided_by_one_it_is_the_plan_itself() -> None:
    whole = parse_campaign(TEXT, "night.toml")
    assert shortened(whole, 1) is whole
    assert whole.shortened == 1
