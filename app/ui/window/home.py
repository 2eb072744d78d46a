"""The first page: what can be done here, each in one click, and the newest sessions."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from app.bench.model import Bench
from app.ui.kit.context import Context
from app.ui.kit.focus import lead_focus
from app.ui.kit.labels import WrappedLabel
from app.ui.kit.states import look_of_session
from app.ui.kit.widgets import make_heading, make_note, named, panel, row
from app.ui.session.list import line_of
from instruments.errors import one_line
from instruments.sizes import counted

if TYPE_CHECKING:  # it brings numpy, which the first frame does not wait for
    from app.record.store import SessionSummary

_WIDTH = 860
_NEWEST = 5
_FOLLOW_MS, _SHARE = 3_000, 50
"""The folder is read again after this, or this multiple of what that takes."""


@dataclass(frozen=True, slots=True)
class Task:
    """Something that can be done from the first page.

    Attributes:
        name: What the button says; `chosen` tells it.
        icon: Its icon.
        about: What it does, in a sentence.
    """

    name: str
    icon: str
    about: str


DEMO = Task(
    "Run the demo",
    "play",
    "Five workloads of real fio on a scratch file, and a simulated enclosure, power "
    "analyser and sound meter beside them. About two minutes, no hardware needed.",
)
START = Task(
    "Start a run...",
    "list-checks",
    "Choose a campaign and what it runs on; a check before the start lists what is "
    "missing.",
)
READINGS = Task(
    "Watch readings",
    "eye",
    "Power, temperatures and noise of this bench as they come, without a load, until "
    "you stop it, for a day at most.",
)
BENCH = Task(
    "Set up the bench",
    "plug",
    "Name the device under test, add meters and sensors, and see whether they answer.",
)
OPEN = Task(
    "Open a session...",
    "folder-open",
    "Replay what was recorded, read its report, export it.",
)
COMPARE = Task(
    "Compare sessions",
    "columns-2",
    "Put devices, firmwares or settings side by side on one time axis.",
)
TASKS = (DEMO, START, READINGS, BENCH, OPEN, COMPARE)


class TaskButton(QPushButton):
    """A button with a title and a sentence below it."""

    def __init__(self, task: Task, keys: str, context: Context) -> None:
        super().__init__()
        named(self, task.name, f"{task.about} ({keys})", "task")
        self.setShortcut(keys)
        self.setAccessibleDescription(task.about)
        self._icons, self._name = context.icons, task.icon
        self._picture = QLabel()
        self._picture.setFixedSize(26, 26)
        title = make_heading(task.name)
        about = WrappedLabel(task.about)
        about.setObjectName("muted")
        room = QWidget()
        words = panel(title, about, room, grows=room, spacing=2)
        self._layout = row(
            self._picture,
            words,
            of=self,
            grows=words,
            margins=(14, 10, 14, 10),
            spacing=12,
        )
        for part in (self._picture, title, about, words):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        expanding = QSizePolicy.Policy.Expanding
        self.setSizePolicy(expanding, expanding)
        self._recolour()
        context.icons.changed.connect(self._recolour)

    @Slot()
    def _recolour(self) -> None:
        icon = self._icons.get(self._name, "accent")
        self._picture.setPixmap(icon.pixmap(QSize(24, 24)))

    def sizeHint(self) -> QSize:
        """Be as large as the words need."""
        return self._layout.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Never cut the words."""
        return self._layout.minimumSize()


class HomeView(QWidget):
    """What can be done, which bench is in hand, and the newest sessions.

    Signals:
        chosen: The user wants to do this (Task).
        session_chosen: The user wants to see this session (Path).
    """

    chosen = Signal(object)
    session_chosen = Signal(object)

    def __init__(self, context: Context, folder: Path) -> None:
        super().__init__()
        self._background = context.background
        self._icons = context.icons
        self.folder = self._listed = folder
        self._asked: set[Path] = set()
        self._later = QTimer(self, singleShot=True)
        self._later.timeout.connect(self._look)
        self._bench = make_note()
        self._tasks = {
            task: TaskButton(task, f"Alt+{number}", context)
            for number, task in enumerate(TASKS, 1)
        }
        self._sessions = QListWidget()
        self._heading = make_heading("Newest sessions")
        self._build()

    def _build(self) -> None:
        grid = QGridLayout()
        grid.setSpacing(10)
        for number, (task, button) in enumerate(self._tasks.items()):
            button.clicked.connect(lambda _=False, task=task: self.chosen.emit(task))
            grid.addWidget(button, *divmod(number, 2))
        tasks = QWidget()
        tasks.setLayout(grid)
        grid.setContentsMargins(0, 0, 0, 0)
        named(self._sessions, "Newest sessions", "Enter or a double click opens one")
        self._sessions.itemActivated.connect(self._open)
        self._sessions.setIconSize(QSize(16, 16))
        self._sessions.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        heading = make_heading("What do you want to do?")
        room = QWidget()
        parts = (heading, self._bench, tasks, self._heading, self._sessions, room)
        middle = panel(*parts, grows=room, spacing=10)
        middle.setMaximumWidth(_WIDTH)
        row(middle, of=self, grows=middle, margins=(20, 18, 20, 12))
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        lead_focus(self, self._tasks[DEMO])
        self._list([])

    def set_bench(self, bench: Bench) -> None:
        """Say which bench is in hand."""
        sources = (
            "simulated" if bench.is_simulated else counted(len(bench.sources), "source")
        )
        self._bench.setText(
            f"Current bench: {one_line(bench.name)}, {sources}; device under test: "
            f"{one_line(bench.dut.name)}"
        )

    def set_running(self, *, running: bool) -> None:
        """Offer no second run while one goes on."""
        for task in (DEMO, START, READINGS):
            self._tasks[task].setEnabled(not running)

    def showEvent(self, event: QShowEvent) -> None:
        """List what has come since."""
        super().showEvent(event)
        if self.folder != self._listed:
            self._list([])
        self._look()

    @Slot()
    def _look(self) -> None:
        """Read the folder off the GUI thread, again and again while it is seen."""
        folder = self.folder
        if folder in self._asked or not self.isVisible():
            return  # it has not answered yet; its server may be gone
        self._asked.add(folder)

        def read() -> "tuple[list[SessionSummary], float]":
            begin = time.monotonic()
            return newest_sessions(folder), time.monotonic() - begin

        self._background.run(
            read,
            partial(self._take, folder),
            lambda _: self._take(folder, ([], 0.0)),  # the page of sessions says why
        )

    def _take(
        self, folder: Path, answer: "tuple[Sequence[SessionSummary], float]"
    ) -> None:
        """List what was read, unless it is of the folder before."""
        found, seconds = answer
        self._asked.discard(folder)
        if folder == self.folder:
            self._listed = folder
            self._list(found)
            self._later.start(max(_FOLLOW_MS, round(1000 * _SHARE * seconds)))

    def _list(self, found: "Sequence[SessionSummary]") -> None:
        role = Qt.ItemDataRole.UserRole
        chosen = [item.data(role) for item in self._sessions.selectedItems()]
        self._sessions.clear()
        for summary in found:
            look = look_of_session(summary)
            item = QListWidgetItem(line_of(summary))
            item.setData(role, summary.path)
            item.setToolTip(str(summary.path))
            item.setIcon(self._icons.get(look.icon, look.token))
            self._sessions.addItem(item)
            if summary.path in chosen:
                self._sessions.setCurrentItem(item)
        for widget in (self._heading, self._sessions):
            widget.setVisible(bool(found))
        height = self._sessions.sizeHintForRow(0) if found else 0
        frame = 2 * self._sessions.frameWidth()
        self._sessions.setFixedHeight(len(found) * height + frame)

    @Slot(QListWidgetItem)
    def _open(self, item: QListWidgetItem) -> None:
        self.session_chosen.emit(item.data(Qt.ItemDataRole.UserRole))


def newest_sessions(folder: Path) -> "list[SessionSummary]":
    """Get the newest sessions of a folder that can be read; runs in a worker.

    Raises:
        BadInput: The folder cannot be read.
    """
    # Only now, in the worker: the window is shown without it.
    from app.operations.sessions.library import Library  # noqa: PLC0415
    from app.record.store import newest_first  # noqa: PLC0415

    library = Library(folder)
    known, left = library.begin()
    found: list[SessionSummary] = []
    while left and len(found) < _NEWEST:  # some may be broken
        part = library.read(left[:_NEWEST])  # perhaps not all of them
        found += [one for one in part if not one.error]
        left = left[len(part) :]
    return newest_first([one for one in (*known, *found) if not one.error])[:_NEWEST]
