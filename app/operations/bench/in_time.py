"""Several jobs at once, each with a deadline; one that hangs holds up no other."""

import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from instruments.errors import BenchError

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

# Those that are asked mostly wait for a network or a device, not for the processor.
AT_ONCE = 8
_LOOK_S = 0.2


@dataclass(frozen=True, slots=True)
class Job(Generic[T_co]):
    """Something to be done, by the name it is told of."""

    name: str
    action: Callable[[], T_co]


def in_time(
    jobs: Sequence[Job[T]],
    deadline_s: float,
    progress: Callable[[str], None] = lambda _: None,
    *,
    at_once: int = AT_ONCE,
    cancel: threading.Event | None = None,
) -> list[T | BenchError]:
    """Do jobs, some at once; one that is late is left alone.

    Args:
        jobs: The jobs; they may be called from other threads.
        deadline_s: Seconds for each, from its own beginning.
        progress: Takes the name of each before it begins, in this thread.
        at_once: How many run at once; those that are late do not count.
        cancel: Set by the caller to leave alone whatever is not done yet.

    Returns:
        What came of each, in order; a BenchError where it failed or was late.
    """
    done: queue.SimpleQueue[tuple[int, T | BenchError | Exception]]
    done = queue.SimpleQueue()
    results: dict[int, T | BenchError] = {}
    running: dict[int, float] = {}
    waiting = list(enumerate(jobs))

    def work(number: int, job: Job[T]) -> None:
        try:
            done.put((number, job.action()))
        except Exception as error:  # noqa: BLE001  (told, or raised, by the caller)
            done.put((number, error))

    def begin(number: int, job: Job[T]) -> None:
        progress(job.name)
        running[number] = time.monotonic() + deadline_s
        name = f"job-{job.name}"
        # A daemon: what hangs in the kernel must not keep the program alive.
        threading.Thread(
            target=work, args=(number, job), name=name, daemon=True
        ).start()

    while len(results) < len(jobs):
        while waiting and len(running) < at_once:
            begin(*waiting.pop(0))
        if cancel is not None and cancel.is_set():
            given_up = BenchError("it was not waited for")
            return [results.get(number, given_up) for number in range(len(jobs))]
        left = min(running.values()) - time.monotonic()
        try:
            number, result = done.get(timeout=min(max(0.0, left), _LOOK_S))
        except queue.Empty:
            for late in _overdue(running):
                del running[late]
                results[late] = _late(jobs[late].name, deadline_s)
            continue
        if running.pop(number, None) is None:
            continue  # late, and told so already
        if isinstance(result, Exception) and not isinstance(result, BenchError):
            raise result
        results[number] = result
    return [results[number] for number in range(len(jobs))]


def _overdue(running: Mapping[int, float]) -> list[int]:
    now = time.monotonic()
    return [number for number, end in running.items() if end <= now]


def _late(name: str, deadline_s: float) -> BenchError:
    return BenchError(
        f"it took longer than {deadline_s:g} s and was abandoned",
        where=name,
        way_out="Check whether it hangs.",
    )
