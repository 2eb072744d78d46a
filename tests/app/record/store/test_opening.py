"""Whatever file is opened: a session, or a sentence; and the file is not touched."""

import contextlib
import os
import random
import shutil
import sqlite3
import threading
import time
from pathlib import Path

import pytest

from app.record.store import Session, Writer, database, sessions
from app.record.store.schema import VERSION
from instruments.errors import BadInput
from tests import needs
from tests.app.record.recording import INFO, POWER, readings
from tests.app.record.store.killing import Killer
from tests.mounts import read_only


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("good") / "good.bayscope"
    writer = Writer.create(path, INFO)
    writer.append(readings(POWER, 20_000))
    writer.finish()
    return path


def _refused(path: Path) -> str:
    """Open a file that is none; return the sentence and check it is untouched."""
    before = path.read_bytes()
    with pytest.raises(BadInput) as error:
        Session.open(path)
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    sentence = str(error.value)
    assert sentence.startswith(f"{path}: ")
    assert sentence.endswith(".")
    assert error.value.exit_code == 2
    [summary] = sessions(path.parent)
    assert summary.error
    return sentence


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no such file"):
        Session.open(tmp_path / "none.bayscope")
    with pytest.raises(BadInput, match="it is a folder"):
        Session.open(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"S",
        b"Dear diary,\n" * 1000,
        b"SQLite format 3\0" + b"\1" * 5000,
        b"\0" * 9000,
    ],
)
def test_foreign(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.bayscope"
    path.write_bytes(content)
    assert "not a Bayscope session" in _refused(path)


def test_another_database(tmp_path: Path) -> None:
    path = tmp_path / "x.bayscope"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE session (name TEXT)")
    connection.commit()
    connection.close()
    assert "not a Bayscope session" in _refused(path)


def test_a_text_that_is_no_utf_8_is_said_without_the_words_of_a_codec(
    tmp_path: Path, good: Path
) -> None:
    path = tmp_path / "a.bayscope"
    shutil.copy(good, path)
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE session SET name = CAST(x'61ff' AS TEXT)")
    [summary] = sessions(tmp_path)
    assert "UTF-8" in summary.error
    assert "codec" not in summary.error


def test_what_only_looks_like_a_session_says_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "a.bayscope").symlink_to("nowhere")
    os.mkfifo(tmp_path / "b.bayscope")
    (tmp_path / "c.bayscope").mkdir()
    told = {session.path.name[0]: session.error for session in sessions(tmp_path)}
    assert "points to" in told["a"]
    assert "pipe" in told["b"]
    assert "folder" in told["c"]


def test_newer(tmp_path: Path, good: Path) -> None:
    path = tmp_path / "x.bayscope"
    shutil.copyfile(good, path)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    sentence = _refused(path)
    assert "newer Bayscope" in sentence
    assert f"format {VERSION + 1}" in sentence


@pytest.mark.parametrize("share", [0.001, 0.01, 0.3, 0.5, 0.9, 0.999])
def test_cut_short(tmp_path: Path, good: Path, share: float) -> None:
    path = tmp_path / "x.bayscope"
    whole = good.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    assert "damaged or cut short" in _refused(path)


def test_a_recording_that_grows_meanwhile_is_whole(
    tmp_path: Path, good: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its log is still empty when the look at it begins, and has pages at its end."""
    path = tmp_path / "x.bayscope"
    shutil.copyfile(good, path)
    with contextlib.closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")

        def grows(_: Path) -> bool:
            with writer:
                writer.execute("CREATE TABLE more AS SELECT randomblob(100000)")
            return True

        monkeypatch.setattr(database, "is_recorded", grows)
        assert database.check_header(path) == VERSION
        assert database.log_size(path) > 0


@pytest.mark.parametrize("head", [1, 20, 72, 90, 100, 4096])
def test_only_the_head_is_left(tmp_path: Path, good: Path, head: int) -> None:
    path = tmp_path / "x.bayscope"
    path.write_bytes(good.read_bytes()[:head])
    assert _refused(path)


def test_damaged_inside_is_said_when_it_is_read(tmp_path: Path, good: Path) -> None:
    path = tmp_path / "x.bayscope"
    content = bytearray(good.read_bytes())
    for place in range(8 * 4096, len(content), 64):
        content[place : place + 16] = b"\xff" * 16
    path.write_bytes(content)
    with pytest.raises(BadInput, match="damaged"):
        _read_all(path)
    assert path.read_bytes() == bytes(content)


@pytest.mark.parametrize("seed", range(8))
def test_random_damage_is_read_or_said(tmp_path: Path, good: Path, seed: int) -> None:
    """Whatever the bytes are: values or a sentence, and the file stays as it is."""
    path = tmp_path / "x.bayscope"
    dice = random.Random(seed)
    for _ in range(10):
        content = bytearray(good.read_bytes())
        for _ in range(dice.choice((1, 3, 100))):
            place = dice.randrange(100, len(content))
            width = dice.choice((1, 20))
            content[place : place + width] = dice.randbytes(width)
        path.write_bytes(content)
        sessions(tmp_path)
        with contextlib.suppress(BadInput):
            _read_all(path)
        assert path.read_bytes() == bytes(content)
        assert _names(tmp_path) == [path.name]


def _read_all(path: Path) -> None:
    with Session.open(path) as session:
        for channel in session.channels():
            session.trace(channel)
            session.trace(channel, None, 10)
        session.report_table()
        session.gaps()
        session.events()
        session.is_unchanged()


def test_a_crash_that_is_damaged_as_well_is_left_alone(
    tmp_path: Path, killer: Killer
) -> None:
    path = tmp_path / "x.bayscope"
    killer.kill(path, 0.3)
    log = path.with_name(path.name + "-wal")
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    content = bytearray(path.read_bytes())
    content[5 * 4096 :] = b"\x11" * (len(content) - 5 * 4096)
    path.write_bytes(content)
    log.unlink(missing_ok=True)
    with pytest.raises(BadInput, match="damaged"):
        Session.open(path)
    assert path.read_bytes() == bytes(content)


@needs.read_only_folders
def test_a_finished_session_opens_from_a_read_only_medium(
    tmp_path: Path, good: Path
) -> None:
    (tmp_path / "fill").mkdir()
    shutil.copyfile(good, tmp_path / "fill" / "s.bayscope")
    with read_only(tmp_path / "fill", tmp_path / "medium") as medium:
        with Session.open(medium / "s.bayscope") as session:
            assert session.state == "complete"
            assert len(session.trace("mains.P")) == 20_000
        assert _names(medium) == ["s.bayscope"]
        [summary] = sessions(medium)
        assert (summary.state, summary.error) == ("complete", "")


@needs.read_only_folders
def test_a_crash_on_a_read_only_medium_is_recovered_on_a_copy(
    tmp_path: Path, killer: Killer
) -> None:
    (tmp_path / "fill").mkdir()
    acknowledged = killer.kill(tmp_path / "fill" / "s.bayscope", 0.2).acknowledged
    with read_only(tmp_path / "fill", tmp_path / "medium") as medium:
        path = medium / "s.bayscope"
        before = {one.name: one.read_bytes() for one in medium.iterdir()}
        with Session.open(path) as session:
            assert session.path == path
            assert session.state == "crashed"
            assert len(session.trace("mains.P")) >= acknowledged
            copy = Path(session._opened.connection.execute(_FILE).fetchone()[0])
            assert copy.exists()
            session.refresh()
        assert not copy.exists()
        assert {one.name: one.read_bytes() for one in medium.iterdir()} == before


_FILE = "SELECT file FROM pragma_database_list WHERE name = 'main'"


def test_a_reader_in_the_way_leaves_a_file_that_is_put_right_later(
    tmp_path: Path,
) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    writer.append(readings(POWER, 30))
    writer.commit()
    hanging = sqlite3.connect(f"file:{writer.path}?mode=ro", uri=True)
    hanging.execute("SELECT count(*) FROM tail").fetchall()
    writer.finish()
    with Session.open(writer.path) as session:
        assert session.state == "complete"
        assert len(session.trace("mains.P")) == 30
    hanging.close()
    [summary] = sessions(tmp_path)
    assert summary.state == "complete"
    with Session.open(writer.path) as session:
        assert session.state == "complete"
        assert session.is_unchanged()
    assert _names(tmp_path) == ["s.bayscope"]


def test_a_live_reader_lets_go_at_the_end_and_goes_on(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    writer.append(readings(POWER, 30))
    writer.commit()
    with Session.open(writer.path) as session:
        assert session.state == "recording"
        stop: list[bool] = []
        thread = threading.Thread(target=_keep_reading, args=(session, stop))
        thread.start()
        writer.finish()
        stop.append(True)
        thread.join()
        session.refresh()
        assert session.state == "complete"
        assert len(session.trace("mains.P")) == 30
    assert _names(tmp_path) == ["s.bayscope"]


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _keep_reading(session: Session, stop: list[bool]) -> None:
    while not stop:
        assert len(session.trace("mains.P")) == 30
        time.sleep(0.02)


def half_written(path: Path) -> bytes:
    """Leave a finished session as SQLite has it in the middle of storing a change.

    Its first page, which is written first, counts pages that are not there yet; the
    journal beside it takes the change back.

    Returns:
        The file as it is when all of the change is stored.
    """
    journal = path.with_name(f"{path.name}-journal")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA cache_size = 2")
        writer.execute("BEGIN IMMEDIATE")
        for number in range(200):
            writer.execute(
                "INSERT INTO annotation (realtime_ns, author, kind, text) "
                "VALUES (?, 'me', 'note', ?)",
                (number, "x" * 9000),
            )
        middle, taken_back = path.read_bytes(), journal.read_bytes()
        writer.execute("COMMIT")
    after = path.read_bytes()
    path.write_bytes(after[:4096] + middle[4096:])
    journal.write_bytes(taken_back)
    return after


def test_a_session_that_is_just_written_to_is_not_called_damaged(
    good: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(good, tmp_path))
    after = half_written(path)
    # What the writer does next; its journal is as good as gone, for nobody has locks.
    path.with_name(f"{path.name}-journal").write_bytes(b"")

    def write_on() -> None:
        path.write_bytes(after)
        path.with_name(f"{path.name}-journal").unlink()

    rest = threading.Timer(0.2, write_on)
    rest.start()
    assert is_fine(path)
    rest.join()


@pytest.mark.parametrize("listed_first", [False, True])
def test_a_change_that_was_cut_off_is_taken_back(
    good: Path, tmp_path: Path, *, listed_first: bool
) -> None:
    path = Path(shutil.copy(good, tmp_path))
    half_written(path)
    if listed_first:
        [listed] = sessions(tmp_path)
        assert not listed.error
    assert is_fine(path)
    assert path.read_bytes() == good.read_bytes()


def is_fine(path: Path) -> bool:
    """Open a session, and look for what the list says of it."""
    with Session.open(path) as session:
        opens = session.state == "complete" and session.is_unchanged() is True
    [listed] = sessions(path.parent)
    return opens and not listed.error
