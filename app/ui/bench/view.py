"""The bench: its sources, what they are and whether they answer."""

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from app.bench.model import Bench
from app.operations.bench.bays import other_count
from app.ui.bench.controller import BenchController
from app.ui.bench.dialogs import BenchDialogs
from app.ui.bench.recent import RecentBenches
from app.ui.bench.source_detail import SourceDetail
from app.ui.bench.source_list import SourceLine, source_columns
from app.ui.bench.switch_panel import SwitchPanel
from app.ui.kit.context import Context
from app.ui.kit.document_bar import DocumentBar, DocumentHead, Tool
from app.ui.kit.focus import lead_focus
from app.ui.kit.rows_model import RowsModel
from app.ui.kit.settings import Settings
from app.ui.kit.tables import Table
from app.ui.kit.widgets import column, split
from instruments.sizes import counted, format_size

_OF_ONE = ("change", "password", "remove", "check_one")


class BenchView(QWidget):
    """Shows a bench, changes it, checks it.

    Attributes:
        controller: The bench in hand, and what its sources answered.
        file: The bench in hand, with its changes.
        dialogs: What changes it.
        recent: The benches that were open last.
        switches: Its switches and what they do.

    Signals:
        bench_chosen: Another bench, or another version of it, is in hand.
    """

    bench_chosen = Signal()

    def __init__(self, context: Context, settings: Settings, bench: Bench) -> None:
        super().__init__()
        self.controller = BenchController(bench, context.background, self)
        self.file = self.controller.file
        self.dialogs = BenchDialogs(self.file, context, self)
        self.recent = RecentBenches(
            self.file, self.dialogs, settings, context.background, self
        )
        self.model = RowsModel[SourceLine](source_columns(), context, self)
        self.table = Table(self.model, "Sources of the bench", stretch=4)
        self.detail = SourceDetail(context)
        self.switches = SwitchPanel(context)
        self.head = DocumentHead(
            ("simulated", "This bench has simulated instruments"),
            "This bench has changes that are not saved (Ctrl+S)",
        )
        self.bar = DocumentBar(context, self.head, BENCH_TOOLS, SOURCE_TOOLS, margin=16)
        self.check_button = self.bar.buttons["check"]
        self.bar.make_primary("check")
        self.bar.buttons["recent"].setMenu(self.recent.menu)
        self._build()
        self._connect()
        self._show_lines()
        self._show_bench()

    def _build(self) -> None:
        parts = split(
            self.table,
            self.detail,
            self.switches,
            sizes=(400, 200, 100),
            is_vertical=True,
        )
        column(self.bar, parts, of=self, grows=parts, spacing=0)
        lead_focus(self, self.table)
        self.setObjectName("surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        remove = QAction("Remove", self.table)
        remove.setShortcut(QKeySequence.StandardKey.Delete)
        remove.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        remove.triggered.connect(self.remove)
        self.table.addAction(remove)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)

    def _connect(self) -> None:
        dialogs = self.dialogs
        for name, act in (
            ("new", dialogs.new),
            ("open", dialogs.choose),
            ("save", dialogs.saving.save),
            ("save_as", dialogs.saving.save_as),
            ("check", self.check),
            ("look", dialogs.look),
            ("add", dialogs.add),
            ("dut", dialogs.describe),
            ("load", dialogs.edit_load),
            ("check_one", self.check_one),
            ("change", self.change),
            ("password", self.set_password),
            ("remove", self.remove),
        ):
            self.bar.buttons[name].clicked.connect(act)
        self.file.changed.connect(self._show_bench)
        self.controller.changed.connect(self._show_lines)
        dialogs.put.connect(lambda name, _: self.choose(name))
        dialogs.put.connect(self.controller.put_answer)
        dialogs.password_stored.connect(self.controller.ask)
        self.table.selectionModel().selectionChanged.connect(self._show_source)
        self.table.activated.connect(lambda _: self.change())
        self.table.customContextMenuRequested.connect(self._open_menu)

    @property
    def bench(self) -> Bench:
        """The bench shown."""
        return self.file.bench

    @property
    def chosen(self) -> SourceLine | None:
        """The source chosen in the table."""
        return self.model.at(self.table.chosen_row())

    def choose(self, name: str) -> None:
        """Choose the source with this name, where there is one."""
        names = [line.config.name for line in self.model.records]
        if name in names:
            self.table.choose_row(names.index(name))

    @Slot()
    def _show_lines(self) -> None:
        """Show the sources; the one that was chosen stays chosen."""
        before = self.chosen
        self.model.set_records(self.controller.lines)
        if self.model.rowCount() and self.chosen is None:
            self.table.choose_row(0)
            self.choose(before.config.name if before else "")
        self._show_source()

    @Slot()
    def _show_bench(self) -> None:
        bench = self.file.bench
        self.head.show_document(
            bench.name,
            facts_of_bench(bench),
            has_chip=bench.is_simulated,
            is_changed=self.file.has_changes,
        )
        self.head.facts.setToolTip(bench.file)
        self.switches.set_bench(bench)
        self.bench_chosen.emit()

    @Slot()
    def check(self) -> None:
        """Ask every source and switch; off the GUI thread."""
        if not self.controller.is_asking:
            self.switches.check()
            self.controller.ask()

    @Slot()
    def check_one(self) -> None:
        """Ask the chosen source; off the GUI thread."""
        if line := self.chosen:
            self.controller.ask(line.config.name)

    @Slot()
    def _show_source(self) -> None:
        line, can_ask = self.chosen, not self.controller.is_asking
        self.detail.show_line(line)
        buttons = self.bar.buttons
        for name in _OF_ONE:
            buttons[name].setEnabled(line is not None)
        secret = bool(line and line.config.driver.secret)
        buttons["password"].setVisible(secret)
        buttons["check_one"].setEnabled(line is not None and can_ask)
        something = bool(self.bench.sources or self.bench.switches)
        self.check_button.setEnabled(something and can_ask)

    @Slot()
    def change(self) -> None:
        """Describe the chosen source again."""
        if line := self.chosen:
            self.dialogs.change(line.config)

    @Slot()
    def remove(self) -> None:
        """Remove the chosen source from the bench."""
        if line := self.chosen:
            self.dialogs.remove(line.config)

    @Slot()
    def set_password(self) -> None:
        """Ask for the password of the chosen source."""
        if line := self.chosen:
            self.dialogs.set_password(line.config)

    @Slot(QPoint)
    def _open_menu(self, place: QPoint) -> None:
        if self.chosen is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Check source", self.check_one)
        menu.addAction("Edit...", self.change)
        menu.addAction("Remove...", self.remove)
        menu.popup(self.table.viewport().mapToGlobal(place))


BENCH_TOOLS = {
    "new": Tool(
        "&New...",
        "file-plus",
        "Describe another device under test and start a new bench",
        "Ctrl+N",
    ),
    "open": Tool("&Open...", "folder-open", "Open another bench.toml", "Ctrl+Shift+O"),
    "recent": Tool(
        "Recent",
        "history",
        "Recent benches, and the simulated one",
        "Ctrl+Shift+R",
    ),
    "save": Tool("&Save", "save", "Save this bench", "Ctrl+S"),
    "save_as": Tool(
        "Save &as...", "save", "Save this bench under another name", "Ctrl+Shift+S"
    ),
    "check": Tool(
        "Check &bench",
        "stethoscope",
        "Connect, identify and read each source once",
        "Ctrl+B",
    ),
}
SOURCE_TOOLS = {
    "look": Tool(
        "D&iscover devices...",
        "search",
        "Find the meters, enclosures, drives and sensors of this machine",
        "Ctrl+L",
    ),
    "add": Tool(
        "A&dd source...", "plus", "Describe a source and how it is reached", "Ctrl+I"
    ),
    "dut": Tool(
        "D&evice under test...",
        "hard-drive",
        "The device under test: name, scratch file, size, model, drives, bays",
        "Ctrl+D",
    ),
    "load": Tool(
        "Load &hosts...",
        "columns-2",
        "The hosts that loads run on, and their targets",
        "Ctrl+H",
    ),
    "check_one": Tool(
        "Chec&k source",
        "stethoscope",
        "Connect, identify and read the selected source",
        "Ctrl+Shift+B",
        at_right=True,
    ),
    "change": Tool("Ed&it...", "pencil", "Edit the selected source", table_key="Enter"),
    "password": Tool(
        "&Password...", "key-round", "Put its password into this desktop's keyring"
    ),
    "remove": Tool(
        "&Remove...",
        "trash-2",
        "Remove the selected source from the bench",
        table_key="Del",
    ),
}


def facts_of_bench(bench: Bench) -> str:
    """Write in a line what is measured and where loads run."""
    dut = bench.dut
    parts = [f"Device under test: {dut.name}"]
    if dut.model:
        parts[0] += f" ({dut.model})"
    if dut.drives:
        parts.append(counted(dut.drives, "drive"))
    if dut.layout:
        other = other_count(dut)
        parts.append(f"bays {dut.layout}{f' ({other})' if other else ''}")
    target, *more = map(str, dut.targets)
    if more:
        target += f" and {len(more)} more"
    if bench.load is not None:
        hosts = bench.load.hosts
        several = counted(len(hosts), "host") if len(hosts) > 1 else hosts[0]
        parts.append(f"loads from {several}")
    elif dut.size:
        parts.append(f"scratch file {target}, {format_size(dut.size)}")
    else:
        parts.append(f"disk {target}, all of it")
    return " \N{MIDDLE DOT} ".join(parts)
