"""The channels that tell what a load did as a whole, each transfer once."""

from collections.abc import Collection, Sequence

from instruments.reading import Channel
from workloads.disk_trace import SOURCE as DISK

_FINE_LOG = "fio_log"


def whole_loads(channels: Sequence[Channel], loads: Collection[str]) -> list[Channel]:
    """Leave out what tells the same again: devices, hosts, fine logs, the disk beneath.

    The disk counts where its engine says nothing itself.

    Args:
        channels: Channels of a session.
        loads: Names of its sources that are loads.
    """
    known = [c for c in channels if c.source in loads and not c.location]
    own = [c for c in known if c.source not in (_FINE_LOG, DISK)]
    return own or [c for c in known if c.source == DISK]
