import os
import re
import subprocess
import sys
from dataclasses import replace

import pytest

from app.campaign.run.progress import Progress
from app.terminal import ProgressLine, say


def test_where_nobody_watches_each_step_is_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with ProgressLine() as line:
        for fraction in (0.0, 0.09, 0.11, 0.12, 0.93):
            line.show(Progress("filling", step_fraction=fraction))
        for left in (20.0, 19.0):
            line.show(
                Progress("recording", step=1, steps=2, label="Idle", remaining_s=left)
            )
    told = capsys.readouterr().err.splitlines()
    assert told == ["filling", "filling 10 %", "filling 90 %", "1/2 Idle, 0:20 left"]


def test_a_lost_source_is_told_at_once_and_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lost = Progress("recording", step=1, label="Idle", trouble="mains is lost: silent")
    with ProgressLine() as line:
        line.show(lost)
        line.show(lost)
        line.show(Progress("recording", step=1, label="Idle"))
        line.show(lost)
        line.show(Progress("closing"))
    told = said(capsys)
    assert told == [
        "mains is lost: silent",
        "1/0 Idle",
        "every source is back",
        "mains is lost: silent",
        "closing",
    ]


def test_what_holds_a_run_and_ends_it_is_told_at_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    load = Progress("recording", step=1, steps=2, label="Load")
    ended = replace(load, ended="Load: ERROR: held for the 4th time, given up: Hot")
    with ProgressLine() as line:
        line.show(load)
        line.show(replace(load, held="Hot: 61 °C"))
        line.show(replace(load, held="Hot: 61 °C"))
        line.show(load)
        line.show(ended)
        line.show(replace(ended, given_up="Meter lost: still so after 30 s"))
        line.show(replace(load, label="After"))
    assert said(capsys) == [
        "1/2 Load",
        "paused by an interlock: Hot: 61 °C",
        "no interlock pauses the run any more",
        "Load: ERROR: held for the 4th time, given up: Hot",
        "given up: Meter lost: still so after 30 s",
        "1/2 After",
    ]


def said(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Get the lines, news without their time of day."""
    lines = capsys.readouterr().err.splitlines()
    return [re.sub(r"^\d\d:\d\d:\d\d ", "", line.strip()) for line in lines]


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressLine(quiet=True) as line:
        line.show(Progress("recording", step=1, steps=2, label="Idle"))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_reader_that_has_gone_ends_nothing(stream: str) -> None:
    """As in "bayscope run ... | head": the exit code still tells how it ended."""
    text = (
        "import sys; from app.terminal import ProgressLine, say, say;"
        "from app.campaign.run.progress import Progress;"
        "say('x' * 100_000); ProgressLine().show(Progress('closing')); say('more');"
        "sys.exit(3)"
    )
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-c", text],
        check=False,
        stdout=writing if stream == "stdout" else subprocess.PIPE,
        stderr=writing if stream == "stderr" else subprocess.PIPE,
    )
    os.close(writing)
    assert done.returncode == 3
    assert b"Traceback" not in (done.stderr or b"")
    assert b"Broken" not in (done.stderr or b"")


def test_labels_move_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    say("a\x1b[2Jb\rc\u202ed\n\te")
    with ProgressLine() as line:
        line.show(Progress("recording", step=1, steps=2, label="\x1b]0;x\x07Idle\r"))
    told = capsys.readouterr()
    assert told.out == "a\\x1b[2Jb\\rc\\u202ed\n\te\n"
    assert "Idle" in told.err
    assert not set("\x1b\x07\r") & set(told.err)
