"""Ask what to run, and remember the campaign file for the next time."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QPlainTextEdit,
    QWidget,
)

from app.bench.model import Bench
from app.ui.kit.context import Context
from app.ui.kit.labels import WrappedLabel
from app.ui.kit.settings import Settings
from app.ui.kit.widgets import DIALOG_MARGINS, column
from app.ui.run.control import RunControl, RunPlan
from instruments.errors import BenchError
from instruments.sizes import counted

if TYPE_CHECKING:
    from app.operations.preflight.finding import Finding
    from app.operations.run.foreign import Foreign
    from app.operations.run.resume import Unfinished
    from app.ui.campaign.chooser import Choice

_SIZE = (860, 480)


class ForeignDialog(QDialog):
    """Lists it all; Enter and Escape do none of it.

    Args:
        name: Name of the session's file.
        found: What it would do.
        bench: The bench in hand; what is the same there is only counted.
        parent: The window that waits.

    Attributes:
        lines: What it would do, a line each.
        go_on: Lets it.
        cancel: Does nothing.
    """

    def __init__(
        self, name: str, found: "Foreign", bench: Bench, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("A session from elsewhere")
        lines = found.lines_not_in(bench)
        same = len(found.lines) - len(lines)
        known = f" {counted(same, 'more line')} as on the open bench." if same else ""
        told = WrappedLabel(
            f"{name} was not recorded by you on this computer, or was changed since. "
            "Resuming it would do the following here. Continue only if you know and "
            f"want every line.{known}"
        )
        self.lines = QPlainTextEdit("\n".join(lines))
        self.lines.setReadOnly(True)
        self.lines.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.lines.setAccessibleName("What it would do")
        self.lines.setTabChangesFocus(True)
        roles = QDialogButtonBox.ButtonRole
        self.buttons = QDialogButtonBox()
        self.go_on = self.buttons.addButton("Do all of this", roles.AcceptRole)
        self.go_on.setToolTip("Resume it as listed (Alt+D)")
        self.go_on.setShortcut("Alt+D")
        self.go_on.setAutoDefault(False)
        self.cancel = self.buttons.addButton("Cancel", roles.RejectRole)
        self.cancel.setToolTip("Do nothing (Escape)")
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        parts = (told, self.lines, self.buttons)
        column(*parts, of=self, grows=self.lines, margins=DIALOG_MARGINS, spacing=10)
        self.resize(*_SIZE)
        # Only now, in its dialog: before, the box would give the other one Enter.
        self.cancel.setDefault(True)
        self.cancel.setFocus()


_LAST = "campaign"


class RunAsking:
    """Shows the start dialog.

    Args:
        context: What the parts of the window share.
        settings: Where the last campaign file is kept.
        parent: The window that waits.

    Attributes:
        mends: What the user left the dialog to mend elsewhere; None for nothing.
        chosen: What was chosen then.
    """

    def __init__(
        self,
        context: Context,
        settings: Settings,
        parent: QWidget,
    ) -> None:
        self._context = context
        self._settings = settings
        self._parent = parent
        self.mends: Finding | None = None
        self.chosen: Choice | None = None

    def confirm(self, left: "Unfinished", bench: Bench) -> bool:
        """Show what a session from elsewhere would do; tell whether that is meant.

        Raises:
            BadInput: Nobody can confirm it here: see `app.operations.run.foreign`.
        """
        if left.foreign is None:
            return True
        from app.operations.run.foreign import check_confirmed  # noqa: PLC0415

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
        error: BenchError | None = None,
        run: RunControl,
    ) -> RunPlan | None:
        """Show the dialog; None when the user thinks better of it.

        Args:
            bench: The bench to run on.
            out: Folder of the session file.
            again: A run that did not begin, whose choices are shown again.
            error: Why it did not.
            run: The run that perhaps goes on; the dialog follows its end.
        """
        # Only now: they take the pre-flight, with every engine and driver.
        from app.ui.campaign.chooser import shipped_campaigns  # noqa: PLC0415
        from app.ui.run.start_dialog import StartDialog  # noqa: PLC0415

        kept = self._settings.get(_LAST)
        dialog = StartDialog(
            bench,
            out,
            self._context,
            campaigns=shipped_campaigns(),
            parent=self._parent,
            last=Path(kept) if kept and again is None else None,
            waits=run.is_running,
        )
        dialog.setWindowModality(Qt.WindowModality.WindowModal)
        if again is not None:
            dialog.set_plan(again, error)

        def follow() -> None:
            dialog.show_waits(waits=run.is_running)

        run.changed.connect(follow)
        try:
            plan = dialog.plan if dialog.exec() else None
            self.mends = dialog.preflight.mends
            self.chosen = dialog.form.campaigns.choice
        finally:
            run.changed.disconnect(follow)
            dialog.deleteLater()
        if plan is not None:
            last = str(plan.file.absolute()) if plan.file else ""
            self._settings.put(_LAST, last)
        return plan
