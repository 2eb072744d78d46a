"""The buttons beside the list of load hosts, and when each of them does something."""

from collections.abc import Callable, Mapping

from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.ui.bench.load.rows import LoadRow
from app.ui.kit.icons import Icons

_BUTTONS = (
    ("add", "&Add", "plus", "Let loads come from another host"),
    ("change", "C&hange...", "pencil", "How the chosen host is reached"),
    ("remove", "&Remove", "trash-2", "Let no loads come from the chosen host"),
    ("try", "&Try", "stethoscope", "Ask the chosen host"),
    ("all", "Try a&ll", "stethoscope", "Ask all hosts"),
    ("trust", "Trust &key...", "key-round", "Compare its host key, and keep it"),
)


class LoadButtons(QWidget):
    """A column of buttons.

    Args:
        icons: Icons of the theme.
        do: What each of them does, by its name.
    """

    def __init__(self, icons: Icons, do: Mapping[str, Callable[[], object]]) -> None:
        super().__init__()
        self.each: dict[str, QPushButton] = {}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        for name, text, icon, tip in _BUTTONS:
            button = QPushButton(icons.get(icon), f" {text}")
            button.setAutoDefault(False)
            button.setToolTip(tip)
            button.clicked.connect(do[name])
            self.each[name] = button
            layout.addWidget(button)
        layout.addStretch(1)

    def let(self, row: LoadRow | None, *, hosts: bool, asked: bool) -> None:
        """Let those be pressed that do something.

        Args:
            row: The host chosen.
            hosts: Whether there is any.
            asked: Whether any is being tried.
        """
        for name in ("change", "remove"):
            self.each[name].setEnabled(row is not None)
        self.each["try"].setEnabled(row is not None and not row.question)
        self.each["all"].setEnabled(hosts and not asked)
        tried = row.tried if row else None
        self.each["trust"].setEnabled(tried is not None and tried.key is not None)
