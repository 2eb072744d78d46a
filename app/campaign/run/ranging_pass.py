"""The ranging pass: each load is tried shortly, and meters keep ranges for its step."""

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from app.analysis.rules.row_figures import RANGING
from app.campaign.phases.load import run_load
from app.plan.step import Step
from app.record.recorder import Recorder
from app.record.store import Window
from instruments.errors import BenchError
from instruments.reading import SECOND
from workloads.base import LoadOutcome, Workload
from workloads.engines import LOADS

_LOOK_S = 0.2
_LONGER_S = 5.0


class RangingPass:
    """Tries each step for some seconds while meters choose their ranges and watch.

    What a step draws in its first seconds may be less than later: ranges get
    head-room, and a value over its range is a gap that says so.
    """

    def __init__(
        self,
        recorder: Recorder,
        *,
        make_load: Callable[[str, Step], Workload],
        is_over: Callable[[], bool],
        seconds: float,
        progress: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._recorder = recorder
        self._clock = recorder.clock
        self._make_load = make_load
        self._is_over = is_over
        self._seconds = seconds
        self._progress = progress
        self._never = threading.Event()

    def run(self, steps: Sequence[Step]) -> None:
        """Try each step once, however often it is repeated; nothing of it raises."""
        windows: dict[str, Window] = {}
        tried = {step.label: step for step in steps if _is_tried(step)}
        if not self._recorder.ranging_sources():
            text = "no meter of this bench can choose its ranges, nothing was tried"
            self._recorder.event("warning", "ranging", text)
            return
        for label, step in tried.items():
            if self._is_over():
                break
            self._progress(label)
            self._recorder.begin_ranging()
            try:
                if window := self._try(step):
                    windows[label] = window
            except BenchError as error:
                self._recorder.event("warning", "ranging", f"{label}: {error}")
            for name, plan in self._recorder.end_ranging(label).items():
                self._tell(name, f"{label}: {plan.text}")
        kept = json.dumps(windows).encode()
        if self._recorder.failed is None:
            self._recorder.call(
                lambda w: w.artefact(None, RANGING, "application/json", kept)
            )

    def _try(self, step: Step) -> Window | None:
        """Try a step; return when it ran, None where it did not."""
        start = self._clock.monotonic_ns()
        end = self._clock.monotonic_ns() + round(self._seconds * SECOND)
        if step.engine == "idle":
            while not self._is_over() and self._clock.monotonic_ns() < end:
                self._clock.wait(self._never, _LOOK_S)
            return start, self._clock.monotonic_ns()
        short = replace(step, runtime_s=self._seconds, ramp_s=0.0, limits=())
        # An engine that copies to its end knows no runtime.
        end += round(_LONGER_S * SECOND)
        result = run_load(
            self._make_load(f"ranging {step.label}", short),
            self._recorder,
            is_over=lambda: self._is_over() or self._clock.monotonic_ns() > end,
            started=lambda _: None,
        )
        if result.outcome is LoadOutcome.FAILED:
            text = f"{step.label}: {result.reason}"
            self._recorder.event("warning", "ranging", text)
        return result.window

    def _tell(self, name: str, text: str) -> None:
        self._recorder.journal("ranges", f"{name}, {text}")
        self._recorder.event("info", name, f"ranges for {text}")


def _is_tried(step: Step) -> bool:
    """Tell whether a step can be tried: idle, or a load; a file system is made once."""
    if not step.is_load:
        return step.engine == "idle"
    return not LOADS[step.engine].sets_up
