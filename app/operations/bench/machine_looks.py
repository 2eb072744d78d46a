"""Looks at a machine: what it is, its storage, SAS paths, clock, drives and slots."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.bench.model import Bench
from instruments.errors import BenchError
from instruments.host.clock import clock_offset
from instruments.thermal.drives.drive_list import choose_drives
from instruments.thermal.drives.sas_path import SasHealth, read_sas_health
from instruments.thermal.drives.smart import capture_smart
from instruments.thermal.ses.slots import as_table, find_slots
from instruments.tools.hosts import Host
from workloads.guard.device import is_device

_DRIVES = ("sd", "nvme", "hd")
"""What names of drives begin with; loop devices and arrays have no SMART."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What one look at a machine told.

    Attributes:
        name: Name of the machine; "" is this one.
        texts: What to keep, by the name of a file.
        reports: What SMART says of drives that answered, by drive.
        paths: What its SAS paths were like.
        offset: What to add to its clock to have ours, and how far that may be off.
    """

    name: str
    texts: dict[str, str] = field(default_factory=dict)
    reports: dict[str, str] = field(default_factory=dict)
    paths: SasHealth | None = None
    offset: tuple[int, int] | None = None


def see_paths(host: Host) -> Seen:
    """Look at links and paths; raises BenchError."""
    return Seen(host.name, paths=read_sas_health(host))


def see_clock(host: Host) -> Seen:
    """Compare its clock with ours; raises BenchError."""
    return Seen(host.name, offset=clock_offset(host))


def see_slots(host: Host) -> Seen:
    """Find which drive sits in which slot; raises BenchError."""
    slots = find_slots(host, choose_drives(host, ()))
    return Seen(host.name, {"slots.csv": as_table(slots)} if slots else {})


def see_smart(nodes: Sequence[str], when: str) -> Callable[[Host], Seen]:
    """Make a look at all that SMART says of drives, or of all where none is named."""

    def look(host: Host) -> Seen:
        captured = capture_smart(host, choose_drives(host, tuple(nodes)))
        return Seen(
            host.name,
            texts={f"{when}-{one.file_name}": one.text for one in captured},
            reports={one.name: one.text for one in captured if one.answered},
        )

    return look


def target_drives(bench: Bench) -> set[str]:
    """Get the targets on this machine that are drives, which have SMART."""
    if bench.load is not None:
        return set()
    real = {path: path.resolve().name for path in bench.dut.targets if is_device(path)}
    return {str(path) for path, name in real.items() if name.startswith(_DRIVES)}


_TOOL_S = 10.0

MACHINE: Mapping[str, Sequence[str]] = {
    "uname.txt": ("uname", "-a"),
    "lscpu.txt": ("lscpu",),
    "lspci.txt": ("lspci", "-nnk"),
    "lsblk.json": ("lsblk", "-J", "-b", "-O"),
}
"""What does not change while a campaign runs, by the name it is kept under."""

STORAGE: Mapping[str, Sequence[str]] = {
    "mdadm.txt": ("mdadm", "--detail", "--scan", "--verbose"),
    "multipath.txt": ("multipath", "-ll"),
    "lvs.txt": ("lvs", "--all", "--segments", "-o", "+devices"),
    "zpool-status.txt": ("zpool", "status", "-P"),
    "zpool-properties.txt": ("zpool", "get", "-p", "all"),
    "zfs-properties.txt": ("zfs", "get", "-p", "-s", "local,received", "all"),
    "storcli.json": ("storcli64", "/call", "show", "all", "J"),
    "perccli.json": ("perccli64", "/call", "show", "all", "J"),
    "arcconf.txt": ("arcconf", "getconfig", "1"),
    "ssacli.txt": ("ssacli", "ctrl", "all", "show", "config", "detail"),
}
"""What a prompt or a command between two configurations may change."""

_SECRET = re.compile(r"((?:passw\w*|secret)=)\S+", re.IGNORECASE)
"""A kernel's command line may have passwords, as that of an iSCSI root."""

_HOST_FACTS = ("proc_name", "version_fw", "fw_version", "board_name", "version_bios")
_NVME_FACTS = ("model", "serial", "firmware_rev", "transport", "address", "state")
_DISK_FACTS = (
    "device/vendor",
    "device/model",
    "device/rev",
    "device/firmware_rev",
    "size",
    "queue/scheduler",
    "queue/nr_requests",
    "queue/read_ahead_kb",
    "queue/rotational",
    "queue/write_cache",
    "queue/max_sectors_kb",
    "queue/rq_affinity",
)


def see_machine(host: Host) -> Seen:
    """Look at processors, adapters with their drivers and firmware, and disks.

    What is not there is left out; raises BenchError where the machine is not.
    """
    return Seen(host.name, _told(host, MACHINE) | _sysfs(host))


def see_storage(host: Host) -> Seen:
    """Look at arrays, pools and paths; raises BenchError where it is not reached."""
    texts = _told(host, STORAGE)
    mdstat = host.read_many(["/proc/mdstat"])["/proc/mdstat"]
    if mdstat and "md" in mdstat.partition("\n")[2]:
        texts["mdstat.txt"] = mdstat
    return Seen(host.name, texts)


def _told(host: Host, tools: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Run the tools that are there and keep what they said."""
    host.read_many(["/proc/uptime"])  # A machine that is gone is told of once.
    texts = {}
    for name, argv in tools.items():
        try:
            done = host.run(argv, _TOOL_S)
        except BenchError:
            continue  # Not installed there, which is not a fault.
        text = done.stdout if done.code == 0 else f"{done.stdout}{done.stderr}"
        if text.strip():
            texts[name] = text
    return texts


def _sysfs(host: Host) -> dict[str, str]:
    """Read governors, adapters with their drivers' versions, and queue settings."""
    cpus = _folder(host, "/sys/devices/system/cpu")
    numbered = [cpu for cpu in cpus if cpu.startswith("cpu") and cpu[3:].isdigit()]
    disks = _folder(host, "/sys/block")
    real = [disk for disk in disks if not disk.startswith(("ram", "zram", "sr"))]
    adapters = _facts(
        "/sys/class/scsi_host", _folder(host, "/sys/class/scsi_host"), _HOST_FACTS
    )
    nvmes = _facts("/sys/class/nvme", _folder(host, "/sys/class/nvme"), _NVME_FACTS)
    places = {
        "governors.txt": _facts(
            "/sys/devices/system/cpu", numbered, ("cpufreq/scaling_governor",)
        ),
        "nvme.txt": nvmes,
        "kernel-command-line.txt": ["/proc/cmdline"],
        "adapters.txt": adapters + _drivers(host, adapters),
        "disk-settings.txt": _facts("/sys/block", real, _DISK_FACTS),
    }
    texts = {name: _lines(host, paths) for name, paths in places.items()}
    return {name: text for name, text in texts.items() if text}


def _facts(folder: str, names: Iterable[str], facts: Sequence[str]) -> list[str]:
    return [f"{folder}/{name}/{fact}" for name in sorted(names) for fact in facts]


def _drivers(host: Host, adapters: Sequence[str]) -> list[str]:
    """Get where the versions of the adapters' drivers are; nvme has one, too."""
    read = host.read_many(adapters) if adapters else {}
    modules = {
        (text or "").strip()
        for path, text in read.items()
        if path.endswith("/proc_name")
    }
    known = sorted(modules - {"", "(null)"} | {"nvme"})
    return [f"/sys/module/{module}/version" for module in known]


def _lines(host: Host, paths: Sequence[str]) -> str:
    read = host.read_many(paths) if paths else {}
    shown = {path: _SECRET.sub(r"\1***", text or "") for path, text in read.items()}
    return "".join(f"{p}: {t.strip()}\n" for p, t in shown.items() if t.strip())


def _folder(host: Host, path: str) -> Sequence[str]:
    try:
        return host.list_folder(path)
    except BenchError:
        return ()


_ASK = ("timedatectl", "show", "-p", "NTPSynchronized", "--value")


def is_set_by_ntp(host: Host) -> bool | None:
    """Ask systemd, which asks the kernel; None where it cannot be asked."""
    try:
        done = host.run(_ASK, 5.0)
    except BenchError:
        return None
    if done.code != 0:
        return None
    return {"yes": True, "no": False}.get(done.stdout.strip())
