"""Samples out: what other programs read is what the store has, sample by sample."""

import csv
import json
import math
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.operations.sessions.samples import Written, export_samples
from app.record.store import Result, Session, Writer
from app.report.samples import blocks
from app.report.samples.choice import Choice
from instruments.errors import BadInput
from instruments.reading import SECOND, Channel, Status
from tests import mounts, needs
from tests.app.record.recording import (
    INFO,
    NOISE,
    POWER,
    START,
    TENTH,
    reading,
    readings,
)

HOSTILE = (Channel("=2+5", 'a "b",c', "degC", "<b>", SECOND),)
SECONDS = 1100


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session over two buckets: gaps of two kinds, an alarm, an offset, a step."""
    path = tmp_path_factory.mktemp("samples") / "50% = hostile name.bayscope"
    return record(path)


def record(path: Path, *, finish: bool = True) -> Path:
    writer = Writer.create(path, INFO)
    step = writer.add_step(1, "Idle", "idle", "")
    writer.update_step(step, start_ns=START, end_ns=START + 60 * SECOND)
    window = (START + 10 * SECOND, START + 20 * SECOND)
    writer.update_step(step, window_start_ns=window[0], window_end_ns=window[1])
    writer.result(step, Result("power_w", 612.5, "W", *window, 99, 100, "mains.P"))
    power = readings(POWER, SECONDS * 10)
    bad = [Status.TIMEOUT, Status.OK]
    power[50] = reading(POWER, START + 50 * TENTH, math.nan, 230.0, statuses=bad)
    hot = [Status.CRIT, Status.OK]
    power[70] = reading(POWER, START + 70 * TENTH, 1000 / 3, 230.0, statuses=hot)
    for first in range(0, len(power), 500):
        writer.append(power[first : first + 500])
        writer.commit()
    writer.append(readings(NOISE, 30))
    silent = START + 30 * SECOND
    writer.gap(NOISE, silent, silent + 30 * SECOND, Status.MISSED, "nobody asked")
    writer.append(readings(NOISE, SECONDS - 60, silent + 30 * SECOND))
    writer.append(readings(HOSTILE, 20))
    writer.offset("noise", 250_000_000, 1000, "by hand")
    if finish:
        writer.finish()
    else:
        writer.commit()
        writer.abandon()
    return path


def _expected(path: Path) -> list[tuple[str, int, float | None]]:
    with Session.open(path) as session:
        return [
            (channel.name, moment, None if math.isnan(value) else value)
            for channel in session.channels()
            for trace in [session.trace(channel)]
            for moment, value in zip(
                trace.times.tolist(), trace.mean.tolist(), strict=True
            )
        ]


# Readers are imported where they read: they take seconds, in each process of tests.
def parquet_frame(path: Path) -> Any:
    import pandas as pd  # noqa: PLC0415

    return pd.read_parquet(path)


def csv_frame(path: Path) -> Any:
    import pandas as pd  # noqa: PLC0415

    return pd.read_csv(path)


def ask(query: str) -> list[Any]:
    import duckdb  # noqa: PLC0415

    with duckdb.connect() as connection:
        return connection.execute(query).fetchall()


def _archive(path: Path, to: Path, choice: Choice | None = None) -> Written:
    return export_samples(path, ["parquet"], to, choice or Choice())


def test_duckdb_reads_an_archive_sample_by_sample(path: Path, tmp_path: Path) -> None:
    made = _archive(path, tmp_path)
    rows = ask(
        "SELECT channel, monotonic_ns, value, session, status, n, unit, "
        "epoch_us(time), source, quantity, location "
        f"FROM read_parquet('{tmp_path}/samples/**/*.parquet', hive_partitioning=true)"
    )
    assert [row[:3] for row in rows] == _expected(path)
    assert len(rows) == made.rows
    assert {row[3] for row in rows} == {path.stem}
    by_place = {row[:2]: row for row in rows}
    middle = 10_000_000
    assert by_place["mains.P", START + 50 * TENTH + middle][4:6] == ("timeout", 0)
    assert by_place["mains.P", START + 70 * TENTH + middle][4:6] == ("crit", 1)
    assert by_place["mains.U", START + 70 * TENTH + middle][4:7] == ("ok", 1, "V")
    gap = [row for row in rows if row[0] == "noise.LAeq" and row[2] is None]
    assert [row[4] for row in gap] == ["missed beats"]
    assert rows[0][7] == 1_700_000_000_010_000
    assert {row[8:] for row in rows if row[0] == HOSTILE[0].name} == {
        ("=2+5", 'a "b",c', "<b>")
    }


def test_pandas_reads_the_same(path: Path, tmp_path: Path) -> None:
    _archive(path, tmp_path)
    frame = parquet_frame(tmp_path / "samples")
    values = [None if math.isnan(one) else one for one in frame["value"]]
    found = zip(frame["channel"], frame["monotonic_ns"], values, strict=True)
    assert list(found) == _expected(path)
    assert set(frame["session"]) == {path.stem}
    assert str(frame["time"].dtype) == "datetime64[us, UTC]"


def test_steps_results_and_gaps_join_the_samples(path: Path, tmp_path: Path) -> None:
    _archive(path, tmp_path)
    views = "".join(
        f"CREATE VIEW {table} AS SELECT * FROM "
        f"read_parquet('{tmp_path}/{table}/*/*.parquet', hive_partitioning=true);"
        for table in ("sessions", "channels", "steps", "results", "gaps", "samples")
    )
    found = ask(
        f"{views} SELECT results.value, count(*), any_value(dut) FROM results "
        "JOIN sessions USING (session) "
        "JOIN samples ON samples.session = results.session "
        "AND channel = results.origin AND monotonic_ns >= start_ns "
        "AND monotonic_ns < end_ns GROUP BY ALL"
    )
    assert found == [(612.5, 100, "JBOD 60")]
    assert ask(f"{views} SELECT step, outcome FROM steps") == [("Idle", "SKIPPED")]
    reasons = ask(f"{views} SELECT DISTINCT reason FROM gaps ORDER BY 1")
    assert reasons == [("missed beats",), ("timeout",)]


def test_many_sessions_are_one_table(path: Path, tmp_path: Path) -> None:
    other = Writer.create(tmp_path / "empty.bayscope", INFO)
    other.finish()
    for one in (path, other.path):
        _archive(one, tmp_path / "archive")
    frame = parquet_frame(tmp_path / "archive" / "sessions")
    assert set(frame["session"]) == {path.stem, "empty"}
    table = f"read_parquet('{tmp_path}/archive/samples/**/*.parquet')"
    [count] = ask(f"SELECT count(value) FROM {table}")[0]
    assert count == sum(value is not None for *_, value in _expected(path))


def test_no_session_replaces_another_one(path: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    info = replace(INFO, boot_id="boot-2")
    other = Writer.create(tmp_path / "there" / path.name, info)
    other.finish()
    archive = tmp_path / "archive"
    for _ in range(2):  # Written again, each takes its own place.
        for one in (path, other.path):
            _archive(one, archive)
    frame = parquet_frame(archive / "sessions")
    assert sorted(map(str, frame["session"])) == [path.stem, f"{path.stem}-2"]


def test_csv_is_read_to_the_last_bit(path: Path, tmp_path: Path) -> None:
    [file] = export_samples(path, ["csv"], tmp_path).files
    assert file.name == f"{path.stem}-samples.csv"
    frame = csv_frame(file)
    values = [None if math.isnan(one) else one for one in frame["value"]]
    expected = [(n.replace("=2", "'=2", 1), t, v) for n, t, v in _expected(path)]
    found = zip(frame["channel"], frame["monotonic_ns"], values, strict=True)
    assert list(found) == expected
    assert frame["time_utc"][0] == "2023-11-14 22:13:20.010000Z"
    assert frame["status"][50] == "timeout"


def test_arrow_is_read_with_its_metadata(path: Path, tmp_path: Path) -> None:
    import pyarrow as pa  # noqa: PLC0415

    [file] = export_samples(path, ["arrow"], tmp_path).files
    table = pa.ipc.open_file(file).read_all()
    columns = [
        table.column(n).to_pylist() for n in ("channel", "monotonic_ns", "value")
    ]
    assert list(zip(*columns, strict=True)) == _expected(path)
    about = json.loads(table.schema.metadata[b"bayscope"])
    with Session.open(path) as session:
        assert about["sha256"] == session.sha256()


@pytest.mark.parametrize("most", [100, 300])
def test_samples_read_in_parts_are_the_same(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(blocks, "MOST_ROWS", most)
    monkeypatch.setattr(blocks.read_blocks, "__defaults__", (most,))
    with Session.open(path) as session:
        window = Choice().window_of(session)
        parts = list(blocks.read_blocks(session, POWER[0], window))
        whole = session.trace(POWER[0])
    assert len(parts) > 1
    assert np.concatenate([one.times for one in parts]).tolist() == whole.times.tolist()


def test_a_grid_has_means_and_leaves_gaps_blank(path: Path, tmp_path: Path) -> None:
    choice = Choice(channels=["mains.P", "noise.*"], until_s=120, grid_ns=SECOND)
    csv_file, *_ = export_samples(path, ["csv"], tmp_path, choice).files
    frame = csv_frame(csv_file)
    assert list(frame) == [
        *("time_utc", "monotonic_ns", "mains.P [W]", "noise.LAeq [dB]")
    ]
    assert len(frame) == 120
    assert frame["time_utc"][1] == "2023-11-14 22:13:21.000000Z"
    assert frame["mains.P [W]"][0] == 4.5
    # One of ten readings of this second is missing: the mean is of the others.
    assert frame["mains.P [W]"][5] == pytest.approx((sum(range(51, 60))) / 9)
    # The readings of noise count later by the offset, and those of the gap are none.
    assert frame["noise.LAeq [dB]"][29] == 29.0
    assert frame["noise.LAeq [dB]"][31:60].isna().all()


def test_a_grid_in_columns_says_of_how_many_samples(path: Path, tmp_path: Path) -> None:
    choice = Choice(["mains.P", "noise.LAeq"], until_s=60, grid_ns=10 * SECOND)
    _archive(path, tmp_path, choice)
    frame = parquet_frame(tmp_path / "samples")
    assert frame["n"].tolist() == [99, *[100] * 5, 10, 10, 10, 0, 0, 0]
    assert frame["status"].tolist()[-3:] == ["missed beats"] * 3
    assert frame["status"][0] == "crit"
    levels = 10 ** (np.arange(10) / 10)
    assert frame["value"][6] == pytest.approx(10 * math.log10(levels.mean()))


def test_a_grid_finer_than_the_readings_holds_nothing(
    path: Path, tmp_path: Path
) -> None:
    choice = Choice(["noise.LAeq"], until_s=3, grid_ns=SECOND // 4)
    _archive(path, tmp_path, choice)
    frame = parquet_frame(tmp_path / "samples")
    assert frame["n"].tolist() == [0, 1, 0, 0] * 3
    assert frame["status"].isna().tolist() == [True, False, True, True] * 3


def test_the_window_of_a_row_is_chosen(path: Path, tmp_path: Path) -> None:
    choice = Choice(["mains.P"], step="Idle")
    [file] = export_samples(path, ["csv"], tmp_path, choice).files
    rows = list(csv.DictReader(file.read_text().splitlines()))
    assert [float(row["value"]) for row in rows] == list(range(100, 200))


def test_cells_at_the_ends_take_no_sample_outside_the_window(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The window is 10 s to 20 s: one cell of a minute, and two of 8 s in part.
    for width, values, starts in (
        (60, [149.5], [-20]),
        (8, [129.5, 179.5], [8, 16]),
    ):
        monkeypatch.setattr(blocks, "MOST_ROWS", 1 if width == 8 else 2**18)
        choice = Choice(["mains.P"], step="Idle", grid_ns=width * SECOND)
        to = tmp_path / str(width)
        _archive(path, to, choice)
        frame = parquet_frame(to / "samples")
        assert frame["value"].tolist() == values
        assert frame["n"].sum() == 100
        [file] = export_samples(path, ["csv"], to, choice).files
        assert csv_frame(file)["mains.P [W]"].tolist() == values
        assert frame["monotonic_ns"].tolist() == [
            START + start * SECOND for start in starts
        ], width


def test_what_a_crash_left_unsealed_is_there(tmp_path: Path) -> None:
    path = record(tmp_path / "cut.bayscope", finish=False)
    made = _archive(path, tmp_path / "archive")
    assert made.rows == len(_expected(path))
    frame = parquet_frame(tmp_path / "archive" / "sessions")
    assert frame["state"].tolist() == ["crashed"]


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"channels": ["mains.PP"]}, 'no channel "mains.PP".*mean "mains.P"'),
        ({"step": "idle"}, 'no row "idle".*mean "Idle"'),
    ],
)
def test_what_there_is_not_is_named(
    path: Path, tmp_path: Path, choice: dict[str, object], words: str
) -> None:
    with pytest.raises(BadInput, match=words):
        _archive(path, tmp_path / "none", Choice(**choice))  # type: ignore[arg-type]
    assert not (tmp_path / "none").exists()


def test_choices_that_mean_nothing_are_refused() -> None:
    with pytest.raises(BadInput, match="1 ms to 1 h"):
        Choice(grid_ns=1)
    with pytest.raises(BadInput, match="until"):
        Choice(from_s=10, until_s=10)


def test_half_a_file_never_stays(path: Path, tmp_path: Path) -> None:
    def give_up(done: int, _total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export_samples(path, ["csv", "parquet"], tmp_path, told=give_up)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_one_sentence(
    path: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", Path("/proc/none")):
        with pytest.raises(BadInput, match="cannot be written"):
            _archive(path, place)
    blocked = tmp_path / "blocked"
    (blocked / "samples").mkdir(parents=True)
    (blocked / "results").write_text("a file where a folder belongs")
    with pytest.raises(BadInput, match="cannot be written"):
        _archive(path, blocked)


def test_what_the_manual_shows_runs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).parents[4] / "docs" / "manual.md").read_text("utf-8")
    chapter = page.partition("## Samples for other programs")[2]
    [query] = re.findall(r"```sql\n(.*?)```", chapter, re.DOTALL)
    [script] = re.findall(r"```python\n(.*?)```", chapter, re.DOTALL)
    _archive(path, tmp_path / "archive")
    monkeypatch.chdir(tmp_path)
    assert ask(query) == [(path.stem, "Idle", 149.5, 100)]
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert path.stem in done.stdout


@pytest.mark.parametrize(
    ("change", "grid_ns", "words"),
    [
        ("UPDATE segment SET data = zeroblob(50) WHERE id = 2", None, "damaged"),
        (
            "UPDATE session SET realtime_ns = 4611686018427387904, "
            "monotonic_ns = -4611686018427387904",
            *(None, "impossible times"),
        ),
        (
            "UPDATE step SET start_ns = -4611686018427387904",
            *(SECOND, "Choose a wider grid"),
        ),
    ],
)
@pytest.mark.parametrize("form", ["csv", "arrow", "parquet"])
def test_a_hostile_session_is_a_sentence_and_no_file(
    path: Path,
    tmp_path: Path,
    *,
    form: str,
    change: str,
    grid_ns: int | None,
    words: str,
) -> None:
    copy = tmp_path / "x.bayscope"
    copy.write_bytes(path.read_bytes())
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute(change)
    with pytest.raises(BadInput, match=words):
        export_samples(copy, [form], tmp_path / "out", Choice(grid_ns=grid_ns))
    assert not list((tmp_path / "out").glob("*"))


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of a few kilobytes."""
    with mounts.small_disk(tmp_path / "small", "16k") as made:
        yield made


@needs.mounts
@pytest.mark.parametrize("form", ["csv", "arrow", "parquet"])
def test_a_full_disk_is_a_sentence_and_keeps_no_half_file(
    path: Path, small: Path, form: str
) -> None:
    with pytest.raises(BadInput, match=r"No space left on device\. Choose"):
        export_samples(path, [form], small)
    assert list(small.iterdir()) == []
