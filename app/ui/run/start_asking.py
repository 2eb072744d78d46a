"""Ask what to run, and remember the campaign file for the next time."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.bench.model import Bench
from app.operations.preflight.finding import Finding
from app.operations.run.foreign import check_confirmed
from app.operations.run.resume import Unfinished
from app.ui.campaign.chooser import Choice, shipped_campaigns
from app.ui.kit.background import Background
from app.ui.kit.icons import Icons
from app.ui.kit.settings import Settings
from app.ui.kit.theme import Theme
from app.ui.run.control import RunPlan
from app.ui.run.foreign_dialog import ForeignDialog
from app.ui.run.start_dialog import StartDialog

_LAST = "campaign"


class RunAsking:
    """Shows the start dialog.

    Args:
        theme: The look.
        icons: Icons of the theme.
        background: Where disks and earlier sessions are looked at.
        settings: Where the last campaign file is kept.
        parent: The window that waits.

    Attributes:
        mends: What the user left the dialog to mend elsewhere; None for nothing.
        chosen: What was chosen then.
    """

    def __init__(
        self,
        theme: Theme,
        icons: Icons,
        background: Background,
        settings: Settings,
        parent: QWidget,
    ) -> None:
        self._theme = theme
        self._icons = icons
        self._background = background
        self._settings = settings
        self._parent = parent
        self.mends: Finding | None = None
        self.chosen: Choice | None = None

    def confirm(self, left: Unfinished, bench: Bench) -> bool:
        """Show what a session from elsewhere would do; tell whether that is meant.

        Raises:
            BadInput: Nobody can confirm it here: see `app.operations.run.foreign`.
        """
        if left.foreign is None:
            return True
        check_confirmed(left.foreign, left.foreign.code, str(left.path))
        dialog = ForeignDialog(left.path.name, left.foreign, bench, self._parent)
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        try:
            return bool(dialog.exec())
        finally:
            dialog.deleteLater()

    def ask(
        self,
        bench: Bench,
        out: Path,
        *,
        again: RunPlan | None = None,
        problem: str = "",
    ) -> RunPlan | None:
        """Show the dialog; None when the user thinks better of it.

        Args:
            bench: The bench to run on.
            out: Folder of the session file.
            again: A run that did not begin, whose choices are shown again.
            problem: Why it did not.
        """
        kept = self._settings.get(_LAST)
        dialog = StartDialog(
            bench,
            out,
            self._theme,
            self._icons,
            self._background,
            campaigns=shipped_campaigns(),
            parent=self._parent,
            last=Path(kept) if kept and again is None else None,
        )
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        if again is not None:
            dialog.set_plan(again, problem)
        try:
            plan = dialog.plan if dialog.exec() else None
            self.mends = dialog.preflight.mends
            self.chosen = dialog.form.campaigns.choice
        finally:
            dialog.deleteLater()
        if plan is not None:
            last = str(plan.file.absolute()) if plan.file else ""
            self._settings.put(_LAST, last)
        return plan
