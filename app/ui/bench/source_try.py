"""A source that is tried as it was described: asked once, its answer as text."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QPlainTextEdit

from app.bench.model import Bench
from app.operations.bench.check import SourceCheck, check_source
from app.operations.bench.check_report import checks_text
from app.ui.kit.background import Background

_HEIGHT = 130


class SourceTry(QPlainTextEdit):
    """Asks a source off the GUI thread and shows what it answers; the last one counts.

    Args:
        background: Where it is asked.

    Signals:
        busy: Whether an answer is still to come (bool).
    """

    busy = Signal(bool)

    def __init__(self, background: Background) -> None:
        super().__init__()
        self._background = background
        self._tries = 0
        self._tried: tuple[str, SourceCheck] | None = None
        self.setReadOnly(True)
        self.setAccessibleName("What the source answers")
        self.setPlaceholderText("Try connects, identifies and reads it once.")
        self.setFixedHeight(_HEIGHT)

    def ask(self, bench: Bench, name: str) -> None:
        """Connect, identify and read a source of a bench once."""
        self._tries += 1
        number = self._tries
        self.setPlainText(f"{name} is being asked...")
        self.busy.emit(True)
        self._background.run(
            lambda: (number, bench.text, check_source(bench, name)),
            self._take,
            self._give_up,
            lasting=True,
        )

    def answer_of(self, bench: Bench) -> SourceCheck | None:
        """Get what it answered as it is on this bench, None where it was not tried."""
        text, check = self._tried or ("", None)
        return check if text == bench.text else None

    @Slot(object)
    def _take(self, answer: tuple[int, str, SourceCheck]) -> None:
        number, text, check = answer
        if number == self._tries:
            self._tried = (text, check)
            self.busy.emit(False)
            raw = f"\nRaw reply: {check.raw}" if check.raw else ""
            self.setPlainText(checks_text([check]).strip() + raw)

    def _give_up(self, error: Exception) -> None:
        self.busy.emit(False)
        self.setPlainText(str(error))
