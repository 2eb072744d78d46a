"""The step log: what is written into the session of each step of a run."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.plan.step import Step
from app.plan.verdict import Cause, Outcome, Verdict
from app.plan.writing import step_text
from app.record.recorder import Recorder
from app.record.store import Result, Window, Writer
from workloads.base import LoadResult


@dataclass(frozen=True, slots=True)
class StepEnd:
    """How a step ended: outcome, verdict, the sentence for it and its code.

    A row without a verdict does not count: another one stands for it.
    """

    outcome: Outcome
    verdict: Verdict | None
    reason: str = ""
    cause: Cause = Cause.NONE


_LEVELS = {Verdict.PASS: "info", Verdict.ABORTED: "warning"}


class StepLog:
    """Writes steps, their results and artefacts through the recorder."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._begun: set[int] = set()

    def plan(
        self,
        rows: Sequence[tuple[str, Step]],
        position: int | None = None,
        pass_number: int = 1,
    ) -> list[int]:
        """Add rows as planned, all or none; return their numbers in the session.

        Args:
            rows: Their labels and steps.
            position: The place in the report that they share; None for one each.
            pass_number: The pass of a loop in which they are run.
        """

        def add(writer: Writer) -> list[int]:
            return [
                _add(writer, position or number, label, step, pass_number)
                for number, (label, step) in enumerate(rows, 1)
            ]

        return self._recorder.call(add)

    def again(
        self, step_id: int, row: tuple[int, str, Step, int], **void: str | int | None
    ) -> int:
        """Change a row, and add another one that stands for it, both or neither.

        Returns:
            The number of the other one in the session.
        """

        def replace(writer: Writer) -> int:
            writer.update_step(step_id, **void)
            return _add(writer, *row)

        return self._recorder.call(replace)

    def begin(self, step_id: int, label: str, start_ns: int) -> None:
        """Note that a step has started."""
        self._begun.add(step_id)
        running = str(Outcome.RUNNING)
        self._recorder.last_words(
            lambda w: w.update_step(step_id, start_ns=start_ns, outcome=running)
        )
        self._recorder.event("info", "campaign", f"{label} started")
        self._recorder.journal("step started", label)

    def expect_window(self, step_id: int, start_ns: int) -> None:
        """Note when the measured window begins, should the program not see its end."""
        self._recorder.post(lambda w: w.update_step(step_id, window_start_ns=start_ns))

    def keep(self, step_id: int, result: LoadResult) -> None:
        """Keep the raw outputs of a load."""

        def keep(writer: Writer) -> None:
            for item in result.artefacts:
                writer.artefact(step_id, item.name, item.media_type, item.content)

        if self._recorder.failed is None:
            self._recorder.call(keep)

    def results(self, step_id: int, window: Window, results: Sequence[Result]) -> None:
        """Store the window of a step and what was measured in it."""
        self._recorder.call(lambda w: w.measured(step_id, window, results))

    def measured(self, step_id: int, result: Result) -> None:
        """Store one value of a step that has no measured window."""
        self._recorder.call(lambda w: w.result(step_id, result))

    def no_window(self, step_id: int) -> None:
        """Note that a step ended without a measured window."""
        self._recorder.post(lambda w: w.update_step(step_id, window_start_ns=None))

    def end(self, step_id: int, label: str, end: StepEnd) -> None:
        """Store how a step ended, also where a full disk has only its reserve left.

        One that was not run is stored with the next commit: a campaign that is stopped
        may leave thousands of them, and each commit signs them all.
        """
        now = self._recorder.clock.monotonic_ns()
        ran = end.outcome is not Outcome.SKIPPED
        store = self._recorder.last_words if ran else self._recorder.post
        verdict = str(end.verdict) if ran and end.verdict is not None else None
        store(
            lambda w: w.update_step(
                step_id,
                end_ns=now,
                outcome=str(end.outcome),
                verdict=verdict,
                reason=end.reason,
                cause=str(end.cause),
            )
        )
        if ran or step_id in self._begun:
            told = f": {end.reason}" if end.reason else ""
            words = dict.fromkeys(filter(None, (str(end.outcome), verdict)))
            text = f"{label} {', '.join(words)}{told}"
            level = "warning" if end.verdict is None else _LEVELS.get(end.verdict)
            self._recorder.event(level or "error", "campaign", text)

    def judged(self, step_id: int, end: StepEnd) -> None:
        """Store what is said of a step that has ended, where more is known now."""
        verdict = str(end.verdict) if end.verdict is not None else None
        self._recorder.last_words(
            lambda w: w.update_step(
                step_id, verdict=verdict, reason=end.reason, cause=str(end.cause)
            )
        )

    def close(self, verdict: Verdict) -> None:
        """Store the verdict of the whole."""
        self._recorder.last_words(lambda w: w.set_session(verdict=str(verdict)))
        self._recorder.concluded = True


def _add(
    writer: Writer, position: int, label: str, step: Step, pass_number: int
) -> int:
    return writer.add_step(
        position,
        label,
        step.engine,
        step_text(step),
        series=step.label,
        pass_number=pass_number,
    )
