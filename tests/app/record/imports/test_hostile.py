"""Files that were made to hang or fill a program: refused in a sentence, soon.

With a reader whose time grows with the square of the length these would take hours.
"""

import os
from pathlib import Path

import pytest
import zstandard

from app.record.imports.recognise import read_file
from instruments.errors import BadInput
from workloads import warp_output

LONG = 2 * 10**6
CASES = {
    "blank lines": b"a\n" + b"\n" * LONG,
    "blanks": b"a" + b" " * LONG,
    "tabs": b"\t" * LONG + b"tod",
    "tags": b"<" * LONG,
    "braces": b"{}" * LONG + b'"jobs"',
    "starts": b'{\n"jobs"\n' * (LONG // 10),
    "levels": b'{"jobs": ' + b"[" * LONG,
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
