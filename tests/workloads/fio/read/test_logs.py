"""fio's logs: their names, widths, and what is wrong with damaged ones."""

from pathlib import Path, PurePath

import numpy as np
import pytest

from instruments.errors import BadInput
from workloads.fio.read.logs import LogName, log_name, looks_like_log, read_log

DATA = Path(__file__).parents[3] / "fixtures" / "imports" / "fio-3.1"


def test_names() -> None:
    assert log_name(PurePath("a/run-1_bw.3.log")) == LogName("run-1", "bw", 3, "")
    assert log_name(PurePath("x_clat_hist.1.log")) == LogName("x", "clat_hist", 1, "")
    assert log_name(PurePath("x_lat.log")) == LogName("x", "lat", 0, "")
    host = log_name(PurePath("cs_bw.1.log.10.0.0.1"))
    assert host == LogName("cs", "bw", 1, "10.0.0.1")
    assert log_name(PurePath("notes.txt")) is None


def test_published_log() -> None:
    path = DATA / "random-read-depth-1_iops.1.log"
    found = read_log(path.read_bytes(), path.name)
    assert found.times_ms[:3].tolist() == [499, 1000, 1500]
    assert found.values[:2].tolist() == [112.0, 92.0]
    assert set(found.directions.tolist()) == {1}
    assert found.is_averaged
    assert not found.has_epoch
    assert looks_like_log(path.read_text())


@pytest.mark.parametrize(
    ("row", "value", "direction", "size"),
    [
        ("100, 7, 1", 7, 1, 0),
        ("100, 7, 1, 4096", 7, 1, 4096),
        ("100, 7, 0, 4096, 8192", 7, 0, 4096),
        ("100, 7, 2, 4096, 8192, 0x0001", 7, 2, 4096),
        ("100, 7, 9, 1, 4096, 8192, 0", 7, 1, 4096),
        ("100, 7, 1, 4096, 8192, 0, 123456789", 7, 1, 4096),
    ],
)
def test_widths(row: str, value: float, direction: int, size: int) -> None:
    found = read_log(f"{row}\n".encode() * 3, "log")
    assert looks_like_log(row)
    assert np.all(found.values == value)
    assert np.all(found.directions == direction)
    assert np.all(found.sizes == size)


def test_average_and_maximum() -> None:
    found = read_log(b"100, 7, 9, 1, 0, 0, 0\n200, 8, 12, 0, 0, 0, 0\n", "log")
    assert found.directions.tolist() == [1, 0]


def test_epoch() -> None:
    assert read_log(b"1564907970022, 7, 1, 0\n", "log").has_epoch


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "log, line 1: it is empty"),
        ("abc\n", 'log, line 1: "abc" is not a row'),
        ("1, 2, 0, 0\n3, x, 0, 0\n", 'log, line 2: "3, x, 0, 0" is not a row'),
        ("1, 2, 0, 0\n3, 4", 'log, line 2: "3, 4" is not a row'),
        ("1, 2, 0, 0, 0\n3, 4, 0, 0", 'log, line 2: "3, 4, 0, 0" is not a row'),
        ("1, 2, 0, 0\n3, 4, 0, 0", "log, line 2: the last row is cut short"),
        ("1, 2, 7, 8\n", "log, line 1: the third number is not a direction"),
    ],
)
def test_damaged(text: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        read_log(text.encode(), "log")
