"""Counting what a real program, and what it starts, reads and writes."""

import os
import sys
import time
from pathlib import Path

from instruments.tools.command import start
from workloads.process_io import ProgramTransfers

SCRIPT = """
import os, subprocess, sys
path = sys.argv[1]
if len(sys.argv) == 2:
    child = subprocess.Popen([sys.executable, __file__, path + "2", "child"])
with open(path, "wb", buffering=0) as file:
    for _ in range(8):
        file.write(bytes(1 << 16))
print("ready", flush=True)
if len(sys.argv) == 2:
    child.wait()
sys.stdin.read(0)
import time
time.sleep(600)
"""


def test_a_program_and_its_children_are_summed(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, "utf-8")
    with start([sys.executable, str(script), str(tmp_path / "out")]) as process:
        counts = ProgramTransfers(process.pid)
        deadline = time.monotonic() + 60
        while counts.look().written_bytes < 2 * 8 * 65536:
            assert time.monotonic() < deadline
            process.wait(0.05)
        assert counts.total.writes >= 16
        assert counts.total.written_bytes < 3 * 8 * 65536


WAITED_FOR = """
import os
child = os.fork()
with open(os.devnull, "wb", buffering=0) as file:
    for _ in range(8):
        file.write(bytes(1 << 16))
os.write(1, b"done\\n")
os.read(0, 1)
if child:
    os.waitpid(child, 0)
    os.write(1, b"waited\\n")
    os.read(0, 1)
"""


def test_a_child_counts_once_though_its_parent_takes_over_its_counts() -> None:
    reading, writing = os.pipe()
    with (
        os.fdopen(writing, "wb", buffering=0) as ours,
        start([sys.executable, "-c", WAITED_FOR], stdin=reading) as process,
    ):
        os.close(reading)
        counts = ProgramTransfers(process.pid)
        assert [process.stdout.readline() for _ in range(2)] == [b"done\n"] * 2
        before = counts.look()
        assert before.written_bytes >= 2 * 8 * 65536
        ours.write(b"\n\n")
        assert process.stdout.readline() == b"waited\n"
        after = counts.look()
    assert before.written_bytes <= after.written_bytes < 3 * 8 * 65536


def test_a_program_that_has_ended_counts_no_more() -> None:
    counts = ProgramTransfers(2**22 + 1)
    assert counts.look().reads == 0
