"""What Bayscope costs a load: fio under it against fio alone, in alternating pairs."""

import random
import statistics
import subprocess
import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.bench.build import traced
from app.campaign.phases.load import run_load
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from tests.benchmarks.bench_data import INFO
from tests.benchmarks.figure import Figure
from workloads.base import LoadOutcome
from workloads.fio.fine import with_logs
from workloads.fio.load import Fio
from workloads.fio.stream import DocumentStream
from workloads.fio.table import OUTPUT
from workloads.fio_job import FineLogs, FioJob
from workloads.target.scratch import prepare

ROUNDS = 9
RUNTIME_S = 3.0
SIZE = 256 * 2**20

_NULL = {"ioengine": "null", "rw": "randread", "bs": "4k", "norandommap": "1"}
_FILE = {"ioengine": "libaio", "rw": "randread", "bs": "4k", "iodepth": "32"}
_ALL = FineLogs(100, ("bw", "iops", "lat"))


@dataclass(frozen=True)
class Speed:
    """One run: I/Os a second, and CPU time of fio for each in ns."""

    iops: float
    cpu_ns: float


def overhead(folder: Path) -> list[Figure]:
    """The null engine, and a file with all that a run records of it."""
    scratch = prepare(folder / "x", SIZE, threading.Event(), lambda _: None)
    figures: list[Figure] = []
    try:
        job = FioJob("x", (scratch.path,), SIZE, RUNTIME_S, 0, scratch.direct, _NULL)
        figures += _compare("null engine", folder, job, with_logs(job))
        name = "null engine, fine logs forced"
        figures += _compare(name, folder, job, replace(job, logs=_ALL))
        job = replace(job, options=_FILE)
        figures += _compare("file, libaio", folder, job, with_logs(job))
    finally:
        scratch.close()
    return figures


def _compare(name: str, folder: Path, alone: FioJob, under: FioJob) -> list[Figure]:
    """Run fio alone twice and under Bayscope once a round, in a random order."""
    ratios: dict[str, list[Speed]] = {"again": [], "under": []}
    for number in range(ROUNDS):
        kinds = ["alone", "again", "under"]
        random.Random(number).shuffle(kinds)
        found: dict[str, Speed] = {}
        for kind in kinds:
            if kind == "under":
                found[kind] = _under(folder / f"{name}{number}.bayscope", under)
            else:
                found[kind] = _alone(folder, alone)
        for kind, speeds in ratios.items():
            base = found["alone"]
            ratio = Speed(
                found[kind].iops / base.iops, found[kind].cpu_ns / base.cpu_ns
            )
            speeds.append(ratio)
    target = "" if "forced" in name else ">= 0.99"
    pairs = f"{ROUNDS} rounds of {RUNTIME_S:g} s in random order"

    def line(what: str, kind: str, pick: Callable[[Speed], float], aim: str) -> Figure:
        values = [pick(one) for one in ratios[kind]]
        return Figure(f"{name}, {what}", _spread(values), "", aim, pairs)

    return [
        line("IOPS under Bayscope to alone", "under", lambda s: s.iops, target),
        line("IOPS of fio to itself", "again", lambda s: s.iops, ""),
        line("CPU an I/O under Bayscope to alone", "under", lambda s: s.cpu_ns, ""),
        line("CPU an I/O of fio to itself", "again", lambda s: s.cpu_ns, ""),
    ]


def _spread(values: Sequence[float]) -> str:
    middle = statistics.median(values)
    return f"{middle:.3f} ({min(values):.2f} to {max(values):.2f})"


def _alone(folder: Path, job: FioJob) -> Speed:
    link = folder / job.links[0]
    if not link.is_symlink():
        link.symlink_to(job.targets[0])
    (folder / "job.fio").write_text(job.text(), encoding="utf-8")
    done = subprocess.run(
        ["fio", "--output-format=json", "--readonly", "job.fio"],
        check=True,
        capture_output=True,
        cwd=folder,
    )
    return _speed(_last(done.stdout))


def _under(path: Path, job: FioJob) -> Speed:
    """Run it as a step does: live, recorded, with fine logs and the disk's trace."""
    clock = SystemClock()
    recorder = Recorder(path, INFO, clock=clock)
    recorder.start()
    fio = Fio(job)
    is_null = job.options["ioengine"] == "null"
    load = fio if is_null else traced(fio, job.targets)
    try:
        result = run_load(load, recorder, is_over=lambda: False, started=lambda _: None)
    finally:
        recorder.close()
    assert result.outcome is LoadOutcome.DONE, result.reason
    kept = {artefact.name: artefact.content for artefact in result.artefacts}
    return _speed(_last(zlib.decompress(kept[OUTPUT])))


def _last(output: bytes) -> Mapping[str, Any]:
    """Get the last document that fio printed."""
    return list(DocumentStream().feed(output))[-1][0]


def _speed(document: Mapping[str, Any]) -> Speed:
    [job] = document["jobs"]
    side = job["read"]
    share = (job["usr_cpu"] + job["sys_cpu"]) / 100
    return Speed(side["iops"], share * side["runtime"] * 1e6 / side["total_ios"])
