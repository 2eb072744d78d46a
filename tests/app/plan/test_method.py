"""What a plan may say of cool-down, steady state, repeats, alignment and start-up."""

import pytest

from app.analysis.steady.state import METHODS as JUDGES
from app.plan.alignment import LEAD_S, AlignPlan
from app.plan.campaign import Campaign, parse_campaign
from app.plan.cooldown import CoolDownPlan, check_cooldown
from app.plan.estimate import estimate
from app.plan.repeats import RepeatPlan
from app.plan.rounds import RoundsPlan
from app.plan.startup import BEFORE_S
from app.plan.steady import METHODS, SteadyPlan
from app.plan.step import Step
from app.plan.writing import campaign_text
from instruments.errors import BadInput

LOAD = 'label = "Read"\nengine = "fio"\nruntime = "60s"\n'
FIO = '[step.fio]\nrw = "randread"\n'


def step(text: str) -> Step:
    """Read the one step of a campaign, and see that it is written as it is read."""
    campaign = parse_campaign(f'name = "plan"\n[[step]]\n{text}', "plan.toml")
    again = parse_campaign(campaign_text(campaign), "again.toml")
    assert again.steps == campaign.steps
    return campaign.steps[0]


def test_the_choices_of_a_plan_are_those_that_can_be_judged() -> None:
    assert set(METHODS) == set(JUDGES)


def test_a_cooldown_is_read() -> None:
    found = step(
        'label = "Cool"\nengine = "cooldown"\nruntime = "1h"\n[step.cooldown]\n'
        'until = 35\nslope = 2\nat_least = "1m"\nchannel = "box.temperature.slot3"\n'
    )
    plan = check_cooldown(found.options)
    assert plan == CoolDownPlan(35.0, 2.0, 300.0, 60.0, "box.temperature.slot3")
    assert check_cooldown({}).only_time


def test_a_steady_state_is_read() -> None:
    found = step(
        f'{LOAD}{FIO}[step.steady]\nmethod = "7-of-25"\n'
        'quantities = ["iops", "power"]\nround = "10s"\nmeasure = "1m"\n'
    )
    assert found.steady == SteadyPlan("7-of-25", ("iops", "power"), 10.0, 60.0)
    assert step(f"{LOAD}{FIO}[step.steady]\n").steady == SteadyPlan()


def test_repeats_are_planned_as_often_as_they_are_run_at_least() -> None:
    found = step(f'{LOAD}{FIO}[step.repeats]\nof = "iops"\nwithin = "1.5%"\nmost = 7\n')
    assert found.repeats == RepeatPlan("iops", 0.015, 0.95, 5, 7)
    assert [label for label, _ in found.runs] == [f"Read ({n})" for n in range(1, 6)]
    assert found.labels[-1] == "Read (7)"
    assert {own.label for _, own in found.runs} == {"Read"}
    few = step(f'{LOAD}{FIO}[step.repeats]\nof = "iops"\nmost = 4\n').repeats
    assert few == RepeatPlan("iops", least=4, most=4)


def test_repeats_of_a_sweep_are_passes_over_it() -> None:
    found = step(
        f'{LOAD}{FIO}[step.sweep]\nbs = ["4k", "8k"]\n[step.repeats]\nof = "iops"\n'
        "least = 2\n"
    )
    labels = [label for label, _ in found.runs]
    assert labels == ["Read 4k (1)", "Read 8k (1)", "Read 4k (2)", "Read 8k (2)"]


ROUNDS = (
    'label = "{rwmixread} % read {bs}"\nengine = "fio"\nruntime = "60s"\n'
    '[step.fio]\nrw = "randrw"\n[step.sweep]\nrwmixread = [100, 0]\n'
    'bs = ["8k", "4k"]\n[step.rounds]\n'
)


def test_a_matrix_is_planned_as_often_as_its_window_needs() -> None:
    found = step(f'{ROUNDS}track = "0 % read 4k"\nmost = 7\n')
    assert found.rounds == RoundsPlan("0 % read 4k", "iops", 7)
    assert [label for label, _ in found.runs][-1] == "0 % read 4k"
    assert (len(found.runs), found.most_rows) == (4, 7 * 4)
    campaign = Campaign("plan", "", (found,))
    assert campaign.duration_s == 5 * 4 * 60
    assert estimate(campaign, {}).duration_s == 5 * 4 * 60


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('track = "0 % read 16k"', 'such as "0 % read 4k"'),
        ('track = "0 % read 4k"\nmost = 4', "5 to 1000"),
        ('track = "0 % read 4k"\nof = "drive_max_c"', "has no zero"),
        ('track = "0 % read 4k"\n[step.steady]', "steady, and [step.rounds]"),
        ('track = "0 % read 4k"\n[step.repeats]\nof = "iops"', "repeats, and"),
        ("", "track is missing"),
    ],
)
def test_a_mistake_in_rounds_is_named(text: str, expected: str) -> None:
    with pytest.raises(BadInput) as caught:
        step(f"{ROUNDS}{text}\n")
    assert expected in str(caught.value)


def test_an_alignment_knows_how_long_it_takes() -> None:
    found = step('label = "Clap"\nengine = "align"\n[step.align]\nbursts = 4\n')
    assert found.duration_s == AlignPlan(4).duration_s > 2 * LEAD_S + 4 * 3.0
    assert not found.is_measured


def test_a_start_counts_the_time_off() -> None:
    found = step(
        'label = "Start"\nengine = "startup"\nruntime = "1m"\n[step.startup]\n'
        'switch = "pdu"\noutlet = "3"\noff_for = "20s"\n'
    )
    assert found.duration_s == 80.0 + BEFORE_S


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('engine = "cooldown"\n[step.cooldown]\nuntil = "warm"', "-40 to 150"),
        ('engine = "cooldown"\n[step.cooldown]\nat_least = "1m"', "Add until = 35"),
        ('engine = "cooldown"\n[step.cooldown]\nuntill = 3', 'mean "until"?'),
        ('engine = "cooldown"\n[step.steady]', "vdbench and copy can"),
        (
            'engine = "iozone"\n[step.iozone]\ni = "write"\n[step.steady]',
            "its tests follow each other, so no single rate of it becomes steady",
        ),
        ('engine = "idle"\n[step.steady]\nquantities = ["iops"]', "has no iops"),
        ('engine = "idle"\n[step.steady]\nquantities = ["db"]', "iops, power"),
        ('engine = "idle"\n[step.steady]\nmethod = "soon"', "sss-pts, fio-slope"),
        ('engine = "idle"\n[step.steady]\nround = "100ms"', "1 s at least"),
        ('engine = "idle"\nrampdown = "1m"', "Leave something"),
        ('engine = "idle"\nrampdown = "1s"\n[step.steady]', "measured before its end"),
        ('engine = "idle"\nrepeat = 2\n[step.repeats]\nof = "power_w"', "of the two"),
        ('engine = "idle"\n[step.repeats]\nof = "watts"', "power_w, iops"),
        ('engine = "idle"\n[step.repeats]\nof = "power_w"\nwithin = 2', "in quotes"),
        ('engine = "idle"\n[step.repeats]\nof = "power_w"\nwithin = "2"', '"2%"'),
        (
            'engine = "idle"\n[step.repeats]\nof = "power_w"\nleast = 4\nmost = 2',
            "4 or more",
        ),
        ('engine = "align"\n[step.align]\nbursts = 2', "3 to 50"),
        ('engine = "align"\nlimits = ["power_w < 9"]', "measures nothing"),
        ('engine = "startup"\n[step.startup]\noutlet = "3"', "[[switch]]"),
        ('engine = "startup"\n[step.startup]\noff_for = "1s"', "of 2s or more"),
        ('engine = "startup"\n[step.startup]\noff_for = "soon"', "such as 90s, 5m"),
    ],
)
def test_a_mistake_says_what_was_expected(text: str, expected: str) -> None:
    runtime = "" if '"align"' in text else 'runtime = "30s"\n'
    with pytest.raises(BadInput) as caught:
        step(f'label = "One"\n{runtime}{text}\n')
    assert expected in str(caught.value)


def test_a_label_that_a_repeat_may_take_is_not_given_twice() -> None:
    text = (
        f'name = "plan"\n[[step]]\n{LOAD}{FIO}[step.repeats]\nof = "iops"\n'
        '[[step]]\nlabel = "Read (7)"\nengine = "idle"\nruntime = "1s"\n'
    )
    with pytest.raises(BadInput, match="used twice"):
        parse_campaign(text, "plan.toml")
