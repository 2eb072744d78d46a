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
# More columns are set smaller, so that fewer words of theirs wrap.
_MANY = 8
_SIZES = (9.0, 6.5, 6.0, 5.5, 5.0, 4.5, 4.0)
"""Of letters in a table, in points: the largest at which its numbers do not wrap."""

_LEAST = 6.5
"""A table that would need smaller letters is divided by its columns."""

_MOST_NAMED = 2

_WIDEST = 40
"""Letters beyond which a text makes its column no wider; a number always does."""

_SMALL_TABLE = 13
"""A table of so many lines, its head included, stays on one page."""

_FIRM = "\N{NO-BREAK SPACE}"

_EDGE = 3.0
"""Points between a text and each side of its cell."""

_SMALL_LETTER, _CAPITAL, _BOLD = 0.65, 0.78, 1.12
"""Widths of letters in parts of the size, and how much wider bold ones are.

Of DejaVu Sans, wide among the fonts that stand in where Calibri is not installed.
"""

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
            report.verdict and f"{report.say('verdict')}: {report.verdict}",
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
            self._grid(rows, [False, False])
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
            self._captioned(picture, block.figure.about)
        elif isinstance(block, Script):
            self.heading(block.title, 2)
            paragraph = self._document.add_paragraph()
            run = paragraph.add_run("\n".join(map(_clean, block.text.splitlines())))
            run.font.name, run.font.size = "Courier New", self._pt(7.5)
        elif isinstance(block, Picture):
            self._kept_picture(block)

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

    def _captioned(self, content: bytes, caption: str) -> None:
        self._picture(content)
        self._document.paragraphs[-1].paragraph_format.keep_with_next = True
        self._document.add_paragraph(_clean(caption))

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
        size, _ = _layout(rows, right, self._width / self._pt(1), headed=True)
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

        rows = _without_breaks(rows, right, headed=headed)
        size, points = _layout(rows, right, self._width / self._pt(1), headed=headed)
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
        self._document.add_paragraph()

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
            edge.set(qn("w:w"), str(int(_EDGE * _TWIPS)))
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


def _without_breaks(
    rows: Sequence[Sequence[Any]], right: Sequence[bool], *, headed: bool
) -> list[list[str]]:
    """Write cells so that no line ends within a number; a head keeps its unit."""
    heads = rows[:1] if headed else ()
    return [
        *([str(text).replace(" %", f"{_FIRM}%") for text in row] for row in heads),
        *(
            [_unbroken(text) if right[n] else str(text) for n, text in enumerate(row)]
            for row in rows[len(heads) :]
        ),
    ]


def _unbroken(text: str) -> str:
    """Write a number, with its mark and unit, so that no line ends within it."""
    return text.replace(" ", _FIRM) if len(text) <= _WIDEST else text


def _layout(
    rows: Sequence[Sequence[str]], right: Sequence[bool], width: float, *, headed: bool
) -> tuple[float, list[float]]:
    """Get the size of letters, and the widths of columns, all in points.

    Each column has room for its longest word, numbers whole; what is left goes to
    those whose texts are longer than that.
    """
    words, texts = [], []
    for number, column in enumerate(zip(*rows, strict=True)):
        heads, cells = (column[:1], column[1:]) if headed else ((), column)
        is_bold = headed and number == 0
        longest = max(
            _widest_word(cells, None if right[number] else _WIDEST, bold=is_bold),
            _widest_word(heads, None, bold=True),
        )
        words.append(longest)
        texts.append(max([longest, *(_ems(c[:_WIDEST], bold=is_bold) for c in cells)]))
    room = width - 2 * _EDGE * len(words)
    sizes = _SIZES[1:] if len(words) > _MANY else _SIZES
    size = next((one for one in sizes if sum(words) * one <= room), sizes[-1])
    more = sum(texts) - sum(words)
    spare = max(0.0, min(room / size - sum(words), more)) / more if more else 0.0
    wanted = [
        (word + spare * (text - word)) * size + 2 * _EDGE
        for word, text in zip(words, texts, strict=True)
    ]
    return size, [one * width / sum(wanted) for one in wanted]


def _widest_word(texts: Sequence[str], most: int | None, *, bold: bool) -> float:
    """Get the width of the longest word, of which `most` letters stay together."""
    words = (word[:most] for text in texts for word in text.split(" "))
    return max((_ems(word, bold=bold) for word in words), default=0.0)


def _ems(text: str, *, bold: bool) -> float:
    """Estimate the width of a text, in parts of its size."""
    wide = sum(_CAPITAL if one.isupper() else _SMALL_LETTER for one in text)
    return wide * (_BOLD if bold else 1.0)


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
