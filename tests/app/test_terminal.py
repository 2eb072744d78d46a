import os
import subprocess
import sys

import pytest

from app.campaign.progress import Progress
from app.terminal import ProgressLine


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
    told = [text.strip() for text in capsys.readouterr().err.splitlines()]
    assert told == [
        "mains is lost: silent",
        "1/0 Idle",
        "every source is back",
        "mains is lost: silent",
        "closing",
    ]


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressLine(quiet=True) as line:
        line.show(Progress("recording", step=1, steps=2, label="Idle"))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_reader_that_has_gone_ends_nothing(stream: str) -> None:
    """As in "bayscope run ... | head": the exit code still tells how it ended."""
    text = (
        "import sys; from app.terminal import ProgressLine, say;"
        "from app.campaign.progress import Progress;"
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
