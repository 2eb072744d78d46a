"""What the loads of a run wrote and made: counted, written down and taken back."""

import contextlib
import json
from collections.abc import Iterator, Mapping

from app.operations.run.arming import keep_written
from app.record.recorder import Recorder
from workloads.guard.budget import Budget
from workloads.setup.made import MadeThings


@contextlib.contextmanager
def accounts(
    recorder: Recorder, limit: int | None
) -> Iterator[tuple[Budget, MadeThings]]:
    """Keep account of what loads write and set-up steps make, to the end of a run.

    At the end what was made is taken back, then what was written is written down.

    Args:
        recorder: Whose journal gets it.
        limit: Bytes that may be written, None for any number.
    """

    def journal(action: str, facts: Mapping[str, str]) -> None:
        now, text = recorder.clock.monotonic_ns(), json.dumps(dict(facts))
        # Durable at once: should the program be killed, the file says what is left.
        recorder.last_words(lambda w: w.journal(now, action, text))

    def say(level: str, text: str) -> None:
        if recorder.failed is None:
            recorder.event(level, "set-up", text)

    budget, made = Budget(limit), MadeThings(journal, say)
    try:
        yield budget, made
    finally:
        made.close()
        keep_written(recorder, budget)
