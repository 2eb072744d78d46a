"""Files that were made to hang or fill a program: refused in a sentence, soon.

With a reader whose time grows with the square of the length these would take hours.
"""

import os
from pathlib import Path

import pytest
import zstandard

from app.record.imports.answers import parse_answers
from app.record.imports.found import Found
from app.record.imports.placing import place
from app.record.imports.recognise import read_file
from instruments.errors import BadInput
from tests.app.record.imports.results import DATA, meter_log
from workloads.warp import output as warp_output
from workloads.warp.csv import COLUMNS

LONG = 2 * 10**6
CASES = {
    "blank lines": b"a\n" + b"\n" * LONG,
    "blanks": b"a" + b" " * LONG,
    "tabs": b"\t" * LONG + b"tod",
    "tags": b"<" * LONG,
    "braces": b"{}" * LONG + b'"jobs"',
    "starts": b'{\n"jobs"\n' * (LONG // 10),
    "levels": b'{"jobs": ' + b"[" * LONG,
    "blank lines of JSON": b"\n" * LONG + b'"jobs"\n',
    "fio job": b"fio-3.1\nload: " + b"(groupid=1, jobs=1): err= 0 (: " * (LONG // 31),
    "fio side": b"load: (groupid=0, jobs=1): err= 0: pid=1\n"
    b"  read: IOPS=1, BW=1 (" + b")(" * (LONG // 2) + b"\n",
    "meter head": b"U [V" + b" " * LONG + b";P" + b" " * LONG + b"x;Timestamp\n",
    "leading blanks": b" " * LONG + b"1, 1, 0, 1, 0\n",
    "leading tabs": b" \t" * (LONG // 2) + b"fio-3.1\n",
    "VDBench": b"Jan 01, 2026 " + b"." * LONG + b"\navg_",
    "VDBench tags": b"avg_\nJan 01, 2026 interval  i/o\n" + b"<" * LONG + b"\n",
    "IOzone": b"Iozone: Performance Test\nChildren see throughput for  1 "
    + b" " * LONG
    + b"\n",
    "IOzone digits": b"Iozone: Performance Test\nChildren see throughput for 1 a = "
    + b"9" * LONG
    + b" kB/sec\n",
    "IOzone row": b"Iozone: Performance Test\n    kB  reclen  write\n  1 2 "
    + b"9" * LONG
    + b"\n",
}


@pytest.mark.parametrize("name", CASES)
def test_a_hostile_text_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(CASES[name])
    with pytest.raises(BadInput):
        read_file(path)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    os.mkfifo(path)
    with pytest.raises(BadInput):
        read_file(path)


@pytest.mark.parametrize("frames", [1, 40])
def test_a_packed_file_is_unpacked_up_to_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, frames: int
) -> None:
    monkeypatch.setattr(warp_output, "MOST_UNPACKED", 10 * 2**20)
    path = tmp_path / "a.csv.zst"
    path.write_bytes(zstandard.compress(bytes(40 * 2**20 // frames)) * frames)
    with pytest.raises(BadInput, match="longer than 10 MiB"):
        read_file(path)


def found_in(path: Path) -> Found:
    found = read_file(path).found
    assert isinstance(found, Found)
    return found


@pytest.mark.parametrize("year", ["0001", "1969", "2262", "9999"])
def test_a_log_of_a_year_that_cannot_be_is_refused(tmp_path: Path, year: str) -> None:
    path = meter_log(tmp_path / "LOG0.CSV", 1.6e9, 5)
    path.write_text(path.read_text("utf-8").replace("2020-09-13", f"{year}-09-13"))
    with pytest.raises(BadInput):
        place([found_in(path)], parse_answers(zone="UTC"))


def test_a_day_that_cannot_be_is_refused() -> None:
    answers = parse_answers(zone="UTC", day="9999-12-31", offsets=("5",))
    found = found_in(DATA / "fio-2.1.11.json")
    with pytest.raises(BadInput):
        place([found], answers)


def test_requests_over_decades_are_not_counted_by_the_second(tmp_path: Path) -> None:
    first, last = "2020-01-01T00:00:00Z", "2030-01-01T00:00:00Z"
    rows = [
        ["0", "0", "GET", "a", "1", "1", "", "f", "", first, "", end, "1"]
        for end in (first, first, last)
    ]
    lines = ["\t".join(COLUMNS), *("\t".join(row) for row in rows)]
    path = tmp_path / "w.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.raises(BadInput):
        read_file(path)
