import pytest

from app.campaign.progress import Progress
from app.terminal import ProgressLine


def test_where_nobody_watches_each_step_is_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with ProgressLine() as line:
        line.show(Progress("filling the scratch file", step_fraction=0.1))
        line.show(Progress("filling the scratch file", step_fraction=0.2))
        for left in (20.0, 19.0):
            line.show(
                Progress("recording", step=1, steps=2, label="Idle", remaining_s=left)
            )
    told = capsys.readouterr().err.splitlines()
    assert told == ["filling the scratch file", "1/2 Idle, 0:20 left"]


def test_a_lost_source_is_told_at_once_and_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lost = Progress("recording", step=1, label="Idle", trouble="mains is lost: silent")
    with ProgressLine() as line:
        line.show(lost)
        line.show(lost)
        line.show(Progress("recording", step=1, label="Idle"))
    told = [text.strip() for text in capsys.readouterr().err.splitlines()]
    assert told == ["mains is lost: silent", "1/0 Idle", "every source is back"]


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with ProgressLine(quiet=True) as line:
        line.show(Progress("recording", step=1, steps=2, label="Idle"))
    assert capsys.readouterr().err == ""
