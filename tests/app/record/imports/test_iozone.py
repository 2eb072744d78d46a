"""IOzone's output as the real one printed it."""

from pathlib import Path

import pytest

from app.record.imports.found import Clock
from app.record.imports.recognise import is_iozone, read_iozone
from instruments.errors import BadInput
from instruments.reading import SECOND

ENGINES = Path(__file__).parents[3] / "fixtures" / "engines"
MATRIX = ENGINES / "iozone-3.489-matrix.txt"
THROUGHPUT = ENGINES / "iozone-3.489-throughput.txt"


def test_the_matrix() -> None:
    text = MATRIX.read_text()
    found = read_iozone(MATRIX, text)
    assert is_iozone(text)
    assert (found.clock.kind, found.version) == (Clock.LOCAL, "3.489")
    assert found.extent[0] == 1795278276 * SECOND
    values = found.steps[0].values
    assert values["write_64k_mb_s"].value == pytest.approx(74747 * 1024 / 1e6)
    assert values["buffered"].value == 0.0
    assert found.steps[0].window is None


def test_the_throughput_mode() -> None:
    found = read_iozone(THROUGHPUT, THROUGHPUT.read_text())
    assert {"write_mb_s", "random_read_mb_s"} <= set(found.steps[0].values)


def test_an_output_that_is_cut_short() -> None:
    text = MATRIX.read_text().replace("iozone test complete.", "")
    with pytest.raises(BadInput, match="it is cut short"):
        read_iozone(Path("x"), text)
    kept = read_iozone(Path("x"), text, keep_rest=True)
    assert kept.steps[0].reason == "its output is cut short"
    assert kept.steps[0].fault == "ABORTED"
    with pytest.raises(BadInput, match="it has no results"):
        read_iozone(Path("x"), "Iozone: Performance Test of File I/O\n")
