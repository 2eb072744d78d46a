"""What a session from elsewhere would do here, for a person to read and to confirm."""

from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.bench.model import Bench
from app.operations.run.foreign import Foreign

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
        self, name: str, found: Foreign, bench: Bench, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("A session from elsewhere")
        lines = found.lines_not_in(bench)
        same = len(found.lines) - len(lines)
        known = f" {same} further lines are of the bench in hand." if same else ""
        told = QLabel(
            f"{name} was not recorded by you on this computer, or was changed since. "
            "Going on with it would do this here. Only if you know and want every "
            f"line, let it.{known}"
        )
        told.setWordWrap(True)
        self.lines = QPlainTextEdit("\n".join(lines))
        self.lines.setReadOnly(True)
        self.lines.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.lines.setAccessibleName("What it would do")
        self.lines.setTabChangesFocus(True)
        roles = QDialogButtonBox.ButtonRole
        self.buttons = QDialogButtonBox()
        self.go_on = self.buttons.addButton("Do all of this", roles.AcceptRole)
        self.go_on.setToolTip("Go on with it as listed (Alt+D)")
        self.go_on.setShortcut("Alt+D")
        self.go_on.setAutoDefault(False)
        self.cancel = self.buttons.addButton("Cancel", roles.RejectRole)
        self.cancel.setToolTip("Do nothing (Escape)")
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(10)
        layout.addWidget(told)
        layout.addWidget(self.lines, 1)
        layout.addWidget(self.buttons)
        self.resize(*_SIZE)
        # Only now, in its dialog: before, the box would give the other one Enter.
        self.cancel.setDefault(True)
        self.cancel.setFocus()
