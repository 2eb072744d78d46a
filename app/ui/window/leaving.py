"""What is asked before the window goes: a run, and changes that are not saved."""

from PySide6.QtWidgets import QWidget

from app.ui.kit.icons import Icons
from app.ui.kit.messages import ask
from app.ui.window.pages import Pages


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
        if not self._pages.bench.files.may_leave():
            return False
        if "Campaigns" not in self._pages.made:
            return True
        page = self._pages.campaigns
        if not page.files.may_leave():
            return False
        page.autosave.forget()
        return True

    def may_stop(self) -> bool:
        """Ask whether the run that goes on may be stopped."""
        return ask(
            self._icons,
            "A run is going on",
            "Stop the run and close? What was recorded so far is kept.",
            yes="Stop and close",
            no="Keep running",
            parent=self._window,
        )
