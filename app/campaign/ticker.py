"""The ticker: tells four times a second how far a run has got."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from app.campaign.progress import Progress
from app.plan.campaign import Campaign
from app.record.clock import Clock
from instruments.reading import SECOND

_PERIOD_S = 0.25


class Ticker:
    """Reports progress from planned durations while a step runs."""

    def __init__(
        self,
        campaign: Campaign,
        session: Path,
        clock: Clock,
        progress: Callable[[Progress], None],
        trouble: Callable[[], str] = lambda: "",
    ) -> None:
        self._rows = campaign.runs
        self._total = max(campaign.duration_s, 1e-9)
        self._session = session
        self._clock = clock
        self._progress = progress
        self._trouble = trouble

    @contextlib.contextmanager
    def step(self, number: int) -> Iterator[None]:
        """Report on the step with this index until the block is left."""
        done = threading.Event()
        thread = threading.Thread(
            target=self._tick,
            args=(number, self._clock.monotonic_ns(), done),
            name="progress",
            daemon=True,
        )
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _tick(self, number: int, start: int, done: threading.Event) -> None:
        label, step = self._rows[number]
        before = sum(earlier.duration_s for _, earlier in self._rows[:number])
        while True:
            now = self._clock.monotonic_ns()
            elapsed = min((now - start) / SECOND, step.duration_s)
            self._progress(
                Progress(
                    state="recording",
                    session=self._session,
                    step=number + 1,
                    steps=len(self._rows),
                    label=label,
                    step_fraction=elapsed / max(step.duration_s, 1e-9),
                    fraction=(before + elapsed) / self._total,
                    remaining_s=self._total - before - elapsed,
                    t_ns=now,
                    trouble=self._trouble(),
                )
            )
            if done.wait(_PERIOD_S):
                return
