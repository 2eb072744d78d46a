"""Whether the wall clock of a machine is set by NTP."""

from instruments.errors import BenchError
from instruments.tools.hosts import Host

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
