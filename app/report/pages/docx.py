"""A report as a Word document, in the styles of the template's own where it has one."""

import io
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from app.report.chart.svg import HEIGHT, STRIP, WIDTH, chart_svg
from app.report.figures.figure import Figure
from app.report.figures.svg import figure_svg
from app.report.pages.content import (
    UNSHOWN,
    Block,
    Charts,
    Drawing,
    Facts,
    Figures,
    Notes,
    Picture,
    Report,
    Script,
)
from app.report.pages.docx_layout import EDGE, beside, layout, without_breaks
from app.report.pages.html import PAPER, is_word
from app.report.pages.pdf import pictures_of
from app.report.pages.template import ORIGINS, Template
from app.report.table import Table
from instruments.errors import BadInput, printable

STYLES = "report.docx"
_LEAST = 6.5
"""A table that would need smaller letters is divided by its columns."""

_MOST_NAMED = 2

_SMALL_TABLE = 13
"""A table of so many lines, its head included, stays on one page."""

_TWIPS = 20
"""Of a point, as cells have their edges."""

# The earliest that a ZIP file can tell; any time that stays the same would do.
_ZIP_TIME = (1980, 1, 1, 0, 0, 0)


def render_docx(report: Report, template: Template) -> bytes:
    """Write a report as a Word document; the same report gives the same bytes.

    Raises:
        BadInput: The template's document cannot be read.
        BenchError: The libraries that draw its charts are not there.
    """
    writer = _Writer(report, template)
    for section in report.sections:
        if section.name == ORIGINS:  # without links it is of no use
            continue
        writer.heading(section.heading, 1)
        writer.blocks(section.blocks)
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
            report.verdict and f"{report.say('verdict')}: {report.verdict}",
            report.label,
            *report.alarms,
        ):
            if line:
                self._document.add_paragraph().add_run(_clean(line)).bold = True

    def heading(self, title: str, level: int) -> None:
        self._document.add_heading(_clean(title), level)

    def blocks(self, blocks: Sequence[Block]) -> None:
        """Write blocks one below the other, but figures two beside each other."""
        figures: list[Figure] = []
        for block in blocks:
            if isinstance(block, Drawing):
                figures.append(block.figure)
                continue
            self._figures(figures)
            figures = []
            self._block(block)
        self._figures(figures)

    def _block(self, block: Block) -> None:
        if isinstance(block, Facts):
            rows = [(self._report.say(name), value) for name, value in block.rows]
            pairs = beside(rows)
            self._grid(pairs, [False] * len(pairs[0]))
        elif isinstance(block, Notes):
            for line in block.lines:
                self._document.add_paragraph(_clean(line), style="List Bullet")
        elif isinstance(block, Figures):
            if block.title:
                self.heading(self._report.say(block.title), 2)
            self._table(block.table)
        elif isinstance(block, Charts):
            self._charts(block)
        elif isinstance(block, Script):
            self._script(block)
        elif isinstance(block, Picture):
            self._kept_picture(block)

    def _script(self, script: Script) -> None:
        self.heading(script.title, 2)
        if script.is_narrow:
            self._set_columns(2)
        paragraph = self._document.add_paragraph()
        run = paragraph.add_run("\n".join(map(_clean, script.text.splitlines())))
        run.font.name, run.font.size = "Courier New", self._pt(7.5)
        if script.is_narrow:
            self._set_columns(1)

    def _set_columns(self, count: int) -> None:
        """Let what follows stand in so many columns of the page."""
        from docx.enum.section import WD_SECTION  # noqa: PLC0415
        from docx.oxml import OxmlElement  # noqa: PLC0415
        from docx.oxml.ns import qn  # noqa: PLC0415

        begun = self._document.add_section(WD_SECTION.CONTINUOUS)._sectPr  # noqa: SLF001 - no public way
        columns = begun.find(qn("w:cols"))
        if columns is None:
            columns = OxmlElement("w:cols")
            begun.append(columns)
        columns.set(qn("w:num"), str(count))

    def _kept_picture(self, picture: Picture) -> None:
        try:
            self._picture(picture.content)
        except Exception:  # noqa: BLE001 - any, of a file of somebody's
            self._document.add_paragraph(UNSHOWN)
        self._document.add_paragraph(_clean(picture.title))

    def _charts(self, charts: Charts) -> None:
        drawings = [
            (
                chart_svg(
                    one,
                    name=f"c{n}",
                    strip=n == 0,
                    style=self._report.style,
                    say=self._report.say,
                ),
                WIDTH,
                HEIGHT + (STRIP if n == 0 else 0),
            )
            for n, one in enumerate(charts.plots)
        ]
        for picture in pictures_of(drawings):
            self._picture(picture)

    def _picture(self, content: bytes) -> None:
        self._document.add_picture(io.BytesIO(content), width=self._width)

    def _figures(self, figures: Sequence[Figure]) -> None:
        """Write figures with their captions, two beside each other as in the PDF."""
        width, height = PAPER
        half = self._width // 2
        for first in range(0, len(figures), 2):
            pair = figures[first : first + 2]
            drawn = [figure_svg(one, width=width, height=height) for one in pair]
            pictures = pictures_of([(one, width, height) for one in drawn])
            cells = self._new_table(1, [half, half], headed=False).rows[0].cells
            for cell, one, picture in zip(cells, pair, pictures, strict=False):
                cell.width = half
                above = cell.paragraphs[0]
                inner = half - self._pt(2 * EDGE)
                above.add_run().add_picture(io.BytesIO(picture), width=inner)
                above.paragraph_format.keep_with_next = True
                caption = cell.add_paragraph().add_run(_clean(one.about))
                caption.font.size = self._pt(7.5)
            self._space()

    def _space(self) -> None:
        """Keep what follows a table off it: a whole line would be too much."""
        form = self._document.add_paragraph().paragraph_format
        form.line_spacing, form.space_after = self._pt(6), self._pt(0)

    def _table(self, table: Table) -> None:
        words = [is_word(table, n) for n in range(len(table.columns))]
        rows = [self._report.heads(table), *self._report.texts(table)]
        named = next((n for n, word in enumerate(words) if not word), len(words))
        self._parts(rows, [not word for word in words], min(named, _MOST_NAMED))

    def _parts(
        self, rows: Sequence[Sequence[str]], right: list[bool], named: int
    ) -> None:
        """Write a table, one whose letters would be too small as several.

        Args:
            rows: Its cells, the heads first.
            right: Which columns are numbers.
            named: How many columns say what a row is, and stand in each of them.
        """
        size, _ = layout(rows, right, self._width / self._pt(1), headed=True)
        half = (len(right) + named + 1) // 2
        if size >= _LEAST or half in (named, len(right)):
            self._grid(rows, right, headed=True)
            return
        for part in (slice(named, half), slice(half, None)):
            cells = [[*row[:named], *row[part]] for row in rows]
            self._parts(cells, [*right[:named], *right[part]], named)

    def _grid(
        self, rows: Sequence[Any], right: list[bool], *, headed: bool = False
    ) -> None:
        from docx.enum.text import WD_ALIGN_PARAGRAPH  # noqa: PLC0415
        from docx.oxml import OxmlElement  # noqa: PLC0415

        rows = without_breaks(rows, right, headed=headed)
        size, points = layout(rows, right, self._width / self._pt(1), headed=headed)
        widths = [int(self._pt(1) * one) for one in points]
        made = self._new_table(len(rows), widths, headed=headed)
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
                # A small table is not split over two pages.
                if len(rows) <= _SMALL_TABLE and number < len(rows) - 1:
                    paragraph.paragraph_format.keep_with_next = True
                if right[column]:
                    paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
        self._space()

    def _new_table(self, count: int, widths: Sequence[int], *, headed: bool) -> Any:
        """Add an empty table whose columns are as wide as they are to be."""
        from docx.oxml import OxmlElement  # noqa: PLC0415
        from docx.oxml.ns import qn  # noqa: PLC0415

        made = self._document.add_table(rows=count, cols=len(widths))
        style = "Light List Accent 1" if headed else "Normal Table"
        if style in [one.name for one in self._document.styles]:
            made.style = style
        made.autofit = False
        margins = OxmlElement("w:tblCellMar")
        for side in ("left", "right"):
            edge = OxmlElement(f"w:{side}")
            edge.set(qn("w:w"), str(int(EDGE * _TWIPS)))
            edge.set(qn("w:type"), "dxa")
            margins.append(edge)
        made._tblPr.append(margins)  # noqa: SLF001 - no public way
        for column, width in zip(made.columns, widths, strict=True):
            column.width = width
        return made

    def saved(self) -> bytes:
        out = io.BytesIO()
        self._document.save(out)
        return out.getvalue()


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
