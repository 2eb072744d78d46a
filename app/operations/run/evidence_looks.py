"""Single looks at a machine: its SAS paths, its clock, its drives and their slots."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from app.bench.model import Bench
from instruments.host.clock import clock_offset
from instruments.thermal.drives.drive_list import choose_drives
from instruments.thermal.drives.sas_path import SasHealth, read_sas_health
from instruments.thermal.drives.smart_capture import capture_smart
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
        paths: What its SAS paths were like.
        offset: What to add to its clock to have ours, and how far that may be off.
    """

    name: str
    texts: dict[str, str] = field(default_factory=dict)
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
        texts = capture_smart(host, choose_drives(host, tuple(nodes)))
        named = {f"{when}-{name}": text for name, text in texts.items()}
        return Seen(host.name, named)

    return look


def target_drives(bench: Bench) -> set[str]:
    """Get the targets on this machine that are drives, which have SMART."""
    if bench.load is not None:
        return set()
    real = {path: path.resolve().name for path in bench.dut.targets if is_device(path)}
    return {str(path) for path, name in real.items() if name.startswith(_DRIVES)}
