"""When a device was ready: the moment from which a source has all its values."""

import numpy as np

from app.record.store import Session, Window


def ready_ns(session: Session, source: str, window: Window) -> tuple[int | None, str]:
    """Find when the last channel of a source had its first value after a cold start.

    A channel that is without a value at the end counts for nothing: an empty slot, a
    sensor there is not. One that had values all the time, such as a sensor of the
    BMC, was ready from the begin.

    Args:
        session: The session; call `refresh` first while it is recorded.
        source: Name of the source, such as the enclosure with the drives.
        window: From switching on until the end of the recording.

    Returns:
        The moment in ns, None where no channel has a value at the end; and a phrase
        that says what it is, or why there is none.
    """
    firsts: list[int] = []
    for channel in session.channels():
        if channel.source != source:
            continue
        trace = session.trace(channel, window, None)
        known = ~np.isnan(trace.mean)
        if not known.any() or not known[-1]:
            continue
        gaps = np.flatnonzero(~known)
        first = int(gaps[-1]) + 1 if gaps.size else 0
        firsts.append(int(trace.times[first]))
    if not firsts:
        return None, f"{source} had no value at the end"
    return max(firsts), f"the last of {len(firsts)} values of {source}"
