"""Values of a step as text and back."""

import pytest

from app.operations.editing.field import FieldKind
from app.operations.editing.values import summary, to_text, to_value


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


def test_a_summary_tells_the_options() -> None:
    step = {
        "engine": "fio",
        "fio": {"rw": "randread", "iodepth": 8, "numjobs": 2, "ioengine": "libaio"},
        "sweep": {"bs": ["4k", "1m"], "order": "shuffled"},
    }
    assert summary(step) == "randread  QD8  2 jobs  bs: 4k, 1m"
