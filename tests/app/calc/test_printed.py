"""How a printed figure comes from a calculated one."""

import pytest

from app.calc.calculator import Output
from app.calc.printed import Fit, find_printed, fit_of


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
        ("1.2e6", 1.23e6, Fit.ROUNDED),
        ("0", 0.0, Fit.ROUNDED),
        ("none", 1.0, Fit.NONE),
        ("1e300", 1.0, Fit.NONE),
        ("1", float("inf"), Fit.NONE),
    ],
)
def test_fits(printed: str, value: float, fit: Fit) -> None:
    assert fit_of(printed, value) is fit


def test_the_nearest_fit_is_found() -> None:
    outputs = (Output("a", "A"), Output("b", "B"), Output("c", "C"))
    values = {"a": 1.15, "b": 1.1257, "c": None}
    found = find_printed("1.12", outputs, values)
    assert found is not None
    assert (found.output.key, found.fit) == ("b", Fit.CUT)
    assert "B" in found.text
    assert find_printed("1e999", outputs, values) is None
    assert find_printed("1.12", outputs, {}) is None
    far = find_printed("9", outputs, values)
    assert far is not None
    assert far.fit is Fit.NONE
