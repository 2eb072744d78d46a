"""A campaign in several configurations, with prompts, commands and a teardown."""

import pytest

from app.plan.campaign import parse_campaign
from app.plan.writing import campaign_text
from instruments.errors import BadInput

TEXT = """
name = "Pools"

[[configuration]]
name = "layout"
values = ["raidz2", "mirror"]
command = ["make-pool", "{layout}", "two words"]

[[configuration]]
name = "cache"
values = ["on", "off"]
prompt = "Set the write cache {cache}."

[[step]]
label = "Idle"
engine = "idle"
runtime = "1s"

[[step]]
label = "Take the pool away"
engine = "command"
teardown = true
[step.command]
run = "make-pool --destroy"
"""


def test_each_configuration_is_set_up_before_its_rows() -> None:
    campaign = parse_campaign(TEXT, "plan.toml")
    assert [(label, step.engine) for label, step in campaign.runs] == [
        ("raidz2, cache on: set layout to raidz2", "command"),
        ("raidz2, cache on: set cache to on", "prompt"),
        ("raidz2, cache on: Idle", "idle"),
        ("raidz2, cache off: set cache to off", "prompt"),
        ("raidz2, cache off: Idle", "idle"),
        ("mirror, cache on: set layout to mirror", "command"),
        ("mirror, cache on: set cache to on", "prompt"),
        ("mirror, cache on: Idle", "idle"),
        ("mirror, cache off: set cache to off", "prompt"),
        ("mirror, cache off: Idle", "idle"),
        ("Take the pool away", "command"),
    ]
    first = campaign.runs[0][1]
    assert first.options == {"run": "make-pool raidz2 'two words'"}
    assert campaign.runs[1][1].options == {"text": "Set the write cache on."}


def test_text_out_is_text_in() -> None:
    campaign = parse_campaign(TEXT, "plan.toml")
    again = parse_campaign(campaign_text(campaign), "again.toml")
    assert again.runs == campaign.runs


@pytest.mark.parametrize(
    ("engine", "options", "told"),
    [
        ("prompt", 'text = " "', "text is missing"),
        ("prompt", 'txt = "Do"', "unknown key (did you mean"),
        ("command", "", "run is missing"),
        ("command", 'run = "ls \'a"', "a quote is not closed"),
    ],
)
def test_what_cannot_be_asked_or_run_is_refused(
    engine: str, options: str, told: str
) -> None:
    text = f'name = "x"\n[[step]]\nlabel = "a"\nengine = "{engine}"\n[step.{engine}]\n'
    with pytest.raises(BadInput) as raised:
        parse_campaign(text + options + "\n", "plan.toml")
    assert told in str(raised.value)
    assert "plan.toml, line 5" in str(raised.value) or "line 6" in str(raised.value)


def test_a_step_names_the_values_of_its_configuration() -> None:
    text = TEXT.replace(
        '[[step]]\nlabel = "Idle"',
        '[[step]]\nlabel = "Note"\nengine = "command"\n[step.command]\n'
        'run = "note {layout} {cache} {print}"\n[[step]]\nlabel = "Idle"',
    )
    rows = dict(parse_campaign(text, "plan.toml").runs)
    options = rows["mirror, cache off: Note"].options
    assert options == {"run": "note mirror off {print}"}


def test_a_teardown_is_in_no_configuration() -> None:
    text = TEXT.replace("make-pool --destroy", "make-pool --destroy {layout}")
    with pytest.raises(BadInput) as raised:
        parse_campaign(text, "plan.toml")
    assert '"{layout}" has no value here' in str(raised.value)
