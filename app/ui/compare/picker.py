"""Which sessions and steps are compared: ticked in two lists, the baseline on top."""

from collections import Counter
from collections.abc import Container, Sequence
from pathlib import Path

from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from app.record.store import SessionSummary
from app.ui.compare.lanes import MOST, NAMES
from app.ui.kit.context import Context
from app.ui.kit.focus import lead_focus
from app.ui.kit.labels import ElidedLabel, make_chip
from app.ui.kit.states import Look, look_of_session
from app.ui.kit.widgets import column, make_button, make_heading, row, split
from app.ui.session.list import length_of, started_of
from instruments.errors import one_line

_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole
_SIDE, _APART = 16, 4
_ROW_HEIGHT, _LINE_HEIGHT = 24, 17
_CHECKED = Qt.CheckState.Checked


class TickList(QListWidget):
    """Lines with ticks; Space ticks the current one.

    Args:
        name: What a screen reader calls it.
        tip: What ticks are for.

    Signals:
        ticked: The user ticked a line or took its tick away.
    """

    ticked = Signal()

    def __init__(self, name: str, tip: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setTabKeyNavigation(False)
        self.setUniformItemSizes(True)
        self.setIconSize(QSize(2 * _SIDE + _APART, _SIDE))
        # Names differ at their ends as well, as that of a rehearsal.
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.itemChanged.connect(self._tell)

    def _tell(self, _item: QListWidgetItem) -> None:
        self.ticked.emit()

    def offer(
        self, lines: Sequence[tuple[str, object, str]], ticked: Container[object]
    ) -> None:
        """Offer these lines and no others, without a signal.

        What is marked stays marked, wherever it stands now; at first that is the first
        one with a tick, which is in sight then.

        Args:
            lines: Text, what it stands for, and a tool tip.
            ticked: What is ticked, of what lines stand for.
        """
        self.blockSignals(True)
        at, marked = self.currentRow(), self.currentIndex().data(_Role.UserRole)
        self.clear()
        most = max((text.count("\n") for text, *_ in lines), default=0)
        for text, data, tip in lines:
            item = QListWidgetItem(text, self)
            item.setData(_Role.UserRole, data)
            item.setSizeHint(QSize(0, _ROW_HEIGHT + most * _LINE_HEIGHT))
            item.setToolTip(tip)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            is_on = data in ticked
            item.setCheckState(_CHECKED if is_on else Qt.CheckState.Unchecked)
        offered = [data for _, data, _ in lines]
        if marked in offered:
            at = offered.index(marked)
        elif at < 0:
            at = next((n for n, one in enumerate(offered) if one in ticked), 0)
        self.setCurrentRow(min(max(at, 0), self.count() - 1))
        self.blockSignals(False)

    @property
    def items_shown(self) -> list[QListWidgetItem]:
        """All lines."""
        return [self.item(number) for number in range(self.count())]

    @property
    def chosen(self) -> list[object]:
        """What the ticked lines stand for, from top to bottom."""
        return [
            item.data(_Role.UserRole)
            for item in self.items_shown
            if item.checkState() == _CHECKED
        ]


def _picture(sign: QIcon, letter: str, colour: QColor, text: QColor) -> QIcon:
    """Draw the letter of a session on the colour of its curves, and how it ended."""
    picture = QPixmap(2 * (2 * _SIDE + _APART), 2 * _SIDE)
    picture.setDevicePixelRatio(2)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    sign.paint(painter, _SIDE + _APART, 0, _SIDE, _SIDE)
    if letter:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(0, 0, _SIDE, _SIDE, 3, 3)
        painter.setPen(text)
        font = painter.font()
        font.setPixelSize(11)
        font.setBold(True)
        painter.setFont(font)
        middle = int(Qt.AlignmentFlag.AlignCenter)
        painter.drawText(0, 0, _SIDE, _SIDE, middle, letter)
    painter.end()
    icon = QIcon(picture)
    icon.addPixmap(picture, QIcon.Mode.Selected)  # else Qt tints it in the marked line
    return icon


class Picks(QObject):
    """The sessions that are ticked, in their order; the first one is the baseline."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.paths: tuple[Path, ...] = ()

    def take(self, ticked: Sequence[Path]) -> None:
        """Keep the order of those that were ticked before; others come behind."""
        kept = [path for path in self.paths if path in ticked]
        self.paths = (*kept, *(path for path in ticked if path not in kept))

    def pin(self, path: Path) -> None:
        """Put one of them first."""
        self.paths = (path, *(one for one in self.paths if one != path))


class Picker(QWidget):
    """Lists sessions above and the steps of the ticked ones below.

    Attributes:
        sessions: The list of sessions.
        steps: The list of steps.

    Signals:
        chosen: Other sessions are ticked, or another one is the baseline.
        steps_chosen: Other steps are ticked.
        export_wanted: The comparison is to be written to a file.
    """

    chosen = Signal()
    steps_chosen = Signal()
    export_wanted = Signal()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._picks = Picks(self)
        self._summaries: list[SessionSummary] = []
        self._chosen: tuple[Path, ...] = ()
        self.sessions = TickList(
            "Sessions to compare",
            "Tick two sessions or more; A is the baseline",
        )
        self.steps = TickList("Steps to compare", "Tick the steps that are charted")
        self.sessions.ticked.connect(self._tick)
        self.sessions.currentRowChanged.connect(self._look_pinnable)
        self.steps.ticked.connect(self.steps_chosen)
        self._count = ElidedLabel()
        self._count.setObjectName("muted")
        self._pin = make_button(
            "Set as &baseline",
            "Compare all others with the session that is marked here (Alt+B)",
            self._pin_current,
        )
        self._pin.setEnabled(False)
        self._export = make_button(
            " E&xport...",
            "Write tables, differences and notes to a file (Ctrl+E)",
            self.export_wanted.emit,
        )
        context.icons.put_on(self._export, "download")
        self._export.setShortcut("Ctrl+E")
        self._export.setEnabled(False)
        self._fake = make_chip("simulated bench", "One or more ran on a simulator")
        self._fake.hide()
        self._build()
        context.theme.changed.connect(self._label)

    def _build(self) -> None:
        above, below = QWidget(), QWidget()
        head = row(make_heading("Sessions"), None, self._fake, margins=(12, 8, 8, 2))
        self._count.setContentsMargins(12, 0, 8, 4)
        buttons = row(self._pin, self._export, margins=(8, 4, 8, 4), spacing=6)
        column(
            head,
            self._count,
            self.sessions,
            buttons,
            of=above,
            grows=self.sessions,
            spacing=0,
        )
        title = row(make_heading("Steps"), margins=(12, 8, 8, 4))
        column(title, self.steps, of=below, grows=self.steps, spacing=0)
        both = split(above, below, sizes=(360, 240), is_vertical=True)
        column(both, of=self)
        lead_focus(self, self.sessions)
        self._say_count()

    @property
    def paths(self) -> tuple[Path, ...]:
        """The ticked files, the baseline first."""
        return self._picks.paths

    @property
    def labels(self) -> tuple[str, ...]:
        """The ticked steps."""
        return tuple(str(one) for one in self.steps.chosen)

    @property
    def current(self) -> int:
        """Place of the session that is marked, -1 where it is not ticked."""
        path = self.sessions.currentIndex().data(_Role.UserRole)
        return self.paths.index(path) if path in self.paths else -1

    @property
    def count(self) -> int:
        """How many sessions there are to choose from."""
        return self.sessions.count()

    def offer(self, found: Sequence[SessionSummary]) -> bool:
        """Offer these sessions; tell whether they are others than before.

        What was ticked stays ticked where it is offered still, or is from elsewhere.
        """
        usable = [one for one in found if not one.error and one.state != "recording"]
        if usable == self._summaries:
            return False
        gone = {one.path for one in self._summaries} - {one.path for one in usable}
        self._summaries = usable
        self._picks.paths = tuple(one for one in self.paths if one not in gone)
        self._chosen = tuple(one for one in self._chosen if one not in gone)
        self._fill()
        return True

    def choose(self, paths: Sequence[Path]) -> None:
        """Tick these files and no others, listed or not; without a signal."""
        self._picks.paths = self._chosen = tuple(dict.fromkeys(paths))[:MOST]
        self._fill()

    def _fill(self) -> None:
        """List what the folder has, below what was chosen and is not in it."""
        listed = {one.path for one in self._summaries}
        lines: list[tuple[str, object, str]] = [
            (one_line(path.stem), path, one_line(str(path)))
            for path in self._chosen
            if path not in listed
        ]
        several = len({one.dut for one in self._summaries}) > 1
        names = [_name_of(one, device=several) for one in self._summaries]
        counts = Counter(names)
        for name, one in zip(names, self._summaries, strict=True):
            stem = f"{one_line(one.path.stem)} · " * (counts[name] > 1)
            text = f"{stem}{name}"
            told = (look_of_session(one).word, "simulated" * one.simulated)
            tip = (text, *told, one_line(one.dut), one_line(str(one.path)))
            lines.append((text, one.path, "\n".join(filter(None, tip))))
        self.sessions.offer(lines, self.paths)
        self._label()

    @Slot()
    def _label(self) -> None:
        """Give each ticked session its letter in the colour of its curves."""
        tokens, icons = self._context.theme.tokens, self._context.icons
        looks = {one.path: look_of_session(one) for one in self._summaries}
        pictures: dict[tuple[Look | None, str], QIcon] = {}
        self.sessions.blockSignals(True)
        full = len(self.paths) >= MOST
        for item in self.sessions.items_shown:
            path = item.data(_Role.UserRole)
            place = self.paths.index(path) if path in self.paths else 0
            letter = NAMES[place] if path in self.paths else ""
            look = looks.get(path)
            if (look, letter) not in pictures:
                sign = icons.get(look.icon, look.token) if look else QIcon()
                colours = tokens.lane(place), QColor(tokens.surface)
                pictures[look, letter] = _picture(sign, letter, *colours)
            item.setIcon(pictures[look, letter])
            flags = item.flags() | Qt.ItemFlag.ItemIsEnabled
            if full and path not in self.paths:
                flags &= ~Qt.ItemFlag.ItemIsEnabled
            item.setFlags(flags)
        self.sessions.blockSignals(False)
        self._say_count()
        self._look_pinnable()

    def _say_count(self) -> None:
        count = len(self.paths)
        most = f" (at most {MOST})" if count >= MOST else ""
        self._count.setText(
            f"{count} of {self.count} ticked{most}" if count else "Tick two or more"
        )

    @Slot()
    def _tick(self) -> None:
        ticked = [Path(str(one)) for one in self.sessions.chosen]
        self._picks.take(ticked)
        self._label()
        self.chosen.emit()

    @Slot()
    def _look_pinnable(self) -> None:
        self._pin.setEnabled(self.current > 0)

    def _pin_current(self) -> None:
        if self.current > 0:
            self._picks.pin(self.paths[self.current])
            self._label()
            self.chosen.emit()

    def offer_steps(self, labels: Sequence[str], first: str) -> None:
        """Offer the steps of the ticked sessions; those that were ticked stay so."""
        kept = [one for one in self.labels if one in labels] or [first]
        lines: list[tuple[str, object, str]] = [
            (one_line(label), label, one_line(label)) for label in labels
        ]
        self.steps.offer(lines, kept)

    def choose_step(self, label: str) -> None:
        """Tick one step alone, as the user does."""
        known = {item.data(_Role.UserRole) for item in self.steps.items_shown}
        if label in known and self.labels != (label,):
            self.steps.blockSignals(True)
            for item in self.steps.items_shown:
                is_it = item.data(_Role.UserRole) == label
                item.setCheckState(_CHECKED if is_it else Qt.CheckState.Unchecked)
            self.steps.blockSignals(False)
            self.steps_chosen.emit()

    def show_state(self, *, simulated: bool, shown: bool) -> None:
        """Say whether one is simulated; only what is compared can be exported."""
        self._fake.setVisible(simulated)
        self._export.setEnabled(shown)


def _name_of(one: SessionSummary, *, device: bool) -> str:
    """Name a session in two lines; in a third one the device, where that is wanted."""
    second = filter(None, (started_of(one), length_of(one)))
    third = one_line(one.dut) if device else ""
    lines = (one_line(one.name), " · ".join(second), third)
    return "\n".join(filter(None, lines))
