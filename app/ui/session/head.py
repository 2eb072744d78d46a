"""The head of an open session: its name, what it is, what can be done with it."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QPushButton,
    QWidget,
)

from app.plan.cleanness import UNCLEAN
from app.report.provenance import local_text
from app.ui.kit.clock import clock, seconds_between
from app.ui.kit.context import Context
from app.ui.kit.labels import ElidedLabel
from app.ui.kit.states import look_of_run
from app.ui.kit.widgets import column, make_button, make_note, row
from app.ui.session.record import Record

_GONE = (
    "Its file is no longer in the folder: it was renamed, moved or deleted since it "
    "was opened."
)


class SessionHead(QWidget):
    """Two lines on a session, a button, and a third line where it was changed.

    Attributes:
        title: Its name.
        facts: What else there is to say of it in a line.
        file: The name of its file.
        change: What is wrong with its content.

    Signals:
        export_wanted: The user wants it exported.
        samples_wanted: The user wants its samples in files.
        verify_wanted: The user wants all of its results computed again.
        recompute_wanted: The user wants to see them with another window or rule.
    """

    export_wanted = Signal()
    samples_wanted = Signal()
    verify_wanted = Signal()
    recompute_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.title = ElidedLabel()
        self.title.setObjectName("heading")
        self.facts = ElidedLabel()
        self.facts.setObjectName("muted")
        self.file = ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)
        self.file.setObjectName("muted")
        self.file.setAccessibleDescription("Name of the file")
        self.change = make_note(look="mistake")
        self.change.hide()
        self._parts: tuple[str, ...] = ()
        self._wrong, self._is_gone = "", False
        export = QPushButton(" E&xport...")
        context.icons.put_on(export, "download")
        export.setToolTip(
            "Look at the report's pages, and write it as PDF and more (Ctrl+E)"
        )
        export.setShortcut("Ctrl+E")
        export.clicked.connect(self.export_wanted)
        samples = QPushButton(" Sa&mples...")
        context.icons.put_on(samples, "activity")
        samples.setToolTip("Write samples as CSV, Arrow or Parquet (Ctrl+Shift+E)")
        samples.setShortcut("Ctrl+Shift+E")
        samples.clicked.connect(self.samples_wanted)
        self.verify = make_button(
            "&Verify",
            "Compute every result again from what is stored, and compare (Alt+V)",
            self.verify_wanted.emit,
        )
        self.verify.setText(" &Verify")
        context.icons.put_on(self.verify, "list-checks")
        recompute = make_button(
            "Rec&ompute...",
            "See the table with another window, rule or clock offset (Alt+O)",
            self.recompute_wanted.emit,
        )
        recompute.setText(" Rec&ompute...")
        context.icons.put_on(recompute, "columns-2")
        second = row(self.facts, self.file, spacing=18)
        second.setStretch(0, 3)
        second.setStretch(1, 2)
        buttons = (self.verify, recompute, samples, export)
        first = row(self.title, *buttons, grows=self.title, spacing=8)
        # Below the buttons: facts and the name of the file want all the width.
        margins = (12, 6, 12, 6)
        column(first, second, self.change, of=self, margins=margins, spacing=3)

    def show_record(self, record: Record) -> None:
        """Say what this session is, as far as it is known without reading all of it."""
        info, layer = record.session.info, record.layer
        state = look_of_run(
            info.verdict or record.session.state, UNCLEAN * (not record.is_clean)
        ).word
        fake = "simulated" if info.simulated else ""
        span = clock(seconds_between(layer.start, layer.end))
        moment = local_text(info.realtime_ns, with_zone=info.is_imported)
        self._parts = (moment, state, span, info.dut, fake)
        if info.is_published:  # its note says when it appeared; more is not known
            self._parts = (info.note, state, info.dut)
        self.title.setText(info.name)
        self.show_file(record.path)
        self._wrong, self._is_gone = "", False
        self._show_change()
        is_over = record.session.state == "complete"
        self._tell("hash being checked" if is_over else "")

    def show_file(self, path: Path) -> None:
        """Say which file it is."""
        self.file.setText(path.name)
        for label in (self.facts, self.file):
            label.setToolTip(str(path))

    def show_gone(self, *, is_gone: bool) -> None:
        """Say whether what is shown can be found under its name no longer."""
        self._is_gone = is_gone
        self._show_change()

    def show_check(self, wrong: str) -> None:
        """Say what came of comparing its content with its hash.

        Args:
            wrong: What is wrong with it, a sentence; "" where it is as it was recorded.
        """
        self._wrong = wrong
        self._show_change()
        self._tell("" if wrong else "hash checked")

    def _show_change(self) -> None:
        gone = _GONE if self._is_gone else ""
        self.change.setText(" ".join(filter(None, (self._wrong, gone))))
        self.change.setVisible(bool(self._wrong or gone))

    def _tell(self, check: str) -> None:
        self.facts.setText(" · ".join(filter(None, (*self._parts, check))))
