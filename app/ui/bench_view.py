"""The bench: its sources, what they are and whether they answer."""

from collections.abc import Sequence
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

from app.bench import Bench, load_bench
from app.operations.check import SourceCheck, check_bench
from app.ui.background import Background
from app.ui.icons import Icons
from app.ui.labels import ElidedLabel, make_chip
from app.ui.rows_model import RowsModel
from app.ui.source_list import (
    SourceLine,
    ValueLine,
    source_columns,
    value_columns,
)
from app.ui.tables import Table
from app.ui.theme import Theme


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
        self.model = RowsModel[SourceLine](source_columns(), theme, icons, self)
        self.table = Table(self.model, "Sources of the bench", stretch=4)
        self.values = RowsModel[ValueLine](value_columns(), theme, icons, self)
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
        self.setFocusProxy(self.table)
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
            took = max(round(check.poll_s * 1000), 1)
            least = "less than " if check.poll_s < 1e-3 else ""
            text = f"{line.identity}, read in {least}{took} ms"
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
