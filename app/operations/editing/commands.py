"""The very commands of a campaign, before it is started: made by what will run them."""

import shlex
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.bench.build import build_untraced
from app.bench.engines import build_warp
from app.bench.model import Bench
from app.plan import clap
from app.plan.campaign import Campaign
from app.plan.step import Step
from instruments.errors import BenchError
from workloads.base import Workload
from workloads.copy.load import FileCopy
from workloads.fio.load import Fio
from workloads.iozone.load import Iozone
from workloads.setup.job import MkfsJob, ZpoolJob
from workloads.target.scratch import Scratch
from workloads.target.targets import find_targets
from workloads.vdbench.load import Vdbench
from workloads.warp.load import Warp

_NO_HANDLE = -1
_NO_UUID = uuid.UUID(int=0)
"""Stands where each file system gets its own UUID."""


@dataclass(frozen=True, slots=True)
class CommandPreview:
    """What one row of the report runs.

    Attributes:
        label: Of the row.
        engine: Its engine.
        text: Commands and the files they are given; for the engines without a
            program, what is done.
    """

    label: str
    engine: str
    text: str


def preview(
    campaign: Campaign, bench: Bench, labels: Sequence[str] | None = None
) -> list[CommandPreview]:
    """Write out what steps of a campaign would run; `labels` None is all."""
    wanted = None if labels is None else _rows_of(campaign, labels)
    return [
        CommandPreview(label, step.engine, _text(label, step, bench))
        for label, step in campaign.runs
        if wanted is None or step in wanted
    ]


def _rows_of(campaign: Campaign, labels: Sequence[str]) -> list[Step]:
    return [
        run for step in campaign.steps if step.label in labels for _, run in step.runs
    ]


def _text(label: str, step: Step, bench: Bench) -> str:
    if not step.is_load:
        return _phase(step)
    try:
        if step.engine in ("mkfs", "zpool"):
            return _set_up(label, step, bench)
        if step.engine == "warp":
            return _of(build_warp(label, step, ()), bench)
        return _of(build_untraced(label, step, _targets(bench)), bench)
    except BenchError as error:
        return f"Cannot be run: {error}"


def _phase(step: Step) -> str:
    """Tell what a step without a load does."""
    options = step.options
    burst = " ".join(f"{key}={value}" for key, value in clap.OPTIONS.items())
    switched = options.get("switch", "") or "the operator"
    lines = {
        "command": f"$ {options.get('run', '')}",
        "prompt": f"Asks the operator: {options.get('text', '')}",
        "align": f"Reads from the target in short bursts: fio with {burst}.",
        "startup": f"Lets {switched} switch the device off and on, and records it.",
    }
    nothing = f"Runs nothing; everything is recorded for {step.runtime_s:g} s."
    return lines.get(step.engine, nothing)


def _paths(bench: Bench) -> tuple[Path, ...]:
    """Find what loads run on; names that are not there yet count as they stand."""
    return tuple(find_targets(bench.dut.targets))


def _targets(bench: Bench) -> list[Scratch]:
    return [Scratch(path, bench.dut.size, True, _NO_HANDLE) for path in _paths(bench)]


def _set_up(label: str, step: Step, bench: Bench) -> str:
    disks = [str(path) for path in _paths(bench)]
    if step.engine == "zpool":
        pool = ZpoolJob(label, step.runtime_s, step.options)
        return f"$ {shlex.join(pool.argv('zpool', disks, force=False))}"
    job = MkfsJob(label, step.runtime_s, step.options)
    lines = []
    for number, disk in enumerate(disks, 1):
        made = job.on_disk(number)
        argv = made.argv(f"mkfs.{made.kind}", disk, _NO_UUID, force=False)
        mounted = f"   # then mounted at {made.place}" if made.place else ""
        lines.append(f"$ {shlex.join(argv)}{mounted}")
    return "\n".join(lines)


def _of(load: Workload, bench: Bench) -> str:
    match load:
        case Fio():
            return _written(load.argv, {"job.fio": load.job.text()}, bench)
        case Vdbench():
            argv = ["vdbench", "-f", "parmfile", "-o", "out"]
            return _written(argv, {"parmfile": load.job.text(Path("target"))}, bench)
        case Iozone():
            target = load.job.target
            folder = target.with_name(f"{target.name}.iozone-TEMP")
            return f"$ {shlex.join(load.job.argv('iozone', folder))}"
        case Warp():
            return f"$ {shlex.join(load.job.argv('warp', '127.0.0.1:PORT', 'result'))}"
        case FileCopy():
            return f"Copies {load.job.source} to {load.job.target}."
    return load.driver


def _written(argv: Sequence[str], given: dict[str, str], bench: Bench) -> str:
    parts = [f"$ {shlex.join(argv)}"]
    targets = ", ".join(map(str, _paths(bench)))
    for name, text in given.items():
        parts.append(f"\n# {name}; target is {targets}\n{text.rstrip()}")
    return "\n".join(parts)
