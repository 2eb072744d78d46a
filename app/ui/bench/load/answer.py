"""What the chosen load host answered, or what there is to do before it does."""

from PySide6.QtWidgets import QPlainTextEdit

from app.ui.bench.load.rows import LoadRow

_NOTHING = "Loads run on this machine. Add a host to let them come from there instead."
_UNTRIED = "Try reaches it, and looks at its fio, its clock and its disks."
_HEIGHT = 104


class LoadAnswer(QPlainTextEdit):
    """Shows the answer of a host; it can be copied."""

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setAccessibleName("What the host answers")
        self.setFixedHeight(_HEIGHT)

    def show_row(self, row: LoadRow | None) -> None:
        """Show the answer of another host; None for no host."""
        if row is None:
            text = _NOTHING
        elif row.question:
            text = f"{row.name} is being asked ..."
        else:
            text = row.tried.text if row.tried else _UNTRIED
        self.setPlainText(text)
