from importlib.resources import files
from pathlib import Path

import pytest

from app.plan.campaign import load_campaign, parse_campaign
from app.plan.limits import Rule
from app.plan.step import Step
from app.plan.writing import campaign_text, step_text
from instruments.errors import BadInput

GOOD = """
name = "Two loads"

[[step]]
label = "Idle"
engine = "idle"
runtime = "5s"

[[step]]
label = "Random read 4k"
engine = "fio"
ramp = "1s"
runtime = "3s"
repeat = 2
limits = ["iops >= 100"]
[step.fio]
rw = "randread"
bs = "4k"
iodepth = 8
norandommap = true
"""


def refusal(text: str) -> str:
    with pytest.raises(BadInput) as caught:
        parse_campaign(text, "plan.toml")
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_a_campaign_is_read_as_it_stands() -> None:
    campaign = parse_campaign(GOOD, "plan.toml")
    idle, read = campaign.steps
    assert (idle.engine, idle.runtime_s, idle.ramp_s) == ("idle", 5, 0)
    assert read.options == {
        "rw": "randread",
        "bs": "4k",
        "iodepth": "8",
        "norandommap": "1",
    }
    assert str(read.limits[0]) == "iops >= 100"
    assert campaign.duration_s == 5 + 2 * 4
    assert not campaign.writes


def test_repeats_are_rows_of_their_own() -> None:
    labels = [label for label, _ in parse_campaign(GOOD, "plan.toml").runs]
    assert labels == ["Idle", "Random read 4k (1/2)", "Random read 4k (2/2)"]


def test_a_disabled_step_is_not_run() -> None:
    text = GOOD.replace('engine = "idle"', 'engine = "idle"\nenabled = false')
    campaign = parse_campaign(text, "plan.toml")
    assert campaign.runs[0][0] == "Random read 4k (1/2)"


def test_text_goes_in_and_out_unchanged_in_meaning() -> None:
    campaign = parse_campaign(GOOD, "plan.toml")
    again = parse_campaign(campaign_text(campaign), "again.toml")
    assert again.steps == campaign.steps
    assert 'rw = "randread"' in step_text(campaign.steps[1])


def test_a_mixed_load_writes() -> None:
    assert parse_campaign(GOOD.replace("randread", "randrw"), "plan.toml").writes


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('runtime = "3s"', 'runtime = "3 fortnights"', "line 13, [[step]] 2 runtime"),
        ('engine = "fio"', 'engine = "foi"', 'did you mean "fio"?'),
        ('ramp = "1s"', 'ramp = "3s"', "line 12, [[step]] 2 ramp"),
        ('label = "Idle"', 'label = "Random read 4k"', "is used twice"),
        ('runtime = "5s"', 'runtim = "5s"', 'unknown key (did you mean "runtime"?)'),
        ("[step.fio]", "[step.foi]", "line 16, [[step]] 2 foi: unknown key (did you"),
        ("[step.fio]", "[step.stedy]\n[step.fio]", '(did you mean "steady"?)'),
        ('rw = "randread"', "", "line 16, [[step]] 2 fio.rw: rw is missing"),
        (
            '[step.fio]\nrw = "randread"\nbs = "4k"\niodepth = 8\nnorandommap = true\n',
            "",
            "line 9, [[step]] 2 fio.rw: rw is missing",
        ),
        ("randread", "randreed", 'did you mean "randread"?'),
        ("iops >", "iopss >", 'did you mean "iops"?'),
        ("[[step]]", 'gates = ["uncertanty"]\n[[step]]', 'did you mean "uncertainty"?'),
        ("[step.fio]", "[stepp.fio]", 'line 16, stepp: unknown key (did you mean "s'),
        (
            'engine = "fio"',
            'engine = "idle"',
            "[step.fio] does not belong to the engine idle",
        ),
        ("repeat = 2", "repet = 2", 'unknown key (did you mean "repeat"?)'),
        ("repeat = 2", "repeat = 0", "a whole number from 1 to 1000"),
        ('rw = "randread"', 'rw = "sideways"', "line 17, [[step]] 2 fio.rw"),
        ('bs = "4k"', 'filename = "/dev/sda"', "set target of [dut] in the bench"),
        ('bs = "4k"', 'exec_prerun = "rm"', "cannot be used in a step"),
        ('bs = "4k"', 'bssplit = "4k/20:64k/50"', "sum to 70 %"),
        ('bs = "4k"', 'ioengine = "http"', "cannot be used in a step"),
        ('["iops >= 100"]', '["speed > 3"]', "Expected one of power_w"),
        ('name = "Two loads"', "", "name is missing"),
        ('name = "Two loads"', 'name = "Two', "line 2"),
    ],
)
def test_a_mistake_names_line_key_and_expectation(
    old: str, new: str, expected: str
) -> None:
    sentence = refusal(GOOD.replace(old, new))
    assert sentence.startswith("plan.toml")
    assert expected in sentence


def test_a_campaign_without_steps_is_refused() -> None:
    assert "no step to run" in refusal('name = "empty"')


def test_a_file_in_another_encoding_says_how_to_save_it(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text(GOOD, encoding="utf-16")
    with pytest.raises(BadInput, match="Save it again with the encoding UTF-8"):
        load_campaign(file)


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nowhere\.toml: .* there is no such file"):
        load_campaign(tmp_path / "nowhere.toml")


@pytest.mark.parametrize("name", ["demo", "jbod-performance"])
def test_the_shipped_campaigns_are_good(name: str) -> None:
    text = files("resources").joinpath("campaigns", f"{name}.toml").read_text()
    campaign = parse_campaign(text, name)
    loads = [step for step in campaign.steps if step.engine == "fio"]
    assert [step.options["rw"] for step in loads] == [
        "write",
        "read",
        "randwrite",
        "randread",
        "randrw",
    ]
    assert loads[-1].options["bssplit"] == "4k/20:64k/50:256k/20:2M/10"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("", 0.0), ("ranging = true", 10.0), ("[ranging]\nseconds = 4", 4.0)],
)
def test_a_ranging_pass_is_opt_in(text: str, seconds: float) -> None:
    step = '[[step]]\nlabel = "Idle"\nengine = "idle"\nruntime = "1s"\n'
    found = parse_campaign(f'name = "x"\n{text}\n{step}', "c.toml")
    assert found.ranging_s == seconds
    assert parse_campaign(campaign_text(found), "c.toml").ranging_s == seconds
    with pytest.raises(BadInput, match="Expected true, false or a table"):
        parse_campaign(f'name = "x"\nranging = "yes"\n{step}', "c.toml")


NEEDING = """
name = "x"
[[step]]
label = "Fill"
engine = "idle"
runtime = "1s"
{more}
[[step]]
label = "Read"
engine = "idle"
runtime = "1s"
needs = ["{needed}"]
"""


@pytest.mark.parametrize(
    ("more", "needed", "told"),
    [
        ("repeat = 2", "Fill", 'there is no row "Fill" before it'),
        ("repeat = 2", "Fill", 'such as "Fill (2/2)".'),
        ("enabled = false", "Fill", 'there is no row "Fill" before it'),
        ("", "Fil", 'did you mean "Fill"?'),
        ("", "Read", 'there is no row "Read" before it'),
    ],
)
def test_what_is_needed_is_a_row_that_is_run(more: str, needed: str, told: str) -> None:
    with pytest.raises(BadInput) as raised:
        parse_campaign(NEEDING.format(more=more, needed=needed), "plan.toml")
    assert told in str(raised.value)


def test_a_row_of_a_repeated_step_can_be_needed() -> None:
    text = NEEDING.format(more="repeat = 2", needed="Fill (2/2)")
    assert parse_campaign(text, "plan.toml").steps[1].needs == ("Fill (2/2)",)


def test_steps_are_not_written_out_for_every_step_after_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def runs(step: Step) -> tuple[tuple[str, Step], ...]:
        asked.append(step.label)
        return ((step.label, step),)

    monkeypatch.setattr(Step, "runs", property(runs))
    step = '[[step]]\nlabel = "{}"\nengine = "idle"\nruntime = "1s"\n'
    counts = []
    for count in (1, 30):
        asked.clear()
        steps = "".join(step.format(number) for number in range(count))
        parse_campaign(f'name = "x"\n{steps}', "plan.toml")
        counts.append(len(asked))
    assert counts[1] == 30 * counts[0]


def test_labels_of_passes_are_ours() -> None:
    text = NEEDING.format(more="", needed="Fill").replace('"Fill"', '"Fill (pass 2)"')
    with pytest.raises(BadInput, match="ends as a pass of a loop does"):
        parse_campaign(text, "plan.toml")


STEP = '[[step]]\nlabel = "a"\nengine = "fio"\nruntime = "5s"\nramp = "1s"\n'
DEPTHS = ", ".join(str(number) for number in range(1, 101))


@pytest.mark.parametrize(
    "text",
    [
        STEP.replace('"5s"', '"1000000000000000000000000000000s"'),
        STEP.replace('"5s"', '"1' + " " * 16_000 + 'x"'),
        STEP.replace('"5s"', '"' + "9" * 16_000 + '"'),
        STEP + "repeat = 1000000000",
        STEP + f"repeat = 1000\n[step.sweep]\niodepth = [{DEPTHS}]",
        STEP
        + "[step.sweep]\n"
        + "\n".join(f"option{n} = [{DEPTHS}]" for n in range(6)),
        "".join(
            STEP.replace('"a"', f'"{n}"') + f"[step.sweep]\niodepth = [{DEPTHS}]\n"
            for n in range(101)
        ),
        STEP.replace('"a"', '"' + "a" * 201 + '"'),
        STEP.replace('"a"', '"a\\nb"'),
        STEP.replace('"a"', '"\\u001b[2Ja"'),
        STEP + 'limits = ["power_w <= 1e999"]',
        STEP + "[step.fio]\nbs = '4" + " " * 10_000 + "x'",
        STEP + "[step.fio]\nsize = '99999999999999999999p'",
    ],
    ids=range(13),
)
def test_a_campaign_beyond_measure_is_one_sentence(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_campaign(f'name = "a"\n{text}', "plan.toml")
    assert "plan.toml" in caught.value.where
    assert len(str(caught.value)) < 4000


def test_gates_are_named_and_written_as_they_are_read() -> None:
    text = (
        'name = "C"\ngates = {}\n[[step]]\nlabel = "I"\nengine = "idle"\nruntime = 9\n'
    )
    campaign = parse_campaign(text.format('["voltage", "readings", "voltage"]'), "x")
    assert [gate.name for gate in campaign.gates] == ["voltage", "readings"]
    assert parse_campaign(campaign_text(campaign), "y").gates == campaign.gates
    with pytest.raises(BadInput, match=r"gates.*no gate \"volts\".*voltage"):
        parse_campaign(text.format('["volts"]'), "x")


def test_a_rule_of_decision_is_that_of_all_limits() -> None:
    text = (
        'name = "C"\nrule = "guarded rejection"\n[[step]]\nlabel = "I"\n'
        'engine = "idle"\nruntime = "9s"\nlimits = ["power_w < 5"]\n'
    )
    found = parse_campaign(text, "c.toml")
    again = parse_campaign(campaign_text(found), "c.toml")
    for campaign in (found, again):
        assert {limit.rule for limit in campaign.steps[0].limits} == {Rule.REJECTION}
    with pytest.raises(BadInput, match="guarded acceptance"):
        parse_campaign(text.replace("guarded rejection", "strict"), "c.toml")


@pytest.mark.parametrize(
    ("engine", "role", "is_known"),
    [
        ("idle", "idle", True),
        ("idle", "off", True),
        ("idle", "background", True),
        ("idle", "calibration", True),
        ("fio", "load", True),
        ("fio", "idle", False),
        ("idle", "load", False),
        ("cooldown", "idle", False),
        ("prompt", "off", False),
    ],
)
def test_a_row_has_a_role_that_its_engine_can_have(
    engine: str, role: str, is_known: bool
) -> None:
    own = {"fio": '[step.fio]\nrw = "read"\n', "prompt": '[step.prompt]\ntext = "Go"\n'}
    text = (
        f'name = "x"\n[[step]]\nlabel = "y"\nengine = "{engine}"\nrole = "{role}"\n'
        + ("" if engine == "prompt" else 'runtime = "5s"\n')
        + own.get(engine, "")
    )
    if not is_known:
        assert "role" in refusal(text)
        return
    [step] = parse_campaign(text, "plan.toml").steps
    assert step.role == role
    assert f'role = "{role}"' in step_text(step)


def test_a_bench_is_called_one() -> None:
    told = refusal('name = "B"\n[dut]\nname = "D"\ntarget = "x"\n')
    assert "this is a bench, not a campaign" in told


def test_a_job_file_of_fio_is_called_one(tmp_path: Path) -> None:
    path = tmp_path / "dev.fio"
    path.write_text("# mine\n[global]\nrw=randread\n[a]\n")
    with pytest.raises(BadInput) as caught:
        load_campaign(path)
    assert "fio job file" in caught.value.what
    assert f"bayscope fio import {path}" in caught.value.way_out


@pytest.mark.parametrize(
    ("label", "told"), [("W" * 300, "300"), ("a\u3164b", "invisible")]
)
def test_a_label_is_refused_for_one_reason(label: str, told: str) -> None:
    text = f'name = "P"\n[[step]]\nlabel = "{label}"\nengine = "idle"\nruntime = "1s"\n'
    with pytest.raises(BadInput) as caught:
        parse_campaign(text, "p.toml")
    assert told in caught.value.what
    assert ("300" in caught.value.what) != ("invisible" in caught.value.what)
