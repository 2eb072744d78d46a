"""Asks several devices at once, and leaves behind those that do not come back.

A process that waits inside the kernel for its device cannot be killed; whoever waits
for it waits as long. Each question therefore has its own thread that the program
does not wait for at its end, and a device with an open question gets no second one.
A device that was late is asked again after growing waits.
"""

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, wait
from typing import Generic, TypeVar

from instruments.errors import SourceError
from instruments.reading import SECOND, Status
from instruments.tools.detached import begin

# A drive that does not answer is asked less and less often, so that the others are read
# in time.
FIRST_WAIT_NS = 30 * SECOND
LONGEST_WAIT_NS = 300 * SECOND

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class DrivePool(Generic[K, V]):
    """Questions to devices, each in a thread.

    Args:
        ask: Gets the answer of one device; a SourceError with the status "timeout"
            says that the device was late.
        patience_s: Seconds after which answers that are missing are given up; more
            than the deadline of the tool itself.
    """

    def __init__(self, ask: Callable[[K], V], patience_s: float) -> None:
        self._ask = ask
        self._patience_s = patience_s
        self._open: dict[K, Future[V]] = {}
        self._waits: dict[K, tuple[int, int]] = {}

    def ask_all(self, devices: Sequence[K], now_ns: int) -> dict[K, V]:
        """Ask devices at once; the late ones are excluded, now and for a while.

        Args:
            devices: The devices.
            now_ns: Monotonic time.

        Raises:
            Exception: What asking one of them raised.
        """
        due = [each for each in devices if now_ns >= self._waits.get(each, (0, 0))[1]]
        begun = {each: future for each in due if (future := self._begin(each))}
        wait(begun.values(), self._patience_s)
        answers: dict[K, V] = {}
        for device in due:
            future = begun.get(device)
            if future is None or not self._is_in_time(device, future):
                before = self._waits.get(device, (0, 0))[0]
                pause = min(max(2 * before, FIRST_WAIT_NS), LONGEST_WAIT_NS)
                self._waits[device] = (pause, now_ns + pause)
            else:
                self._waits.pop(device, None)
                answers[device] = future.result()
        return answers

    def _is_in_time(self, device: K, future: "Future[V]") -> bool:
        if not future.done():
            self._open[device] = future
            return False
        trouble = future.exception()
        return not (
            isinstance(trouble, SourceError) and trouble.status is Status.TIMEOUT
        )

    def _begin(self, device: K) -> "Future[V] | None":
        before = self._open.get(device)
        if before is not None and not before.done():  # it still hangs
            return None
        self._open.pop(device, None)
        return begin(lambda: self._ask(device), f"ask-{device}")
