"""Measures of the writer: ingest, commits, bytes written, bytes a sample."""

import itertools
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from app.record.store import Session, Writer
from instruments.reading import SECOND
from tests.benchmarks.bench_data import (
    INFO,
    START,
    Stream,
    seconds_of_readings,
    streams,
)
from tests.benchmarks.figure import Figure

INGEST_S = 15.0
PACED_S = 20
BATCH = 50_000
SIZE_S = 4 * 3600
HALF = 0.5


def ingest(folder: Path) -> list[Figure]:
    """Readings as fast as they are taken; a commit where half a second would be due.

    That is every 50,000 samples, half a second of the rate aimed at.
    """
    writer = Writer.create(folder / "ingest.bayscope", INFO)
    samples, spent, due = 0, 0.0, BATCH
    commits: list[float] = []
    for batch in seconds_of_readings(streams(), 48 * 3600):
        begin = time.perf_counter()
        writer.append(batch)
        now = time.perf_counter()
        spent += now - begin
        samples += sum(len(reading.values) for reading in batch)
        if samples < due:
            continue
        writer.commit()
        commits.append(time.perf_counter() - now)
        spent += commits[-1]
        due = samples + BATCH
        if spent > INGEST_S:
            break
    with Session.open(writer.path) as session:
        stored = sum(len(session.trace(channel)) for channel in session.channels())
    assert stored == samples, "samples were lost"
    writer.finish()
    how = f"{samples:,} samples, {len(commits) / spent:.0f} FULL commits/s, seals too"
    slowest = f"{1000 * max(commits):.0f}"
    return [
        Figure("ingest", f"{samples / spent:,.0f}", "samples/s", ">= 100,000", how),
        Figure("ingest, longest commit", slowest, "ms", "", "50,000 samples or a seal"),
    ]


def seals(folder: Path) -> list[Figure]:
    """What it costs to seal 1024 s of 370 samples a second."""
    writer = Writer.create(folder / "seals.bayscope", INFO)
    over = 2 * (1024 + 1024 - START // SECOND % 1024 + 5)
    batches = seconds_of_readings(streams(), over)
    for batch in itertools.islice(batches, over):
        writer.append(batch)
        writer.commit()
    before, begin = _written(), time.perf_counter()
    processor = time.thread_time()
    writer.seal()
    took, busy = time.perf_counter() - begin, time.thread_time() - processor
    written = (_written() - before) / 1024 / 1000
    writer.finish()
    how = "a bucket of 1024 s, all channels; done in slices while recording"
    return [
        Figure("seal", f"{1000 * took:.0f}", "ms", "", how),
        Figure("seal, processor time", f"{1000 * busy:.0f}", "ms", "", "every 17 min"),
        Figure("seal, written to disk", f"{written:.1f}", "kB/s", "", "over 1024 s"),
    ]


def paced(folder: Path) -> list[Figure]:
    """370 samples a second in real time with replies, committed twice a second."""
    reply = b"6.2003E+02,6.5010E+02,1.9007E+02,9.5012E-01,2.3001E+02,2.8013E+00"
    writer = Writer.create(folder / "paced.bayscope", INFO)
    batches = seconds_of_readings(streams(), PACED_S + 60, reply=reply)
    writer.append(next(batches))
    writer.commit()
    latencies: list[float] = []
    count, busy, before = 0, 0.0, _written()
    begin = time.perf_counter()
    for number in range(2 * PACED_S):
        batch = next(batches)
        count += sum(len(reading.values) for reading in batch)
        processor = time.thread_time()
        writer.append(batch)
        now = time.perf_counter()
        writer.commit()
        latencies.append(1000 * (time.perf_counter() - now))
        busy += time.thread_time() - processor
        time.sleep(max(0.0, begin + (number + 1) * HALF - time.perf_counter()))
    took = time.perf_counter() - begin
    written = (_written() - before) / took / 1000
    writer.finish()
    latencies.sort()
    p50, p99 = statistics.median(latencies), latencies[int(0.99 * len(latencies))]
    how = f"{count / took:.0f} samples/s for {took:.0f} s, raw replies too, write_bytes"
    core = f"{100 * busy / took:.2f}"
    return [
        Figure("written to disk", f"{written:.1f}", "kB/s", "<= 100", how),
        Figure("commit, median", f"{p50:.2f}", "ms", "", f"{len(latencies)} commits"),
        Figure("commit, p99", f"{p99:.2f}", "ms", "", "FULL: fdatasync included"),
        Figure("writer's processor time", core, "%", "", "of one core"),
    ]


def size(folder: Path) -> list[Figure]:
    """Bytes a sample of a finished session that was recorded through the tail."""
    writer = Writer.create(folder / "size.bayscope", INFO)
    samples = 0
    for number, batch in enumerate(seconds_of_readings(streams(), SIZE_S)):
        writer.append(batch)
        samples += sum(len(reading.values) for reading in batch)
        if number % 20 == 0:
            writer.commit()
    writer.finish()
    each = writer.path.stat().st_size / samples
    how = f"{samples:,} samples, {SIZE_S / 3600:.0f} h, overview too, no raw replies"
    return [Figure("file", f"{each:.2f}", "bytes/sample", "<= 4", how)]


def build(
    path: Path,
    made: list[Stream],
    seconds: int,
    describe: Callable[[Writer], object] = lambda _: None,
) -> tuple[int, float]:
    """Make a finished session in bulk; return its samples and how long it took.

    Args:
        path: The file.
        made: What is read.
        seconds: For how long.
        describe: Adds what else a session has, before it is finished.
    """
    rng = np.random.default_rng(2)
    writer = Writer.create(path, INFO)
    samples, spent = 0, 0.0
    for start in range(0, seconds, 6 * 1024):
        end = min(start + 6 * 1024, seconds)
        for stream in made:
            readings = stream.readings(rng, start, end)
            samples += readings[2].size
            begin = time.perf_counter()
            writer.append_trace(stream.channels, *readings)
            spent += time.perf_counter() - begin
        begin = time.perf_counter()
        writer.commit()
        spent += time.perf_counter() - begin
    describe(writer)
    begin = time.perf_counter()
    writer.finish()
    return samples, spent + time.perf_counter() - begin


def _written() -> int:
    """Get how many bytes this process has caused to be sent to the disk."""
    text = Path("/proc/self/io").read_text(encoding="ascii")
    fields = dict(line.split(": ") for line in text.splitlines())
    return int(fields["write_bytes"])
