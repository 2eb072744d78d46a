"""The pre-flight beside the choices of a run: a line a thing, and what helps."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.operations.preflight.finding import Finding, Help, Level
from app.ui.kit.icons import Icons
from app.ui.kit.labels import tone
from app.ui.kit.theme import tabular
from app.ui.run.preflight_words import LOOKS, OFFERS, look_of_all, notes_of, summary

_LINES = 230
"""Pixels for about four lines; beyond it scrolls."""
_ICON = 16


class PreflightPanel(QFrame):
    """Lines with a shape, a colour and words; the worst stand first.

    Attributes:
        heading: What the lines come to.
        again: Looks once more.
        helps: The buttons beside lines, with the line each is for.

    Signals:
        look_wanted: Everything is to be looked at once more.
        help_wanted: The button of this line (Finding) was pressed.
    """

    look_wanted = Signal()
    help_wanted = Signal(object)

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._icons = icons
        self._found: list[Finding] | None = None
        self._trouble = ""
        self._icon = QLabel()
        self.heading = QLabel("")
        self.heading.setObjectName("heading")
        self.heading.setAccessibleName("Pre-flight")
        self.again = QPushButton(icons.get("refresh-cw"), " Chec&k again")
        self.again.setToolTip("Look at everything once more (Alt+K)")
        self.again.setAutoDefault(False)
        self.again.clicked.connect(self.look_wanted)
        self.helps: list[tuple[QPushButton, Finding]] = []
        self._scroll = QScrollArea()
        self._build()
        self.show_nothing()

    def _build(self) -> None:
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setMinimumHeight(_LINES)
        # The dialog must not jump when lines come.
        policy = QSizePolicy.Policy
        self._scroll.setSizePolicy(policy.Expanding, policy.Ignored)
        self._scroll.viewport().setObjectName("surface")
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._icon)
        head.addWidget(self.heading, 1)
        head.addWidget(self.again)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 10, 6, 10)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(self._scroll, 1)
        self.setObjectName("card")

    @property
    def found(self) -> list[Finding] | None:
        """What was found, None as long as nothing was."""
        return self._found

    @property
    def says_stop(self) -> bool:
        """Whether the result would not be valid."""
        return any(one.level is Level.STOP for one in self._found or ())

    @property
    def notes(self) -> list[str]:
        """What the session's journal keeps of it."""
        if self._trouble:
            return [f"the pre-flight failed: {self._trouble}"]
        return notes_of(self._found)

    def show_nothing(self, text: str = "Nothing was looked at yet") -> None:
        """Say that there is nothing to tell."""
        self._begin("Pre-flight", "circle-dashed", "muted", text)
        self.again.setEnabled(True)

    def show_looking(self) -> None:
        """Say that everything is being looked at."""
        text = "Looking at plan, sources, target and machines. You need not wait."
        self._begin("Pre-flight ...", "activity", "accent", text)
        self.again.setEnabled(False)

    def show_trouble(self, text: str) -> None:
        """Say why nothing could be looked at."""
        self._begin("The pre-flight failed", "octagon-x", "error", text)
        self._trouble = text
        self.again.setEnabled(True)

    def _begin(self, heading: str, icon: str, token: str, text: str) -> None:
        self._found, self._trouble = None, ""
        self._head(heading, icon, token)
        label = QLabel(text)
        label.setObjectName("muted")
        label.setWordWrap(True)
        label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._put(label)

    def _head(self, heading: str, icon: str, token: str) -> None:
        self.heading.setText(heading)
        self._icon.setPixmap(self._icons.get(icon, token).pixmap(18, 18))

    def show_found(self, found: Sequence[Finding]) -> None:
        """Show these lines."""
        self._found, self._trouble = list(found), ""
        look = look_of_all(found)
        self._head(f"Pre-flight: {summary(found)}", look.icon, look.token)
        self.again.setEnabled(True)
        lines = QWidget()
        grid = QGridLayout(lines)
        grid.setContentsMargins(0, 0, 8, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(9)
        grid.setColumnStretch(1, 1)
        self.helps = []
        for row, one in enumerate(found):
            self._add(grid, row, one)
        grid.setRowStretch(len(found), 1)
        self._put(lines)

    def _put(self, widget: QWidget) -> None:
        if self._found is None:
            self.helps = []
        widget.setObjectName("surface")
        self._scroll.setWidget(widget)  # deletes the one before

    def _add(self, grid: QGridLayout, row: int, one: Finding) -> None:
        look = LOOKS[one.level]
        picture = QLabel()
        picture.setPixmap(self._icons.get(look.icon, look.token).pixmap(_ICON, _ICON))
        picture.setToolTip(look.word)
        picture.setAccessibleName(look.word)
        topic = QLabel(
            one.topic if one.level is Level.OK else f"{one.topic}: {look.word}"
        )
        tone(topic, look.token)
        topic.setFont(tabular(0, QFont.Weight.DemiBold))
        text = QLabel(one.text)
        text.setWordWrap(True)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(topic)
        words.addWidget(text)
        top = Qt.AlignmentFlag.AlignTop
        grid.addWidget(picture, row, 0, top)
        grid.addLayout(words, row, 1)
        if one.help is not Help.NONE:
            grid.addWidget(self._button(one), row, 2, top)

    def _button(self, one: Finding) -> QPushButton:
        name, tip = OFFERS[one.help]
        button = QPushButton(name)
        button.setAutoDefault(False)
        button.setAccessibleName(f"{name}, for {one.topic}")
        command = f": {one.detail}" if one.help is Help.COMMAND else ""
        button.setToolTip(f"{tip}{command} (Tab, Space)")
        button.clicked.connect(lambda: self.help_wanted.emit(one))
        self.helps.append((button, one))
        return button
