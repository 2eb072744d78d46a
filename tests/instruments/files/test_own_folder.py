"""Temporary folders go with their program, or with the next start after a kill."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from instruments.files.notes import notes
from instruments.files.own_folder import OwnFolder, sweep

HOLDS = """
import sys
from pathlib import Path
from instruments.files.own_folder import OwnFolder
for beside in (None, Path(sys.argv[1])):
    folder = OwnFolder("bayscope-test-", beside)
    (folder.path / "deep").mkdir()
    (folder.path / "deep" / "file").write_text("x")
    print(folder.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files, of this test and its programs."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


@pytest.fixture
def living(
    temporary: Path, tmp_path: Path
) -> Iterator[tuple[subprocess.Popen[str], list[Path]]]:
    """A program with two folders, one of them beside a target."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    ) as process:
        assert process.stdout is not None
        yield process, [Path(process.stdout.readline().strip()) for _ in range(2)]
        process.kill()


def test_it_goes_when_it_is_closed(temporary: Path) -> None:
    with OwnFolder("bayscope-test-") as path:
        (path / "file").write_text("x")
        assert path.parent == temporary
        assert path.stat().st_mode & 0o777 == 0o700
        [note] = notes().iterdir()
        assert json.loads(note.read_text())["path"] == str(path)
        assert sweep() == []
    assert not path.exists()
    assert list(notes().iterdir()) == []


def test_one_of_a_living_program_stays_and_of_a_dead_one_goes(
    living: tuple[subprocess.Popen[str], list[Path]],
) -> None:
    process, folders = living
    assert sweep() == []
    assert all((folder / "deep" / "file").exists() for folder in folders)
    [pid] = {json.loads(note.read_text())["pid"] for note in notes().iterdir()}
    assert pid == process.pid
    process.kill()
    process.wait()
    assert sorted(sweep()) == sorted(folders)
    assert not any(folder.exists() for folder in folders)
    assert list(notes().iterdir()) == []
    assert sweep() == []


def test_nothing_but_our_own_folder_is_swept(
    living: tuple[subprocess.Popen[str], list[Path]], tmp_path: Path
) -> None:
    """Its place was taken by a link, and notes were forged: all else stays."""
    process, (one, other) = living
    process.kill()
    process.wait()
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("x")
    one.rename(tmp_path / "moved")
    one.symlink_to(precious)
    (other / "link").symlink_to(precious)
    token = "0123456789abcdef"
    for name, told in (
        (token, json.dumps({"kind": "folder", "path": str(precious)})),
        ("precious", json.dumps({"kind": "folder", "path": str(precious)})),
        (token[::-1], "[1"),
        (token[1:] + "0", json.dumps({"kind": "folder", "path": 7})),
        (token[2:] + "00", ""),
    ):
        (notes() / name).write_text(told)
    (notes() / (token[3:] + "000")).symlink_to(precious / "file")
    assert sweep() == [other]
    assert (precious / "file").read_text() == "x"
    assert one.is_symlink()


def test_notes_that_others_may_write_are_not_believed(
    living: tuple[subprocess.Popen[str], list[Path]],
) -> None:
    process, folders = living
    process.kill()
    process.wait()
    notes().chmod(0o777)
    assert sweep() == []
    assert all(folder.exists() for folder in folders)
    # Neither is anything noted there; it goes by itself all the same.
    with OwnFolder() as path:
        assert len(list(notes().iterdir())) == 2
    assert not path.exists()
