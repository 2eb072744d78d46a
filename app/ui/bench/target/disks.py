"""Every disk of a machine, why it is or is not a safe target, and a choice of them."""

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QAbstractItemModel, QItemSelectionModel, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHeaderView,
    QLineEdit,
    QWidget,
)

from app.bench.build import build_host
from app.bench.guard import Guard
from app.bench.model import Bench
from app.operations.bench.arming_disks import disk_size_text, is_allowed
from app.operations.bench.targets import Target, list_targets
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.context import Context
from app.ui.kit.rows_model import Column, RowsModel
from app.ui.kit.states import Look
from app.ui.kit.tables import WrappedTable
from app.ui.kit.widgets import (
    DIALOG_MARGINS,
    DialogButtons,
    column,
    make_button,
    make_note,
    named,
    row,
)
from instruments.errors import one_line
from instruments.host.ssh import DRIVER as SSH
from instruments.sizes import counted

_LEAST_WHY = 400
"""Pixels in which a reason is a few lines."""


class DiskTable(WrappedTable):
    """A table whose last column takes the room that is left, and is never squeezed.

    Where there is too little room the columns of `yields` give way, one after the
    other, and show begin and end of their texts; all of it is in their hints.

    Args:
        name: What a screen reader calls it.
        yields: Columns that may be cut, the first one first, with their least widths.
    """

    def __init__(
        self, model: QAbstractItemModel, name: str, yields: Mapping[int, int]
    ) -> None:
        self._yields = yields
        super().__init__(model, name, stretch=model.columnCount() - 1)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)

    def _arrange(self) -> None:
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        last = self.model().columnCount() - 1
        widths = [
            max(self.sizeHintForColumn(section), head.sectionSizeHint(section))
            for section in range(last)
        ]
        lacking = _LEAST_WHY + sum(widths) - self.viewport().width()
        for section, least in self._yields.items():
            if lacking > 0:
                given = min(lacking, max(0, widths[section] - least))
                widths[section] -= given
                lacking -= given
        for section, width in enumerate(widths):
            self.setColumnWidth(section, width)
        left = self.viewport().width() - sum(widths)
        self.setColumnWidth(last, max(left, _LEAST_WHY))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share out again."""
        super().resizeEvent(event)
        self._arrange_later()


_LOOKS = {
    "safe": Look("safe", "circle-check", "ok"),
    "holds data": Look("holds data", "triangle-alert", "warn"),
    "refused": Look("refused", "ban", "error"),
}


YIELDS = {2: 140, 4: 90, 3: 110}
"""Columns that give way to the reason, with their least widths: model, WWN, serial."""


def target_columns(guard: Guard) -> list[Column[Target]]:
    """Make the columns of a list of disks.

    Args:
        guard: What the bench allows.
    """
    return [
        Column("Target", lambda one: one.verdict, look=lambda one: _LOOKS[one.verdict]),
        Column("Disk", lambda one: one.disk.name, tip=lambda one: one.disk.best_path),
        Column("Model", _model, tip=_model),
        Column("Serial", _serial, tip=_serial),
        Column("WWN", _wwn, tip=_wwn),
        Column(
            "Size",
            lambda one: disk_size_text(one.disk.identity.size),
            tip=lambda one: f"{one.disk.identity.size} bytes",
            right=True,
        ),
        Column("Slot", lambda one: one.disk.slot),
        Column("Why", lambda one: why(one, guard)),
    ]


def why(target: Target, guard: Guard) -> str:
    """Say why it is or is not a safe target, a line for each reason."""
    reasons = list(dict.fromkeys(objection.sentence for objection in target.objections))
    if not is_allowed(target.disk, guard):
        reasons.append("it is not on the bench's list of disks that may be overwritten")
    return "\n".join(reasons) or "it is not in use and holds no data"


def details(target: Target) -> str:
    """Write what it takes to choose a disk: its lasting path and its confirmation."""
    disk = target.disk
    lasting = "" if disk.links else ", which may be another disk after a restart"
    return f"{disk.best_path}{lasting}.  To overwrite it, type {disk.word}."


def fits(target: Target, wanted: str) -> bool:
    """Tell whether a disk has all words of a filter somewhere in its row."""
    disk = target.disk
    text = " ".join(
        (
            target.text,
            target.verdict,
            disk.transport,
            disk.type,
            disk_size_text(disk.identity.size),
            *disk.links,
        )
    ).lower()
    return all(word in text for word in wanted.lower().split())


def _serial(target: Target) -> str:
    return target.disk.identity.serial or "none"


def _wwn(target: Target) -> str:
    return target.disk.identity.wwn or "none"


def _model(target: Target) -> str:
    disk = target.disk
    if disk.backing:
        return f"{disk.type}: {disk.backing}"
    kind = "" if disk.type == "disk" else disk.type
    return " ".join(part for part in (disk.model, kind, disk.transport) if part)


_HERE = "this machine"
_SEVERAL = QAbstractItemView.SelectionMode.ExtendedSelection
_ADD = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows


class DiskList(QWidget):
    """A table of disks with a filter; one or several, none chosen by itself.

    Attributes:
        table: The table.
        filter: The words that a disk's row must have.
        machine: Whose disks are listed.

    Signals:
        changed: Another disk is chosen, or none.
        wanted: The chosen disk is wanted at once.
    """

    changed = Signal()
    wanted = Signal()

    def __init__(self, bench: Bench | None, context: Context) -> None:
        super().__init__()
        self._bench = bench
        self._background = context.background
        self._targets: list[Target] = []
        self._asked = 0
        self.machine = ComboBox()
        self.machine.addItem(_HERE)
        sources = bench.sources if bench else ()
        hosts = [source.name for source in sources if source.driver.name == SSH.name]
        self.machine.addItems(hosts)
        self.machine.setVisible(bool(hosts))
        named(self.machine, "Disks of", "Whose disks are listed")
        self.machine.currentIndexChanged.connect(self.look)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Model, serial, WWN, slot, safe ...")
        self.filter.setClearButtonEnabled(True)
        tip = "Show only disks that match these words (Ctrl+F)"
        named(self.filter, "Filter of the disks", tip)
        self.filter.textChanged.connect(self._show)
        self.again = make_button(
            "Sc&an again",
            "List the disks again (F5)",
            self.look,
            icon=context.icons.get("refresh-cw"),
        )
        columns = target_columns(bench.guard if bench else Guard())
        self.model = RowsModel[Target](columns, context, self)
        self.table = DiskTable(self.model, "Disks", YIELDS)
        self.table.setSelectionMode(_SEVERAL)
        self.table.selectionModel().selectionChanged.connect(self._tell)
        self.table.activated.connect(self.wanted)
        self.about = make_note()
        bar = row(self.machine, self.filter, self.again, grows=self.filter, spacing=8)
        column(bar, self.table, self.about, of=self, grows=self.table, spacing=8)

    @property
    def choices(self) -> list[Target]:
        """The disks that were chosen, none as long as nobody chose one."""
        records = self.model.records
        rows = sorted(i.row() for i in self.table.selectionModel().selectedRows())
        return [records[row] for row in rows if row < len(records)]

    @property
    def is_remote(self) -> bool:
        """Whether disks of another machine are listed, on which no load runs."""
        return self.machine.currentIndex() > 0

    @Slot()
    def look(self) -> None:
        """List the disks again, off the GUI thread; what was chosen is let go."""
        self._asked += 1
        number, name = self._asked, self.machine.currentText()
        self._targets = []
        self._show()
        self.about.setText(f"Listing the disks of {name} ...")
        self.again.setEnabled(False)
        self._background.run(
            self._finder(name if self.is_remote else ""),
            partial(self._take, number),
            partial(self._fail, number),
            lasting=True,
        )

    def _finder(self, name: str) -> Callable[[], list[Target]]:
        bench = self._bench

        def find() -> list[Target]:
            if bench is None or not name:
                return list_targets()
            host = build_host(bench, name)
            try:
                return list_targets(host)
            finally:
                host.close()

        return find

    def _take(self, number: int, found: list[Target]) -> None:
        if number != self._asked:
            return
        self.again.setEnabled(True)
        self._targets = found
        self._show()

    def _fail(self, number: int, error: Exception) -> None:
        if number != self._asked:
            return
        self.again.setEnabled(True)
        self.about.setText(str(error))

    @Slot()
    def _show(self) -> None:
        """Show what the filter lets through; a disk that stays chosen is seen."""
        chosen = self.choices
        shown = [target for target in self._targets if fits(target, self.filter.text())]
        # Rows that stay would keep the selection of the disks that were there before.
        self.table.clearSelection()
        self.model.set_records([])
        self.model.set_records(shown)
        for one in chosen:
            if one in shown:
                index = self.model.index(shown.index(one), 0)
                self.table.selectionModel().select(index, _ADD)
        self._tell()

    @Slot()
    def _tell(self) -> None:
        chosen, shown = self.choices, len(self.model.records)
        safe = sum(target.is_safe for target in self._targets)
        if len(chosen) == 1:
            self.about.setText(details(chosen[0]))
        elif chosen:
            self.about.setText(
                f"{len(chosen)} disks are chosen: each has its own load."
            )
        elif not self._targets:
            self.about.setText("There are no disks.")
        elif shown < len(self._targets):
            self.about.setText(
                f"{shown} of {counted(len(self._targets), 'disk')} shown."
            )
        else:
            self.about.setText(f"{counted(shown, 'disk')}, {safe} safe, none chosen.")
        self.changed.emit()


_SIZE = (1120, 560)


class LoadDisksDialog(QDialog):
    """Lets disks of a host be chosen; none is chosen by itself.

    Args:
        bench: The bench, with the host.
        host: The name of the host.
    """

    def __init__(
        self,
        bench: Bench,
        context: Context,
        parent: QWidget | None = None,
        *,
        host: str,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Disks of {one_line(host)}")
        about = make_note(
            "Every disk of the host, and why it is or is not a safe target. Choose one "
            "or several (Ctrl or Shift); each has its own load. Nothing is overwritten "
            "before its serial number is typed at the start of a run."
        )
        self.disks = DiskList(bench, context)
        self.buttons = DialogButtons(self, "Use them")
        self.take = self.buttons.yes
        column(
            about,
            self.disks,
            self.buttons,
            of=self,
            grows=self.disks,
            margins=DIALOG_MARGINS,
            spacing=10,
        )
        self.resize(*_SIZE)
        for keys, do in (
            (QKeySequence.StandardKey.Find, self.disks.filter.setFocus),
            (QKeySequence.StandardKey.Refresh, self.disks.look),
        ):
            QShortcut(QKeySequence(keys), self).activated.connect(do)
        self.disks.changed.connect(self._let)
        self.disks.wanted.connect(self.accept)
        self.disks.machine.hide()
        self.disks.machine.setCurrentText(host)  # which looks
        self._let()

    @property
    def paths(self) -> tuple[str, ...]:
        """The lasting paths of the disks chosen."""
        return tuple(choice.disk.best_path for choice in self.disks.choices)

    @Slot()
    def _let(self) -> None:
        """Let disks be taken where some are chosen; the guard judges at the start."""
        self.take.setEnabled(bool(self.disks.choices))

    def accept(self) -> None:
        """Close it if disks are chosen."""
        if self.disks.choices:
            super().accept()
