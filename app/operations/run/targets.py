"""Before a run: its scratch files are filled, and the simulator is scaled to them."""

from app.bench.model import Bench
from app.operations.run.calibrate import calibrate
from app.operations.run.progress import RunProgress
from app.plan.campaign import Campaign
from workloads.target.scratch import Scratch
from workloads.target.targets import ManyFiles, find_targets, prepare_all


def prepare_targets(bench: Bench, told: RunProgress) -> Scratch | ManyFiles:
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
    scratch: Scratch | ManyFiles,
    told: RunProgress,
) -> None:
    """Scale the simulator that this run started to what the disk here can do."""
    pairs = zip(ready.sources, bench.sources, strict=True)
    started = [now for now, was in pairs if now != was and now.section != "power"]
    if started:
        calibrate(
            started[0].address,
            scratch.each[0] if isinstance(scratch, ManyFiles) else scratch,
            writes=campaign.writes,
            stop=told.cancel,
            progress=told.filling("calibrating the simulator"),
        )
