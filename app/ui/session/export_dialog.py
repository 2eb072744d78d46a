"""In which formats a report is written, how it looks, and where to."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QGridLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.operations.sessions.apart import ExportPlan, export_apart
from app.operations.sessions.comparison_file import FORMS
from app.operations.sessions.export import FORMATS
from app.report.pages.template import languages, template_names
from app.ui.kit.background import Background
from app.ui.kit.combo_box import ComboBox
from app.ui.kit.labels import ElidedLabel, WrappedLabel
from app.ui.kit.sentences import SentenceLabel
from app.ui.kit.widgets import (
    DIALOG_MARGINS,
    DialogButtons,
    FolderField,
    column,
    make_form,
    named,
    row,
)
from app.ui.session.form_box import FormBox, make_spread_box
from instruments.errors import BadInput, BenchError
from instruments.files.own_folder import OwnFolder
from instruments.sizes import counted

_NAMES = {
    "pdf": "&PDF",
    "html": "&HTML page, charts that zoom",
    "xlsx": "&Workbook (XLSX)",
    "docx": "Word &document (DOCX)",
    "md": "&Markdown",
    "tex": "&LaTeX",
    "csv": "&CSV table",
    "png": "P&NG picture of the charts",
    "svg": "&SVG picture of the charts",
    "pages": "Pa&ges as PNG pictures",
    "parquet": "Pa&rquet tables",
    "txt": "Te&xt",
    "json": "&JSON for programs",
}
_FIRST = ("pdf",)
_LANGUAGES = {"": "From the template", "de": "German", "en": "English"}
_SIZE = (1120, 640)


class ExportDialog(QDialog):
    """Asks for formats, looks and folder, and shows the pages as they will be.

    Args:
        sessions: A session, or those that are compared, the baseline first.
        background: Where pages are set.
        form: Of the tables, to begin with.
        spread: Whether figures have their uncertainty beside them, to begin with.
        folder: To begin with; None for that of the first session.
        parent: The window that waits.

    Attributes:
        formats: A box for each format, by its name.
        forms: The form of the tables.
        spread: Whether figures have their uncertainty beside them; a comparison tells
            that of differences by itself, and has no such box.
        template: The set of templates.
        language: Of words, numbers and dates.
        folder: Where to.
        mistake: Why it stays open.
        preview: The pages.
    """

    def __init__(
        self,
        sessions: Sequence[Path],
        background: Background,
        *,
        form: str = "",
        spread: bool = False,
        folder: Path | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        compares = len(sessions) > 1
        self.setWindowTitle("Export the comparison" if compares else "Export")
        self._sessions = sessions
        formats = FORMS if compares else FORMATS
        self.formats = {name: QCheckBox(_NAMES.get(name, name)) for name in formats}
        self.forms = FormBox(background)
        self.forms.choose(form)
        self.spread = make_spread_box()
        self.spread.setChecked(spread and not compares)
        self.template = _box("Template of the report", template_names())
        self.language = _box("Language", ("", *languages()), _LANGUAGES)
        self.folder = FolderField(folder or sessions[0].parent, "Folder of the files")
        self.preview = PagePreview(background)
        self.mistake = SentenceLabel("mistake")
        self.folder.textChanged.connect(self._check)
        self.buttons = DialogButtons(self, "Export")
        self._build()
        self.forms.chosen.connect(self._show_pages)
        self.spread.toggled.connect(self._show_pages)
        self.template.currentIndexChanged.connect(self._show_pages)
        self.language.currentIndexChanged.connect(self._show_pages)
        self._show_pages()

    def _build(self) -> None:
        grid = QGridLayout()
        grid.setVerticalSpacing(7)
        for line, (name, box) in enumerate(self.formats.items()):
            box.setChecked(name in _FIRST)
            box.toggled.connect(self._check)
            grid.addWidget(box, line, 0)
        looks = make_form()
        looks.addRow("Form of the &tables", self.forms)
        looks.addRow("", self.spread)
        looks.setRowVisible(self.spread, len(self._sessions) == 1)
        looks.addRow("Templat&e", self.template)
        looks.addRow("Lang&uage", self.language)
        self.folder.add_to(looks)
        names = " | ".join(path.name for path in self._sessions)
        heading = named(ElidedLabel(names), "", look="muted")
        left = column(
            heading, grid, looks, self.mistake, None, self.buttons, spacing=12
        )
        row(left, self.preview, of=self, margins=DIALOG_MARGINS, spacing=18)
        self.resize(*_SIZE)

    @property
    def plan(self) -> ExportPlan:
        """What is entered; raises BadInput where the folder is none."""
        return self._plan_in(self.folder.path)

    def _plan_in(self, folder: Path) -> ExportPlan:
        return ExportPlan(
            tuple(name for name, box in self.formats.items() if box.isChecked()),
            folder,
            self.forms.form,
            str(self.template.currentData()),
            str(self.language.currentData()),
            self.spread.isChecked(),
        )

    @Slot()
    def _show_pages(self) -> None:
        self.preview.ask(self._sessions, self._plan_in(self._sessions[0].parent))

    @Slot()
    def _check(self) -> None:
        self.mistake.say("")
        chosen = any(box.isChecked() for box in self.formats.values())
        self.buttons.yes.setEnabled(chosen)

    def accept(self) -> None:
        """Close, but for a folder that is none."""
        try:
            _ = self.plan
        except BadInput as error:
            self.mistake.say(str(error))
            return
        super().accept()


def _box(
    name: str, values: Sequence[str], shown: dict[str, str] | None = None
) -> QComboBox:
    box = named(ComboBox(), name)
    for value in values:
        box.addItem((shown or {}).get(value, value), value)
    return box


def ask_for_export(
    sessions: Sequence[Path],
    background: Background,
    parent: QWidget,
    *,
    form: str,
    spread: bool = False,
    folder: Path | None = None,
) -> ExportPlan | None:
    """Show the dialog; None when the user thinks better of it."""
    dialog = ExportDialog(
        sessions, background, form=form, spread=spread, folder=folder, parent=parent
    )
    dialog.setWindowModality(Qt.WindowModality.WindowModal)
    try:
        return dialog.plan if dialog.exec() else None
    finally:
        dialog.deleteLater()


_WIDTH, _MOST = 560, 40
_ROOM = 40


def _pages_of(paths: Sequence[Path], plan: ExportPlan) -> list[QImage]:
    """Set the pages in a separate process, and read their pictures; in a worker."""
    form = "pdf" if len(paths) > 1 else "pages"
    with OwnFolder() as folder:
        files = export_apart(paths, replace(plan, formats=(form,), to=folder))
        pictures: Iterable[bytes] = (one.read_bytes() for one in files)
        if form == "pdf":
            # Only now: a session's pages come as pictures.
            from app.report.pages.pdf import page_pictures  # noqa: PLC0415

            pictures = chain.from_iterable(map(page_pictures, pictures))
        smooth = Qt.TransformationMode.SmoothTransformation
        return [
            QImage.fromData(one).scaledToWidth(_WIDTH, smooth)
            for one in islice(pictures, _MOST)
        ]


class PagePreview(QWidget):
    """Shows pages below each other; the last wish counts, one is set at a time.

    Attributes:
        said: What is going on, or went wrong.
    """

    def __init__(self, background: Background) -> None:
        super().__init__()
        self._background = background
        self._wanted: tuple[Sequence[Path], ExportPlan] | None = None
        self._is_busy = False
        self.said = WrappedLabel()
        self._pages = QWidget()
        self._column = QVBoxLayout(self._pages)
        self._column.setSpacing(10)
        self._area = named(QScrollArea(), "Preview of the pages")
        self._area.setWidget(self._pages)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setMinimumWidth(_WIDTH + _ROOM)
        column(self.said, self._area, of=self, grows=self._area, spacing=6)

    @property
    def count(self) -> int:
        """How many pages are shown."""
        return self._column.count()

    def ask(self, paths: Sequence[Path], plan: ExportPlan) -> None:
        """Show how this would look, as soon as it is set."""
        self._wanted = (paths, plan)
        self.said.setText("Setting the pages ...")
        if not self._is_busy:
            self._begin()

    def _begin(self) -> None:
        if self._wanted is None:
            return
        paths, plan = self._wanted
        self._wanted, self._is_busy = None, True
        self._background.run(
            lambda: _pages_of(paths, plan),
            self._take,
            self._fail,
            lasting=True,
            reads=True,
        )

    def _take(self, pages: Sequence[QImage]) -> None:
        self._is_busy = False
        if self._wanted is not None:
            self._begin()
            return
        self._drop()
        for number, image in enumerate(pages, 1):
            page = named(QLabel(), f"Page {number}")
            page.setPixmap(QPixmap.fromImage(image))
            page.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            self._column.addWidget(page)
        cut = " or more" if len(pages) == _MOST else ""
        self.said.setText(f"{counted(len(pages), 'page')}{cut}")
        self._area.verticalScrollBar().setValue(0)

    def _fail(self, error: Exception) -> None:
        self._is_busy = False
        if self._wanted is not None:
            self._begin()
            return
        self._drop()
        if isinstance(error, BenchError):
            self.said.setText(str(error))
        else:
            self._background.failed.emit(error)

    def _drop(self) -> None:
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
