"""Which disk a run overwrites, and the fields in which a person arms it."""

from collections.abc import Iterator
from itertools import chain

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QWidget,
)

from app.bench.guard import Guard
from app.operations.bench.arming_disks import (
    DiskLook,
    DiskLooks,
    is_allowed,
    read_words,
)
from app.operations.run.arming import NOT_ARMED, Arming
from app.ui.kit.icons import Icons
from app.ui.kit.labels import WrappedLabel
from app.ui.kit.widgets import column, make_button, row
from instruments.sizes import describe_size

Row = tuple[str, str, str]
"""Name, text, and "error" where it keeps the run from starting."""


def arming_rows(
    looks: DiskLooks, guard: Guard, *, size: int, writes: bool
) -> list[Row]:
    """Write the lines: several for one disk, one or two for each of several.

    Args:
        looks: The disks as they were found.
        guard: What the bench allows.
        size: Bytes of each that loads use, 0 for all.
        writes: Whether any load writes.
    """
    if len(looks.each) == 1:
        rows = list(_of_one(looks.each[0], size, writes=writes))
    else:
        each = (_of_many(one, size, writes=writes) for one in looks.each)
        rows = list(chain.from_iterable(each))
    if writes:
        rows += _of_bench(looks, guard)
    return [one for one in rows if one[1]]


def _of_one(look: DiskLook, size: int, *, writes: bool) -> Iterator[Row]:
    own = look.disk.identity
    yield "Disk", _disk(look), ""
    yield "Serial", own.serial or "it has none", ""
    parts = (own.wwn, look.disk.slot)
    yield "WWN, slot", ", ".join(part for part in parts if part), ""
    yield "Used of it", look.size_text(size), "error" if size > own.size else ""
    if writes and look.disk.word not in (own.serial, own.wwn):
        yield "Name and size", look.disk.word, ""
    if writes:
        yield "Data on it", _data(look) or "none was found", ""
        for sentence in _refused(look):
            yield "Refused", sentence, "error"


def _of_many(look: DiskLook, size: int, *, writes: bool) -> Iterator[Row]:
    disk, own = look.disk, look.disk.identity
    word = f"serial {disk.word}" if disk.word == own.serial else disk.word
    parts = [_disk(look), word, look.size_text(size), disk.slot]
    if writes:
        parts.append(_data(look))
    text = ", ".join(part for part in parts if part)
    yield look.title, text, "error" if size > own.size else ""
    if writes:
        for sentence in _refused(look):
            yield "Refused", sentence, "error"


def _disk(look: DiskLook) -> str:
    disk = look.disk
    parts = [disk.model or disk.type, disk.path, disk.backing, look.host]
    if str(look.path) != disk.path:
        parts.append(str(look.path))
    return ", ".join(part for part in parts if part)


def _data(look: DiskLook) -> str:
    return "; ".join(dict.fromkeys(one.sentence for one in look.data))


def _refused(look: DiskLook) -> list[str]:
    return list(dict.fromkeys(refusal.sentence for refusal in look.refusals))


def _of_bench(looks: DiskLooks, guard: Guard) -> Iterator[Row]:
    named = ", ".join(guard.allow)
    allowed = all(is_allowed(one.disk, guard) for one in looks.each)
    text = f"only {named}" if named else "any disk, once it is armed"
    yield "Bench allows", text, "" if allowed else "error"
    budget = guard.write_budget
    limit = "no limit" if budget is None else f"{describe_size(budget)} a run"
    yield "Write budget", limit, ""


_LOOKING = "Looking at the disk ..."
_MARGIN = 14
_MOST_HEIGHT = 210
"""Pixels for what is said of disks; beyond it scrolls."""


class ArmingPanel(QFrame):
    """Says what is overwritten; asks for the serial number and the data by name.

    Attributes:
        word: The field for the serial number.
        data: The field for the types of data that may go.
        again: Looks at the disk again.

    Signals:
        changed: Something else is typed or shown.
        look_wanted: The disk is to be looked at again.
    """

    changed = Signal()
    look_wanted = Signal()

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._icons = icons
        self._look: DiskLooks | None = None
        self._guard = Guard()
        self._size = 0
        self._writes = False
        self._trouble = ""
        self._icon = QLabel()
        self._title = QLabel("")
        self._title.setObjectName("heading")
        self._scroll = QScrollArea()
        box = QWidget()
        self._facts = QGridLayout(box)
        self._facts.setContentsMargins(0, 0, 0, 0)
        self._scroll.setWidget(box)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for surface in (box, self._scroll.viewport()):
            surface.setObjectName("surface")
        self.again = make_button(
            "Check a&gain",
            "Check the disk again, for example after unmounting it (F5)",
            self.look_wanted.emit,
            icon=icons.get("refresh-cw"),
        )
        self.again.setShortcut("F5")
        self.word = QLineEdit()
        self.word.setToolTip("As it is printed on the disk; nothing is written before")
        self.data = QLineEdit()
        self.data.setAccessibleName("Data that may be overwritten")
        self.data.setToolTip(
            "Each type of data that will be lost, separated by spaces (Alt+D)"
        )
        self._word_label = QLabel("")
        self._word_label.setBuddy(self.word)
        self._data_label = QLabel("Overwrite &data")
        self._data_label.setBuddy(self.data)
        for field in (self.word, self.data):
            field.textChanged.connect(self.changed)
        self._build()
        self.hide()

    def _build(self) -> None:
        self.setObjectName("card")
        head = row(self._icon, self._title, self.again, grows=self._title, spacing=8)
        self._facts.setHorizontalSpacing(14)
        self._facts.setVerticalSpacing(4)
        self._facts.setColumnStretch(1, 1)
        typed = QGridLayout()
        typed.setHorizontalSpacing(14)
        typed.setColumnStretch(1, 1)
        typed.addWidget(self._word_label, 0, 0)
        typed.addWidget(self.word, 0, 1)
        typed.addWidget(self._data_label, 1, 0)
        typed.addWidget(self.data, 1, 1)
        margins = (_MARGIN, 10, _MARGIN, 12)
        column(head, self._scroll, typed, of=self, margins=margins, spacing=8)

    @property
    def missing(self) -> str:
        """What keeps the run from starting, "" where nothing does."""
        if self._trouble:
            return self._trouble
        if self._look is None or not self._writes:
            return ""
        text, data = self.word.text(), read_words(self.data.text())
        return self._look.missing(self._guard, self._size, text, data)

    @property
    def arming(self) -> Arming:
        """What was typed; nothing where no disk is overwritten."""
        if self._look is None or not self._writes:
            return NOT_ARMED
        words = self._look.words(self.word.text())
        return Arming(words, read_words(self.data.text()))

    def show_nothing(self) -> None:
        """Show that no disk is in question."""
        self._look, self._trouble = None, ""
        self.hide()
        self.changed.emit()

    def show_looking(self) -> None:
        """Show that the disk is being looked at."""
        self._look, self._trouble = None, _LOOKING
        self.word.clear()
        self.data.clear()
        self._show(_LOOKING, "hard-drive", "text", [])
        self.again.setEnabled(False)
        self.changed.emit()

    def show_trouble(self, text: str) -> None:
        """Show why the disk cannot be looked at."""
        self._look, self._trouble = None, "The disk cannot be looked at."
        rows = [("", text, "error")]
        self._show("There is no such disk", "octagon-x", "error", rows)
        self.changed.emit()

    def show_disk(
        self, look: DiskLooks, guard: Guard, *, size: int, writes: bool
    ) -> None:
        """Show a disk and what has to be typed for it.

        Args:
            look: What was found.
            guard: What the bench allows.
            size: Bytes of it that loads use, 0 for all.
            writes: Whether any load writes.
        """
        shown = (look, guard, size, writes)
        if shown == (self._look, self._guard, self._size, self._writes):
            return
        self._look, self._guard, self._trouble = look, guard, ""
        self._size, self._writes = size, writes
        rows = arming_rows(look, guard, size=size, writes=writes)
        count = len(look.each)
        disks = f"{count} disks" if count > 1 else "a disk"
        if not writes:
            self._show(f"This run only reads {disks}", "hard-drive", "text", rows)
        elif look.refusals:
            self._show(f"This run must not overwrite {disks}", "ban", "error", rows)
        else:
            self._show(f"This run overwrites {disks}", "triangle-alert", "warn", rows)
            self._ask(look)
        self.changed.emit()

    def _ask(self, look: DiskLooks) -> None:
        name, several = look.word_name, len(look.each) > 1
        self._word_label.setText("The&ir words" if several else f"&Its {name}")
        self.word.setAccessibleName(f"{name.capitalize()} of the disk")
        commas = ", with commas between" if several else " to arm the disk"
        self.word.setPlaceholderText(f"Type the {name}{commas} (Alt+I)")
        self._word_label.show()
        self.word.show()
        kinds = " ".join(look.data_words)
        self.data.setPlaceholderText(f"Type what may be overwritten: {kinds}")
        self._data_label.setVisible(bool(kinds))
        self.data.setVisible(bool(kinds))

    def _show(
        self, title: str, icon: str, token: str, rows: list[tuple[str, str, str]]
    ) -> None:
        self._title.setText(title)
        self._icon.setPixmap(self._icons.get(icon, token).pixmap(18, 18))
        while item := self._facts.takeAt(0):
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for line, (name, text, colour) in enumerate(rows):
            name_of = "mistake" if colour == "error" else ""
            labels = _label(name, "muted"), _label(text, name_of)
            for place, label in enumerate(labels):
                self._facts.addWidget(label, line, place)
                label.show()  # else it takes no room until the next event
        self._limit_height()
        typed = (self._word_label, self.word, self._data_label, self.data)
        for widget in typed:
            widget.hide()
        self.again.setEnabled(True)
        self.show()

    def _limit_height(self) -> None:
        """Scroll where there are many disks."""
        width = max(self.width(), self.minimumSizeHint().width()) - 2 * _MARGIN
        wanted = self._facts.totalSizeHint().height()
        if self._facts.hasHeightForWidth():
            wanted = self._facts.totalHeightForWidth(width)
        self._scroll.setFixedHeight(min(max(wanted, 0), _MOST_HEIGHT))


def _label(text: str, name: str) -> QLabel:
    label = QLabel(text) if name == "muted" else WrappedLabel(text)
    label.setObjectName(name)
    label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
    return label
