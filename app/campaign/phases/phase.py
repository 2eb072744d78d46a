"""One run of a step: what the phase of its engine may use."""

from collections.abc import Callable
from dataclasses import dataclass, field

from app.campaign.phases.operator import SimulatedOperator
from app.campaign.phases.steering import Steering
from app.campaign.phases.step_log import StepLog
from app.plan.step import Step
from app.record.clock import Clock
from app.record.recorder import Recorder
from app.record.store import Result, Session, Window
from instruments.reading import SECOND
from workloads.base import LoadOutcome, LoadResult

INTERRUPTED = LoadResult(LoadOutcome.STOPPED, "stopped before its end")


@dataclass(slots=True)
class StepFindings:
    """What a phase finds beside the result of its load.

    Attributes:
        window: The part of the load's window that is measured; None is all of it.
        remarks: Sentences for the row, whatever its verdict.
        missed: What the plan asked for and was not reached; "" where nothing was.
        results: Further results of the step.
        refused: Why the operator did not let it be done; "" where nothing was refused.
    """

    window: Window | None = None
    remarks: list[str] = field(default_factory=list)
    missed: str = ""
    results: list[Result] = field(default_factory=list)
    refused: str = ""


@dataclass(frozen=True, slots=True)
class StepRun:
    """One run of a step, and all it may use.

    Attributes:
        step_id: Its number in the session.
        label: Of its row.
        step: The plan.
        start_ns: When it began.
        recorder: Takes what it has to say.
        session: The session while it is recorded.
        steering: Tells when it has to end early, and asks the operator.
        log: Writes of it into the session.
        operator: Does what it asks for on a simulated bench.
        tell: Takes one line for the operator: what the step still waits for.
        found: What it finds beside the result of its load.
    """

    step_id: int
    label: str
    step: Step
    start_ns: int
    recorder: Recorder
    session: Session
    steering: Steering
    log: StepLog
    operator: SimulatedOperator
    tell: Callable[[str], None]
    findings: StepFindings = field(default_factory=StepFindings)

    @property
    def clock(self) -> Clock:
        """The clock of the bench."""
        return self.recorder.clock

    def is_over(self) -> bool:
        """Tell whether the step has to end now."""
        if self.steering.interruption is not None:
            return True
        # What tears down is done also where nothing can be stored any more.
        return self.recorder.failed is not None and not self.steering.tearing_down

    def answered(self, said: str) -> None:
        """Write down what the operator said, where it is read and where it is kept."""
        self.recorder.journal("answered", f"{self.label}: {said}")
        self.recorder.event("info", "operator", f"{self.label}: answered: {said}")

    def sleep(self, seconds: float) -> None:
        """Let time pass on the clock of the bench."""
        self.clock.wait(self.steering.waker, seconds)

    def pause(self, seconds: float, why: str = "") -> None:
        """Let time pass until the step is over; `why` tells the operator what for."""
        if why:
            self.tell(why)
        end = self.clock.monotonic_ns() + round(seconds * SECOND)
        while not self.is_over() and (left := end - self.clock.monotonic_ns()) > 0:
            self.sleep(min(0.1, left / SECOND))

    def refresh(self) -> None:
        """Let the session show all that has been read until now."""
        self.recorder.call(lambda writer: writer.commit())
        self.session.refresh()


Phase = Callable[[StepRun], LoadResult]
"""Runs a step to its end; raises BenchError where it cannot."""
