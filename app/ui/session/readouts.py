"""The read-outs at the right, read off the GUI thread at the moment wanted."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QFont, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.record.store import Window
from app.ui.kit.context import Context
from app.ui.kit.theme import Theme, tabular
from app.ui.kit.widgets import make_note
from app.ui.session.means import read_whole
from app.ui.session.readings import Extremes, read_all
from app.ui.session.readout import Quiet, Readout, Shown
from app.ui.session.record import Record

_NO_VALUE = "gap"


class ReadoutCard(QFrame):
    """One quantity: caption, value with unit, extremes, or a gap with its reason."""

    def __init__(self, readout: Readout, theme: Theme) -> None:
        super().__init__()
        self._readout = readout
        self._theme = theme
        self._shown = Shown()
        self.setObjectName("card")
        self._bar = QFrame()
        self._bar.setFixedWidth(4)
        self._caption = QLabel(readout.caption)
        self._caption.setObjectName("small")
        self._fake = QLabel("sim")
        self._fake.setObjectName("small")
        self._fake.setToolTip("Simulated: this value comes from no device")
        if not readout.simulated:
            self._fake.hide()
        self._value = QLabel("-")
        self._value.setFont(tabular(16, QFont.Weight.DemiBold))
        self._unit = QLabel(readout.scale.unit)
        self._unit.setObjectName("muted")
        self._at = QLabel("")
        self._at.setFont(tabular())
        self._at.setObjectName("small")
        self._at.setToolTip("When it was read last")
        self._note = QLabel("")
        self._note.setFont(tabular())
        self._note.setObjectName("small")
        self.setAccessibleName(f"{readout.caption}: not read yet")
        self._build()
        theme.changed.connect(self._recolour)
        self._recolour()

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(self._caption)
        head.addStretch(1)
        head.addWidget(self._at)
        head.addWidget(self._fake)
        middle = QHBoxLayout()
        middle.setSpacing(6)
        middle.addWidget(self._value, 0, Qt.AlignmentFlag.AlignBaseline)
        middle.addWidget(self._unit, 0, Qt.AlignmentFlag.AlignBaseline)
        middle.addStretch(1)
        texts = QVBoxLayout()
        texts.setSpacing(0)
        texts.addLayout(head)
        texts.addLayout(middle)
        texts.addWidget(self._note)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 3, 9, 3)
        layout.setSpacing(9)
        layout.addWidget(self._bar)
        layout.addLayout(texts, 1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @property
    def caption(self) -> str:
        """What it is about."""
        return self._readout.caption

    @property
    def shown(self) -> Shown:
        """What it says."""
        return self._shown

    def show_value(self, shown: Shown, at: str = "") -> None:
        """Say something else; a gap is said, not bridged.

        Args:
            shown: What to say.
            at: When it was read, "" for the moment that all of them are of.
        """
        if (shown, at) == (self._shown, self._at.text()):
            return
        self._shown = shown
        self._at.setText(at)
        if shown.gap:
            quiet = isinstance(shown.gap, Quiet)
            self._value.setText("-" if quiet else _NO_VALUE)
            self._unit.setText("")
            self._note.setText(shown.gap if quiet else f"reason: {shown.gap}")
        else:
            self._value.setText(shown.value)
            self._unit.setText(shown.unit)
            self._note.setText(shown.note)
        self._note.setToolTip(self._note.text())
        value = f"{shown.value} {shown.unit}" + (f" at {at}" if at else "")
        said = f"gap: {shown.gap}" if shown.gap else value
        self.setAccessibleName(f"{self._readout.caption}: {said}")
        self.setAccessibleDescription(shown.note)
        self._recolour()

    @Slot()
    def _recolour(self) -> None:
        tokens = self._theme.tokens
        colour = tokens.trace(self._readout.colour).name()
        bar = tokens.border if self._shown.gap else colour
        self._bar.setStyleSheet(f"background: {bar}; border-radius: 2px;")
        value = tokens.warn if self._shown.gap else tokens.text
        if isinstance(self._shown.gap, Quiet):
            value = tokens.muted
        self._value.setStyleSheet(f"color: {value};")


_WIDTH = 212
_WHOLE = "Session means"
_PART = "Means of a part"


@dataclass(frozen=True, slots=True)
class _Answer:
    record: Record
    readouts: list[Readout]
    shown: list[Shown]
    values: dict[str, float]
    whole: bool
    part: str = ""


class ReadoutPanel(QScrollArea):
    """All read-outs of a session at the playhead, or the means of all of it.

    Signals:
        values_shown: What is shown now, value by channel name; {} for means.
    """

    values_shown = Signal(object)

    def __init__(self, context: Context, title: str) -> None:
        super().__init__()
        self._context = context
        self._record: Record | None = None
        self._readouts: list[Readout] = []
        self._cards: list[ReadoutCard] = []
        self._extremes: dict[str, Extremes] = {}
        self._wanted: int | None = None
        self._is_whole = False
        self._part: tuple[Window, str] | None = None
        self._busy = False
        self._of = make_note(name="Scope of the means")
        self._of.hide()
        self._title = title
        heading = self._heading = QLabel(title)
        heading.setObjectName("heading")
        inner = QWidget()
        self._layout = QVBoxLayout(inner)
        self._layout.setContentsMargins(9, 8, 9, 8)
        self._layout.setSpacing(4)
        self._layout.addWidget(heading)
        self._layout.addWidget(self._of)
        self._layout.addStretch(1)
        self.setWidget(inner)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedWidth(_WIDTH)
        self.setAccessibleName(title)

    def sizeHint(self) -> QSize:
        """A fixed width."""
        return QSize(_WIDTH, 400)

    @property
    def cards(self) -> list[ReadoutCard]:
        """The cards from top to bottom."""
        return list(self._cards)

    def set_record(self, record: Record | None) -> None:
        """Show the read-outs of this session."""
        readouts = [] if record is None else list(record.readouts)
        fresh = record is None or self._record is None
        if fresh or record.path != self._record.path:  # type: ignore[union-attr]
            self._extremes = {}
        self._record = record
        if readouts != self._readouts:
            self._rebuild(readouts)

    def _rebuild(self, readouts: Sequence[Readout]) -> None:
        for card in self._cards:
            self._layout.removeWidget(card)
            card.deleteLater()
        self._readouts = list(readouts)
        self._cards = [
            ReadoutCard(readout, self._context.theme) for readout in readouts
        ]
        for index, card in enumerate(self._cards, 2):
            self._layout.insertWidget(index, card)

    @property
    def title(self) -> str:
        """What stands over the cards."""
        return self._heading.text()

    def set_title(self, title: str) -> None:
        """Say what the values are."""
        self._title = title
        if not self._is_whole:
            self._heading.setText(title)

    def show_at(
        self,
        t_ns: int,
        *,
        whole: bool = False,
        part: tuple[Window, str] | None = None,
    ) -> None:
        """Show the values at a moment; while one answer is due the last wish counts.

        Args:
            t_ns: The moment, in nanoseconds.
            whole: Whether to show the means of the whole session instead.
            part: Then of this part alone, and what it is called; None for all.
        """
        self._wanted = t_ns
        self._part = part
        self._is_whole = whole
        if not self._busy:
            self._ask()

    def _ask(self) -> None:
        record, t_ns = self._record, self._wanted
        if record is None or t_ns is None or not self.isVisible():
            return
        self._busy, self._wanted = True, None
        readouts, extremes = list(self._readouts), self._extremes
        whole, part = self._is_whole, self._part

        def do() -> _Answer:
            if whole:
                window, label = part or (None, "")
                means = read_whole(record.session, readouts, window)
                return _Answer(record, readouts, means, {}, whole, label)
            shown, values = read_all(record.session, readouts, t_ns, extremes)
            return _Answer(record, readouts, shown, values, whole)

        self._context.background.run(do, self._take, partial(self._give_up, record))

    @Slot(object)
    def _take(self, answer: "_Answer") -> None:
        self._busy = False
        mine = self._record
        same = mine is not None and mine.session is answer.record.session
        if same and answer.readouts == self._readouts:
            means = _PART if answer.part else _WHOLE
            self._heading.setText(means if answer.whole else self._title)
            self._of.setText(answer.part)
            self._of.setVisible(bool(answer.part))
            for card, one in zip(self._cards, answer.shown, strict=True):
                at = answer.record.wall_time(one.at_ns) if one.at_ns else None
                card.show_value(one, f"{at:%H:%M:%S}" if at else "")
            self.values_shown.emit(answer.values)
        self._ask()

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what was wanted while it was hidden."""
        super().showEvent(event)
        if not self._busy:
            self._ask()

    def _give_up(self, record: Record, error: Exception) -> None:
        """Pass an error on, unless it is about a session that is shown no longer."""
        self._busy = False
        if self._record is not None and self._record.session is record.session:
            self._context.background.failed.emit(error)
        else:
            self._ask()
