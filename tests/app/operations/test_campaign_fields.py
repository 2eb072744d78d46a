"""What a form shows of a step, and values as text and back."""

import pytest

from app.operations.campaign_field import FieldKind
from app.operations.campaign_fields import (
    groups,
    new_step,
    other_keys,
    summary,
    title_of,
    to_text,
    to_value,
)
from app.plan.campaign import parse_campaign
from app.plan.edit import NEW, insert
from app.plan.step import ENGINES
from workloads.fio_catalogue import Catalogue, Choice, FioOption, ValueKind


@pytest.mark.parametrize("engine", ENGINES)
def test_a_new_step_of_every_engine_has_no_mistake(engine: str) -> None:
    text = insert(NEW, "step", 1, new_step(engine, "Mine"))
    step = parse_campaign(text, "new").steps[1]
    assert (step.label, step.engine) == ("Mine", engine)
    assert other_keys(new_step(engine, "Mine"), engine) == []
    assert title_of(engine)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (FieldKind.TEXT, " 4k ", "4k"),
        (FieldKind.COUNT, "32", 32),
        (FieldKind.COUNT, "many", "many"),
        (FieldKind.NUMBER, "2.5", 2.5),
        (FieldKind.FLAG, "true", True),
        (FieldKind.FLAG, "false", False),
        (FieldKind.TEXTS, "a, b", ["a", "b"]),
        (FieldKind.LINES, "a\nb ", "a\nb "),
        (FieldKind.DURATION, "", None),
    ],
)
def test_values_are_entered_as_text(kind: FieldKind, text: str, value: object) -> None:
    assert to_value(kind, text) == value
    assert to_value(kind, to_text(value)) == value


def test_keys_that_nobody_knows_are_not_hidden() -> None:
    step = {
        "label": "x",
        "engine": "idle",
        "limits": ["power_w < 1"],
        "novel": 3,
        "table": {"deep": {"key": True}},
    }
    assert other_keys(step, "idle") == [("novel",), ("table", "deep", "key")]


def test_a_summary_tells_the_options() -> None:
    step = {
        "engine": "fio",
        "fio": {"rw": "randread", "iodepth": 8, "numjobs": 2, "ioengine": "libaio"},
        "sweep": {"bs": ["4k", "1m"], "order": "shuffled"},
    }
    assert summary(step) == "randread  QD8  2 jobs  bs: 4k, 1m"


def test_fio_options_come_from_the_fio_that_is_here() -> None:
    buffered = FioOption(
        "zero_buffers", ValueKind.FLAG, help="Init IO buffers to zeroes", default="0"
    )
    words = FioOption(
        "rate_process", ValueKind.CHOICE, choices=(Choice("linear"), Choice("poisson"))
    )
    named = {one.name: one for one in (buffered, words)}
    found = groups("fio", Catalogue("fio-3.33", named))
    fields = {field.path[-1]: field for group in found for field in group.fields}
    assert fields["rw"].shown
    assert fields["zero_buffers"].kind is FieldKind.FLAG
    assert fields["zero_buffers"].default == "false"
    assert fields["rate_process"].choices == ("linear", "poisson")
    assert "thinktime_spin" not in fields
    assert "thinktime_spin" in {
        f.path[-1] for group in groups("fio") for f in group.fields
    }


def test_the_usual_options_stand_in_groups_with_their_ranges() -> None:
    mixed = FioOption("rwmixread", ValueKind.INTEGER, low=0, high=100, default="50")
    words = (Choice("libaio", "Linux native asynchronous IO"), Choice("cpuio"))
    engine = FioOption("ioengine", ValueKind.CHOICE, choices=words)
    hooks = FioOption("exec_prerun")
    more = FioOption("thinktime_spin", ValueKind.DURATION)
    known = {one.name: one for one in (mixed, engine, hooks, more)}
    catalogue = Catalogue("fio-3.33", known)
    found = [group for group in groups("fio", catalogue) if group.table == "fio"]
    assert [group.title for group in found if group.is_folded] == [
        "Pattern",
        "Rate",
        "Data",
        "Flushing",
    ]
    names = [field.path[-1] for group in found for field in group.fields]
    assert len(names) == len(set(names))
    assert [(f.path[-1], f.shown) for f in found[-1].fields] == [
        ("thinktime_spin", False)
    ]
    fields = {field.path[-1]: field for group in found for field in group.fields}
    assert fields["rwmixread"].expected == "a whole number from 0 to 100"
    assert "Left out, it is 50." in fields["rwmixread"].explained
    assert fields["ioengine"].words[0] == "Linux native asynchronous IO"
    assert "exec_prerun" not in fields
