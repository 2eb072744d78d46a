"""Work in its own thread that nobody has to wait for, not even at the end.

Whatever waits inside the kernel for a device cannot be stopped: neither the read of a
file in /sys nor a process. It is left to it, and the program goes on.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def begin(work: Callable[[], T], name: str) -> "Future[T]":
    """Begin detached work.

    Args:
        work: What is done.
        name: Name of the thread.

    Returns:
        What comes of it; wait for it with a deadline.
    """
    future: Future[T] = Future()
    # Not a ThreadPoolExecutor: Python waits for its threads at the end of the program.
    threading.Thread(target=_do, args=(work, future), name=name, daemon=True).start()
    return future


def _do(work: Callable[[], T], future: "Future[T]") -> None:
    try:
        future.set_result(work())
    except BaseException as error:  # noqa: BLE001  (raised where it is waited for)
        future.set_exception(error)
