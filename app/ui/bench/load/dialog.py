"""Where the loads of a bench come from: hosts, how they are driven, their targets."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QDialog, QLabel, QMenu, QPlainTextEdit, QWidget

from app.bench.edit import put_load
from app.bench.load import LoadHosts
from app.bench.model import Bench
from app.operations.bench.load_try import trust_key
from app.ui.bench.load.hosts import LoadHostList
from app.ui.bench.load.rows import LoadRow, load_columns, read_targets
from app.ui.bench.load.ways import LoadWays
from app.ui.bench.source_dialog import SourceDialog
from app.ui.bench.target.disks import LoadDisksDialog
from app.ui.kit.context import Context
from app.ui.kit.dialogs import shown
from app.ui.kit.icons import Icons
from app.ui.kit.messages import ask
from app.ui.kit.rows_model import RowsModel
from app.ui.kit.sentences import ReservedLine, SentenceLabel
from app.ui.kit.tables import Table
from app.ui.kit.widgets import (
    DIALOG_MARGINS,
    DialogButtons,
    column,
    make_button,
    make_note,
    named,
    row,
)
from instruments.errors import BadInput, BenchError, printable
from instruments.host.ssh import DRIVER as SSH

_KINDS = {"ssh-ed25519": "ed25519", "ssh-rsa": "rsa", "ecdsa-sha2-": "ecdsa"}
"""What a file of sshd's keys is called, by how the algorithm of its key begins."""


def ask_trust(icons: Icons, key: BenchError, parent: QWidget) -> bool:
    """Show a host key with its fingerprint; tell whether a person trusts it.

    Args:
        icons: Icons of the theme.
        key: The error that the key made.
        parent: The window that waits.
    """
    return ask(
        icons,
        "Trust a host key",
        f"{key.where}: {key.what}. Compare it with the one that "
        f"ssh-keygen -l -f {_file_of(key)} prints on the machine itself. It is the "
        "right machine only if they are the same.",
        yes="They are the same",
        no="Do not trust it",
        parent=parent,
    )


def _file_of(key: BenchError) -> str:
    """Name the file on the machine that has a key of the same algorithm."""
    from instruments.ssh.trust import UnknownKey  # noqa: PLC0415  (loads asyncssh)

    words = key.line.split() if isinstance(key, UnknownKey) else []
    algorithm = words[1] if len(words) > 1 else ""
    kinds = [kind for begin, kind in _KINDS.items() if algorithm.startswith(begin)]
    return f"/etc/ssh/ssh_host_{kinds[0] if kinds else '*'}_key.pub"


_BUTTONS = (
    ("add", "&Add", "plus", "Run loads on another host, too"),
    ("change", "Ed&it...", "pencil", "How the selected host is reached"),
    ("remove", "&Remove", "trash-2", "Stop using the selected host for loads"),
    ("try", "&Test", "stethoscope", "Check the selected host"),
    ("all", "Test a&ll", "stethoscope", "Check all hosts"),
    ("trust", "Trust &key...", "key-round", "Compare its host key, and trust it"),
)


_NOTHING = "Loads run on this machine. Add a host to run them there instead."
_UNTRIED = "Test connects to the host and checks its fio, clock and disks."
_HEIGHT = 104


_SIZE = (860, 640)


class LoadDialog(QDialog):
    """Edits [load]; tries hosts on request.

    Args:
        bench: The bench it is for; it is not changed.

    Attributes:
        bench: The bench with its load hosts, once the dialog was accepted.
    """

    def __init__(
        self, bench: Bench, context: Context, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self.bench: Bench | None = None
        self.setWindowTitle("Load hosts")
        self.hosts = LoadHostList(bench, context.background, self)
        self.ways = LoadWays(bench.load)
        self.model = RowsModel[LoadRow](load_columns(), context, self)
        self.table = Table(self.model, "Load hosts", stretch=3)
        self.targets = LoadTargets(context.icons, self.choose_disks)
        self.answer = QPlainTextEdit(readOnly=True, tabChangesFocus=True)
        self.answer.setAccessibleName("What the host answers")
        self.answer.setFixedHeight(_HEIGHT)
        self.mistake = SentenceLabel("mistake")
        do = {
            "add": self.add,
            "change": self.change,
            "remove": self.remove,
            "try": self.try_one,
            "all": self.try_all,
            "trust": self.trust,
        }
        self.buttons = {
            name: make_button(text, tip, do[name], icon=context.icons.get(icon))
            for name, text, icon, tip in _BUTTONS
        }
        self._build()
        self.hosts.changed.connect(self._show)
        self.hosts.added.connect(self._choose_last)
        self.ways.edited.connect(self.hosts.forget)
        self.table.selectionModel().selectionChanged.connect(self._show_row)
        self.targets.edited.connect(self._aim)
        self._show()

    def _build(self) -> None:
        head = make_note(
            "Every load runs on all of these hosts at once; the table has the sum. "
            "They are reached over SSH, with a key or the agent."
        )
        side = column(*self.buttons.values(), None, spacing=6)
        middle = row(self.table, side, grows=self.table, spacing=10)
        column(
            head,
            self.ways,
            middle,
            self.targets,
            self.answer,
            ReservedLine(self.mistake),
            DialogButtons(self, "OK"),
            of=self,
            grows=middle,
            margins=DIALOG_MARGINS,
            spacing=7,
        )
        self.resize(*_SIZE)

    @property
    def chosen(self) -> LoadRow | None:
        """The host chosen in the table."""
        return self.model.at(self.table.chosen_row())

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
        is_asked = any(one.question for one in self.hosts.rows)
        buttons, tried = self.buttons, row.tried if row else None
        for name in ("change", "remove"):
            buttons[name].setEnabled(row is not None)
        buttons["try"].setEnabled(row is not None and not row.question)
        buttons["all"].setEnabled(bool(self.hosts.rows) and not is_asked)
        buttons["trust"].setEnabled(tried is not None and tried.key is not None)
        if row is None:
            text = _NOTHING
        elif row.question:
            text = f"{row.name} is being checked ..."
        else:
            text = tried.text if tried else _UNTRIED
        self.answer.setPlainText(printable(text, "\n\t"))

    @Slot()
    def _choose_last(self) -> None:
        self.table.choose_row(len(self.hosts.rows) - 1)

    @Slot()
    def add(self) -> None:
        """Take a host that the bench has already, or describe a new one."""
        others = self.hosts.others
        if not others:
            self._describe("")
            return
        menu = QMenu(self)
        for name in others:
            menu.addAction(name, partial(self.hosts.add, name))
        menu.addSeparator()
        menu.addAction("Another machine...", partial(self._describe, ""))
        button = self.buttons["add"]
        menu.popup(button.mapToGlobal(button.rect().bottomLeft()))

    @Slot()
    def change(self) -> None:
        """Describe again how the chosen host is reached."""
        if (row := self.chosen) is not None:
            self._describe(row.name)

    def _describe(self, name: str) -> None:
        """Describe how a host is reached; a new one where it has no name yet."""
        bench = self.hosts.bench
        config = next((source for source in bench.sources if source.name == name), None)
        driver = None if config else SSH
        dialog = SourceDialog(bench, self._context, self, config=config, driver=driver)
        with shown(dialog):
            if dialog.bench is not None:
                self.hosts.take_bench(dialog.bench)
                if config is None:
                    self.hosts.add(dialog.name)

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
        if (row := self.chosen) is None:
            return
        bench, context = self.hosts.bench, self._context
        with shown(LoadDisksDialog(bench, context, self, host=row.name)) as dialog:
            if dialog.result():
                self.targets.set_targets(dialog.paths)

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
        if not ask_trust(self._context.icons, row.tried.key, self):
            return
        try:
            trust_key(row.tried.key)  # the one that was shown, whatever came since
        except BadInput as error:
            self.mistake.say(str(error))
            return
        self.try_one()

    def _load(self) -> LoadHosts | None:
        """Get [load] as it is entered, or say what is wrong beside its field."""
        for label in (self.mistake, self.targets.mistake):
            label.say("")
        self.ways.complain("")
        try:
            way, start, port = self.ways.values()
        except BadInput:
            return None
        if found := self.hosts.mistake():
            number, error = found
            self.table.choose_row(number)
            self.targets.mistake.say(_sentences(error))
            return None
        return self.hosts.load(way, port, start=start)

    def accept(self) -> None:
        """Close it if there is no mistake."""
        load = self._load()
        if load is None and self.hosts.rows:
            return
        try:
            self.bench = put_load(self.hosts.bench, load)
        except BadInput as error:
            place = error.place.name if error.place else error.where
            is_of_ways = place in ("start", "way", "port")
            say = self.ways.complain if is_of_ways else self.mistake.say
            say(_sentences(error))
            return
        super().accept()


def _sentences(error: BadInput) -> str:
    return f"{error.what[:1].upper()}{error.what[1:]}. {error.way_out}"


_TARGETS_HEIGHT = 92


class LoadTargets(QWidget):
    """Edits the targets of the chosen host.

    Args:
        choose: Lets disks of the host be chosen.

    Signals:
        edited: The targets are others now.
    """

    edited = Signal()

    def __init__(self, icons: Icons, choose: Callable[[], object]) -> None:
        super().__init__()
        self._title = QLabel("")
        self.text = QPlainTextEdit(tabChangesFocus=True)
        self.text.setFixedHeight(_TARGETS_HEIGHT)
        tip = "Files or disks of this host, one per line (Alt+G)"
        named(self.text, "Targets of the host", tip)
        self.text.setPlaceholderText(
            "One per line, such as /dev/disk/by-id/wwn-0x5000c500* for all disks that "
            "match; empty: the target of the device under test"
        )
        self._title.setBuddy(self.text)
        self.choose = make_button(
            "Choose &disks...",
            "List the disks of this host, and why each is safe",
            choose,
            icon=icons.get("hard-drive"),
        )
        self.mistake = SentenceLabel("mistake")
        head = row(self._title, self.choose, grows=self._title)
        column(head, self.text, ReservedLine(self.mistake), of=self, spacing=3)
        self.text.textChanged.connect(self._tell)
        self._shows = ""
        self.show_row(None)

    @property
    def targets(self) -> tuple[str, ...]:
        """What is entered."""
        return read_targets(self.text.toPlainText())

    def show_row(self, row: LoadRow | None) -> None:
        """Show the targets of another host; None for no host."""
        self.setEnabled(row is not None)
        self._title.setText(f"Tar&gets of {row.name}" if row else "Tar&gets")
        wanted = row.targets if row else ()
        if self._shows != (row.name if row else "") or wanted != self.targets:
            self._shows = row.name if row else ""
            with QSignalBlocker(self.text):
                self.text.setPlainText("\n".join(wanted))
        self.mistake.say("")

    def set_targets(self, targets: tuple[str, ...]) -> None:
        """Enter other targets."""
        self.text.setPlainText("\n".join(targets))

    @Slot()
    def _tell(self) -> None:
        self.mistake.say("")
        self.edited.emit()
