"""Parts of the dialog for fio jobs: its text, its findings, and what it waits for."""

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QHeaderView, QProgressBar, QWidget

from app.ui.campaign.text import CampaignText
from app.ui.kit.icons import Icons
from app.ui.kit.rows_model import RowsModel
from app.ui.kit.tables import WrappedTable
from app.ui.kit.theme import Theme
from app.ui.kit.widgets import make_button, make_note, row
from workloads.fio.paste.finding import Finding

_HINT = (
    "Paste command lines of fio, with for loops around them,\n"
    "or a job file here, or open a file.\n\n"
    "Nothing in it is run, and no disk that it names is used."
)


class JobTextEdit(CampaignText):
    """A text with its own undo; the lines of a finding are marked in it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.colours.setDocument(None)  # those are of a campaign.toml
        self.setUndoRedoEnabled(True)
        self.setTabChangesFocus(True)
        self.setAccessibleName("Text with fio jobs")
        self.setPlaceholderText(_HINT)
        self.undo_wanted.connect(self.undo)
        self.redo_wanted.connect(self.redo)

    def show_lines(self, lines: tuple[int, ...]) -> None:
        """Mark lines, counted from 1, and go to the first one."""
        self.mark_lines(lines)
        if lines:
            self.go_to(lines[0])


_QUOTE, _FIO, _TABLES_MADE = 2, 3, 4
_QUOTE_WIDTH = 210


class FindingsTable(WrappedTable):
    """Shows the findings in a text; three of its columns have whole sentences."""

    def __init__(self, model: RowsModel[Finding]) -> None:
        super().__init__(model, "Findings in the text", stretch=_FIO)
        for section in (_QUOTE, _TABLES_MADE):
            self.setItemDelegateForColumn(section, self.itemDelegateForColumn(_FIO))

    def _arrange(self) -> None:
        """Share the room between what fio does and what was made of it."""
        super()._arrange()
        head = self.horizontalHeader()
        head.setSectionResizeMode(_TABLES_MADE, QHeaderView.ResizeMode.Stretch)
        head.setSectionResizeMode(_QUOTE, QHeaderView.ResizeMode.Interactive)
        head.resizeSection(_QUOTE, _QUOTE_WIDTH)


_SECOND_MS = 1000
_BAR = (90, 10)


class BusyLine(QWidget):
    """Counts the seconds while it is busy; else it has room for a sentence.

    Signals:
        stopped: The user does not want to wait any longer.
    """

    stopped = Signal()

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._seconds = 0
        self._clock = QTimer(self, interval=_SECOND_MS)
        self._clock.timeout.connect(self._tick)
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setFixedSize(*_BAR)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("The text is being read")
        tip = "Give up reading this text (Alt+T)"
        self.stop_button = make_button("S&top", tip, icon=icons.get("square"))
        self.stop_button.clicked.connect(self.stopped)
        self.reason = make_note()
        parts = (self.bar, self.stop_button, self.reason)
        row(*parts, of=self, grows=self.reason, spacing=10)
        self.end("")

    def begin(self) -> None:
        """Say that a text is being read, and count from here."""
        self._seconds = 0
        self._clock.start()
        self.reason.setText("Reading the text ...")
        self._show(is_busy=True)

    def end(self, sentence: str) -> None:
        """Say something else."""
        self._clock.stop()
        self.reason.setText(sentence)
        self._show(is_busy=False)

    def _show(self, *, is_busy: bool) -> None:
        self.bar.setVisible(is_busy)
        self.stop_button.setVisible(is_busy)

    @Slot()
    def _tick(self) -> None:
        self._seconds += 1
        self.reason.setText(f"Reading the text ... {self._seconds} s")
