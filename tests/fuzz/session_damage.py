"""What is done to a session file: bytes, pages, cells, tables, and what lies beside."""

import os
import random
import sqlite3
import time
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import numpy as np

from app.record.store.codec import Codec, encode

Dice = random.Random
PAGE = 4096

NUMBERS = (0, 1, -1, 2, 7, 2**24, 2**31, 2**32, 2**53, 2**62, 2**63 - 1, -(2**63))
REALS = (0.0, -0.0, 0.5, 1e-300, -1e300, 1e308, float("inf"), float("-inf"))
TEXTS = (
    "",
    "x" * 3000,
    "\x1b]0;owned\x07\x1b[2J",
    "$\\frac{1}{$ ^ _",
    "a\0b",
    "\u202eevil",
    "\U0001f4a9" * 50,
    "<script>alert(1)</script>&amp;",
    "%s %d {0} {x!r}",
    "..",
    "/etc/passwd",
    "PASS",
    "running",
    "planned",
    "ERROR",
    "recording",
    "complete",
    "nan",
    "Infinity",
    "1e999",
    "W",
    "1/s",
    "degC",
    "dB",
    "P",
    "read_iops",
    "power_w",
    "[" * 3000,
    "a = " + "[" * 900,
    '[dut]\nname = 5\n[cost]\nprice_per_kwh = "much"\n',
    "dut = 5\ncost = []\npower = 1\nnoise = [1, 2]\nfio = 3\nshortened = 'x'\n",
    '{"a": ' * 900,
    "[[step]]\nlabel = 'x'\nengine = 'fio'\nruntime = '1s'\n[step.fio]\nbs = 'x'\n",
    "shortened = inf\n",
    "shortened = nan\n",
)
TABLES = {
    "session": "state name campaign bench operator app_version simulated dut boot_id "
    "monotonic_ns realtime_ns ended_ns outcome verdict note seals sha256",
    "source": "name section driver maker model serial firmware address simulated "
    "measures config",
    "channel": "name source_id quantity unit location period_ns latency_ns window_ns",
    "channel_group": "group_id position channel_id",
    "step": "position label engine plan start_ns window_start_ns window_end_ns end_ns "
    "outcome verdict reason",
    "result": "step_id name value unit start_ns end_ns n_valid n_expected origin note",
    "event": "t_ns level source message",
    "gap": "channel_id start_ns end_ns reason detail",
    "alarm": "channel_id start_ns end_ns reason detail",
    '"offset"': "source offset_ns spread_ns method",
    "artefact": "step_id name media_type size content",
    "clock_pair": "boot_id monotonic_ns realtime_ns offset_ns",
    "journal": "t_ns action detail",
    "annotation": "realtime_ns author kind text start_ns end_ns",
    "inventory": "kind name key value",
    "tail": 'group_id bucket count first_ns last_ns starts durations "values"',
    "timeline": "group_id bucket count first_ns last_ns codec starts durations",
    "segment": "channel_id timeline_id first_ns last_ns count n_valid min max mean "
    "codec data",
    "overview": "level channel_id start_ns data",
    "raw": "source_id first_ns last_ns count data",
}
_ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
_HEAVY = (
    f"CREATE VIEW report_table AS {_ENDLESS} SELECT x AS step FROM c",
    f"CREATE VIEW report_table AS {_ENDLESS} SELECT max(x) AS step FROM c",
    "CREATE VIEW report_table AS SELECT randomblob(900000000) AS step",
    "CREATE VIEW report_table AS SELECT a.t_ns AS step FROM event a, event b, event c, "
    "event d, event e",
)
_FOREIGN = (
    "CREATE TRIGGER t AFTER UPDATE ON session BEGIN DELETE FROM step; END",
    f"CREATE TRIGGER t AFTER INSERT ON event BEGIN {_ENDLESS} SELECT x FROM c; END",
    "CREATE VIRTUAL TABLE v USING fts5(x)",
    "CREATE VIRTUAL TABLE v USING rtree(i, a, b)",
    "CREATE TABLE extra (x DEFAULT (randomblob(1000)), y AS (x + 1))",
    "ALTER TABLE step ADD COLUMN more AS (hex(zeroblob(100000000)))",
    "CREATE INDEX i ON step (hex(zeroblob(length(label) * 10000000)))",
    "DROP TABLE gap",
    "DROP TABLE session",
    "DROP INDEX segment_of_channel",
    f"DROP TABLE step; CREATE VIEW step AS {_ENDLESS} SELECT x AS id FROM c",
    f"DROP TABLE session; CREATE VIEW session AS {_ENDLESS} SELECT x AS state FROM c",
    "ALTER TABLE event RENAME TO happening",
    "ANALYZE",
    "PRAGMA user_version = 1",
    "PRAGMA user_version = 3",
    "PRAGMA user_version = 5",
    "PRAGMA user_version = -1",
    "PRAGMA application_id = 1",
    "PRAGMA journal_mode = WAL",
    "PRAGMA auto_vacuum = NONE; VACUUM",
    "PRAGMA page_size = 65536; VACUUM",
    "PRAGMA page_size = 512; VACUUM",
)


def damage(path: Path, dice: Dice) -> str:
    """Do something to a session; return what it was."""
    done = []
    changes = [dice.choice(_CHANGES) for _ in range(dice.choice((1, 1, 1, 2, 3)))]
    # Last, or all of a long file is read here, or a pipe beside it waited for.
    for change in sorted(changes, key=lambda one: one in (_length, _beside)):
        try:
            told = change(path, dice)
        except (
            sqlite3.Error,
            LookupError,
            ValueError,
            OverflowError,
            OSError,
        ) as error:
            told = f"not done: {error}"
        done.append(f"{change.__name__.strip('_')}: {told}")
    return "; ".join(done)


def _bytes(path: Path, dice: Dice) -> str:
    content = bytearray(path.read_bytes())
    places = [dice.randrange(len(content)) for _ in range(dice.choice((1, 3, 20, 200)))]
    if dice.random() < 0.3:
        places = [place % 100 for place in places]
    for place in places:
        content[place] = dice.randrange(256)
    path.write_bytes(content)
    return f"{len(places)} bytes"


def _pages(path: Path, dice: Dice) -> str:
    content = path.read_bytes()
    pages = [content[at : at + PAGE] for at in range(0, len(content), PAGE)]
    how = dice.randrange(4)
    one, other = dice.randrange(len(pages)), dice.randrange(len(pages))
    if how == 0:
        pages[one], pages[other] = pages[other], pages[one]
    elif how == 1:
        pages[one] = pages[other]
    elif how == 2:
        pages[one] = bytes(PAGE)
    else:
        pages[one] = dice.randbytes(PAGE)
    path.write_bytes(b"".join(pages))
    return f"{how}, {one} and {other}"


def _loop(path: Path, dice: Dice) -> str:
    """Let the root of a table lead back into itself, or to one page again and again."""
    with closing(sqlite3.connect(path)) as connection:
        roots = connection.execute(
            "SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0"
        ).fetchall()
    name, root = dice.choice(roots)
    content = bytearray(path.read_bytes())
    count = dice.choice((1, 50, 400))
    inner = 5 if not name.startswith(("sqlite", "result", "inventory", "chan")) else 2
    page = bytearray(PAGE)
    place = PAGE
    pages = len(content) // PAGE
    target = dice.choice((root, dice.randrange(1, pages + 1)))
    for number in range(count):
        cell = target.to_bytes(4, "big") + bytes([number % 120])
        place -= len(cell)
        page[place : place + len(cell)] = cell
        page[12 + 2 * number : 14 + 2 * number] = place.to_bytes(2, "big")
    page[0] = inner
    page[3:5] = count.to_bytes(2, "big")
    page[5:7] = place.to_bytes(2, "big")
    page[8:12] = target.to_bytes(4, "big")
    content[(root - 1) * PAGE : root * PAGE] = page
    path.write_bytes(content)
    return f"{name} leads to page {target} {count} times"


def _length(path: Path, dice: Dice) -> str:
    size = path.stat().st_size
    new = dice.choice((0, 100, size // 2, size - 1, size + 1, size + PAGE, 2**33))
    if path.stat().st_size > 2**24:
        return "long already"
    with path.open("r+b") as file:
        file.truncate(new)
    return f"{new} bytes"


def _cells(path: Path, dice: Dice) -> str:
    """Write values of any type anywhere, without any constraint in the way."""
    done = []
    with _loosened(path) as connection:
        _throw_by(connection, dice)
        for _ in range(dice.choice((1, 1, 2, 5, 20))):
            table = dice.choice(list(TABLES))
            column = dice.choice(TABLES[table].split())
            value = _value(dice)
            where = "" if dice.random() < 0.3 else " LIMIT 1"
            key = _WITHOUT_ROWID.get(table, "rowid")
            some = f"(SELECT {key} FROM {table} ORDER BY thrown(){where})"
            with suppress(sqlite3.Error):
                sql = f"UPDATE {table} SET {column} = ? WHERE {key} IN {some}"
                if isinstance(value, str) and dice.random() < 0.3:
                    sql = sql.replace("= ?", "= CAST(? AS BLOB)", 1)
                connection.execute(sql, (value,))
            done.append(f"{table}.{column} = {value!r:.40}")
    return ", ".join(done)


def _throw_by(connection: sqlite3.Connection, dice: Dice) -> None:
    """Let SQL throw these dice: its own random() is another one each time."""
    connection.create_function("thrown", 0, lambda: dice.getrandbits(62))


_WITHOUT_ROWID = {"channel_group": "position", "result": "name", "inventory": "key"}


def _value(dice: Dice) -> object:
    kind = dice.randrange(6)
    if kind == 0:
        return dice.choice(NUMBERS)
    if kind == 1:
        return dice.choice(REALS)
    if kind in (2, 3):
        return dice.choice(TEXTS)
    if kind == 4:
        return dice.randbytes(dice.choice((0, 1, 8, 100)))
    return None


def _rows(path: Path, dice: Dice) -> str:
    """Double, drop or multiply rows."""
    with _loosened(path) as connection:
        _throw_by(connection, dice)
        table = dice.choice(list(TABLES))
        how = dice.randrange(4)
        columns = TABLES[table]
        names = ", ".join(columns.split())
        if how == 0:
            connection.execute(f"DELETE FROM {table} WHERE thrown() % 2")
            return f"half of {table} is gone"
        if how == 1:
            connection.execute(f"DELETE FROM {table}")
            return f"{table} is empty"
        times = dice.choice((2, 100, 30_000, 600_000)) if how == 2 else 2
        if table in ("segment", "timeline", "raw", "artefact", "overview"):
            times = min(times, 3000)
        connection.execute(
            f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
            f"WHERE i < {times}) INSERT OR IGNORE INTO {table} ({names}) "
            f"SELECT {names} FROM (SELECT * FROM {table} LIMIT 1), n"
        )
        return f"{table} has {times} more rows"


def _long(path: Path, dice: Dice) -> str:
    """Put a very long text or blob somewhere."""
    table = dice.choice(list(TABLES))
    column = dice.choice(TABLES[table].split())
    size = dice.choice((2**16, 2**20, 2**24, 100 * 2**20, 2**28))
    text = dice.choice(("zeroblob({})", "printf('%.*c', {}, 'x')"))
    with _loosened(path) as connection:
        key = _WITHOUT_ROWID.get(table, "rowid")
        connection.execute(
            f"UPDATE {table} SET {column} = {text.format(size)} "
            f"WHERE {key} = (SELECT max({key}) FROM {table})"
        )
    return f"{size} in {table}.{column}"


def _bomb(path: Path, dice: Dice) -> str:
    """Put blobs that grow when they are unpacked where samples are."""
    numbers = 2 ** dice.choice((10, 16, 22, 24))
    codec = dice.choice((Codec.PCO, Codec.ZLIB))
    if codec is Codec.PCO:
        blob = encode(np.zeros(numbers, dice.choice(("f8", "i8"))), codec)
    else:
        blob = zlib.compress(bytes(8 * numbers), 1)
    count = dice.choice((numbers, numbers, 1, -1, 2**40))
    table, columns = dice.choice(
        (
            ("segment", ("data",)),
            ("timeline", ("starts", "durations")),
            ("overview", ("data",)),
            ("raw", ("data",)),
            ("artefact", ("content",)),
        )
    )
    with _loosened(path) as connection:
        setting = ", ".join(f"{column} = :blob" for column in columns)
        connection.execute(f"UPDATE {table} SET {setting}", {"blob": blob})
        if table in ("segment", "timeline"):
            values = {"codec": codec, "count": count}
            connection.execute("UPDATE segment SET count = :count", values)
            connection.execute(f"UPDATE {table} SET codec = :codec", values)
    return f"{numbers} numbers for {count} in {table}"


def _schema(path: Path, dice: Dice) -> str:
    sql = dice.choice((*_HEAVY, *_FOREIGN))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        if sql in _HEAVY:
            connection.execute("DROP VIEW IF EXISTS report_table")
        connection.executescript(sql)
    return sql[:60]


def _schema_text(path: Path, dice: Dice) -> str:
    """Change the text that SQLite makes its tables of."""
    old, new = dice.choice(
        (
            ("NOT NULL", "NOT NULL CHECK (length(hex(zeroblob(90000000))) > 1)"),
            ("TEXT", "TEXT COLLATE NOCASE"),
            ("NOT NULL", ""),
            ("step.position", "(SELECT count(*) FROM event, event, event, event)"),
            ("CREATE", "CREATE /* */"),
            ("INTEGER", "BLOB"),
            ("ORDER BY", "\x0bORDER BY"),
        )
    )
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ?",
            (old, new, dice.choice(("step", "session", "report_table", "event"))),
        )
        if dice.random() < 0.2:
            root = dice.choice((0, 1, 2, 3, 9999))
            connection.execute(
                f"UPDATE sqlite_schema SET rootpage = {root} WHERE name = 'step'"
            )
    return f"{old} is {new}"


def _beside(path: Path, dice: Dice) -> str:
    """Lay something beside it."""
    end = dice.choice(("-wal", "-shm", "-journal", "-lock"))
    place = path.with_name(path.name + end)
    what = dice.randrange(6)
    if what == 0:
        place.write_bytes(dice.randbytes(dice.choice((0, 1, 32, 5000))))
    elif what == 1:
        os.mkfifo(place)
    elif what == 2:
        place.mkdir()
    elif what == 3:
        place.symlink_to(dice.choice(("/dev/zero", "/dev/null", str(path), "/nowhere")))
    elif what == 4:
        magic = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
        place.write_bytes(magic + dice.randbytes(600) + magic)
    else:
        head = bytes.fromhex("377f0682002de21800001000") + dice.randbytes(20)
        place.write_bytes(head + dice.randbytes(24 + PAGE))
    return f"{end}, {what}"


def _state(path: Path, _: Dice) -> str:
    """Let it look like one that was cut off."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE session SET state = 'recording', verdict = NULL, ended_ns = NULL"
        )
        connection.execute(
            "UPDATE step SET outcome = 'running', end_ns = NULL WHERE id = "
            "(SELECT max(id) - 1 FROM step)"
        )
        connection.execute(
            "UPDATE step SET outcome = 'planned' WHERE id = (SELECT max(id) FROM step)"
        )
    return "recording"


class _loosened:  # noqa: N801 - a context manager that reads like a function
    """A connection to a session without NOT NULL, UNIQUE and CHECK."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> sqlite3.Connection:
        with closing(sqlite3.connect(self._path, isolation_level=None)) as connection:
            self._sql = connection.execute(
                "SELECT sql, rowid FROM sqlite_schema WHERE type = 'table'"
            ).fetchall()
            connection.execute("PRAGMA writable_schema = ON")
            for word in ("NOT NULL", "CHECK (id = 1)"):
                connection.execute(
                    "UPDATE sqlite_schema SET sql = replace(sql, ?, '') "
                    "WHERE type = 'table' AND sql NOT LIKE '%WITHOUT ROWID%'",
                    (word,),
                )
        self._connection = sqlite3.connect(self._path, isolation_level=None)
        self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.execute("PRAGMA max_page_count = 150000")
        end = time.thread_time() + 5.0  # A table may lead back into itself by now.
        self._connection.set_progress_handler(lambda: time.thread_time() > end, 10_000)
        self._connection.execute("BEGIN")
        return self._connection

    def __exit__(self, *_: object) -> None:
        with suppress(sqlite3.Error):
            self._connection.execute("COMMIT")
        self._connection.close()
        with closing(sqlite3.connect(self._path, isolation_level=None)) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.executemany(
                "UPDATE sqlite_schema SET sql = ? WHERE rowid = ?", self._sql
            )


_CHANGES: tuple[Callable[[Path, Dice], str], ...] = (
    _bytes,
    _pages,
    _loop,
    _length,
    _cells,
    _cells,
    _cells,
    _rows,
    _long,
    _bomb,
    _schema,
    _schema_text,
    _beside,
    _state,
    _state,
)
