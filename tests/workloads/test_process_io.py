"""Counting what a real program, and what it starts, reads and writes."""

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


def test_a_program_that_has_ended_counts_no_more() -> None:
    counts = ProgramTransfers(2**22 + 1)
    assert counts.look().reads == 0
