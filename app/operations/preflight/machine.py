"""Pre-flight of the machines: governor, clock, what controllers are busy with."""

import re
from collections.abc import Mapping

from app.operations.bench.machine_looks import is_set_by_ntp, see_machine, see_storage
from app.operations.preflight.finding import Finding, Help, ok, warn
from instruments.errors import BenchError
from instruments.tools.hosts import Host

_BUSY: Mapping[str, tuple[re.Pattern[str], str]] = {
    "mdstat.txt": (
        re.compile(r"(resync|recovery|reshape|check)\s*=\s*([\d.]+%)"),
        "an md array",
    ),
    "zpool-status.txt": (
        re.compile(r"(scrub|resilver) in progress"),
        "a ZFS pool",
    ),
    "storcli.json": (
        re.compile(r'"Status"\s*:\s*"(In progress|Active)"', re.IGNORECASE),
        "a RAID controller",
    ),
    "arcconf.txt": (
        re.compile(
            r"(Building|Rebuilding|Initializing|Verifying|Reconfiguring)", re.IGNORECASE
        ),
        "a RAID controller",
    ),
    "ssacli.txt": (
        re.compile(
            r"(Rebuild|Parity Initialization|Surface Scan)[^\n]*In Progress",
            re.IGNORECASE,
        ),
        "a RAID controller",
    ),
}


def check_machine(host: Host) -> list[Finding]:
    """Look at one machine: this one, or one that is reached over SSH."""
    place = host.name or "this machine"
    try:
        machine, storage = see_machine(host).texts, see_storage(host).texts
    except BenchError as error:
        return [warn("Machines", str(error), Help.BENCH, host.name)]
    return [
        *_governor(machine.get("governors.txt", ""), place),
        *_clock(host, place),
        *_background(storage, place),
    ]


def _governor(text: str, place: str) -> list[Finding]:
    governors = {line.rpartition(": ")[2] for line in text.splitlines()}
    if not governors:
        return []
    if governors == {"performance"}:
        return [ok("CPU governor", f"performance on {place}")]
    told = ", ".join(sorted(governors))
    return [
        warn(
            "CPU governor",
            f"{told} on {place}: the processors' clock, and with it IOPS and power of "
            "the host, follow the load",
            Help.COMMAND,
            "cpupower frequency-set -g performance",
        )
    ]


def _clock(host: Host, place: str) -> list[Finding]:
    """Ask systemd whether the clock is set from somewhere."""
    is_set = is_set_by_ntp(host)
    if is_set is None:
        return []
    if is_set:
        return [ok("Clock", f"{place} is set by NTP")]
    text = f"the clock of {place} is not set by NTP; wall-clock times may be off"
    return [warn("Clock", text, Help.COMMAND, "timedatectl set-ntp true")]


def _background(storage: Mapping[str, str], place: str) -> list[Finding]:
    findings = []
    for name, (pattern, what) in _BUSY.items():
        match = pattern.search(storage.get(name, ""))
        if match:
            told = match[0].strip().replace('"', "")
            text = f"{what} of {place} has background activity: {told}"
            findings.append(warn("Background activity", text))
    if storage and not findings:
        findings.append(ok("Background activity", f"none seen on {place}"))
    return findings
