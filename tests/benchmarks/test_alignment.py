"""What the measure of the alignment takes for true, and its table."""

import pytest

from app.analysis.align.result import Alignment
from instruments.reading import SECOND, Channel
from tests.benchmarks import alignment
from tests.benchmarks.simulated_lab import model_delay_ns


def test_the_simulators_delay_follows_from_its_equations() -> None:
    # Half way up an exponential of 0.3 s is at 208 ms.
    assert model_delay_ns(1.0) == pytest.approx(0.208 * SECOND, abs=0.01 * SECOND)
    # A load of thrice the most stops half way up earlier.
    assert model_delay_ns(3.0) < 0.1 * SECOND


def test_the_table_has_a_line_a_run_and_says_what_was_refused() -> None:
    channel = Channel("mains", "P", "W")
    found = Alignment(channel, -90_000_000, 5_000_000, 1.0, 50.0, 5, 5)
    none = Alignment(channel, None, 0, 0.0, 0.0, 2, why_not="too few")
    runs = [alignment._Run(found, none, -100e6), alignment._Run(found, found, -95e6)]
    lines = {(f.what, f.how): f.value for f in alignment._figures(runs)}
    values = [value for (what, _), value in lines.items() if "worst" in what]
    assert values == ["10.0", "5.0"]
    assert any("1 runs, 1 refused" in how for _, how in lines)
    assert [v for (what, _), v in lines.items() if "run" in what] == ["+10.0", "+5.0"]
