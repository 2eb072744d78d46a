"""The priority of threads that keep a beat beside a load that takes every processor."""

import contextlib
import os
import threading

_NICE = -10
"""Ahead of programs at the default (0), behind the system's own (-20)."""


def keep_the_beat() -> None:
    """Let this thread, and those that it starts, run before the load beside it.

    It does nothing where the user may not ask for it (root, or RLIMIT_NICE), and where
    the system does not know priorities of single threads. Linux does: setpriority(2).
    """
    if hasattr(os, "setpriority"):
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)


def busy_told() -> str:
    """Say that more wants to run on this machine than it has processors; else "".

    The load is the mean of the last minute, of programs that run, wait for a processor,
    or wait for a disk (getloadavg(3)).
    """
    try:
        load, processors = os.getloadavg()[0], os.cpu_count() or 1
    except (AttributeError, OSError):  # Windows has none; without /proc it is unknown
        return ""
    if load <= 2 * processors:
        return ""
    return (
        f"this machine itself is busy (load {load:.0f} on {processors} processors), "
        "which delays its readings: end what else runs here, or run the load elsewhere"
    )
