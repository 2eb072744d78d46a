"""Where the loads of a bench come from: hosts, how they are driven, their targets."""

from functools import partial

from PySide6.QtCore import Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.bench import Bench
from app.bench.load import LoadHosts
from app.bench.load_edit import put_load
from app.ui.background import Background
from app.ui.icons import Icons
from app.ui.load_buttons import LoadButtons
from app.ui.load_disks_dialog import LoadDisksDialog
from app.ui.load_hosts import LoadHostList
from app.ui.load_rows import LoadRow, load_columns
from app.ui.load_targets import LoadTargets
from app.ui.load_trust import ask_trust
from app.ui.load_ways import LoadWays
from app.ui.rows_model import RowsModel
from app.ui.sentence_label import SentenceLabel
from app.ui.source_dialog import SourceDialog
from app.ui.tables import Table
from app.ui.theme import Theme
from instruments.errors import BadInput
from instruments.host.ssh import DRIVER as SSH

_SIZE = (860, 640)
_NOTHING = "Loads run on this machine. Add a host to let them come from there instead."
_UNTRIED = "Try reaches it, and looks at its fio, its clock and its disks."


class LoadDialog(QDialog):
    """Edits [load]; tries hosts on request.

    Args:
        bench: The bench it is for; it is not changed.
        theme: The look.
        icons: Icons of the theme.
        background: Where hosts are tried.
        parent: The window that waits.
    """

    def __init__(
        self,
        bench: Bench,
        theme: Theme,
        icons: Icons,
        background: Background,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme, self._icons, self._background = theme, icons, background
        self._result: Bench | None = None
        self.setWindowTitle("Load hosts")
        self.hosts = LoadHostList(bench, background, self)
        self.ways = LoadWays(bench.load)
        self.model = RowsModel[LoadRow](load_columns(), theme, icons, self)
        self.table = Table(self.model, "Load hosts", stretch=3)
        self.targets = LoadTargets(icons, self.choose_disks)
        self.answer = QPlainTextEdit()
        self.answer.setReadOnly(True)
        self.answer.setTabChangesFocus(True)
        self.answer.setAccessibleName("What the host answers")
        self.answer.setFixedHeight(104)
        self.error = SentenceLabel("mistake")
        self.error.say("")
        self.side = LoadButtons(
            icons,
            {
                "add": self.add,
                "change": self.change,
                "remove": self.remove,
                "try": self.try_one,
                "all": self.try_all,
                "trust": self.trust,
            },
        )
        self.buttons = self.side.each
        self._build()
        self.hosts.changed.connect(self._show)
        self.table.selectionModel().selectionChanged.connect(self._show_row)
        self.targets.edited.connect(self._aim)
        self._show()

    def _build(self) -> None:
        middle = QHBoxLayout()
        middle.setSpacing(10)
        middle.addWidget(self.table, 1)
        middle.addWidget(self.side)
        box = QDialogButtonBox()
        role = QDialogButtonBox.ButtonRole
        box.addButton("OK", role.AcceptRole).setDefault(True)
        box.addButton("Cancel", role.RejectRole).setAutoDefault(False)
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        head = QLabel(
            "Every step that is a load runs on all of these hosts at once; the table "
            "has the sum. They are reached by SSH, by a key or the agent."
        )
        head.setObjectName("muted")
        head.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 16, 18, 14)
        layout.setSpacing(10)
        layout.addWidget(head)
        layout.addWidget(self.ways)
        layout.addLayout(middle, 1)
        layout.addWidget(self.targets)
        layout.addWidget(self.answer)
        layout.addWidget(self.error)
        layout.addWidget(box)
        self.resize(*_SIZE)

    @property
    def bench(self) -> Bench | None:
        """The bench with its load hosts, once the dialog was accepted."""
        return self._result

    @property
    def chosen(self) -> LoadRow | None:
        """The host chosen in the table."""
        number = self.table.chosen_row()
        rows = self.hosts.rows
        return rows[number] if 0 <= number < len(rows) else None

    @Slot()
    def _show(self) -> None:
        number = self.table.chosen_row()
        self.model.set_records(self.hosts.rows)
        if self.hosts.rows and self.table.chosen_row() < 0:
            self.table.choose_row(min(max(0, number), len(self.hosts.rows) - 1))
        self._show_row()

    @Slot()
    def _show_row(self) -> None:
        row = self.chosen
        self.targets.show_row(row)
        asked = any(one.asked for one in self.hosts.rows)
        self.side.let(row, hosts=bool(self.hosts.rows), asked=asked)
        if row is None:
            text = _NOTHING
        elif row.asked:
            text = f"{row.name} is being asked ..."
        else:
            text = row.tried.text if row.tried else _UNTRIED
        self.answer.setPlainText(text)

    @Slot()
    def add(self) -> None:
        """Take a host that the bench has already, or describe a new one."""
        others = self.hosts.others
        if not others:
            self._describe()
            return
        menu = QMenu(self)
        for name in others:
            menu.addAction(name, partial(self._take_host, name))
        menu.addSeparator()
        menu.addAction("Another machine...", self._describe)
        button = self.buttons["add"]
        menu.popup(button.mapToGlobal(button.rect().bottomLeft()))

    @Slot()
    def change(self) -> None:
        """Describe anew how the chosen host is reached."""
        if (row := self.chosen) is not None:
            self._describe(row.name)

    def _describe(self, name: str = "") -> None:
        bench = self.hosts.bench
        config = next((one for one in bench.sources if one.name == name), None)
        dialog = SourceDialog(
            bench,
            self._icons,
            self._background,
            self,
            config=config,
            driver=None if config else SSH,
        )
        try:
            dialog.exec()
            if dialog.bench is not None:
                self.hosts.take_bench(dialog.bench)
                if config is None:
                    self._take_host(dialog.name)
        finally:
            dialog.deleteLater()

    def _take_host(self, name: str) -> None:
        if name in self.hosts.others:
            self.hosts.add(name)
            self.table.choose_row(len(self.hosts.rows) - 1)

    @Slot()
    def remove(self) -> None:
        """Let no load come from the chosen host."""
        if self.chosen is not None:
            self.hosts.remove(self.table.chosen_row())

    @Slot()
    def _aim(self) -> None:
        if self.chosen is not None:
            self.hosts.aim(self.table.chosen_row(), self.targets.targets)

    @Slot()
    def choose_disks(self) -> None:
        """Choose the targets of the chosen host among the disks that it has."""
        row = self.chosen
        if row is None:
            return
        parts = (self.hosts.bench, self._theme, self._icons, self._background)
        dialog = LoadDisksDialog(*parts, self, host=row.name)
        try:
            if dialog.exec():
                self.targets.set_targets(dialog.paths)
        finally:
            dialog.deleteLater()

    @Slot()
    def try_one(self) -> None:
        """Ask the chosen host."""
        if (load := self._load()) is not None and self.chosen is not None:
            self.hosts.try_all(load, [self.table.chosen_row()])

    @Slot()
    def try_all(self) -> None:
        """Ask all hosts."""
        if (load := self._load()) is not None:
            self.hosts.try_all(load, range(len(self.hosts.rows)))

    @Slot()
    def trust(self) -> None:
        """Show the key of the chosen host; keep it where a person says so."""
        row = self.chosen
        if row is None or row.tried is None or row.tried.key is None:
            return
        if not ask_trust(self._icons, row.tried.key, self):
            return
        try:
            self.hosts.trust(self.table.chosen_row())
        except BadInput as error:
            self.error.say(str(error))
            return
        self.try_one()

    def _load(self) -> LoadHosts | None:
        """Get [load] as it is entered, or say what is wrong beside its field."""
        self.error.say("")
        self.ways.complain("")
        self.targets.mistake.say("")
        try:
            way, start, port = self.ways.values()
        except BadInput:
            return None
        try:
            return self.hosts.load(way, port, start=start)
        except BadInput as error:
            names = [row.name for row in self.hosts.rows]
            number = next(n for n, one in enumerate(names) if error.where.endswith(one))
            self.table.choose_row(number)
            self.targets.mistake.say(f"{error.what.capitalize()}. {error.way_out}")
            return None

    def accept(self) -> None:
        """Close it if there is no mistake."""
        load = self._load()
        if load is None and self.hosts.rows:
            return
        try:
            self._result = put_load(self.hosts.bench, load)
        except BadInput as error:
            beside = {"start": self.ways, "way": self.ways, "port": self.ways}
            key = error.where.rpartition(".")[2]
            said = f"{error.what}. {error.way_out}"
            if key in beside:
                beside[key].complain(said)
            else:
                self.error.say(said)
            return
        super().accept()
