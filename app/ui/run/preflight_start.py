"""The pre-flight of the start dialog: when it looks, and what its buttons do."""

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.operations.bench.aim import aimed
from app.operations.preflight.finding import Finding, Help
from app.ui.kit.background import Background
from app.ui.kit.icons import Icons
from app.ui.run.preflight_panel import PreflightPanel
from app.ui.run.preflight_work import Flight, PreflightWork
from app.ui.run.start_form import StartForm
from instruments.errors import BadInput


class StartPreflight(QObject):
    """Looks when the dialog opens, when choices change, and when it is asked to.

    Attributes:
        panel: The lines.
        work: What looks.
        mends: The line whose help lies on another page, None for none.

    Signals:
        changed: There are other lines.
        target_wanted: Another target is to be chosen.
        left: The dialog is to be closed, since `mends` is mended elsewhere.
    """

    changed = Signal()
    target_wanted = Signal()
    left = Signal()

    def __init__(
        self, form: StartForm, icons: Icons, background: Background, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._form = form
        self._parent = parent
        self.mends: Finding | None = None
        self.panel = PreflightPanel(icons)
        self.work = PreflightWork(background, self)
        self.work.found.connect(self._take)
        self.work.failed.connect(self._fail)
        self.panel.look_wanted.connect(self.look_again)
        self.panel.help_wanted.connect(self._help)
        form.changed.connect(self.look)
        for box in form.sources:
            box.toggled.connect(self.look)

    @Slot()
    def look(self) -> None:
        """Look at what is chosen, where that is something else and can be seen."""
        if not self._parent.isVisible():
            return
        flight = self._flight()
        if flight is None:
            self.work.stop()
            self.panel.show_nothing("Not before campaign and target are chosen")
            self.changed.emit()
        elif self.work.look(flight):
            self.panel.show_looking()
            self.changed.emit()

    @Slot()
    def look_again(self) -> None:
        """Look once more."""
        self.work.stop()
        self.look()

    def _flight(self) -> Flight | None:
        wish = self._form.wish
        if wish is None or wish.aim is None:
            return None
        try:
            bench = aimed(wish.bench, wish.aim)
        except BadInput:
            return None
        boxes = self._form.sources
        without = tuple(box.text() for box in boxes if not box.isChecked())
        return Flight(wish.campaign, bench, wish.out, without)

    @Slot(object)
    def _take(self, found: list[Finding]) -> None:
        self.panel.show_found(found)
        self.changed.emit()

    @Slot(object)
    def _fail(self, error: Exception) -> None:
        self.panel.show_trouble(str(error))
        self.changed.emit()

    @Slot(object)
    def _help(self, finding: Finding) -> None:
        """Do what the button of a line says."""
        if finding.help is Help.COMMAND:
            QGuiApplication.clipboard().setText(finding.detail)
        elif finding.help is Help.FOLDER:
            self._form.choose_folder()
        elif finding.help is Help.TARGET:
            self.target_wanted.emit()
        else:
            self.mends = finding
            self.left.emit()
