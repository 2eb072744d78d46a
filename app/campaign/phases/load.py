"""Running one load of a step: its readings go to the recorder, a stop goes to it."""

import threading
from collections.abc import Callable

from app.campaign.phases.fine_logs import join_logs
from app.record.recorder import Recorder
from instruments.reading import Reading, Status
from workloads.base import LoadResult, Workload

# A stop should end the load at once for the person who pressed it.
_LOOK_S = 0.1


def run_load(
    load: Workload,
    recorder: Recorder,
    *,
    is_over: Callable[[], bool],
    started: Callable[[int], None],
) -> LoadResult:
    """Run a load to its end, or until the run is over.

    Args:
        load: The load.
        recorder: Takes its readings and messages.
        is_over: Asked ten times a second whether the load has to be stopped.
        started: Takes the monotonic time at which its first reading began.

    Raises:
        BenchError: The load cannot be run at all.
    """
    stop, done = threading.Event(), threading.Event()
    last_ns = 0

    def emit(reading: Reading) -> None:
        nonlocal last_ns
        if not last_ns:
            started(reading.start_ns)
        # The disk beneath a load is read by its own thread.
        last_ns = max(last_ns, reading.end_ns)
        recorder.append(reading)

    def pass_on_stop() -> None:
        while not done.is_set():
            if is_over():
                stop.set()
            done.wait(_LOOK_S)

    watcher = threading.Thread(target=pass_on_stop, name="load-stop", daemon=True)
    watcher.start()
    try:
        result = load.run(
            emit, lambda level, text: recorder.event(level, load.name, text), stop
        )
    finally:
        done.set()
        watcher.join()
        # However soon the next load starts, no line may lead over to it.
        if last_ns:
            now = recorder.clock.monotonic_ns()
            recorder.gap(load.channels, last_ns, now, Status.STANDBY, "no load ran")
    join_logs(recorder, result)
    return result
