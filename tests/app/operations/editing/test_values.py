"""Values of a step as text and back."""

import pytest

from app.operations.editing.values import summary, to_value
from instruments.settings import Kind, Option, written


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Kind.TEXT, " 4k ", "4k"),
        (Kind.INTEGER, "32", 32),
        (Kind.INTEGER, "many", "many"),
        (Kind.NUMBER, "2.5", 2.5),
        (Kind.FLAG, "true", True),
        (Kind.FLAG, "false", False),
        (Kind.TEXTS, "a, b", ["a", "b"]),
        (Kind.LINES, "a\nb ", "a\nb "),
        (Kind.DURATION, "", None),
    ],
)
def test_values_are_entered_as_text(kind: Kind, text: str, value: object) -> None:
    option = Option("key", "", kind)
    assert to_value(option, text) == value
    assert to_value(option, written(value)) == value


def test_a_summary_tells_the_options() -> None:
    step = {
        "engine": "fio",
        "fio": {"rw": "randread", "iodepth": 8, "numjobs": 2, "ioengine": "libaio"},
        "sweep": {"bs": ["4k", "1m"], "order": "shuffled"},
    }
    assert summary(step) == "randread  QD8  2 jobs  bs: 4k, 1m"
