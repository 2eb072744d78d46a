"""The run that the window has started: start, stop, and what is heard of it."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.bench.model import Bench
from app.campaign.phases.steering import Steering
from app.campaign.run.progress import Progress
from app.ui.kit.background import Background

if TYPE_CHECKING:
    from app.operations.run.arming import Arming
    from app.operations.run.run import RunResult
    from app.plan.campaign import Campaign


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What the start dialog asks for.

    Attributes:
        campaign: The plan.
        bench: The bench, with the target chosen.
        out: Folder of the session file.
        without: Sources the run may start without.
        file: Where the campaign was read from, None for one that ships.
        arming: What was typed to let a disk be overwritten; None for nothing.
        erase: Buckets that were named to be emptied.
        resume: A session that was cut off and is continued; None for a new one.
        left: Labels of the rows that it has left.
        confirmed: The code of one from elsewhere, once a person has seen what it does.
        notes: What the user was told before the start.
        operator: Who runs it, "" for the user's name.
        note: A remark that the session keeps.
        shorten: By how much its times are divided, for a rehearsal.
        at: When it starts; None for now, or when its turn comes.
        go_on: Whether it starts where the run before it was not a PASS.
        then: The words of a command that is run when it has ended.
        unattended: Whether it waited, so that perhaps nobody sees it start.
        after: Set as soon as nothing else reads the bench; None where nothing does.
    """

    campaign: "Campaign"
    bench: Bench
    out: Path
    without: Sequence[str] = ()
    file: Path | None = None
    arming: "Arming | None" = None
    erase: Sequence[str] = ()
    resume: Path | None = None
    left: Sequence[str] = ()
    confirmed: str = ""
    notes: Sequence[str] = ()
    after: threading.Event | None = None
    operator: str = ""
    note: str = ""
    shorten: float = 1.0
    at: datetime | None = None
    go_on: bool = True
    then: tuple[str, ...] = ()
    unattended: bool = False


class RunControl(QObject):
    """Runs one campaign at a time in its own thread.

    ```
    idle --start--> running --------------> idle
                    running --stop--> stopping --> idle
    ```

    Signals:
        changed: It runs, stops or is idle from now on.
        progressed: A snapshot (Progress) of the run.
        moved: The session is stored up to this moment (int nanoseconds).
        finished: The run has ended with this RunResult.
        failed: The run did not begin, or broke, with this exception.
    """

    changed = Signal()
    progressed = Signal(object)
    moved = Signal(object)
    finished = Signal(object)
    failed = Signal(object)

    def __init__(self, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = background
        self._steering: Steering | None = None
        self._plan: RunPlan | None = None
        self._has_begun = False

    @property
    def is_running(self) -> bool:
        """Whether a run has begun and not ended."""
        return self._steering is not None

    @property
    def is_stopping(self) -> bool:
        """Whether it was told to stop."""
        return self._steering is not None and self._steering.cancel.is_set()

    @property
    def plan(self) -> RunPlan | None:
        """What runs, or ran last."""
        return self._plan

    @property
    def has_begun(self) -> bool:
        """Whether the run, or the last one, has got as far as a session file."""
        return self._has_begun

    def start(self, plan: RunPlan) -> None:
        """Begin a run; there must be none.

        Raises:
            RuntimeError: One is running.
        """
        if self._steering is not None:
            raise RuntimeError("a run is in progress")
        steering = self._steering = Steering()
        self._plan = plan
        self._has_begun = False

        def do() -> "RunResult":
            # Only now, and here: every engine takes longer than the window.
            from app.operations.queueing import Order, check_again  # noqa: PLC0415
            from app.operations.run.arming import NOT_ARMED  # noqa: PLC0415
            from app.operations.run.run import run_campaign  # noqa: PLC0415
            from app.plan.shorten import shortened  # noqa: PLC0415

            self._wait_for(plan.after, steering)
            campaign = shortened(plan.campaign, plan.shorten)
            beside = plan.file.parent if plan.file is not None else None
            if plan.unattended:
                self._tell(Progress("checking whether the result will be valid"))
                order = Order(
                    campaign,
                    plan.bench,
                    plan.out,
                    plan.without,
                    erase=plan.erase,
                    beside=beside,
                )
                check_again(order, steering.cancel)
            return run_campaign(
                campaign,
                plan.bench,
                plan.out,
                without=plan.without,
                arming=plan.arming or NOT_ARMED,
                erase=plan.erase,
                progress=self._tell,
                moved=self.moved.emit,
                steering=steering,
                resume=plan.resume,
                confirmed=plan.confirmed,
                notes=plan.notes,
                operator=plan.operator,
                note=plan.note,
                beside=beside,
            )

        self.changed.emit()
        self._background.run(do, self._end, self._break, lasting=True)

    @property
    def steering(self) -> Steering | None:
        """Where the running campaign is paused, skipped and answered."""
        return self._steering

    @Slot(int, str)
    def answer(self, number: int, text: str) -> None:
        """Answer a question of the run."""
        if self._steering is not None:
            self._steering.answer(number, text)

    def stop(self) -> None:
        """Ask the run to end; it tears the bench down first."""
        if self._steering is not None:
            self._steering.abort()
            self.changed.emit()

    def _wait_for(self, after: threading.Event | None, steering: Steering) -> None:
        """Wait until what looked at the bench has let go of it."""
        if after is not None and not after.is_set():
            self._tell(Progress("ending the pre-flight"))
            while not steering.cancel.is_set() and not after.wait(0.1):
                pass

    def _tell(self, progress: Progress) -> None:
        """Pass a snapshot on; called from several threads."""
        self._has_begun = self._has_begun or progress.session is not None
        self.progressed.emit(progress)

    @Slot(object)
    def _end(self, result: "RunResult") -> None:
        self._steering = None
        self.changed.emit()
        self.finished.emit(result)

    @Slot(object)
    def _break(self, error: Exception) -> None:
        self._steering = None
        self.changed.emit()
        self.failed.emit(error)
