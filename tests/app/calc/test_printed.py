"""How a printed figure comes from a calculated one."""

import pytest

from app.calc.calculator import Output
from app.calc.intake import INTAKE
from app.calc.printed import Fit, find_printed, fit_of, told


@pytest.mark.parametrize(
    ("printed", "value", "fit"),
    [
        ("1.12", 1.1246, Fit.ROUNDED),
        ("1,12", 1.1246, Fit.ROUNDED),
        ("1.12", 1.1257, Fit.CUT),
        ("14", 13.2, Fit.UP),
        ("around 110", 111.6, Fit.COARSE),
        ("8000", 7877.0, Fit.NONE),  # a single digit says too little
        ("64", 54.9, Fit.NONE),
        ("9", 10.0, Fit.NONE),  # the whole of a step is not its rounding
        ("28", 27.0, Fit.NONE),
        ("1.2e6", 1.23e6, Fit.ROUNDED),
        ("0", 0.0, Fit.ROUNDED),
        ("none", 1.0, Fit.NONE),
        ("1e300", 1.0, Fit.NONE),
        ("1", float("inf"), Fit.NONE),
    ],
)
def test_fits(printed: str, value: float, fit: Fit) -> None:
    assert fit_of(printed, value) is fit


A, B, C = Output("a", "A", "K"), Output("b", "B", "\N{DEGREE SIGN}C"), Output("c", "C")


def test_all_that_fit_are_found_the_nearest_first() -> None:
    values = {"a": 1.1257, "b": 1.1246, "c": None}
    found = find_printed("1.12", (A, B, C), values)
    assert [(one.output.key, one.fit) for one in found] == [
        ("b", Fit.ROUNDED),
        ("a", Fit.CUT),
    ]
    sentence = 'It is "B", 1.1246 \N{DEGREE SIGN}C, rounded; or "A", 1.1257 K, cut off.'
    assert told(found) == sentence
    assert find_printed("1e999", (A, B, C), values) == ()
    assert find_printed("1.12", (A, B, C), {}) == ()


def test_of_those_that_do_not_fit_the_nearest_is_named() -> None:
    [far] = find_printed("9", (A, B, C), {"a": 1.15, "b": 1.1257, "c": None})
    assert (far.output.key, far.fit) == ("a", Fit.NONE)
    assert "matches no result" in told([far])


@pytest.mark.parametrize(
    ("printed", "keys"),
    [
        ("20", ["a", "c"]),
        ("20 K", ["a"]),
        ("below 20 \N{DEGREE SIGN}C", ["b"]),
        ('"below 20 degC"', ["b"]),
        ("20\N{DEGREE SIGN} C", ["b"]),
        ("20 or so", ["a", "c"]),
    ],
)
def test_units_agree(printed: str, keys: list[str]) -> None:
    values = {"a": 20.0, "b": 22.0, "c": 20.0}
    found = find_printed(printed, (A, B, C), values)
    assert [one.output.key for one in found] == keys


@pytest.mark.parametrize(
    ("printed", "off"),
    [
        ("20 \N{DEGREE SIGN}C", "-2 K, to the safe side"),
        ("23.5 \N{DEGREE SIGN}C", "+1.5 K"),
        ("19 K", "-1 K"),
    ],
)
def test_temperatures_differ_in_kelvin(printed: str, off: str) -> None:
    answer = INTAKE.answer({})
    found = find_printed(printed, INTAKE.outputs_of({}), answer.values)
    assert told(found).endswith(f"from which it differs by {off}.")
    assert found[0].percent is None
