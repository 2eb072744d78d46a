"""The line over the pages that says which runs wait, and what can be done with them."""

from datetime import datetime, timedelta
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QLabel, QMenu, QPushButton, QWidget

from app.ui.kit.context import Context
from app.ui.kit.labels import ElidedLabel
from app.ui.kit.messages import ask
from app.ui.kit.widgets import column, make_button, row
from app.ui.run.control import RunPlan
from app.ui.run.queue import RunQueue
from instruments.errors import one_line
from instruments.sizes import counted

_WEEKDAY_TELLS = timedelta(days=6)
"""Within so long a weekday tells which day it is."""


class QueueBar(QFrame):
    """Hidden as long as nothing waits, and nothing has waited before.

    Attributes:
        text: What waits, and for what.
        left: What waited when a program before ended.
        again: Asks for each of that again.

    Signals:
        again_wanted: What was left is to be asked for again.
    """

    again_wanted = Signal()

    def __init__(self, context: Context, queue: RunQueue) -> None:
        super().__init__()
        self._queue = queue
        self._icons = context.icons
        self.setObjectName("card")
        self._icon = QLabel()
        self.text = ElidedLabel()
        self.text.setAccessibleDescription("Waiting runs")
        self.start = make_button(
            "Start &next now",
            "Start the next one, whatever its time (Alt+N)",
            queue.start_now,
        )
        self.take_out = QPushButton("Remo&ve")
        self.take_out.setToolTip("Remove one or all from the queue (Alt+V)")
        self._menu = QMenu(self.take_out)
        self._menu.aboutToShow.connect(self._fill)
        self.take_out.setMenu(self._menu)
        self._waiting = QWidget()
        parts = (self._icon, self.text, self.start, self.take_out)
        row(*parts, of=self._waiting, grows=self.text, spacing=8)
        self.left = ElidedLabel()
        self.left.setAccessibleDescription("Runs that waited before")
        self.again = make_button(
            "Queue again...",
            "Ask for each of them again; none starts by itself (Ctrl+Shift+N)",
            self.again_wanted.emit,
        )
        self.again.setShortcut("Ctrl+Shift+N")
        self.forget = make_button(
            "Forget them...",
            "Offer these runs no longer (Ctrl+Shift+K)",
            self._forget,
        )
        self.forget.setShortcut("Ctrl+Shift+K")
        self._left = QWidget()
        buttons = (self.again, self.forget)
        row(self.left, *buttons, of=self._left, grows=self.left, spacing=8)
        margins = (12, 6, 12, 6)
        column(self._waiting, self._left, of=self, margins=margins, spacing=6)
        queue.changed.connect(self._show)
        context.theme.changed.connect(self._show)
        self._show()

    @Slot()
    def _show(self) -> None:
        waiting, left = self._queue.waiting, self._queue.left
        self.setVisible(bool(waiting or left))
        self._left.setVisible(bool(left))
        told = "; ".join(described(plan) for plan in left)
        count = counted(len(left), "run")
        self.left.setText(f"{count} waited when Bayscope was closed: {told}")
        self.left.setToolTip("\n".join(described(plan) for plan in left))
        self._waiting.setVisible(bool(waiting))
        if not waiting:
            return
        self.start.setEnabled(self._queue.can_start)
        held = self._queue.held
        icon, token = ("triangle-alert", "warn") if held else ("history", "accent")
        self._icon.setPixmap(self._icons.get(icon, token).pixmap(16, 16))
        told = "; ".join(described(plan) for plan in waiting)
        begin = counted(len(waiting), "run")
        stays = f"Held, {held}. " if held else ""
        self.text.setText(f"{stays}{begin} waiting: {told}")
        self.text.setToolTip("\n".join(described(plan) for plan in waiting))

    @Slot()
    def _forget(self) -> None:
        """Ask first: the line may have come just where another button was."""
        left = self._queue.left
        if ask(
            self._icons,
            "Forget the runs that waited",
            f"{counted(len(left), 'run')} will not be offered again: "
            f"{'; '.join(described(plan) for plan in left)}.",
            yes="Forget",
            no="Keep",
            parent=self,
        ):
            self._queue.forget_left()

    @Slot()
    def _fill(self) -> None:
        self._menu.clear()
        for plan in self._queue.waiting:
            action = self._menu.addAction(described(plan).replace("&", "&&"))
            action.triggered.connect(partial(self._queue.remove, plan))
        if len(self._queue.waiting) > 1:
            self._menu.addSeparator()
            self._menu.addAction("All of them").triggered.connect(self._queue.clear)
        self._menu.setToolTipsVisible(True)
        self._menu.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground, on=False)


def described(plan: RunPlan) -> str:
    """Say in a few words which run it is, and what it waits for."""
    when = "when its turn comes"
    if plan.at is not None:
        is_soon = plan.at - datetime.now().astimezone() < _WEEKDAY_TELLS
        when = f"at {plan.at:%a %H:%M}" if is_soon else f"at {plan.at:%Y-%m-%d %H:%M}"
    short = f", times divided by {plan.shorten:g}" if plan.shorten > 1 else ""
    return one_line(f"{plan.campaign.name} {when}{short}")
