"""What is asked before the window closes."""

from PySide6.QtWidgets import QWidget

from app.ui.kit.icons import Icons
from app.ui.kit.messages import ask
from app.ui.run.queue import RunQueue
from app.ui.window.pages import Pages
from instruments.sizes import counted


class Leaving:
    """Asks whether the window may be closed.

    Args:
        pages: Where changes may be.
        icons: Icons of the theme.
        window: What the questions belong to.
    """

    def __init__(self, pages: Pages, icons: Icons, window: QWidget) -> None:
        self._pages = pages
        self._icons = icons
        self._window = window

    def may_leave(self) -> bool:
        """Ask what becomes of changes to bench and campaign."""
        if not self._pages.bench.dialogs.saving.may_leave():
            return False
        if "Campaigns" not in self._pages.made:
            return True
        page = self._pages.campaigns
        if not page.files.saving.may_leave():
            return False
        page.controller.autosave.forget()
        return True

    def may_drop(self, queue: RunQueue) -> bool:
        """Ask whether the window is closed although runs wait or a command runs."""
        if not (queue.waiting or queue.commands):
            return True
        title = "Runs are waiting" if queue.waiting else "A command is running"
        return ask(
            self._icons,
            title,
            f"{_lost(queue)}Close anyway?",
            yes="Close",
            no="Keep waiting",
            parent=self._window,
        )

    def may_stop(self, queue: RunQueue) -> bool:
        """Ask whether the run that goes on may be stopped; others may wait."""
        stop = "Stop the run and close? What was recorded so far is kept."
        return ask(
            self._icons,
            "A run is in progress",
            f"{stop} {_lost(queue)}".strip(),
            yes="Stop and close",
            no="Keep running",
            parent=self._window,
        )


def _lost(queue: RunQueue) -> str:
    """Say what does not go on while the window is closed."""
    lost = ""
    if queue.waiting:
        lost = (
            f"{counted(len(queue.waiting), 'run')} will not start while Bayscope is "
            "closed. It offers what waits when it is opened again. "
        )
    if queue.commands:
        lost += "The command after the last run is still running; closing ends it. "
    return lost
