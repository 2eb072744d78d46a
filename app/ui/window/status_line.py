"""The line below the pages: values at the crosshair, words that go, bench, help."""

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QSizePolicy, QStatusBar, QToolButton

from app.bench.model import Bench
from app.ui.kit.context import Context
from app.ui.kit.labels import ElidedLabel
from app.ui.kit.theme import Choice, tabular
from app.ui.window.help import HelpButton, open_menu
from instruments.sizes import counted

_STATE = 480
"""Pixels at most for the bench in the status line."""

_CHOICES = (
    (Choice.SYSTEM, "&System"),
    (Choice.LIGHT, "&Light"),
    (Choice.DARK, "&Dark"),
)


class StatusLine(QStatusBar):
    """Words that come and go over the values at the crosshair; bench, theme and help.

    Their menus open here, where they cover nothing that stops a run.

    Attributes:
        values: What all curves have at the crosshair.
        state: Which bench is in hand.
        theme: Light, dark, or as the system.
        help: The manual, and what this program is.
    """

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.values = ElidedLabel()
        self.values.setAccessibleDescription("Values at the crosshair")
        self.values.setContentsMargins(10, 0, 0, 0)
        self.values.setFont(tabular())
        self.state = ElidedLabel()
        # As wide as its text, but not so that a long name hides the values.
        self.state.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.state.setMaximumWidth(_STATE)
        self.state.setContentsMargins(0, 0, 10, 0)
        self.addWidget(self.values, 1)
        self.theme = _make_theme_button(context)
        self.help = HelpButton(context, self)
        for part in (self.state, self.theme, self.help):
            self.addPermanentWidget(part)
        self.setSizeGripEnabled(False)

    def show_bench(self, bench: Bench, *, changed: bool, runs_on: str = "") -> None:
        """Say which bench is in hand, with a star where it was changed.

        Args:
            bench: The one in hand.
            changed: Whether it has changes that no file has.
            runs_on: The name of the one that a run goes on on; "" for none.
        """
        # Nothing is held open between checks and runs.
        count = len(bench.sources)
        label = counted(count, "source")
        label = "simulated" if bench.is_simulated else label
        text = f"{bench.name}{' *' * changed}  \N{MIDDLE DOT}  {label}"
        told = f"Bench: {bench.name}, {label}"
        if runs_on and runs_on != bench.name:
            text = f"Running on {runs_on}  \N{MIDDLE DOT}  open bench: {bench.name}"
            told = text
        self.state.setText(text)
        self.state.setToolTip(told)


def _make_theme_button(context: Context) -> QToolButton:
    button = QToolButton()
    menu = QMenu(button)
    group = QActionGroup(menu)
    for choice, text in _CHOICES:
        action = QAction(text, menu)
        action.setCheckable(True)
        action.setChecked(context.theme.choice is choice)
        action.triggered.connect(lambda _=False, c=choice: context.theme.choose(c))
        group.addAction(action)
        menu.addAction(action)
    context.icons.put_on(button, "sun-moon")
    open_menu(button, menu, "Theme", "Light, dark, or as the system", "T")
    return button
