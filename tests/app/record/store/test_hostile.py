"""Sessions of somebody else's making: bounded time and memory, or a sentence."""

import os
import socket
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import chdir, closing, contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

from app.record.store import Result, Session, Writer, annotate, sessions, summary
from app.record.store.codec import Codec, encode
from app.record.store.limits import MOST_STEPS
from instruments.errors import BadInput
from tests.app.record.recording import INFO, POWER, START, readings

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
FOREIGN = {
    "view": f"DROP VIEW report_table; CREATE VIEW report_table AS {ENDLESS} "
    "SELECT x AS step FROM c",
    "hidden view": f"DROP TABLE session; CREATE VIEW session AS {ENDLESS} "
    "SELECT x AS state FROM c",
    "another view": "CREATE VIEW more AS SELECT 1",
    "trigger": "CREATE TRIGGER t AFTER INSERT ON annotation "
    "BEGIN DELETE FROM step; END",
    "virtual table": "CREATE VIRTUAL TABLE v USING fts5(x)",
    "table": "CREATE TABLE more (x)",
    "generated column": "ALTER TABLE step ADD COLUMN x AS (hex(zeroblob(99999999)))",
    "default": "ALTER TABLE event ADD COLUMN x DEFAULT 9",
    "index on an expression": "CREATE INDEX i ON step (hex(zeroblob(99999999)))",
    "no table": "DROP TABLE gap",
    "no index": "DROP INDEX segment_of_channel",
    "statistics": "ANALYZE",
    "older number": "PRAGMA user_version = 2",
}
TEXTS = {
    "check": ("NOT NULL,", "NOT NULL CHECK (length(hex(zeroblob(90000000))) > 0),"),
    "collation": ("TEXT NOT NULL", "TEXT COLLATE NOCASE NOT NULL"),
    "no constraint": ("NOT NULL", ""),
    "comment": ("CREATE", "CREATE /* */"),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    writer = Writer.create(tmp_path / "s.bayscope", INFO)
    writer.append(readings(POWER, 5))
    step = writer.add_step(1, "Idle", "idle", "")
    writer.update_step(step, start_ns=START, end_ns=2 * START, outcome="DONE")
    writer.result(step, Result("power_w", 2.0, "W", 0, 1))
    writer.event(START, "info", "mains", "x")
    writer.artefact(step, "a.txt", "text/plain", b"hello")
    writer.finish()
    return writer.path


@contextmanager
def _changing(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def _refused(path: Path, action: Callable[[Path], object]) -> str:
    """Do something with a session; return the sentence that it ends in."""
    with pytest.raises(BadInput) as told:
        action(path)
    text = str(told.value)
    assert text.startswith(str(path.parent))
    assert "\n" not in text
    return text


def _read(path: Path) -> None:
    with Session.open(path) as session:
        session.steps()
        session.report_table()
        session.extent()
        session.results()
        session.events()
        session.gaps()
        session.is_unchanged()
        for channel in session.channels():
            session.trace(channel)
            session.trace(channel, None, 2)
        for artefact in session.artefacts():
            session.artefact(artefact.name)


@pytest.mark.parametrize("what", FOREIGN)
def test_foreign_tables_and_what_runs_by_itself_are_refused(
    path: Path, what: str
) -> None:
    with _changing(path) as connection:
        connection.executescript(FOREIGN[what])
    for action in (Session.open, _note):
        assert "has other tables" in _refused(path, action)
    assert "has other tables" in summary(path).error


@pytest.mark.parametrize("what", TEXTS)
def test_tables_that_only_look_alike_are_refused(path: Path, what: str) -> None:
    with _changing(path) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'step'",
            TEXTS[what],
        )
    assert "has other tables" in _refused(path, Session.open)


def _note(path: Path) -> None:
    annotate(path, "seen", author="me", realtime_ns=1)


WRONG = {
    "text for a time": "UPDATE step SET start_ns = 'early'",
    "time beyond any": f"UPDATE step SET end_ns = {2**63 - 1}",
    "blob for a text": "UPDATE step SET label = x'ff00ff'",
    "number for a text": "UPDATE event SET message = x'01'",
    "infinite result": "UPDATE result SET value = 9e999",
    "text for a result": "UPDATE result SET value = 'many'",
    "no text": "UPDATE step SET label = CAST(x'c328' AS TEXT)",
    "result of no step": "DELETE FROM step",
    "state": "UPDATE session SET state = 'dreaming'",
    "period": "UPDATE channel SET period_ns = 'often'",
    "samples fewer than said": "UPDATE segment SET count = 9",
    "fewer than none": "UPDATE segment SET count = -1",
    "unknown codec": "UPDATE segment SET codec = 77",
    "text for samples": "UPDATE segment SET data = 'abc'",
    "gap": "INSERT INTO gap VALUES (99, 1, 'now', 'then', 'x', 'y')",
}


@pytest.mark.parametrize("what", WRONG)
def test_values_that_no_session_has_are_damage(path: Path, what: str) -> None:
    with _changing(path) as connection:
        connection.execute(WRONG[what])
    assert "damaged" in _refused(path, _read)


def test_more_rows_than_any_run_makes_are_refused(path: Path) -> None:
    with _changing(path) as connection:
        connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
            "i < ?) INSERT INTO step (position, label, engine, plan) "
            "SELECT i, 'x', 'idle', '' FROM n",
            (MOST_STEPS + 1,),
        )
    assert "more rows" in _refused(path, _read)
    assert summary(path).error


def test_long_texts_are_refused_before_they_are_read(path: Path) -> None:
    with _changing(path) as connection:
        connection.execute("UPDATE step SET reason = printf('%.*c', 70000000, 'x')")
    assert "too big" in _refused(path, _read)


@pytest.mark.parametrize("codec", [Codec.PCO, Codec.ZLIB])
def test_samples_that_would_fill_the_memory_are_refused(
    path: Path, codec: Codec
) -> None:
    zeros = np.zeros(2**22)
    values, times = encode(zeros, codec), encode(zeros.astype(np.int64), codec)
    with _changing(path) as connection:
        connection.execute(
            "UPDATE timeline SET codec = ?1, starts = ?2, durations = ?2",
            (codec, times),
        )
        connection.execute(
            "UPDATE segment SET codec = ?, data = ?, count = ?", (codec, values, 2**22)
        )
        columns = "timeline_id, channel_id, first_ns, last_ns, count, n_valid, codec"
        for _ in range(5):
            connection.execute(
                f"INSERT INTO segment ({columns}, data) SELECT {columns}, data "
                "FROM segment WHERE id = 1"
            )
    with Session.open(path) as session:
        assert "samples at once" in _refused(path, lambda _: session.trace("mains.P"))


def test_an_artefact_that_unpacks_to_gigabytes_is_refused(path: Path) -> None:
    packer = zlib.compressobj(9)
    bomb = b"".join(packer.compress(bytes(2**24)) for _ in range(24)) + packer.flush()
    with _changing(path) as connection:
        connection.execute("UPDATE artefact SET content = ?", (bomb,))
    with Session.open(path) as session:
        told = _refused(path, lambda _: session.artefact("a.txt"))
    assert "longer than" in told


def test_empty_replies_count_for_the_memory_that_they_take(path: Path) -> None:
    frames = zlib.compress(bytes(12 * 3_000_000))
    with _changing(path) as connection:
        connection.execute(
            "INSERT INTO raw (source_id, first_ns, last_ns, count, data) "
            "SELECT id, 0, 1, 1, ? FROM source WHERE name = 'mains'",
            (frames,),
        )
    with Session.open(path) as session:
        told = _refused(path, lambda _: session.raw("mains", (0, 2**60)))
    assert "more raw replies than can be read" in told


@pytest.mark.parametrize("table", ["step", "event", "session", "sqlite_schema"])
def test_a_table_that_leads_back_into_itself_comes_to_an_end(
    path: Path, table: str
) -> None:
    with _changing(path) as connection:
        [size] = connection.execute("PRAGMA page_size").fetchone()
        found = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)
        ).fetchone()
    root = found[0] if found else 1
    begin = (root - 1) * size + (100 if root == 1 else 0)
    page = bytearray(size)
    for number in range(200):
        place = size - 5 * (number + 1)
        page[place : place + 5] = (root if root > 1 else 2).to_bytes(4, "big") + b"\x01"
        page[12 + 2 * number : 14 + 2 * number] = place.to_bytes(2, "big")
    page[0:12] = (
        bytes([5, 0, 0, 0, 200])
        + (size - 1000).to_bytes(2, "big")
        + bytes(1)
        + (root if root > 1 else 2).to_bytes(4, "big")
    )
    content = bytearray(path.read_bytes())
    content[begin : root * size] = page[: root * size - begin]
    path.write_bytes(content)
    _refused(path, _read)
    assert table in ("event",) or summary(path).error


@pytest.mark.parametrize("end", ["-wal", "-shm", "-journal", "-lock"])
@pytest.mark.parametrize("what", ["pipe", "folder", "link", "second name"])
def test_what_lies_beside_it_leads_nowhere_else(
    path: Path, tmp_path: Path, end: str, what: str
) -> None:
    other = tmp_path / "mine"
    other.write_bytes(b"precious")
    beside = path.with_name(path.name + end)
    if what == "pipe":
        os.mkfifo(beside)
    elif what == "folder":
        beside.mkdir()
    elif what == "link":
        beside.symlink_to(other)
    else:
        beside.hardlink_to(other)
    with _changing_aside(path) as connection:
        connection.execute("UPDATE session SET state = 'recording'")
    assert "beside a session" in _refused(path, Session.open)
    assert summary(path).error
    assert other.read_bytes() == b"precious"


@contextmanager
def _changing_aside(path: Path) -> Iterator[sqlite3.Connection]:
    """Change a session without what lies beside it."""
    copy = path.with_name("aside")
    copy.write_bytes(path.read_bytes())
    with _changing(copy) as connection:
        yield connection
    path.write_bytes(copy.read_bytes())
    copy.unlink()


def test_a_journal_that_names_another_file_lets_none_be_deleted(
    path: Path, tmp_path: Path
) -> None:
    victim = tmp_path / "thesis.txt"
    victim.write_text("years of work")
    name = str(victim).encode()
    magic = bytes.fromhex("d9d505f920a163d7")
    tail = name + len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big") + magic
    head = magic + (0).to_bytes(4, "big") + bytes(12) + (512).to_bytes(4, "big")
    head += (4096).to_bytes(4, "big")
    journal = path.with_name(path.name + "-journal")
    journal.write_bytes(
        head.ljust(512, b"\0") + (2**30 // 4096 + 1).to_bytes(4, "big") + tail
    )
    assert "beside a session" in _refused(path, Session.open)
    assert victim.read_text() == "years of work"


@pytest.mark.parametrize(
    "what", ["pipe", "device", "socket", "link to a pipe", "no link"]
)
def test_what_is_no_file_is_told_at_once(tmp_path: Path, what: str) -> None:
    path = tmp_path / "s.bayscope"
    if what == "pipe":
        os.mkfifo(path)
    elif what == "device":
        path.symlink_to("/dev/zero")
    elif what == "socket":
        with socket.socket(socket.AF_UNIX) as own, chdir(tmp_path):
            own.bind(path.name)  # A path may be longer than an address.
    elif what == "link to a pipe":
        os.mkfifo(tmp_path / "pipe")
        path.symlink_to(tmp_path / "pipe")
    else:
        path.symlink_to(tmp_path / "nowhere")
    _refused(path, Session.open)
    assert [bool(session.error) for session in sessions(tmp_path)] == [True]


def test_names_of_any_bytes_are_read(path: Path, tmp_path: Path) -> None:
    for name in (
        b"a\xff\xfe.bayscope",
        b"%3f?mode=rw#.bayscope",
        b"x" * 244 + b".bayscope",
    ):
        place = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
        place.write_bytes(path.read_bytes())
        with Session.open(place) as session:
            assert session.info.name == INFO.name
    assert not any(one.error for one in sessions(tmp_path))


HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def held(path: Path) -> Iterator[Path]:
    """A session that another program holds."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        yield path
        holder.communicate()


@pytest.mark.parametrize("action", [Session.open, _note])
def test_a_session_that_another_program_holds_is_told(
    held: Path, action: Callable[[Path], object]
) -> None:
    told = _refused(held, action)
    assert "locked" in told
    assert summary(held).name == INFO.name  # a look at it needs no lock


def test_a_crashed_session_that_another_program_holds_is_told(path: Path) -> None:
    with _changing(path) as connection:
        connection.execute("UPDATE session SET state = 'recording'")
        connection.execute("BEGIN EXCLUSIVE")
        assert "locked" in _refused(path, Session.open)


def test_recovery_of_rows_that_break_a_constraint_is_a_sentence(path: Path) -> None:
    with _changing(path) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("UPDATE session SET state = 'recording', id = 5")
        connection.execute("UPDATE step SET outcome = 'running'")
        connection.execute(f"INSERT INTO event VALUES ({2**63 - 1}, 1, 'x', 'y', 'z')")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema "
            "WHERE name = 'sqlite_autoindex_source_1') "
            "WHERE name = 'sqlite_autoindex_channel_1'"
        )
    with suppress(BadInput):
        _read(path)


def test_a_query_is_ended_by_the_time_of_the_processor(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _changing(path) as connection:
        connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
            "i < 200000) INSERT INTO event (t_ns, level, source, message) "
            "SELECT i, 'info', 's', 'm' FROM n"
        )
    with Session.open(path) as session:
        monkeypatch.setattr("app.record.store.session.READ_S", 0.0)
        assert "longer than for any" in _refused(path, lambda _: session.events())


def test_one_that_is_broken_hides_no_other(path: Path) -> None:
    for number, sql in enumerate(FOREIGN.values()):
        copy = path.with_name(f"{number}.bayscope")
        copy.write_bytes(path.read_bytes())
        with _changing(copy) as connection:
            connection.executescript(sql)
    os.mkfifo(path.with_name("pipe.bayscope"))
    found = {session.path.name: session.error for session in sessions(path.parent)}
    assert found.pop(path.name) == ""
    assert len(found) == len(FOREIGN) + 1
    assert all(found.values())
