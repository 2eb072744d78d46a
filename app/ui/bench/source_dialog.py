"""Put a source on the bench, or change one: a form, a try, and what it answers."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QLabel,
    QPlainTextEdit,
    QScrollArea,
    QWidget,
)

from app.bench.build import login_of
from app.bench.drivers import drivers
from app.bench.edit import put_source
from app.bench.model import Bench, SourceConfig
from app.operations.bench.check import SourceCheck, check_source
from app.operations.bench.check_report import checks_text
from app.ui.bench.password_dialog import PasswordDialog
from app.ui.bench.source_form import SourceForm, form_values, suggest_name
from app.ui.bench.source_list import SECTIONS
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.context import Context
from app.ui.kit.dialogs import shown
from app.ui.kit.sentences import ReservedLine, SentenceLabel
from app.ui.kit.widgets import DIALOG_MARGINS, DialogButtons, column, make_button, row
from instruments.driver import Driver
from instruments.errors import BadInput, one_line, printable
from instruments.settings import Value

_HEIGHT = 130


class KindBox(ComboBox):
    """Offers every driver; for a source that is changed, those of its section.

    Args:
        bench: The bench; what it lacks most is chosen.
        config: The source that is changed, None for a new one.
        driver: The driver to begin with instead.
    """

    def __init__(
        self, bench: Bench, config: SourceConfig | None, driver: Driver | None
    ) -> None:
        super().__init__()
        self.setAccessibleName("Kind of source")
        order = tuple(SECTIONS)
        every = sorted(drivers().values(), key=lambda one: order.index(one.section))
        offered = [
            one for one in every if config is None or one.section == config.section
        ]
        for one in offered:
            self.addItem(f"{SECTIONS[one.section]}: {one.title}", one)
        first = config.driver if config else driver or _lacking(bench, every)
        keys = [(one.section, one.name) for one in offered]
        self.setCurrentIndex(keys.index((first.section, first.name)))

    @property
    def driver(self) -> Driver:
        """The driver chosen."""
        found: Driver = self.currentData()
        return found


def _lacking(bench: Bench, every: Sequence[Driver]) -> Driver:
    """Get the first driver of a section that the bench has no source of."""
    sections = {source.section for source in bench.sources}
    return next((one for one in every if one.section not in sections), every[0])


class SourceDialog(QDialog):
    """Asks what a source is and how it is reached; tries it on request.

    Args:
        bench: The bench it is for; it is not changed.
        config: The source to change, None to add one.
        driver: The driver to begin with when one is added.
        values: What to fill in when one is added.

    Attributes:
        bench: The bench with the source, once the dialog was accepted.
    """

    def __init__(
        self,
        bench: Bench,
        context: Context,
        parent: QWidget | None = None,
        *,
        config: SourceConfig | None = None,
        driver: Driver | None = None,
        values: Mapping[str, Value] | None = None,
    ) -> None:
        super().__init__(parent)
        self._bench = bench
        self._background = context.background
        self._config = config
        self._values = dict(values or (form_values(config) if config else {}))
        self.bench: Bench | None = None
        self.setWindowTitle(f"Edit {one_line(config.name)}" if config else "Add source")
        self.kind = KindBox(bench, config, driver)
        self.area = QScrollArea()
        self.form = SourceForm(bench, self.kind.driver, self._values)
        self.error = SentenceLabel("mistake")
        self._tried: tuple[str, SourceCheck] | None = None
        self._asked = 0
        self.answer = QPlainTextEdit(readOnly=True)
        self.answer.setAccessibleName("What the source answers")
        self.answer.setPlaceholderText(
            "Test connects to the source, identifies it and takes one reading."
        )
        self.answer.setFixedHeight(_HEIGHT)
        self.try_button = make_button(
            "&Test",
            "Connect, identify and read this source once",
            self.try_it,
            icon=context.icons.get("stethoscope"),
        )
        self.password_button = make_button(
            "&Password...",
            "Put its password into the desktop's keyring",
            self.set_password,
            icon=context.icons.get("key-round"),
        )
        self.buttons = DialogButtons(self, "Save" if config else "Add")
        self._build()
        self._renew()
        self.form.focus_first_gap()
        self.kind.currentIndexChanged.connect(self._renew)

    def _build(self) -> None:
        label = QLabel("&Kind")
        label.setBuddy(self.kind)
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column(
            row(label, self.kind, grows=self.kind),
            self.area,
            ReservedLine(self.error),
            self.answer,
            row(self.try_button, self.password_button, None, self.buttons),
            of=self,
            grows=self.area,
            margins=DIALOG_MARGINS,
            spacing=10,
        )
        self.resize(620, 640)

    @property
    def name(self) -> str:
        """The name of the source, once the dialog was accepted."""
        return "" if self.bench is None else self._name(self.bench)

    @property
    def check(self) -> SourceCheck | None:
        """What it answered when it was tried as it was accepted, None untried."""
        text, check = self._tried or ("", None)
        return check if self.bench is not None and text == self.bench.text else None

    def _name(self, bench: Bench) -> str:
        section = self.kind.driver.section
        if self._config:
            names = [source.name for source in self._bench.sources]
            return bench.sources[names.index(self._config.name)].name
        return [s.name for s in bench.sources if s.section == section][-1]

    @Slot()
    def _renew(self) -> None:
        """Draw the form of another driver; what fits of the values stays."""
        suggested = suggest_name(self._bench, self.kind.driver)
        values = self._values if self._config else {"name": suggested, **self._values}
        self.form = SourceForm(self._bench, self.kind.driver, values)
        self.area.setWidget(self.form)
        # A form that comes later would stand behind the buttons for the Tab key.
        order = (self.kind, *self.form.editors, self.answer, self.try_button)
        for before, after in pairwise(order):
            self.setTabOrder(before, after)
        self.password_button.setVisible(bool(self.kind.driver.secret))
        for field in self.form.fields.values():
            field.edited.connect(self._forget)
        self._forget()
        self.error.say("")

    @Slot()
    def _forget(self) -> None:
        """Take away what was answered: it was not asked of what is entered now."""
        self._tried = None
        self._asked += 1
        self.answer.clear()
        self.try_button.setEnabled(True)

    def _changed(self) -> Bench | None:
        """Get the bench as it would be, or say what is wrong."""
        self.error.say("")
        try:
            values = self.form.values()
            before = self._config.name if self._config else ""
            return put_source(
                self._bench, self.kind.driver.section, values, instead_of=before
            )
        except BadInput as error:
            if not self.form.complain(error):
                self.error.say(str(error))
            return None

    @Slot()
    def try_it(self) -> None:
        """Connect, identify and read it once, off the GUI thread."""
        if (bench := self._changed()) is None:
            return
        name = self._name(bench)
        self.answer.setPlainText(f"{one_line(name)} is being checked ...")
        self.try_button.setEnabled(False)
        self._background.run(
            lambda: (bench.text, check_source(bench, name)),
            partial(self._take, self._asked),
            partial(self._fail, self._asked),
            lasting=True,
        )

    def _take(self, asked: int, tried: tuple[str, SourceCheck]) -> None:
        if asked != self._asked:
            return
        self._tried = tried
        check = tried[1]
        raw = f"\nRaw reply: {check.raw}" if check.raw else ""
        self.answer.setPlainText(printable(checks_text([check]).strip() + raw, "\n\t"))
        self.try_button.setEnabled(True)

    def _fail(self, asked: int, error: Exception) -> None:
        if asked != self._asked:
            return
        self.answer.setPlainText(str(error))
        self.try_button.setEnabled(True)

    @Slot()
    def set_password(self) -> None:
        """Ask for the password; it is kept under the name of the source."""
        bench = self._changed()
        if bench is None:
            return
        name, secret = self._name(bench), self.kind.driver.secret
        address = login_of(bench, name)
        with shown(PasswordDialog(name, address, secret, self._background, self)):
            pass  # it stores the password itself

    def accept(self) -> None:
        """Close it if there is no mistake."""
        self.bench = self._changed()
        if self.bench is not None:
            super().accept()
