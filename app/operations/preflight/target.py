"""Pre-flight of the target: room, caches, and I/O of somebody else."""

import os
import shutil
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from app.bench.model import Bench
from app.campaign.checks import has_load
from app.operations.bench.arming_disks import look_at_disks
from app.operations.preflight.finding import Finding, Help, ok, stop, warn
from app.plan.campaign import Campaign
from app.plan.step import Step
from instruments.errors import BenchError, plain_words
from instruments.host.diskstats import Transfers, device_beneath, disk_transfers
from instruments.sizes import describe_size
from workloads.guard.device import is_device
from workloads.target.scratch import takes_direct
from workloads.target.targets import find_targets

SESSION_B_S = 4096.0
"""Bytes a second that a session of 500 channels takes, with room to spare."""

# A session that fills its disk to the last byte stops whatever else writes there.
SPARE_BYTES = 2**30
# Counters of a disk are compared over this; shorter ones miss I/O that comes in bursts.
LOOK_S = 1.0
QUIET_B_S = 1e6
"""I/O of somebody else below this is remarked, and is not a reason to wait."""


def existing(folder: Path) -> Path:
    """Get the folder, or the nearest one above it that is there."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


def check_space(out: Path, campaign: Campaign) -> list[Finding]:
    """Say whether the session fits where it is to be stored."""
    folder = existing(out)
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        text = f"{out} cannot be looked at: {plain_words(error)}"
        return [stop("Disk space", text, Help.FOLDER)]
    wanted = int(campaign.duration_s * SESSION_B_S)
    room = f"{describe_size(free)} are free in {folder}"
    if free < wanted:
        text = f"{room}, the session may take {describe_size(wanted)}"
        return [stop("Disk space", text, Help.FOLDER)]
    if free < wanted + SPARE_BYTES:
        return [warn("Disk space", f"{room}, which is little", Help.FOLDER)]
    return [ok("Disk space", room)]


def check_caches(bench: Bench, campaign: Campaign) -> list[Finding]:
    """Say whether main memory could answer instead of the disk."""
    dut = bench.dut
    loads = [step for _, step in campaign.runs if step.is_load]
    if not loads or bench.load is not None or is_device(dut.targets[0]):
        return []
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    size = dut.size * len(dut.targets)
    sizes = f"{describe_size(size)} of data, {describe_size(memory)} of memory"
    if not _is_buffered(loads, dut.targets):
        return [ok("Caches", "direct I/O bypasses the page cache")]
    if size >= 2 * memory:
        return [ok("Caches", f"{sizes}, less than half of it fits")]
    text = f"{sizes}: the page cache may answer instead of the disk"
    return [warn("Caches", text, Help.TARGET)]


def _is_buffered(loads: Sequence[Step], targets: Sequence[Path]) -> bool:
    """Whether I/O goes through the page cache: as asked, or for want of O_DIRECT."""
    if any(step.options.get("direct") == "0" for step in loads):
        return True
    return any(path.is_file() and not takes_direct(path) for path in targets)


def check_arming(bench: Bench, campaign: Campaign) -> list[Finding]:
    """Say of each disk that is overwritten what arms it, or why nothing does."""
    if not (has_load(campaign) and campaign.writes):
        return []
    try:
        looks = look_at_disks(bench, bench.dut.targets)
    except BenchError as error:
        return [stop("Arming", str(error), Help.TARGET)]
    findings = []
    for one in looks.each if looks else ():
        data = one.data_words
        refusal = one.missing(bench.guard, bench.dut.size, one.disk.word, data)
        if refusal:
            findings.append(stop("Arming", f"{one.title}: {refusal}", Help.TARGET))
            continue
        kinds = f" and what data may go: {' '.join(data)}" if data else ""
        typed = f"{one.word_told}{kinds}".rstrip(",")
        text = f"the run overwrites {one.title}: it asks you to type its {typed}"
        findings.append(ok("Arming", text))
    return findings


def check_foreign(bench: Bench, cancel: threading.Event) -> list[Finding]:
    """Watch the disks beneath the targets for a second: who else uses them?"""
    devices = set()
    if bench.load is not None:
        return []  # They lie beneath the load hosts, which trace them in each step.
    try:
        for path in find_targets(bench.dut.targets):
            place = path if path.exists() else path.parent
            device = device_beneath(place)
            if device is not None:
                devices.add(device)
    except (BenchError, OSError):
        return []  # The target itself has its own line then.
    if not devices:
        return []
    before, began = disk_transfers(), time.monotonic()
    cancel.wait(LOOK_S)
    after, seconds = disk_transfers(), time.monotonic() - began
    moved = 0
    for device in devices & before.keys() & after.keys():
        change: Transfers = after[device].since(before[device])
        moved += change.read_bytes + change.written_bytes
    rate = moved / max(seconds, 1e-3)
    if rate > QUIET_B_S:
        text = f"Other processes are doing {rate / 1e6:.1f} MB/s on the target's disk"
        return [warn("Other I/O", text)]
    return [ok("Other I/O", "none on the target's disk")]
