"""Before a run: its scratch files are filled, and the simulator is scaled to them."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.bench.model import Bench
from app.campaign.run.progress import Progress
from app.plan.campaign import Campaign
from instruments.errors import BadInput, BenchError
from instruments.simulated.client import LineClient
from workloads.base import LoadOutcome
from workloads.fio.load import Fio
from workloads.fio_job import FioJob
from workloads.guard.device import Device
from workloads.hosts.place import OnHosts
from workloads.target.scratch import Scratch
from workloads.target.targets import find_targets, prepare_all


@dataclass(frozen=True, slots=True)
class RunProgress:
    """What takes snapshots, and the stop of the whole run."""

    progress: Callable[[Progress], None]
    cancel: threading.Event

    def say(self, state: str, session: Path) -> None:
        """Tell what is done beside the steps."""
        self.progress(Progress(state, session))

    def filling(self, state: str) -> Callable[[float], None]:
        """Get what takes the fraction of a preparation."""
        return lambda fraction: self.progress(Progress(state, step_fraction=fraction))


SECONDS = 1.0
"""How long each of the bursts runs."""

_COMMON = {"norandommap": "1", "randrepeat": "0"}
_BURSTS = {
    "read_mb_s": {"rw": "read", "bs": "4m", "iodepth": "8"},
    "write_mb_s": {"rw": "write", "bs": "4m", "iodepth": "8"},
    "read_iops": {"rw": "randread", "bs": "4k", "iodepth": "32", "numjobs": "2"},
    "write_iops": {"rw": "randwrite", "bs": "4k", "iodepth": "32", "numjobs": "2"},
}


def calibrate(
    enclosure: str,
    scratch: Scratch,
    *,
    writes: bool,
    stop: threading.Event,
    progress: Callable[[float], None],
) -> None:
    """Run four short bursts and set the simulator's full scale.

    Args:
        enclosure: Host and port of the simulator's enclosure.
        scratch: The file to run on.
        writes: Whether the file may be written; reads stand for writes where not.
        stop: Ends it early; the simulator then keeps its running maximum.
        progress: Takes the fraction that is done.

    Raises:
        BenchError: fio or the simulator failed.
    """
    rates: dict[str, float] = {}
    for number, (result_name, options) in enumerate(_BURSTS.items()):
        progress(number / len(_BURSTS))
        if result_name.startswith("write") and not writes:
            rates[result_name] = rates[result_name.replace("write", "read")]
            continue
        job = FioJob(
            "calibration",
            (scratch.path,),
            scratch.size,
            SECONDS,
            0.0,
            scratch.direct,
            {**options, **_COMMON},
        )
        result = Fio(job).run(lambda _: None, lambda *_: None, stop)
        if stop.is_set():
            return
        if result.outcome is not LoadOutcome.DONE:
            raise BenchError(result.reason, where="calibrating the simulator")
        rates[result_name] = max(1.0, result.values[result_name].value)
    client = LineClient(enclosure)
    try:
        client.ask(
            f"SIMulate:FULL {rates['read_mb_s'] * 1e6:.0f},"
            f"{rates['write_mb_s'] * 1e6:.0f},"
            f"{rates['read_iops']:.0f},{rates['write_iops']:.0f}"
        )
    finally:
        client.close()
    progress(1.0)


def prepare_targets(bench: Bench, told: RunProgress) -> tuple[Scratch, ...]:
    """Make and fill the scratch files of a bench; the caller closes them.

    Raises:
        BenchError: There is no room, or a file is in use.
        Aborted: It was stopped meanwhile.
    """
    filling = told.filling("filling the scratch file")
    paths = find_targets(bench.dut.targets)
    return prepare_all(paths, bench.dut.size, told.cancel, filling)


def scale_simulator(
    campaign: Campaign,
    bench: Bench,
    ready: Bench,
    scratch: Scratch,
    told: RunProgress,
) -> None:
    """Scale the simulator that this run started to what the disk here can do."""
    pairs = zip(ready.sources, bench.sources, strict=True)
    started = [now for now, was in pairs if now != was and now.section != "power"]
    if started:
        calibrate(
            started[0].address,
            scratch,
            writes=campaign.writes,
            stop=told.cancel,
            progress=told.filling("calibrating the simulator"),
        )


def resting_paths(
    campaign: Campaign, bench: Bench, opened: Sequence[Scratch | Device] | OnHosts
) -> Sequence[Path]:
    """Find the targets of a run that nobody is to use in a row without a load.

    Args:
        campaign: The plan.
        bench: The bench.
        opened: What the loads of the run have.

    Returns:
        None of them where loads run elsewhere: on load hosts, or over a network.
    """
    if bench.load is not None or isinstance(opened, OnHosts):
        return ()
    is_loaded = any(step.is_load for _, step in campaign.runs)
    if not opened and not is_loaded:
        with suppress(BadInput):  # Nothing needs the target, so it may not be there.
            return find_targets(bench.dut.targets)
    return [target.path for target in opened]
