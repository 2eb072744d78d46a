"""What a user does with switches: asked first, done elsewhere, written down."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.bench.model import Bench
from app.ui.bench.switch_rows import WORDS
from app.ui.kit.context import Context
from app.ui.kit.messages import ask
from instruments.errors import BenchError

if TYPE_CHECKING:
    from instruments.switch.guard import Acted


class SwitchWork(QObject):
    """Does one action after the other.

    Attributes:
        recording: Tells which session is being recorded now, None for none.

    Signals:
        done: What was done (Acted).
        refused: Why it was not (str).
        busy_changed: Something is under way, or is not any more.
    """

    done = Signal(object)
    refused = Signal(str)
    busy_changed = Signal()

    def __init__(self, context: Context, window: QWidget) -> None:
        super().__init__(window)
        self._context = context
        self._window = window
        self.recording: Callable[[], Path | None] = lambda: None
        self.is_busy = False

    def do(self, bench: Bench, switch: str, action: str, place: str = "") -> None:
        """Do an action of a switch, after asking where power is at stake."""
        # Only now: it takes what reaches devices.
        from app.operations.bench.switching import (  # noqa: PLC0415
            act,
            consequence,
            needs_confirmation,
        )

        session = self.recording()
        if needs_confirmation(action):
            question = consequence(bench, switch, action, place)
            if session is not None:
                question += "\n\nA session is being recorded; it keeps a mark of this."
            verb = WORDS[action].text.replace("&", "").removesuffix("...")
            if not ask(
                self._context.icons,
                f"{verb}: {switch}",
                question,
                yes=verb,
                no="Cancel",
                parent=self._window,
            ):
                return
        self._set_busy(True)
        self._context.background.run(
            lambda: act(
                bench, switch, action, place, confirm=lambda _: True, session=session
            ),
            self._take,
            self._fail,
            lasting=True,
        )

    def _take(self, record: "Acted") -> None:
        self._set_busy(False)
        self.done.emit(record)

    def _fail(self, error: Exception) -> None:
        self._set_busy(False)
        if isinstance(error, BenchError):
            self.refused.emit(str(error))
        else:
            self._context.background.failed.emit(error)

    def _set_busy(self, busy: bool) -> None:
        self.is_busy = busy
        self.busy_changed.emit()
