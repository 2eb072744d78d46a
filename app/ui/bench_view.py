"""The bench: its sources, what they are and whether they answer."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from app.bench import Bench, SourceConfig, load_bench
from app.operations.check import SourceCheck, check_bench
from app.ui.background import Background
from app.ui.icons import Icons
from app.ui.labels import ElidedLabel, make_chip
from app.ui.rows_model import Column, RowsModel
from app.ui.states import look_of
from app.ui.tables import Table
from app.ui.theme import Theme
from app.ui.units import scale_of
from instruments.reading import Channel, Status


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One source as it is listed.

    Attributes:
        config: As in bench.toml.
        state: "unknown", "checking", "ok" or "lost".
        check: What it answered, None before it was asked.
    """

    config: SourceConfig
    state: str = "unknown"
    check: SourceCheck | None = None

    @property
    def identity(self) -> str:
        """Who answered."""
        who = self.check.identity if self.check else None
        if who is None:
            return ""
        label = " (simulated)" if who.simulated else ""
        return f"{who.maker} {who.model}, serial {who.serial}{label}"

    @property
    def reading(self) -> str:
        """The first values of the last reading."""
        if self.check is None or self.check.error:
            return ""
        shown = [_value(*one) for one in self.check.values[:2]]
        more = len(self.check.values) - len(shown)
        return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True, slots=True)
class ValueLine:
    """One value of a source's reading."""

    channel: Channel
    value: float
    status: Status


def _value(channel: Channel, value: float, status: Status) -> str:
    name = channel.location or channel.quantity
    if math.isnan(value):
        return f"{name} gap ({status})"
    return f"{name} {scale_of(channel.unit).full(value)}"


class BenchView(QWidget):
    """Shows a bench, opens another one, checks it.

    Signals:
        bench_chosen: Another bench (Bench, Path) was opened.
    """

    bench_chosen = Signal(object, object)

    def __init__(
        self, theme: Theme, icons: Icons, background: Background, bench: Bench
    ) -> None:
        super().__init__()
        self._icons = icons
        self._background = background
        self._bench = bench
        self._checking = False
        self.model = RowsModel[SourceLine](_source_columns(), theme, icons, self)
        self.table = Table(self.model, "Sources of the bench", stretch=4)
        self.values = RowsModel[ValueLine](_value_columns(), theme, icons, self)
        self.check_button = QPushButton(
            icons.get("stethoscope", "accent_text"), " &Check bench"
        )
        self.check_button.setDefault(True)
        self.check_button.setToolTip(
            "Connect, identify and read each source once (Ctrl+B)"
        )
        self.check_button.setShortcut("Ctrl+B")
        self.check_button.clicked.connect(self.check)
        self.open_button = QPushButton(icons.get("folder-open"), " Open &bench...")
        self.open_button.setToolTip("Use another bench.toml (Ctrl+Shift+O)")
        self.open_button.setShortcut("Ctrl+Shift+O")
        self.open_button.clicked.connect(self.open_file)
        self._name = QLabel("")
        self._name.setObjectName("heading")
        self._fake = make_chip("simulated", "This bench has simulated instruments")
        self._facts = ElidedLabel()
        self._facts.setObjectName("muted")
        self._told = QLabel("")
        self._told.setWordWrap(True)
        self._told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._build()
        self.table.selectionModel().selectionChanged.connect(self._show_values)
        self.model.dataChanged.connect(self._show_values)
        theme.changed.connect(self._recolour)
        self.set_bench(bench)

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(16, 14, 16, 10)
        head.setSpacing(8)
        words = QGridLayout()
        words.setVerticalSpacing(2)
        words.addWidget(self._name, 0, 0)
        words.addWidget(self._fake, 0, 1)
        words.addWidget(self._facts, 1, 0, 1, 3)
        words.setColumnStretch(2, 1)
        head.addLayout(words, 1)
        head.addWidget(self.open_button)
        head.addWidget(self.check_button)
        detail = QFrame()
        column = QVBoxLayout(detail)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._told.setContentsMargins(16, 10, 16, 8)
        column.addWidget(self._told)
        column.addWidget(Table(self.values, "Values of the source", stretch=3), 1)
        detail.setObjectName("surface")
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.table)
        split.addWidget(detail)
        split.setSizes([220, 380])
        split.setHandleWidth(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(split, 1)
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    @property
    def bench(self) -> Bench:
        """The bench shown."""
        return self._bench

    def set_bench(self, bench: Bench) -> None:
        """Show another bench, not yet checked."""
        self._bench = bench
        dut = bench.dut
        parts = [f"Device under test: {dut.name}"]
        if dut.drives:
            parts.append(f"{dut.drives} drives")
        parts.append(f"scratch file {dut.target}, {dut.size / 2**20:.0f} MiB")
        self._name.setText(bench.name)
        self._fake.setVisible(bench.is_simulated)
        self._facts.setText("   ·   ".join(parts))
        self._facts.setToolTip(bench.file)
        self.model.set_records([SourceLine(config) for config in bench.sources])
        if bench.sources:
            self.table.choose_row(0)
        self._show_values()

    @Slot()
    def check(self) -> None:
        """Ask every source; off the GUI thread."""
        if self._checking:
            return
        self._checking = True
        self.check_button.setEnabled(False)
        bench = self._bench
        self.model.set_records(
            [SourceLine(config, "checking") for config in bench.sources]
        )
        self._background.run(
            lambda: (bench, check_bench(bench)),
            self._take,
            self._give_up,
            lasting=True,
        )

    @Slot(object)
    def _take(self, answer: tuple[Bench, Sequence[SourceCheck]]) -> None:
        self._checking = False
        self.check_button.setEnabled(True)
        bench, checks = answer
        if bench is self._bench:
            pairs = zip(bench.sources, checks, strict=True)
            self.model.set_records(
                [SourceLine(c, "ok" if one.ok else "lost", one) for c, one in pairs]
            )
            self._show_values()

    def _give_up(self, error: Exception) -> None:
        self._checking = False
        self.check_button.setEnabled(True)
        self.model.set_records([SourceLine(config) for config in self._bench.sources])
        self._background.failed.emit(error)

    @Slot()
    def _show_values(self) -> None:
        line = self._chosen()
        check = line.check if line else None
        values = check.values if check else ()
        self.values.set_records([ValueLine(*one) for one in values])
        if line is None:
            text = "This bench has no sources."
        elif check is None:
            state = (
                "is being asked" if line.state == "checking" else "was not asked yet"
            )
            text = f"{line.config.name} {state}."
            if line.state == "unknown":
                text += " Check bench connects, identifies and reads each source once."
        elif check.error:
            text = check.error
        else:
            text = f"{line.identity}, read in {check.poll_s * 1000:.0f} ms"
        self._told.setText(text)

    def _chosen(self) -> SourceLine | None:
        row = self.table.chosen_row()
        records = self.model.records
        return records[row] if 0 <= row < len(records) else None

    @Slot()
    def open_file(self) -> None:
        """Ask for another bench.toml."""
        name, _ = QFileDialog.getOpenFileName(
            self, "Open a bench", str(Path.home()), "Benches (*.toml)"
        )
        if name:
            self.open(Path(name))

    def open(self, path: Path) -> None:
        """Read a bench.toml; one with a mistake changes nothing."""
        self._background.run(
            lambda: (load_bench(path), path), lambda found: self._take_bench(*found)
        )

    def _take_bench(self, bench: Bench, path: Path) -> None:
        self.set_bench(bench)
        self.bench_chosen.emit(bench, path)

    @Slot()
    def _recolour(self) -> None:
        self.check_button.setIcon(self._icons.get("stethoscope", "accent_text"))
        self.open_button.setIcon(self._icons.get("folder-open"))


def _source_columns() -> list[Column[SourceLine]]:
    return [
        Column("Source", lambda line: line.config.name),
        Column("Kind", lambda line: line.config.section),
        Column("Driver", lambda line: line.config.driver),
        Column("State", lambda line: line.state, lambda line: look_of(line.state)),
        Column(
            "Identity, or what went wrong",
            lambda line: (
                line.check.error if line.check and line.check.error else line.identity
            ),
        ),
        Column("Last reading", lambda line: line.reading),
        Column("Address", _address),
    ]


def _address(line: SourceLine) -> str:
    reached = line.check.address if line.check else ""
    return reached or line.config.address


def _value_columns() -> list[Column[ValueLine]]:
    def shown(line: ValueLine) -> str:
        if math.isnan(line.value):
            return "gap"
        return scale_of(line.channel.unit).text(line.value)

    return [
        Column("Channel", lambda line: line.channel.name),
        Column("Value", shown, right=True),
        Column("Unit", lambda line: scale_of(line.channel.unit).unit),
        Column("Status", lambda line: str(line.status)),
    ]
