"""The runs that wait in the window: each starts when its turn and time have come."""

import contextlib
import json
import logging
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.operations.editing.drafts import Draft, DraftKeeper, LeftDraft, left_behind
from app.ui.kit.background import Background, nothing
from app.ui.run.control import RunControl, RunPlan
from instruments.errors import BadInput, BenchError
from instruments.sizes import counted

if TYPE_CHECKING:
    from app.operations.queueing import Done
    from app.operations.run.run import RunResult

_LOOK_MS = 1_000
_log = logging.getLogger("bayscope")


@dataclass(frozen=True, slots=True)
class LeftRuns:
    """What waited in programs that have ended.

    Attributes:
        plans: What can be read of it.
        trouble: Why the rest cannot, a sentence; "" where all can be read.
        drafts: Where it was kept.
    """

    plans: tuple[RunPlan, ...] = ()
    trouble: str = ""
    drafts: tuple[LeftDraft, ...] = ()


class QueueFile:
    """Keeps what waits in this program, and gets what waited in programs that ended.

    A disk or bucket that was typed is not kept: it is typed anew. Neither is a run that
    was to be resumed: its session is offered anyway.
    """

    def __init__(self) -> None:
        self._keeper = DraftKeeper(queue_folder())
        self._plans: Sequence[RunPlan] = ()
        self._left: list[LeftDraft] = []
        self._one_at_a_time = threading.Lock()

    def set_plans(self, plans: Sequence[RunPlan], left: LeftRuns | None = None) -> None:
        """Say what is to be kept, what was left among it; `write` does it."""
        # Together: what was left is dropped only by a write that keeps its plans.
        with self._one_at_a_time:
            self._plans = tuple(plan for plan in plans if plan.resume is None)
            if left is not None:
                self._left += left.drafts

    def write(self) -> None:
        """Keep what was said last, in any thread; then what was left is kept here."""
        with self._one_at_a_time:
            try:
                if self._plans:
                    text = json.dumps([_values(plan) for plan in self._plans])
                    self._keeper.keep(Draft("queue", text))
                else:
                    self._keeper.drop()
            except OSError as error:
                _log.warning("runs that wait cannot be kept: %s", error)
                return
            for left in self._left:
                left.drop()
            self._left.clear()

    def read_left(self) -> LeftRuns:
        """Get what waited in programs that ended; what cannot be read is let go."""
        plans: list[RunPlan] = []
        reasons: list[str] = []
        drafts = tuple(left_behind(queue_folder()))
        for draft in drafts:
            try:
                found = json.loads(draft.draft.text)
            except ValueError:
                found = draft.draft.text
            for values in found if isinstance(found, list) else [found]:
                try:
                    plans.append(_plan(values))
                except (BadInput, ValueError, TypeError, KeyError) as error:
                    reasons.append(_reason(error))
        trouble = ""
        if reasons:
            count = counted(len(reasons), "run")
            trouble = f"{count} that waited cannot be read: {reasons[0]}"
        return LeftRuns(tuple(plans), trouble, drafts)

    def close(self) -> None:
        """Let go; what is kept is found by the next program."""
        self._keeper.close()
        for left in self._left:
            left.release()


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, BadInput) else "what was kept is damaged"


def queue_folder() -> Path:
    """Get where runs that wait are kept."""
    return platformdirs.user_state_path("bayscope", appauthor=False) / "queue"


def _values(plan: RunPlan) -> dict[str, Any]:
    return {
        "campaign": plan.campaign.text,
        "file": str(plan.file or ""),
        "bench": plan.bench.text,
        "bench_file": plan.bench.file,
        "out": str(plan.out),
        "without": [*plan.without],
        "operator": plan.operator,
        "note": plan.note,
        "shorten": plan.shorten,
        "at": plan.at.isoformat() if plan.at is not None else "",
        "go_on": plan.go_on,
        "then": [*plan.then],
    }


def _plan(values: dict[str, Any]) -> RunPlan:
    # Only now: they take every engine and driver.
    from app.bench.file import parse_bench  # noqa: PLC0415
    from app.plan.campaign import parse_campaign  # noqa: PLC0415

    file = Path(values["file"]) if values["file"] else None
    return RunPlan(
        parse_campaign(values["campaign"], file.name if file else "campaign"),
        parse_bench(values["bench"], values["bench_file"]),
        Path(values["out"]),
        values["without"],
        file,
        operator=values["operator"],
        note=values["note"],
        shorten=float(values["shorten"]),
        at=datetime.fromisoformat(values["at"]) if values["at"] else None,
        go_on=bool(values["go_on"]),
        then=tuple(values["then"]),
        unattended=True,
    )


class RunQueue(QObject):
    """Starts what waits, one after the other; a person confirmed each of them.

    It is held, until somebody lets it go on, after a run that was stopped, and after
    one that was not a PASS where the next one does not go on then. What waits is kept
    over the end of the program; the next one offers it, and starts none by itself.

    Attributes:
        left: What waited in programs that have ended.
        commands: How many commands at the end of a run have not finished.

    Signals:
        changed: Others wait, or it is held from now on, or no longer.
        due: The turn of this one (RunPlan) has come.
        failed: What a command at the end of a run failed with, or why what waited
            before cannot be read (Exception).
    """

    changed = Signal()
    due = Signal(object)
    failed = Signal(object)

    def __init__(
        self, run: RunControl, background: Background, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._run = run
        self._background = background
        self._file = QueueFile()
        self._waiting: list[RunPlan] = []
        self.left: list[RunPlan] = []
        self._held = ""
        self._over = threading.Event()
        self.commands = 0
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self._look)
        run.finished.connect(self._end)
        run.failed.connect(self._break)
        run.changed.connect(self.changed)

    @property
    def waiting(self) -> tuple[RunPlan, ...]:
        """What waits, the next one first."""
        return tuple(self._waiting)

    @property
    def held(self) -> str:
        """Why nothing starts by itself; "" where it does."""
        return self._held

    @property
    def can_start(self) -> bool:
        """Whether the next one could be started now."""
        return bool(self._waiting) and not self._run.is_running

    def add(self, plan: RunPlan) -> None:
        """Let a run wait; with a time it comes before those that are later."""
        resumed = [one.resume for one in self._waiting if one.resume is not None]
        if plan.resume in resumed:
            return
        new = replace(plan, unattended=True)
        place = len(self._waiting)
        if plan.at is not None:
            later = (
                number
                for number, one in enumerate(self._waiting)
                if one.at is not None and one.at > plan.at
            )
            place = next(later, place)
        self._waiting.insert(place, new)
        self._timer.start()
        self._change()

    def remove(self, plan: RunPlan) -> None:
        """Let one wait no longer."""
        self._waiting = [one for one in self._waiting if one is not plan]
        if not self._waiting:
            self._held = ""
            self._timer.stop()
        self._change()

    def _change(self, left: LeftRuns | None = None) -> None:
        """Keep what waits as it is now, and say that it is another."""
        self._file.set_plans([*self._waiting, *self.left], left)
        self._background.release(self._file.write)
        self.changed.emit()

    @Slot()
    def clear(self) -> None:
        """Let none wait any longer."""
        for plan in self.waiting:
            self.remove(plan)

    def look_back(self) -> None:
        """Find what waited in programs that have ended; off the GUI thread."""
        self._background.run(self._file.read_left, self._take_left)

    @Slot(object)
    def _take_left(self, found: LeftRuns) -> None:
        if found.drafts:
            self.left += found.plans
            self._change(found)
        if found.trouble:
            self.failed.emit(
                BadInput(
                    found.trouble,
                    where="queue",
                    way_out="Start it from its campaign again; it waits no longer.",
                )
            )

    @Slot(object)
    def forget_left(self, plan: RunPlan | None = None) -> None:
        """Offer this one of what was left no longer, or none of it."""
        self.left = [one for one in self.left if plan and one is not plan]
        self._change()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Start none meanwhile, as while the user is asked what becomes of them."""
        self._timer.stop()
        try:
            yield
        finally:
            if self._waiting and not self._over.is_set():
                self._timer.start()

    def end(self) -> None:
        """Start none any more, and end commands; what waits is kept for the next."""
        if self.commands:
            _log.warning("closing ends the command that was to run after a run")
        self._over.set()
        self._timer.stop()

    def shut(self) -> None:
        """Let go of what is kept; called once, when no work is going on."""
        self._file.close()

    @Slot()
    def start_now(self) -> None:
        """Start the next one, whatever its time and the run before it."""
        if self.can_start:
            self._held = ""
            plan = self._waiting[0]
            self.remove(plan)
            self.due.emit(plan)

    @Slot()
    def _look(self) -> None:
        if self._held or not self.can_start:
            return
        at = self._waiting[0].at
        if at is None or datetime.now().astimezone() >= at:
            self.start_now()

    @Slot(object)
    def _end(self, result: "RunResult") -> None:
        from app.operations.queueing import Done  # noqa: PLC0415 - takes every engine

        plan = self._run.plan
        if plan is not None:
            self._go_on(plan, Done(plan.campaign.name, result), result.judged)

    @Slot(object)
    def _break(self, error: Exception) -> None:
        from app.operations.queueing import Done  # noqa: PLC0415 - takes every engine

        plan = self._run.plan
        if plan is not None and isinstance(error, BenchError):
            self._go_on(plan, Done(plan.campaign.name, error=error), "not started")

    def _go_on(self, plan: RunPlan, done: "Done", told: str) -> None:
        """Tell of a run that has ended, and see whether the next one may start."""
        from app.operations.queueing import notify, run_command  # noqa: PLC0415

        words, over = plan.then, self._over
        if words and not (done.was_stopped or over.is_set()):
            self.commands += 1
            self._background.run(
                lambda: run_command(words, [done], over),
                lambda _: self._take_command(),
                self._take_command,
                lasting=True,
            )
        if plan.unattended or plan.then:
            text = f"{done.name}: {told}"
            self._background.run(
                lambda: notify("Run ended", text), nothing, nothing, lasting=True
            )
        if self._waiting and (
            done.was_stopped or (done.failed and not self._waiting[0].go_on)
        ):
            self._held = f"{done.name} was {told}"
        self.changed.emit()

    def _take_command(self, error: Exception | None = None) -> None:
        self.commands -= 1
        if error is not None:
            self.failed.emit(error)
