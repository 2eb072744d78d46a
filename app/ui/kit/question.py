"""Something slow that is asked while a person types; only the last answer counts."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance, Slot

from app.ui.kit.background import Background

_PAUSE_MS = 200
"""A pause in typing; what is quick can be asked at each key."""


class Question(QObject):
    """Asks off the GUI thread; answers to what was asked before are dropped.

    Args:
        one_at_a_time: Whether the next one waits for the end of the one before, which
            cannot be ended: for work that would keep the whole machine busy.
        pause_ms: How long after the last change it is asked.

    Signals:
        answered: What came of the last question.
        failed: Its exception instead.
    """

    answered = Signal(object)
    failed = Signal(object)

    def __init__(
        self,
        background: Background,
        parent: QObject,
        *,
        one_at_a_time: bool = False,
        pause_ms: int = _PAUSE_MS,
    ) -> None:
        super().__init__(parent)
        self._one_at_a_time = one_at_a_time
        self._is_running = False
        self._background = background
        self._key: object = None
        self._do: Callable[[], object] | None = None
        self._number = 0
        self._is_open = False
        self._later = QTimer(self, singleShot=True, interval=pause_ms)
        self._later.timeout.connect(self._ask)

    @property
    def is_open(self) -> bool:
        """Whether an answer is still to come."""
        return self._is_open

    def ask(self, key: object, do: Callable[[], object]) -> bool:
        """Ask in a moment, unless that was the last question.

        Args:
            key: What is asked; an equal one is not asked again.
            do: Finds the answer; runs in another thread.

        Returns:
            Whether it is another question than the last one.
        """
        if key == self._key:
            return False
        self._key, self._do = key, do
        self._number += 1  # what is asked now makes answers under way worthless
        self._is_open = True
        self._later.start()
        return True

    def forget(self) -> None:
        """Want no answer any more; whatever is asked next is asked again."""
        self._key, self._do = None, None
        self._number += 1
        self._is_open = False
        self._later.stop()

    @Slot()
    def _ask(self) -> None:
        if self._do is None or (self._one_at_a_time and self._is_running):
            return
        self._is_running = True
        self._background.run(
            self._do,
            partial(self._take, self._number, self.answered),
            partial(self._take, self._number, self.failed),
            lasting=True,
            reads=True,
        )

    def _take(self, number: int, signal: SignalInstance, answer: object) -> None:
        self._is_running = False
        if number == self._number:
            self._is_open = False
            signal.emit(answer)
        elif self._one_at_a_time and not self._later.isActive():
            self._ask()  # it came meanwhile, and had to wait
