"""Measures of samples out: 40 million as CSV and Parquet, beside pandas and pyarrow.

Speeds are by time of the processor, so that they compare where others are busy, too: a
long run beside short ones would be slowed down more. The wall's time stands beside.
"""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from app.record.store import Session
from app.report.samples.blocks import read_blocks, utc_shift
from app.report.samples.choice import Choice
from app.report.samples.columns import SampleTables
from tests.benchmarks.bench_data import streams
from tests.benchmarks.command import spent_on
from tests.benchmarks.figure import Figure
from tests.benchmarks.writing import build

SECONDS = 108_000
"""Thirty hours of 370 samples a second: 40 million."""

SHARE = 20
"""Others write one sample of so many: all of them would take minutes."""


def samples(folder: Path) -> list[Figure]:
    """From a session to files; the others from Parquet, and from memory beside."""
    session = folder / "day.bayscope"
    rows, _ = build(session, streams(), SECONDS)
    others = _others(session, folder)
    figures = []
    for form, pattern in (("csv", "*.csv"), ("parquet", "samples/*/*.parquet")):
        out = folder / form
        spent, wall, most = spent_on(
            ["samples", str(session), "--format", form, "--to", str(out)]
        )
        [file] = out.glob(pattern)
        size = file.stat().st_size
        file.unlink()
        each = others[form]["bytes a row"] if form == "parquet" else size / rows
        how = f"{rows:,} samples with their reading: {spent:.1f} s of the processor"
        how += f", {wall:.1f} s in all; {size / 1e6:.0f} MB"
        speed = f"{rows * each / spent / 1e6:.0f}"
        target = ">= the others"
        figures.append(Figure(f"samples, {form}", speed, "MB/s", target, how))
        figures.append(
            Figure(f"{form}, memory", f"{most:.0f}", "MB", "< 400", "resident")
        )
        for name in ("pyarrow", "pandas"):
            speed = f"{others[form][name] * each / 1e6:.0f}"
            alone = f"{others[form][f'{name} alone'] * each / 1e6:.0f}"
            how = (
                f"{others[form]['rows']:,.0f} of the same samples, read from Parquet; "
            )
            how += f"{alone} MB/s where they are in memory"
            figures.append(Figure(f"{form} by {name}", speed, "MB/s", "", how))
    return figures


def _others(session: Path, folder: Path) -> dict[str, dict[str, float]]:
    """Measure rows a second of other writers, with and without their reading."""
    # The others are imported where they write: that takes seconds.
    import pandas as pd  # noqa: PLC0415
    import pyarrow.csv as pa_csv  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    table = _table(session)
    source, place = folder / "source.parquet", folder / "other"
    pq.write_table(table, source)

    def speed(write: Callable[[], object]) -> float:
        begin = time.process_time()
        write()
        spent = time.process_time() - begin
        place.unlink()
        return float(table.num_rows) / spent

    frame = table.to_pandas()
    writers: dict[str, dict[str, Callable[[Any], object]]] = {
        "csv": {
            "pyarrow": lambda rows: pa_csv.write_csv(rows, place),
            "pandas": lambda rows: rows.to_csv(place, index=False),
        },
        "parquet": {
            "pyarrow": lambda rows: pq.write_table(rows, place),
            "pandas": lambda rows: rows.to_parquet(place, index=False),
        },
    }
    readers = {"pyarrow": pq.read_table, "pandas": pd.read_parquet}
    kept = {"pyarrow": table, "pandas": frame}
    found: dict[str, dict[str, float]] = {}
    for form, by_name in writers.items():
        own = found[form] = {"rows": float(table.num_rows)}
        own["bytes a row"] = table.nbytes / table.num_rows
        for name, write in by_name.items():
            own[f"{name} alone"] = speed(partial(write, kept[name]))
            own[name] = speed(partial(_copied, readers[name], write, source))
    return found


def _copied(
    read: Callable[[Path], Any], write: Callable[[Any], object], source: Path
) -> None:
    write(read(source))


def _table(path: Path) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    with Session.open(path) as session:
        channels = session.channels()[::SHARE]
        window, utc = Choice().window_of(session), utc_shift(session)
        tables = SampleTables(channels, utc)
        return pa.Table.from_batches(
            [
                tables.batch(block)
                for channel in channels
                for block in read_blocks(session, channel, window)
            ]
        ).combine_chunks()
