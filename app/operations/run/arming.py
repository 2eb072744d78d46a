"""Arm the disk of a bench for a run, and write down in the session that it was."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from app.bench.model import Bench
from app.campaign.checks import has_load
from app.operations.bench.load_hosts import find_hosts, raise_all
from app.plan.campaign import Campaign
from app.record.recorder import Recorder
from instruments.errors import BadInput
from instruments.sizes import describe_size
from workloads.guard.budget import Budget
from workloads.guard.device import Device, is_device, open_device
from workloads.guard.helper_client import can_ask, inspect
from workloads.hosts.place import OnHosts
from workloads.target.targets import find_targets


@dataclass(frozen=True, slots=True)
class Arming:
    """What was typed before a run.

    Attributes:
        words: A word for each disk that may be overwritten: its serial number, its
            WWN where it has none, or its name and size where it has neither.
        overrule: Types of traces of data that may be overwritten, such as "ext4".
    """

    words: tuple[str, ...] = ()
    overrule: tuple[str, ...] = ()


NOT_ARMED = Arming()
"""Nothing may be overwritten."""


def arm_target(
    campaign: Campaign, bench: Bench, arming: Arming
) -> Sequence[Device] | OnHosts:
    """Find the disks that the loads of a campaign run on, armed where they write.

    Returns:
        The disks, or the load hosts of the bench; no disks where the targets are
        files of this machine, or nothing runs on them.

    Raises:
        BadInput: One is not armed, or must not be overwritten; nothing was started.
        BenchError: A load host cannot be reached.
    """
    if bench.load is not None:
        return find_hosts(campaign, bench, arming.words, arming.overrule) or ()
    targets = bench.dut.targets
    if not is_device(targets[0]):
        if arming.words:
            raise BadInput(
                "the target of this bench is a file, there is no disk to arm",
                where=f"--arm {arming.words[0]}",
                way_out=f"Name the disk in [dut] target, which is {targets[0]}.",
            )
        return ()
    if not has_load(campaign):
        return ()
    return _open_all(campaign, bench, arming, find_targets(targets))


def _open_all(
    campaign: Campaign, bench: Bench, arming: Arming, paths: Sequence[Path]
) -> list[Device]:
    """Open each disk; tell of all that cannot be used at once, not one a try."""
    opened: list[Device] = []
    refused: list[tuple[str, BadInput]] = []
    for path in paths:
        try:
            device = open_device(
                path,
                bench.dut.size,
                writes=campaign.writes,
                words=arming.words,
                overrule=arming.overrule,
                allow=bench.guard.allow,
                see=inspect if can_ask() else None,
            )
        except BadInput as error:
            refused.append((error.where or str(path), error))
        else:
            opened.append(device)
    raise_all(refused, f"{len(paths)} disks", "[dut] target")
    return opened


def keep_arming(recorder: Recorder, targets: Sequence[Device] | OnHosts) -> None:
    """Write down which disks the loads run on, and what was typed to overwrite them."""
    if isinstance(targets, OnHosts):
        for place in targets.places:
            for device in place.devices:
                _keep_one(recorder, device, place.name)
        return
    for device in targets:
        _keep_one(recorder, device)


def _keep_one(recorder: Recorder, device: Device, host: str = "") -> None:
    name = f"{device.disk.path} on {host}" if host else device.disk.path
    facts = {
        **{name: str(value) for name, value in asdict(device.disk.identity).items()},
        "path": str(device.path),
        "model": device.disk.model,
        "slot": device.disk.slot,
        "armed": "yes" if device.armed else "no, it is only read",
        "overruled": ", ".join(device.armed.overruled) if device.armed else "",
    }
    recorder.call(lambda w: w.inventory("target", name, facts))
    _journal(recorder, "disk armed" if device.armed else "disk is only read", facts)


def keep_written(recorder: Recorder, budget: Budget) -> None:
    """Write down at the end of a run how much its loads wrote."""
    facts = {"bytes": str(budget.written), "said": describe_size(budget.written)}
    if recorder.failed is None:
        _journal(recorder, "loads wrote", facts)


def _journal(recorder: Recorder, action: str, facts: dict[str, str]) -> None:
    recorder.journal(action, json.dumps(facts, ensure_ascii=False))


def arming_of(words: Sequence[str], overrule: Sequence[str]) -> Arming:
    """Make what was typed on a command line into an Arming."""
    return Arming(tuple(words), tuple(overrule))
