"""What a form shows of a step, and values as text and back."""

import pytest

from app.operations.campaign_fields import (
    FieldKind,
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
    group = groups("fio", Catalogue("fio-3.33", named))[1]
    fields = {field.path[-1]: field for field in group.fields}
    assert fields["rw"].shown
    assert not fields["zero_buffers"].shown
    assert fields["zero_buffers"].kind is FieldKind.FLAG
    assert fields["zero_buffers"].default == "false"
    assert fields["rate_process"].choices == ("linear", "poisson")
    assert "thinktime" not in fields
    assert "thinktime" in {field.path[-1] for field in groups("fio")[1].fields}
