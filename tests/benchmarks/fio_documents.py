"""What it costs to follow fio on many devices: documents to readings and an archive."""

import time
from pathlib import Path

from instruments.reading import Reading
from instruments.tools.command import start
from tests.benchmarks.figure import Figure
from workloads.fio.live import FioLive
from workloads.fio.reader import FioReader
from workloads.fio_job import STATUS_INTERVAL_MS, FioJob

DEVICES = 60
RUNTIME_S = 6.0
ROUNDS = 5
_OPTIONS = {"ioengine": "null", "rw": "randrw", "bs": "4k", "rate_iops": "500"}


def documents(folder: Path) -> list[Figure]:
    """Take what a real fio printed of as many devices as fast as it can be read.

    The devices are of the null engine, whose latencies fill few bins; a file of real
    disks has more of them, so the figure stands beside the size of a document.
    """
    paths = tuple(folder / f"dev{number}" for number in range(DEVICES))
    for path in paths:
        path.touch()
    job = FioJob("x", paths, 2**20, RUNTIME_S, 0, True, _OPTIONS)
    for link, target in zip(job.links, job.targets, strict=True):
        (folder / link).symlink_to(target)
    (folder / "job.fio").write_text(job.text(), encoding="utf-8")
    interval = f"--status-interval={STATUS_INTERVAL_MS}ms"
    argv = ["fio", "--output-format=json+", interval, "--output=all.json", "job.fio"]
    with start(argv, cwd=str(folder)) as fio:
        assert fio.wait(RUNTIME_S + 30) == 0, fio.stderr_text()
    size = (folder / "all.json").stat().st_size
    best, count = float("inf"), 0
    for _ in range(ROUNDS):
        spent, count = _read_all(folder, job)
        best = min(best, spent)
    each = best / count
    share = each * 1000 / STATUS_INTERVAL_MS * 100
    how = f"{DEVICES} devices, {size / count / 1e3:.0f} kB a document, best of {ROUNDS}"
    return [
        Figure("documents, CPU time of one", f"{each * 1000:.1f}", "ms", "", how),
        Figure("documents, share of one CPU at 2 Hz", f"{share:.1f}", "%", "", how),
    ]


def _read_all(folder: Path, job: FioJob) -> tuple[float, int]:
    """Read it once; give the CPU time of this process and the number of documents."""
    taken: list[Reading] = []
    moments: set[int] = set()
    live = FioLive("fio", job.directions, 0, taken.append, job.devices)
    with start(["cat", "all.json"], cwd=str(folder)) as cat:
        reader = FioReader(cat, live)
        begin = time.process_time()
        reader.run()
        reader.compressed()
        spent = time.process_time() - begin
    moments = {reading.end_ns for reading in taken}
    assert moments, "nothing was read"
    assert reader.last is not None
    assert len(reader.last["jobs"]) == DEVICES
    return spent, len(moments)
