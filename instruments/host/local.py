"""The bench PC itself as a [[host]]: tools run here, and it is measured."""

from instruments.driver import Driver, Found
from instruments.host.source import OPTIONS, HostSource
from instruments.settings import Settings
from instruments.tools.hosts import Host


def build(settings: Settings, driver: str) -> HostSource:
    """Make the source of a machine; raises BadInput."""
    return HostSource(
        settings.name,
        driver,
        settings.host,
        disks=settings.texts("disks"),
        interfaces=settings.texts("interfaces"),
        per_core=settings.flag("per_core"),
        period_s=settings.number("period"),
    )


def _discover(host: Host) -> list[Found]:
    name = host.read_many(["/proc/sys/kernel/hostname"]).popitem()[1]
    return [Found(f"This machine ({name.strip()})", {})] if name else []


DRIVER = Driver(
    "host",
    "local",
    "This machine: processors, memory, network, disks",
    OPTIONS,
    lambda settings: build(settings, "local"),
    _discover,
)
