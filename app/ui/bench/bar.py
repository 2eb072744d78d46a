"""The head of the Bench view: name, device under test, and what can be done."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Slot
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.bench.model import Bench
from app.ui.kit.context import Context
from app.ui.kit.labels import ElidedLabel, make_chip
from workloads.sizes import format_size

_LEAST_TITLE = 60
"""Pixels; a long name gives way to the buttons in a narrow window."""


@dataclass(frozen=True, slots=True)
class Button:
    """A button of the bar: what it says, its icon, its keys, its tip."""

    text: str
    icon: str
    tip: str
    keys: str
    action: Callable[[], object] | None
    """None where it has a menu."""


class BenchBar(QWidget):
    """Shows which bench is in hand; below are its buttons.

    Args:
        context: What the parts of the window share.
        file_buttons: For the bench as a whole, by name.
        source_buttons: For its sources, by name.
    """

    def __init__(
        self,
        context: Context,
        file_buttons: dict[str, Button],
        source_buttons: dict[str, Button],
    ) -> None:
        super().__init__()
        self._icons = context.icons
        self._icon_of: dict[str, str] = {}
        self.buttons: dict[str, QPushButton] = {}
        self.title = QLabel("")
        self.title.setObjectName("heading")
        self.title.setMinimumWidth(_LEAST_TITLE)
        self.fake = make_chip("simulated", "This bench has simulated instruments")
        self.unsaved = make_chip(
            "not saved", "This bench has changes that no file has (Ctrl+S)"
        )
        self.facts = ElidedLabel()
        self.facts.setObjectName("muted")
        upper, lower = QHBoxLayout(), QHBoxLayout()
        words = QGridLayout()
        words.setVerticalSpacing(2)
        words.addWidget(self.title, 0, 0)
        words.addWidget(self.fake, 0, 1)
        words.addWidget(self.unsaved, 0, 2)
        words.addWidget(self.facts, 1, 0, 1, 4)
        words.setColumnStretch(3, 1)
        upper.setSpacing(5)
        lower.setSpacing(5)
        upper.addLayout(words, 1)
        for name, button in file_buttons.items():
            upper.addWidget(self._make(name, button))
        for name, button in source_buttons.items():
            if name == "check_one":
                lower.addStretch(1)
            lower.addWidget(self._make(name, button))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 10, 16, 8)
        layout.setSpacing(8)
        layout.addLayout(upper)
        layout.addLayout(lower)
        context.theme.changed.connect(self._recolour)

    def _make(self, name: str, button: Button) -> QPushButton:
        found = QPushButton(self._icons.get(button.icon), f" {button.text}")
        keys = f" ({button.keys})" if button.keys else ""
        found.setToolTip(f"{button.tip}{keys}")
        if button.keys:
            found.setShortcut(button.keys)
        if button.action is not None:
            found.clicked.connect(button.action)
        self._icon_of[name] = button.icon
        self.buttons[name] = found
        return found

    def show_bench(self, bench: Bench, *, changed: bool) -> None:
        """Show another bench, or another version of it."""
        dut = bench.dut
        parts = [f"Device under test: {dut.name}"]
        if dut.model:
            parts[0] += f" ({dut.model})"
        if dut.drives:
            parts.append(f"{dut.drives} drives")
        if dut.layout:
            parts.append(f"bays {dut.layout}")
        target = f"{dut.target}"
        if dut.more:
            target += f" and {len(dut.more)} more"
        if bench.load is not None:
            count = len(bench.load.hosts)
            several = f"{count} hosts" if count > 1 else bench.load.hosts[0]
            parts.append(f"loads from {several}")
        elif dut.size:
            parts.append(f"scratch file {target}, {format_size(dut.size)}")
        else:
            parts.append(f"disk {target}, all of it")
        self.title.setText(f"{bench.name} *" if changed else bench.name)
        self.fake.setVisible(bench.is_simulated)
        self.unsaved.setVisible(changed)
        self.facts.setText("   ·   ".join(parts))
        self.facts.setToolTip(bench.file)

    def make_primary(self, name: str) -> None:
        """Let a button stand out."""
        self._icon_of[name] = f"{self._icon_of[name]} accent_text"
        self.buttons[name].setDefault(True)
        self._recolour()

    @Slot()
    def _recolour(self) -> None:
        for name, icon in self._icon_of.items():
            self.buttons[name].setIcon(self._icons.get(*icon.split()))
