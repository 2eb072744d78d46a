"""A report as a Word document, in the styles of the template's own where it has one."""

import io
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from app.report.chart.svg import HEIGHT, STRIP, WIDTH, chart_svg
from app.report.figures.svg import SIZE as FIGURE
from app.report.figures.svg import figure_svg
from app.report.pages.content import (
    UNSHOWN,
    Charts,
    Drawing,
    Facts,
    Figures,
    Notes,
    Picture,
    Report,
    Script,
)
from app.report.pages.html import is_word
from app.report.pages.pdf import pictures_of
from app.report.pages.template import ORIGINS, Template
from app.report.table import Table
from instruments.errors import BadInput, printable

STYLES = "report.docx"
# On a portrait page more columns wrap within their numbers at the normal size.
_MANY = 8
_WIDEST = 40
"""Letters beyond which a text makes its column no wider."""

_EDGES = 4
"""Letters that the edges of a cell take."""

_LINE = 820
"""This many letters of one point stand in a line, about."""

_BOLD = 1.2
"""How much wider a letter of heads and first columns may be."""

_ZIP_TIME = (1980, 1, 1, 0, 0, 0)


def render_docx(report: Report, template: Template) -> bytes:
    """Write a report as a Word document; the same report gives the same bytes.

    Raises:
        BadInput: The template's document cannot be read.
        BenchError: The libraries that draw its charts are not there.
    """
    writer = _Writer(report, template)
    for section in report.sections:
        if section.name == ORIGINS:  # where there are no links it tells nothing
            continue
        writer.heading(section.heading, 1)
        for block in section.blocks:
            writer.block(block)
    return _same_bytes(writer.saved())


class _Writer:
    """Adds to a document from its begin to its end."""

    def __init__(self, report: Report, template: Template) -> None:
        # Only now: no other command needs it.
        from docx import Document  # noqa: PLC0415
        from docx.shared import Mm, Pt  # noqa: PLC0415

        own = template.folder / STYLES if template.folder is not None else None
        try:
            found = own if own is not None and own.is_file() else None
            self._document: Any = Document(str(found) if found else None)
        except Exception as error:
            raise BadInput(
                "it is not a Word document",
                where=str(own),
                way_out="Save it again as .docx, or remove it.",
            ) from error
        self._report = report
        self._pt = Pt
        page: Any = self._document.sections[0]
        if found is None:
            page.page_width, page.page_height = Mm(210), Mm(297)
            page.left_margin = page.right_margin = Mm(18)
            page.top_margin = page.bottom_margin = Mm(18)
            self._document.styles["Normal"].font.name = "Calibri"
            self._document.styles["Normal"].font.size = Pt(10)
        self._width = page.page_width - page.left_margin - page.right_margin
        footer = page.footer.paragraphs[0]
        footer.add_run(_clean(report.footer)).font.size = Pt(7)
        moment = datetime.fromtimestamp(report.made_at, UTC)
        facts = self._document.core_properties
        facts.title, facts.subject = _clean(report.title)[:250], ""
        facts.author, facts.last_modified_by, facts.comments = "", "", ""
        facts.created = facts.modified = moment.replace(tzinfo=None)
        self._document.add_heading(_clean(report.title), 0)
        about = filter(None, (report.subject, report.moment))
        self._document.add_paragraph(_clean(", ".join(about)))
        for name, value in report.head:
            self._document.add_paragraph(_clean(f"{report.say(name)}: {value}"))
        for line in (
            f"{report.say('verdict')}: {report.verdict}",
            report.label,
            *report.alarms,
        ):
            if line:
                self._document.add_paragraph().add_run(_clean(line)).bold = True

    def heading(self, title: str, level: int) -> None:
        self._document.add_heading(_clean(title), level)

    def block(self, block: object) -> None:
        if isinstance(block, Facts):
            rows = [(self._report.say(name), value) for name, value in block.rows]
            self._grid(rows, [False, False], size=9)
        elif isinstance(block, Notes):
            for line in block.lines:
                self._document.add_paragraph(_clean(line), style="List Bullet")
        elif isinstance(block, Figures):
            if block.title:
                self.heading(self._report.say(block.title), 2)
            self._table(block.table)
        elif isinstance(block, Charts):
            self._charts(block)
        elif isinstance(block, Drawing):
            [picture] = pictures_of([(figure_svg(block.figure), *FIGURE)])
            self._picture(picture)
            self._document.add_paragraph(_clean(block.figure.about))
        elif isinstance(block, Script):
            self.heading(block.title, 2)
            paragraph = self._document.add_paragraph()
            run = paragraph.add_run("\n".join(map(_clean, block.text.splitlines())))
            run.font.name, run.font.size = "Courier New", self._pt(7.5)
        elif isinstance(block, Picture):
            try:
                self._picture(block.content)
            except Exception:  # noqa: BLE001 - any, of a file of somebody's
                self._document.add_paragraph(UNSHOWN)
            self._document.add_paragraph(_clean(block.title))

    def _charts(self, charts: Charts) -> None:
        drawings = [
            (
                chart_svg(one, name=f"c{n}", strip=n == 0, style=self._report.style),
                WIDTH,
                HEIGHT + (STRIP if n == 0 else 0),
            )
            for n, one in enumerate(charts.plots)
        ]
        for picture in pictures_of(drawings):
            self._picture(picture)

    def _picture(self, content: bytes) -> None:
        self._document.add_picture(io.BytesIO(content), width=self._width)

    def _table(self, table: Table) -> None:
        words = [is_word(table, n) for n in range(len(table.columns))]
        rows = [self._report.heads(table), *self._report.texts(table)]
        small = len(table.columns) > _MANY
        self._grid(
            rows, [not word for word in words], size=6.5 if small else 9, headed=True
        )

    def _grid(
        self,
        rows: list[Any],
        right: list[bool],
        *,
        size: float,
        headed: bool = False,
    ) -> None:
        from docx.enum.text import WD_ALIGN_PARAGRAPH  # noqa: PLC0415
        from docx.oxml import OxmlElement  # noqa: PLC0415

        made = self._document.add_table(rows=len(rows), cols=len(right))
        style = "Light List Accent 1" if headed else "Normal Table"
        if style in [one.name for one in self._document.styles]:
            made.style = style
        made.autofit = False
        widths = [int(self._width * share) for share in _shares(rows, size)]
        for number, width in enumerate(widths):
            made.columns[number].width = width
        if headed:  # on each page that the table reaches
            made.rows[0]._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))  # noqa: SLF001 - no public way
        cells = made._cells  # noqa: SLF001 - the public way counts them all each time
        for number, row in enumerate(rows):
            for column, text in enumerate(row):
                cell = cells[number * len(right) + column]
                cell.width = widths[column]
                paragraph = cell.paragraphs[0]
                run = paragraph.add_run(_clean(text))
                run.font.size = self._pt(size)
                paragraph.paragraph_format.space_after = self._pt(1)
                if right[column]:
                    paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
        self._document.add_paragraph()

    def saved(self) -> bytes:
        out = io.BytesIO()
        self._document.save(out)
        return out.getvalue()


def _shares(rows: Sequence[Sequence[object]], size: float) -> list[float]:
    """Share out the width of a table: each column has room for its longest word.

    What is left goes to those whose texts are longer than that.
    """
    columns = [[str(text) for text in column] for column in zip(*rows, strict=True)]
    words = [
        _EDGES
        + _BOLD
        * max((len(word) for text in column for word in text.split()), default=0)
        for column in columns
    ]
    longest = [_EDGES + min(_WIDEST, max(map(len, column))) for column in columns]
    letters = [max(one) for one in zip(words, longest, strict=True)]
    more = sum(letters) - sum(words)
    spare = min(max(_LINE / size - sum(words), 0.0), more) / more if more else 0.0
    wanted = [
        word + spare * (letter - word)
        for word, letter in zip(words, letters, strict=True)
    ]
    return [one / sum(wanted) for one in wanted]


def _clean(text: str) -> str:
    """Write a text of others: XML has no control characters."""
    return printable(text)


def _same_bytes(content: bytes) -> bytes:
    """Pack it again: its files are said to be of the same moment always."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as before,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for name in before.namelist():
            info = zipfile.ZipInfo(name, _ZIP_TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            after.writestr(info, before.read(name))
    return out.getvalue()
