"""The table of a session beside what it would be with another window or rule."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QLineEdit,
    QWidget,
)

from app.analysis.steady.state import METHODS
from app.operations.sessions.recomputing import (
    LATEST,
    Recomputed,
    otherwise,
    recompute_csv,
    recomputed,
)
from app.ui.kit.background import nothing
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.context import Context
from app.ui.kit.sentences import SentenceLabel, Sentences
from app.ui.kit.shared_height import SharedHeight
from app.ui.kit.widgets import (
    DIALOG_MARGINS,
    column,
    make_button,
    make_form,
    make_note,
    named,
    row,
)
from app.ui.session.report_panel import FurtherTables
from instruments.errors import BadInput
from instruments.files.whole_file import save_file

_SIZE = (1100, 620)
_ABOUT = (
    "Nothing of this is stored. Below each row is what it would be, with its verdict "
    "by limits and gates of the plan; \N{NOT EQUAL TO} marks what differs."
)
_COMPUTE = "&Compute"
_RUN = "As in the run"
_KNOWN = "All found so far"
_AROUND = QSize(80, 80)
_FORM_WIDTH = 150


def _edit(name: str, hint: str, tip: str) -> QLineEdit:
    found = named(QLineEdit(), name, tip)
    found.setPlaceholderText(hint)
    return found


class RecomputeDialog(QDialog):
    """Asks what is to be other, and shows the table as it would be.

    Args:
        path: The session.
        labels: Its rows.
        sources: Its sources.
        context: What the parts of the window share.
        parent: The page of the session.

    Attributes:
        rows: Which rows.
        start: Where the measured part of a load begins.
        end: Where it ends.
        rule: The rule of steady state.
        length: How long its rounds are.
        source: The source with another clock offset.
        offset: That offset in seconds.
        go: The button that computes.
        about: What is shown, and with what it was computed.
        save: The button that writes CSV.
        tables: What came of it.
        error: What is wrong with what was asked for.
        lacking: What could not be computed.
    """

    def __init__(
        self,
        path: Path,
        labels: Sequence[str],
        sources: Sequence[str],
        context: Context,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Recompute {path.name}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._path = path
        self._background = context.background
        self._found: Recomputed | None = None
        self.rows = named(ComboBox(), "Rows", "Which rows are computed again")
        self.rows.addItem("All", "")
        for label in labels:
            self.rows.addItem(label.replace("&", "&&"), label)
        about = "in the load's window without its ramp, such as 30s or 1m30s; "
        end = "what begins with a minus counts from its end"
        self.start = _edit("From", "its start", f"Where to begin {about}{end}")
        self.end = _edit("To", "its end", f"Where to end {about}{end}")
        self.rule = named(ComboBox(), "Rule of steady state")
        self.rule.setToolTip("Measures the rounds in which a row was steady first")
        self.rule.addItem(_RUN, "")
        for method in METHODS.values():
            self.rule.addItem(method.name, method.name)
            place = self.rule.count() - 1
            role = Qt.ItemDataRole.ToolTipRole
            self.rule.setItemData(place, method.title, role)
        self.length = _edit("Length of a round", "of the run or rule", "Such as 10s")
        self.source = named(ComboBox(), "Clock offset of")
        self.source.setToolTip("Whose times are moved")
        self.source.addItem(_RUN, "")
        self.source.addItem(_KNOWN, LATEST)
        for name in sources:
            self.source.addItem(name.replace("&", "&&"), name)
        tip = "Seconds that are added to the times of this source"
        self.offset = _edit("Clock offset in seconds", "such as -0.35", tip)
        tip = "Compute the rows with this (Enter)"
        self.go = make_button(_COMPUTE, tip, self.compute)
        self.go.setDefault(True)
        self.error = SentenceLabel("mistake")
        self.about = make_note(_ABOUT)
        self.tables = FurtherTables(context, "&Table", leads=False)
        self.lacking = Sentences("What could not be computed", "And why")
        self._room = SharedHeight()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        self.save = make_button("&Save as CSV...", "Every result", self._save)
        self.save.setEnabled(False)
        buttons.addButton(self.save, QDialogButtonBox.ButtonRole.ActionRole)
        self._build(buttons)
        self.source.currentIndexChanged.connect(self._allow)
        self.rule.currentIndexChanged.connect(self._allow)
        self._allow()

    def _build(self, buttons: QDialogButtonBox) -> None:
        forms = []
        for pairs in (
            (("&Rows", self.rows), ("&From", self.start), ("T&o", self.end)),
            (("Steady ru&le", self.rule), ("Its rou&nds", self.length)),
            (("Cloc&k offset of", self.source), ("Secon&ds", self.offset)),
        ):
            form = make_form()
            for text, field in pairs:
                field.setMinimumWidth(_FORM_WIDTH)
                form.addRow(text, field)
            forms.append(form)
        fields = row(*forms, spacing=24)
        ask = row(self.about, self.go, grows=self.about, spacing=24)
        self._room.addWidget(self.tables)
        self._room.addWidget(self.lacking)
        self.tables.changed.connect(self._room.share)
        parts = (fields, ask, self.error, self._room, buttons)
        column(*parts, of=self, margins=DIALOG_MARGINS, grows=self._room, spacing=10)
        self.setMinimumWidth(self._available.width())

    @property
    def _available(self) -> QSize:
        """How large it is with a table, as far as the screen has room."""
        return QSize(*_SIZE).boundedTo(self.screen().availableSize() - _AROUND)

    @Slot()
    def _allow(self) -> None:
        """Let only that be entered which has a meaning."""
        self.offset.setEnabled(self.source.currentData() not in ("", LATEST))
        self.length.setEnabled(bool(self.rule.currentData()))

    @Slot()
    def compute(self) -> None:
        """Compute it off the GUI thread, and show it."""
        try:
            other = otherwise(
                self._window(),
                self.rule.currentData(),
                self._offsets(),
                round_length=self.length.text() if self.length.isEnabled() else "",
                rows=[self.rows.currentData()] if self.rows.currentData() else [],
            )
        except BadInput as error:
            self._complain(error)
            return
        focused = self.focusWidget()
        self._be_busy(True)
        self.error.say("")
        self._background.run(
            partial(recomputed, self._path, other),
            partial(self._show, self._told(), focused),
            partial(self._give_up, focused),
        )

    def _be_busy(self, is_busy: bool, focused: QWidget | None = None) -> None:
        """Grey the tables of before; the focus comes back to where it was."""
        self.go.setText("Computing ..." if is_busy else _COMPUTE)
        self.go.setEnabled(not is_busy)
        self._room.setEnabled(not is_busy)
        if focused is not None:
            focused.setFocus()

    def _told(self) -> str:
        """Say what is asked for, as it stays beside the tables."""
        parts = [self.rows.currentText() if self.rows.currentData() else ""]
        parts.append(f"window {window}" if (window := self._window()) else "")
        if self.rule.currentData():
            length = self.length.text().strip()
            parts.append(f"rule {self.rule.currentText()} {length}".rstrip())
        parts += [f"clock offset {text}" for text in self._offsets()]
        return ", ".join(filter(None, parts)).replace("&&", "&")

    def _window(self) -> str:
        ends = self.start.text().strip(), self.end.text().strip()
        return "..".join(ends) if any(ends) else ""

    def _offsets(self) -> list[str]:
        source = self.source.currentData()
        if source in ("", LATEST):
            return [source] if source else []
        return [f"{source}={self.offset.text()}"]

    def _give_up(self, focused: QWidget | None, error: Exception) -> None:
        self._be_busy(False, focused)
        self._complain(error)

    def _complain(self, error: Exception) -> None:
        if isinstance(error, BadInput):
            self.error.say(str(error))
        else:
            self._background.failed.emit(error)

    def _show(self, told: str, focused: QWidget | None, found: Recomputed) -> None:
        self._found = found
        self._be_busy(False, focused)
        self.about.setText(f"Computed with {told}. {_ABOUT}")
        self.save.setEnabled(True)
        self.tables.show_reports(found.tables)
        self.lacking.tell(found.lacking)
        self._room.set_parts(((self.tables, 4), (self.lacking, 1)))
        self.resize(self.size().expandedTo(self._available))

    @Slot()
    def _save(self) -> None:
        if self._found is None:
            return
        place = self._path.with_name(f"{self._path.stem}-again.csv")
        name, _ = QFileDialog.getSaveFileName(
            self, "Save as CSV", str(place), "CSV (*.csv)"
        )
        if not name:
            return
        content = recompute_csv(self._found)
        self._background.run(
            lambda: save_file(Path(name), content),
            nothing,
            self._complain,
            lasting=True,
        )
