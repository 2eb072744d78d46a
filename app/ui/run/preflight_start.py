"""The pre-flight of the start dialog: when it looks, and what its buttons do."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from app.operations.bench.aim import aimed
from app.operations.preflight.finding import Finding, Help, Level
from app.ui.kit.context import Context
from app.ui.kit.icons import Icons
from app.ui.kit.labels import tone
from app.ui.kit.states import Look
from app.ui.kit.theme import tabular
from app.ui.kit.widgets import column, make_button, make_note, row
from app.ui.run.preflight_work import Flight, PreflightWork
from app.ui.run.start_form import StartForm
from instruments.errors import BadInput

LOOKS = {
    Level.STOP: Look("STOP", "octagon-x", "error"),
    Level.WARN: Look("Warning", "triangle-alert", "warn"),
    Level.OK: Look("OK", "circle-check", "ok"),
}

OFFERS = {
    Help.BENCH: ("Bench", "Close this and go to the source on the bench"),
    Help.CAMPAIGN: ("Campaign", "Close this and open the campaign in the editor"),
    Help.FOLDER: ("Folder...", "Choose another folder for the session"),
    Help.TARGET: ("Target...", "Choose another target"),
    Help.COMMAND: ("Copy command", "Put the command into the clipboard"),
}
"""What the button beside a line says, and what it does."""


def look_of_all(found: Sequence[Finding]) -> Look:
    """Get the worst look of all lines."""
    for level in (Level.STOP, Level.WARN):
        if any(one.level is level for one in found):
            return LOOKS[level]
    return LOOKS[Level.OK]


def summary(found: Sequence[Finding]) -> str:
    """Write how many lines there are of which kind."""

    def count(level: Level, one: str, more: str) -> str:
        number = len([each for each in found if each.level is level])
        return f"{number} {one if number == 1 else more}" if number else ""

    parts = (
        count(Level.STOP, "stop", "stops"),
        count(Level.WARN, "warning", "warnings"),
        count(Level.OK, "OK", "OK"),
    )
    return ", ".join(part for part in parts if part)


def notes_of(found: Sequence[Finding] | None) -> list[str]:
    """Write what the session's journal keeps of it; None is a look that did not end."""
    if found is None:
        return ["the pre-flight had not ended"]
    told = [one for one in found if one.level is not Level.OK]
    return [f"{LOOKS[one.level].word}: {one.topic}: {one.text}" for one in told]


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
        self.heading.setAccessibleDescription("Pre-flight")
        self.again = make_button(
            "Chec&k again",
            "Check everything again (Alt+K)",
            self.look_wanted.emit,
            icon=icons.get("refresh-cw"),
        )
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
        parts = (self._icon, self.heading, self.again)
        head = row(*parts, grows=self.heading, spacing=8)
        margins, lines = (14, 10, 6, 10), self._scroll
        column(head, lines, of=self, grows=lines, margins=margins, spacing=8)
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

    def show_nothing(self, text: str = "Not checked yet") -> None:
        """Say that there is nothing to tell."""
        self._begin("Pre-flight", "circle-dashed", "muted", text)
        self.again.setEnabled(True)

    def show_looking(self) -> None:
        """Say that everything is being looked at."""
        text = (
            "Checking plan, sources, target and hosts. You can start without waiting."
        )
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
        label = make_note(text)
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
        for line, one in enumerate(found):
            self._add(grid, line, one)
        grid.setRowStretch(len(found), 1)
        self._put(lines)

    def _put(self, widget: QWidget) -> None:
        if self._found is None:
            self.helps = []
        widget.setObjectName("surface")
        self._scroll.setWidget(widget)  # deletes the one before

    def _add(self, grid: QGridLayout, line: int, one: Finding) -> None:
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
        text = make_note(one.text, "")
        words = column(topic, text, spacing=0)
        top = Qt.AlignmentFlag.AlignTop
        grid.addWidget(picture, line, 0, top)
        grid.addLayout(words, line, 1)
        if one.help is not Help.NONE:
            grid.addWidget(self._button(one), line, 2, top)

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


class StartPreflight(QObject):
    """Looks when the dialog opens, when choices change, and when it is asked to.

    Attributes:
        panel: The lines.
        work: What looks.
        mends: The line whose help lies on another page, None for none.

    Signals:
        changed: There are other lines.
        target_wanted: Another target is to be chosen.
        left: The dialog is to be closed, since `mends` is mended elsewhere.
    """

    changed = Signal()
    target_wanted = Signal()
    left = Signal()

    def __init__(
        self, form: StartForm, context: Context, parent: QWidget, *, later: bool = False
    ) -> None:
        super().__init__(parent)
        self._form = form
        self._later = later
        self._parent = parent
        self.mends: Finding | None = None
        self.panel = PreflightPanel(context.icons)
        self.work = PreflightWork(context.background, self)
        self.work.found.connect(self._take)
        self.work.failed.connect(self._fail)
        self.panel.look_wanted.connect(self.look_again)
        self.panel.help_wanted.connect(self._help)
        form.changed.connect(self.look)
        for box in form.sources:
            box.toggled.connect(self.look)

    def show_later(self, *, later: bool) -> None:
        """Look from now on, or leave the bench to another run."""
        self._later = later
        self.look()

    @Slot()
    def look(self) -> None:
        """Look at what is chosen, where that is something else and can be seen."""
        if not self._parent.isVisible():
            return
        if self._later:
            self.work.stop()
            self.panel.show_nothing(
                "A run uses the bench now. This one is looked at when its turn comes, "
                "its target included, which need not be free before; it starts only "
                "where its result will be valid."
            )
            self.changed.emit()
            return
        flight = self._flight()
        if flight is None:
            self.work.stop()
            self.panel.show_nothing("Choose a campaign and a target first")
            self.changed.emit()
        elif self.work.look(flight):
            self.panel.show_looking()
            self.changed.emit()

    @Slot()
    def look_again(self) -> None:
        """Look once more."""
        self.work.stop()
        self.look()

    def _flight(self) -> Flight | None:
        wish = self._form.wish
        if wish is None or wish.aim is None:
            return None
        try:
            bench = aimed(wish.bench, wish.aim)
        except BadInput:
            return None
        boxes = self._form.sources
        without = tuple(box.text() for box in boxes if not box.isChecked())
        return Flight(wish.campaign, bench, wish.out, without)

    @Slot(object)
    def _take(self, found: list[Finding]) -> None:
        self.panel.show_found(found)
        self.changed.emit()

    @Slot(object)
    def _fail(self, error: Exception) -> None:
        self.panel.show_trouble(str(error))
        self.changed.emit()

    @Slot(object)
    def _help(self, finding: Finding) -> None:
        """Do what the button of a line says."""
        if finding.help is Help.COMMAND:
            QGuiApplication.clipboard().setText(finding.detail)
        elif finding.help is Help.FOLDER:
            self._form.choose_folder()
        elif finding.help is Help.TARGET:
            self.target_wanted.emit()
        else:
            self.mends = finding
            self.left.emit()
