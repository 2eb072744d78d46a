"""What docs/session-file.md says can be done without Bayscope can be done."""

import csv
import re
import shutil
import sqlite3
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from app.operations.sessions.samples import export_samples
from app.record.store import Codec, Result, Session, Writer
from app.record.store.database import connect_for_reading
from instruments.reading import SECOND, Status
from tests.app.operations.sessions.test_samples import record
from tests.app.record.recording import INFO, NOISE, POWER, START, readings

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "session-file.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
[SCRIPT] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SHELL = shutil.which("sqlite3")


@pytest.fixture(scope="module", params=Codec)
def path(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A finished session over two buckets, with everything the queries ask for."""
    codec: Codec = request.param
    path = tmp_path_factory.mktemp("format") / f"{codec.name}.bayscope"
    writer = Writer.create(path, INFO, codec=codec)
    step = writer.add_step(1, "Idle", "idle", "")
    writer.update_step(step, start_ns=START + 60 * SECOND)
    writer.result(step, Result("power_w", 612.5, "W", 0, 1))
    writer.artefact(step, "fio.json", "application/json", b"{}" * 100)
    writer.append(readings(POWER, 12_000))
    writer.append(readings(NOISE, 1200))
    end = START + 1200 * SECOND
    writer.gap(NOISE, end, end + 30 * SECOND, Status.TIMEOUT, "no answer")
    writer.finish()
    return path


def _ask(path: Path, query: str) -> list[sqlite3.Row]:
    connection = connect_for_reading(path)
    connection.row_factory = sqlite3.Row
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def test_there_are_queries() -> None:
    assert len(QUERIES) == 6


def test_wall_clock(path: Path) -> None:
    [row] = _ask(path, QUERIES[0])
    assert tuple(row) == ("Idle", "2023-11-14 22:14:20")


def test_report(path: Path) -> None:
    [row] = _ask(path, QUERIES[1])
    assert (row["step"], row["power_w"], row["iops"]) == ("Idle", 612.5, None)


def test_summaries(path: Path) -> None:
    rows = {row["name"]: row for row in _ask(path, QUERIES[2])}
    power = rows["mains.P"]
    assert (power["n"], power["low"], power["high"]) == (12_000, 0.0, 11_999.0)
    assert power["mean"] == pytest.approx(5999.5)
    assert rows["noise.LAeq"]["unit"] == "dB"


def test_gaps(path: Path) -> None:
    [row] = _ask(path, QUERIES[3])
    assert tuple(row) == ("noise.LAeq", "timeout", 1, 30.0)


def test_artefacts(path: Path) -> None:
    [row] = _ask(path, QUERIES[5])
    assert row["size"] == 200
    assert row["packed"] < 200


@pytest.mark.skipif(SHELL is None, reason="the sqlite3 shell is not installed")
@pytest.mark.parametrize("query", QUERIES)
def test_every_query_runs_in_the_shell(path: Path, query: str) -> None:
    assert SHELL is not None
    command = [SHELL, "-readonly", "-bail", str(path), query]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    if "ieee754" in query:
        expected = [f"mains.P|{n}.0" for n in range(5)] if "RAW" in path.name else []
        assert done.stdout.split() == expected
    else:
        assert done.stdout


@pytest.mark.parametrize("name", ["mains.P", "mains.U", "noise.LAeq"])
def test_the_script_prints_all_samples(path: Path, name: str) -> None:
    command = [sys.executable, "-I", "-c", SCRIPT, str(path), name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    with Session.open(path) as session:
        trace = session.trace(name)
    known = ~np.isnan(trace.mean)
    head, *rows = csv.reader(done.stdout.splitlines())
    assert head == ["time_utc", "monotonic_ns", "value", "status"]
    valid = [(int(row[1]), float(row[2])) for row in rows if row[3] == "ok"]
    pairs = zip(trace.times[known].tolist(), trace.mean[known].tolist(), strict=True)
    assert valid == list(pairs)
    first = trace.times[0] - INFO.monotonic_ns + INFO.realtime_ns
    assert np.datetime64(rows[0][0], "ns").astype(np.int64) == first


def test_the_script_and_the_export_agree(tmp_path: Path) -> None:
    path = record(tmp_path / "x.bayscope")
    [file] = export_samples(path, ["csv"], tmp_path).files
    exported: dict[str, list[list[str]]] = {}
    for name, _, *row in csv.reader(file.read_text().splitlines()[1:]):
        exported.setdefault(name, []).append(row)
    for name in ("mains.P", "noise.LAeq"):
        command = [sys.executable, "-I", "-c", SCRIPT, str(path), name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found = [row[1:] for row in csv.reader(done.stdout.splitlines()[1:])]
        # What the device itself called critical is in the table of alarms, and a gap
        # without a reading in that of gaps.
        own = [row[1:] for row in exported[name] if row[3] != "missed beats"]
        assert [(int(t), v and float(v)) for t, v, _ in found] == [
            (int(t), v and float(v)) for t, v, _ in own
        ]
        assert [s for *_, s in found] == [s.replace("crit", "ok") for *_, s in own]


def test_overview_rows_are_byte_planes(path: Path) -> None:
    query = "SELECT data FROM overview WHERE level = 0 AND channel_id = 1 ORDER BY id"
    data = zlib.decompress(_ask(path, query)[0]["data"])
    cell = bytes(data[128 * byte] for byte in range(16))
    assert int.from_bytes(cell[:4], "little") == 80
    assert np.frombuffer(cell[4:], "<f4").tolist() == [0.0, 79.0, 39.5]
