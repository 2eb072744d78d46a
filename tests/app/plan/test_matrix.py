"""Sweeps in a campaign: points, labels, order, text in and out, mistakes."""

from importlib.resources import files

import pytest

from app.plan.campaign import Campaign, parse_campaign
from app.plan.writing import campaign_text
from instruments.errors import BadInput

HEAD = """
name = "Sweep"

[[step]]
label = "Random read"
engine = "fio"
ramp = "1s"
runtime = "3s"
repeat = {repeat}
[step.fio]
rw = "{rw}"
norandommap = true
[step.sweep]
"""


def plan(sweep: str, *, rw: str = "randread", repeat: int = 1) -> str:
    return HEAD.format(rw=rw, repeat=repeat) + sweep


def labels(text: str) -> list[str]:
    return [label for label, _ in parse_campaign(text, "plan.toml").runs]


def refusal(text: str) -> str:
    with pytest.raises(BadInput) as caught:
        parse_campaign(text, "plan.toml")
    return str(caught.value)


def test_the_product_of_the_axes_is_run() -> None:
    campaign = parse_campaign(plan('bs = ["4k", "64k"]\niodepth = [1, 8]\n'), "p")
    assert [label for label, _ in campaign.runs] == [
        "Random read 4k QD1",
        "Random read 4k QD8",
        "Random read 64k QD1",
        "Random read 64k QD8",
    ]
    options = campaign.runs[1][1].options
    assert options == {
        "rw": "randread",
        "norandommap": "1",
        "bs": "4k",
        "iodepth": "8",
    }
    assert campaign.duration_s == 4 * 4
    assert not campaign.writes


def test_a_run_is_stored_as_a_step_of_its_own() -> None:
    campaign = parse_campaign(plan("iodepth = [1, 8]\n", repeat=2), "plan.toml")
    _, step = campaign.runs[1]
    text = campaign_text(Campaign("x", "", (step,)))
    [(label, read)] = parse_campaign(text, "row").runs
    assert label == "Random read QD8"
    assert read == step


def test_read_share_and_direction_are_axes() -> None:
    sweep = "rwmixread = [100, 95, 80, 50, 20, 5, 0]\n"
    found = labels(plan(sweep, rw="randrw"))
    assert found[0] == "Random read 100% read"
    assert len(set(found)) == 7
    text = plan('rw = ["randread", "randwrite"]\n').replace('rw = "randread"\n', "")
    campaign = parse_campaign(text, "plan.toml")
    assert [label for label, _ in campaign.runs][1] == "Random read randwrite"
    assert campaign.writes


def test_a_label_may_say_where_the_values_go() -> None:
    text = plan("iodepth = [8]\nnumjobs = [4]\n").replace(
        'label = "Random read"', 'label = "Read at {iodepth} deep"'
    )
    assert labels(text) == ["Read at 8 deep 4 jobs"]


def test_orders() -> None:
    written = labels(plan("iodepth = [1, 2, 4, 8]\n"))
    backwards = labels(plan('iodepth = [1, 2, 4, 8]\norder = "reversed"\n'))
    assert backwards == written[::-1]
    sweep = 'iodepth = [1, 2, 4, 8]\norder = "shuffled"\nseed = 7\n'
    shuffled = labels(plan(sweep))
    assert shuffled == labels(plan(sweep))
    assert sorted(shuffled) == sorted(written)
    assert shuffled != written


def test_repeats_are_passes_over_all_points() -> None:
    assert labels(plan("iodepth = [1, 8]\n", repeat=2)) == [
        "Random read QD1 (1/2)",
        "Random read QD8 (1/2)",
        "Random read QD1 (2/2)",
        "Random read QD8 (2/2)",
    ]


def test_text_out_is_text_in() -> None:
    sweep = 'bs = ["4k", "64k"]\niodepth = [1, 8]\norder = "shuffled"\nseed = 7\n'
    campaign = parse_campaign(plan(sweep, repeat=2), "plan.toml")
    again = parse_campaign(campaign_text(campaign), "written")
    assert again.steps == campaign.steps
    assert again.runs == campaign.runs
    assert "iodepth = [1, 8]" in campaign_text(campaign)


@pytest.mark.parametrize(
    ("sweep", "expected"),
    [
        ("", "a sweep has no axis"),
        ("iodepth = 8\n", "line 14, [[step]] 1 sweep.iodepth: iodepth is not a list"),
        ("iodepth = []\n", "iodepth is an empty list"),
        ("iodepth = [1, 0]\n", 'line 14, [[step]] 1 sweep.iodepth: iodepth is "0"'),
        ('bs = ["4k", "4096"]\n', 'bs has "4096" and "4k", which is the same'),
        ('bs = ["4k", "4k"]\n', 'bs has "4k" twice'),
        ('bs = ["4q"]\n', 'bs is "4q"'),
        (
            "iodepht = [1]\n",
            'sweep.iodepht: the option "iodepht" cannot be used in a step',
        ),
        ('rw = ["randread"]\n', "rw is set in the step and swept, too"),
        ("rwmixread = [50]\n", 'rwmixread has no effect with rw = "randread"'),
        ('bs = ["4k"]\nbssplit = ["4k/100"]\n', "bs has no effect beside bssplit"),
        ('iodepth = [1]\norder = "random"\n', 'sweep.order: order is "random"'),
        ("iodepth = [1]\nseed = 3\n", "the order fixed has no seed"),
        ('filename = ["/dev/sda"]\n', "filename is not an option of a step"),
        ("iodepth = [[1]]\n", "iodepth has a list in it"),
    ],
)
def test_mistakes_name_file_line_and_key(sweep: str, expected: str) -> None:
    told = refusal(plan(sweep))
    assert told.startswith("plan.toml, line 1")
    assert expected in told


def test_a_label_names_only_axes() -> None:
    text = plan("iodepth = [1]\n").replace("Random read", "Read {bs}")
    assert '"{bs}" in the label is not an axis of a sweep' in refusal(text)


def test_rows_of_two_steps_are_told_apart() -> None:
    other = '\n[[step]]\nlabel = "Random read QD8"\nengine = "idle"\nruntime = "1s"\n'
    told = refusal(plan("iodepth = [1, 8]\n") + other)
    assert 'the label "Random read QD8" is used twice' in told


def test_idle_has_nothing_to_sweep() -> None:
    text = 'name = "x"\n[[step]]\nlabel = "Idle"\nengine = "idle"\nruntime = "1s"\n'
    told = refusal(text + "[step.sweep]\niodepth = [1]\n")
    assert "idle is not a load, so there is nothing to sweep" in told


def test_too_many_points_are_a_mistake() -> None:
    many = ", ".join(str(number) for number in range(1, 150))
    told = refusal(plan(f"iodepth = [{many}]\nnumjobs = [{many}]\n"))
    assert "the sweep has 22201 points" in told


def test_the_shipped_sweep_is_good() -> None:
    text = files("resources").joinpath("campaigns", "sweep-block-size.toml").read_text()
    campaign = parse_campaign(text, "sweep-block-size.toml")
    found = [label for label, _ in campaign.runs]
    assert len(found) == 1 + 4 * 3 + 2 * 7 + 1
    assert "Random read 4k QD8" in found
    assert found[-2] == "Mixed 64k 0% read"


def test_a_mistake_in_the_options_beside_a_sweep_stands_at_its_line() -> None:
    text = """name = "x"
[[step]]
label = "Read"
engine = "fio"
runtime = "1s"
[step.fio]
rw = "randread"
bss = "4k"
[step.sweep]
iodepth = [1, 2]
"""
    assert 'plan.toml, line 8, [[step]] 1 fio.bss: the option "bss"' in refusal(text)
