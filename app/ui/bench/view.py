"""The bench: its sources, what they are and whether they answer."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QSplitter, QVBoxLayout, QWidget

from app.bench.model import Bench
from app.ui.bench.bar import BENCH_TOOLS, SOURCE_TOOLS, BenchHead
from app.ui.bench.file import BenchFile
from app.ui.bench.file_actions import BenchFileActions
from app.ui.bench.load.actions import LoadActions
from app.ui.bench.recent import RecentBenches
from app.ui.bench.source_actions import SourceActions
from app.ui.bench.source_checks import SourceChecks
from app.ui.bench.source_detail import SourceDetail
from app.ui.bench.source_list import SourceLine, source_columns
from app.ui.bench.switch_panel import SwitchPanel
from app.ui.kit.context import Context
from app.ui.kit.document_bar import DocumentBar
from app.ui.kit.rows_model import RowsModel
from app.ui.kit.settings import Settings
from app.ui.kit.tables import Table

if TYPE_CHECKING:
    from app.operations.bench.check import SourceCheck

_OF_ONE = ("change", "password", "remove", "check_one")


class BenchView(QWidget):
    """Shows a bench, changes it, checks it.

    Attributes:
        file: The bench in hand, with its changes.
        files: What is done with the bench as a whole.
        sources: What is done with its sources.
        checks: What its sources answer.
        recent: The benches that were open last.
        loads: What is done with the hosts that loads come from.
        switches: Its switches and what they do.

    Signals:
        bench_chosen: Another bench, or another version of it, is in hand.
    """

    bench_chosen = Signal()

    def __init__(
        self,
        context: Context,
        settings: Settings,
        bench: Bench,
    ) -> None:
        super().__init__()
        self.file = BenchFile(bench, self)
        self.files = BenchFileActions(self.file, context, self)
        self.recent = RecentBenches(self.file, self.files, settings, self)
        self.sources = SourceActions(self.file, context, self)
        self.loads = LoadActions(self.file, context, self)
        self.model = RowsModel[SourceLine](source_columns(), context, self)
        self.checks = SourceChecks(self.model, context.background, self)
        self.table = Table(self.model, "Sources of the bench", stretch=4)
        self.detail = SourceDetail(context)
        self.switches = SwitchPanel(context)
        self.head = BenchHead()
        self.bar = DocumentBar(context, self.head, BENCH_TOOLS, SOURCE_TOOLS, margin=16)
        self.check_button = self.bar.buttons["check"]
        self.bar.make_primary("check")
        self.bar.buttons["recent"].setMenu(self.recent.menu)
        self._build()
        self._connect()
        self._show_bench()

    def _build(self) -> None:
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.table)
        split.addWidget(self.detail)
        split.addWidget(self.switches)
        split.setSizes([400, 200, 100])
        split.setHandleWidth(1)
        split.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.bar)
        layout.addWidget(split, 1)
        self.setFocusProxy(self.table)
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        remove = QAction("Remove", self.table)
        remove.setShortcut(QKeySequence.StandardKey.Delete)
        remove.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        remove.triggered.connect(self.remove)
        self.table.addAction(remove)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)

    def _connect(self) -> None:
        files, sources = self.files, self.sources
        for name, act in (
            ("new", files.new),
            ("open", files.choose),
            ("save", files.saving.save),
            ("save_as", files.saving.save_as),
            ("check", self.check),
            ("look", sources.look),
            ("add", sources.add),
            ("dut", files.describe),
            ("load", self.loads.edit),
            ("check_one", self.check_one),
            ("change", self.change),
            ("password", self.set_password),
            ("remove", self.remove),
        ):
            self.bar.buttons[name].clicked.connect(act)
        self.file.changed.connect(self._show_bench)
        self.checks.changed.connect(self._show_source)
        self.sources.put.connect(self._take_put)
        self.sources.password_stored.connect(self._check_again)
        self.table.selectionModel().selectionChanged.connect(self._show_source)
        self.table.activated.connect(self._activate)
        self.table.customContextMenuRequested.connect(self._open_menu)
        self.model.dataChanged.connect(self._show_source)

    @property
    def bench(self) -> Bench:
        """The bench shown."""
        return self.file.bench

    @property
    def chosen(self) -> SourceLine | None:
        """The source chosen in the table."""
        row = self.table.chosen_row()
        records = self.model.records
        return records[row] if 0 <= row < len(records) else None

    def choose(self, name: str) -> None:
        """Choose the source with this name, where there is one."""
        names = [line.config.name for line in self.model.records]
        if name in names:
            self.table.choose_row(names.index(name))

    def set_bench(self, bench: Bench) -> None:
        """Show another bench, not yet checked."""
        self.file.take(bench)

    @Slot()
    def _show_bench(self) -> None:
        """Show the bench in hand; the source that was chosen stays chosen."""
        bench, before = self.file.bench, self.chosen
        self.head.show_bench(bench, changed=self.file.has_changes)
        self.checks.show_bench(bench)
        names = [source.name for source in bench.sources]
        if names and self.table.chosen_row() < 0:
            name = before.config.name if before else ""
            self.table.choose_row(names.index(name) if name in names else 0)
        self.switches.set_bench(bench)
        self._show_source()
        self.bench_chosen.emit()

    @Slot()
    def check(self) -> None:
        """Ask every source and switch; off the GUI thread."""
        if not self.checks.is_open:
            self.switches.check()
            self.checks.ask_all()

    @Slot()
    def check_one(self) -> None:
        """Ask the chosen source; off the GUI thread."""
        if line := self.chosen:
            self.checks.ask_one(line.config.name)

    @Slot(str, object)
    def _take_put(self, name: str, check: "SourceCheck | None") -> None:
        """Choose a source that was added or changed, with what it answered."""
        self.choose(name)
        if check is not None:
            self.checks.tell(name, check)

    @Slot(str)
    def _check_again(self, name: str) -> None:
        line = self.chosen
        if line is not None and line.config.name == name:
            self.check_one()

    @Slot()
    def _show_source(self) -> None:
        line = self.chosen
        self.detail.show_line(line)
        for name in _OF_ONE:
            self.bar.buttons[name].setEnabled(line is not None)
        secret = bool(line and line.config.driver.secret)
        self.bar.buttons["password"].setVisible(secret)
        can = not self.checks.is_open
        self.bar.buttons["check_one"].setEnabled(line is not None and can)
        something = bool(self.bench.sources or self.bench.switches)
        self.check_button.setEnabled(something and can)

    @Slot()
    def change(self) -> None:
        """Describe the chosen source anew."""
        if line := self.chosen:
            self.sources.change(line.config)

    @Slot()
    def remove(self) -> None:
        """Take the chosen source off the bench."""
        if line := self.chosen:
            self.sources.remove(line.config)

    @Slot()
    def set_password(self) -> None:
        """Ask for the password of the chosen source."""
        if line := self.chosen:
            self.sources.set_password(line.config)

    @Slot(QModelIndex)
    def _activate(self, _: QModelIndex) -> None:
        self.change()

    @Slot(QPoint)
    def _open_menu(self, place: QPoint) -> None:
        if self.chosen is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Check source", self.check_one)
        menu.addAction("Change...", self.change)
        menu.addAction("Remove...", self.remove)
        menu.popup(self.table.viewport().mapToGlobal(place))
