"""`bayscope samples` as it is typed."""

import json
from pathlib import Path

import pytest

from app.cli.main import run
from app.cli.output import seconds_of
from instruments.errors import BadInput
from tests.app.operations.sessions.test_samples import csv_frame, record


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("cli") / "run.bayscope")


def test_a_range_of_some_channels_on_a_grid(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "--channels mains.*,noise.LAeq --from 10s --until 1min --grid 500ms"
    assert run(["samples", str(path), "--to", str(tmp_path), *words.split()]) == 0
    frame = csv_frame(tmp_path / "run-samples.csv")
    assert (len(frame), len(frame.columns)) == (100, 5)
    assert "100 rows" in capsys.readouterr().out


def test_a_folder_with_a_broken_session_gives_the_good_ones(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "lab"
    folder.mkdir()
    (folder / "broken.bayscope").write_text("nonsense")
    (folder / path.name).write_bytes(path.read_bytes())
    argv = ["samples", str(folder), str(path), "--to", str(tmp_path), "--format"]
    assert run([*argv, "arrow", "--step", "Idle", "--json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert [Path(one["files"][0]).name for one in told["sessions"]] == [
        "run-samples.arrow",
        "run-2-samples.arrow",
    ]
    assert "broken.bayscope" in told["errors"][0]
    assert run([*argv, "arrow"]) == 2
    out, err = capsys.readouterr()
    assert "2 of 3 sessions exported, 1 could not be." in out
    assert "broken.bayscope" in err


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("--format xls", "csv, arrow, parquet"),
        ("--format ,", "no format is named"),
        ("--grid 2h", "--grid"),
        ("--grid soon", "--grid"),
        ("--grid 0s", "--grid"),
        ("--from 99h", "ends at 1100.2 s"),
        ("--from 99h --until 100h", "ends at 1100.2 s"),
        ("--from 2s --until 1s", "--until"),
        ("--step Idel", "Idle"),
    ],
)
def test_a_mistake_is_one_sentence(
    path: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: str,
    named: str,
) -> None:
    assert run(["samples", str(path), "--to", str(tmp_path), *words.split()]) == 2
    err = capsys.readouterr().err
    assert named in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["samples", str(tmp_path)]) == 2
    assert "no session in this folder" in capsys.readouterr().err


def test_times_are_written_alike_in_every_command() -> None:
    read = [seconds_of("--from", text) for text in ("10", "10s", "1m30s", "0")]
    assert read == [10, 10, 90, 0]
    for text in ("soon", "-1", "nan", "1e12"):
        with pytest.raises(BadInput, match="--from is"):
            seconds_of("--from", text)
