"""The ticker: tells four times a second how far a run has got."""

import contextlib
import threading
from collections.abc import Callable, Iterator

from app.campaign.phases.steering import Steering
from app.campaign.phases.step_log import StepEnd
from app.campaign.run.progress import Progress
from app.campaign.run.schedule import Row, Schedule
from app.plan.verdict import Outcome, Verdict
from app.record.recorder import Recorder
from instruments.reading import SECOND

# Four a second is smooth for a progress bar and costs nothing beside a load.
_PERIOD_S = 0.25


class Ticker:
    """Reports progress from planned durations while a row runs."""

    def __init__(
        self,
        recorder: Recorder,
        progress: Callable[[Progress], None],
        steering: Steering,
        trouble: Callable[[], str] = lambda: "",
    ) -> None:
        self._recorder = recorder
        self._progress = progress
        self._steering = steering
        self._trouble = trouble
        self._begun_ns: int | None = None
        self._why = ""
        self._ended = ""
        self._reached = 0.0

    def tell(self, why: str) -> None:
        """Say from now on what the running step waits for."""
        self._why = why

    def end_step(self, label: str, end: StepEnd) -> None:
        """Say how the present row ended, where it was run, counts and is not a PASS."""
        ran = end.outcome is not Outcome.SKIPPED
        bad = ran and end.verdict not in (None, Verdict.PASS)
        told = f"{label}: {end.verdict}: {end.reason}"
        self._ended = told if bad else ""

    def begin_step(self) -> None:
        """Count the time of the present row from now on: it no longer waits."""
        self._begun_ns = self._recorder.clock.monotonic_ns()

    @contextlib.contextmanager
    def row(self, schedule: Schedule, row: Row) -> Iterator[None]:
        """Report on this row until the block is left."""
        done = threading.Event()
        self._begun_ns = None
        self._why = ""
        thread = threading.Thread(
            target=self._tick,
            args=(schedule, row, done),
            name="progress",
            daemon=True,
        )
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _tick(self, schedule: Schedule, row: Row, done: threading.Event) -> None:
        step = row.step
        over = False
        while True:
            now = self._recorder.clock.monotonic_ns()
            begun = self._begun_ns
            passed = 0.0 if begun is None else max(0, now - begun) / SECOND
            elapsed = min(passed, step.duration_s)
            behind = schedule.before_s + elapsed
            # Rows that are left out, because the run is over, were not done.
            if not (self._steering.cancel.is_set() or self._steering.ended):
                self._reached = behind / max(schedule.total_s, 1e-9)
            self._progress(
                Progress(
                    state="recording",
                    session=self._recorder.path,
                    step=schedule.number,
                    steps=schedule.count,
                    label=row.label,
                    step_fraction=elapsed / max(step.duration_s, 1e-9),
                    fraction=self._reached,
                    remaining_s=schedule.total_s - behind,
                    may_grow=schedule.may_grow,
                    t_ns=now,
                    trouble=self._trouble(),
                    held=self._steering.held,
                    held_until=self._steering.held_until,
                    paused=self._steering.paused,
                    given_up=self._steering.ended,
                    ended=self._ended,
                    question=self._steering.question,
                    why=self._why,
                    step_id=row.step_id,
                    pass_number=row.pass_number,
                    missed=self._steering.missed,
                )
            )
            if over:
                return  # Told once more, by what its end has to say.
            over = done.wait(_PERIOD_S)
