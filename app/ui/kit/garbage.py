"""Python's garbage collector, kept to the GUI thread."""

import gc

from PySide6.QtCore import QObject, QTimer

_EVERY_MS = 1000


def collect_here(parent: QObject) -> None:
    """Collect garbage in this thread, now and then, and in no other any more.

    Python collects in whichever thread makes one object too many. Where a dialog that
    hangs in a reference cycle is found by a thread that reads a meter, shiboken
    destroys it there, beneath the hands of Qt's event loop, which crashes sooner or
    later: only objects of Qt's own classes are passed on to the GUI thread, not those
    of ours that derive from them.

    Args:
        parent: Garbage is collected for as long as this one lives.
    """
    gc.disable()
    timer = QTimer(parent)
    timer.timeout.connect(collect_if_due)
    timer.start(_EVERY_MS)


def collect_if_due() -> None:
    """Collect as Python would: the oldest generation that is over its threshold."""
    counted = list(zip(gc.get_count(), gc.get_threshold(), strict=True))
    for generation, (count, threshold) in reversed(list(enumerate(counted))):
        if count > threshold:
            gc.collect(generation)
            break
