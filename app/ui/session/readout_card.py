"""One read-out on screen: a big figure that never jitters and never lies."""

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout

from app.ui.kit.theme import Theme, tabular
from app.ui.session.readout import Quiet, Readout, Shown

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
        head.addWidget(self._caption)
        head.addStretch(1)
        head.addWidget(self._fake)
        middle = QHBoxLayout()
        middle.setSpacing(6)
        middle.addWidget(self._value, 0, Qt.AlignmentFlag.AlignBaseline)
        middle.addWidget(self._unit, 0, Qt.AlignmentFlag.AlignBaseline)
        middle.addStretch(1)
        middle.addWidget(self._at, 0, Qt.AlignmentFlag.AlignBaseline)
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
