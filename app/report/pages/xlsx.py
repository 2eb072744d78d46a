"""A report as a workbook: numbers as numbers, charts as its own."""

import io
import re
import textwrap
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from app.report.chart.plot import Plot
from app.report.numbers import Figure, places_of
from app.report.pages.content import (
    UNSHOWN,
    Charts,
    Facts,
    Figures,
    Notes,
    Picture,
    Report,
)
from app.report.pages.html import is_word
from app.report.svg import label_text, traces
from app.report.table import Cell, Column, Table

# Excel refuses these, and more than 31 characters, in the name of a sheet.
_BAD = re.compile(r"[\[\]:*?/\\']")
_LONGEST_NAME, _LONGEST_TEXT = 31, 32_000
_WIDEST, _NARROWEST = 48, 8
_CHART_ROWS, _CHART_COLUMNS = 16, 15
_PRINTED = 75
"""Percent of their size at which two charts fill a page."""
_LINE = 130
"""Letters of a line of a note."""

_LINE_HEIGHT = 15
"""Points of a line of a head or a sentence."""

_HIGHEST = 400
"""Points that a row may have at most; Excel refuses more than 409."""

_TIME = "Time (s)"

_BESIDE = "±"
"""Head of a column of expanded uncertainties, right of their figures."""


def render_xlsx(report: Report) -> bytes:
    """Write a report as a workbook; the same report gives the same bytes.

    A section is a sheet. What others wrote is text, never a formula or a link.
    """
    # Only now: no other command needs it.
    import xlsxwriter  # noqa: PLC0415

    out = io.BytesIO()
    book = xlsxwriter.Workbook(
        out,
        {
            "in_memory": True,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
            "nan_inf_to_errors": False,
        },
    )
    moment = datetime.fromtimestamp(report.made_at, UTC).replace(tzinfo=None)
    book.set_properties(
        {
            "title": report.title[:255],
            "subject": report.subject[:255],
            "created": moment,
        }
    )
    writer = _Writer(book, report)
    for section in report.sections:
        if section.name not in ("scripts", "reproduce"):
            writer.section(section.title, section.blocks)
    writer.data()
    book.close()
    return out.getvalue()


def _lines(head: str, width: float) -> int:
    """Count the lines that a head takes in a column of so many letters."""
    return len(textwrap.wrap(head, max(1, int(width)))) or 1


def _spreads_apart(table: Table) -> Table:
    """Put uncertainties into columns of their own, so that both are numbers."""
    columns: list[Column] = []
    cells: list[list[Cell]] = [[] for _ in table.rows]
    now: list[int] = []
    for place, column in enumerate(table.columns):
        now.append(len(columns))
        columns.append(column)
        spreads = [_spread(row[place]) for row in table.rows]
        is_apart = any(one is not None for one in spreads)
        if is_apart:
            columns.append(Column(_BESIDE, f"{column.key}.spread"))
        for own, row, spread in zip(cells, table.rows, spreads, strict=True):
            own.append(row[place])
            if is_apart:
                own.append(spread)
    return replace(
        table,
        columns=tuple(columns),
        rows=tuple(map(tuple, cells)),
        thin=frozenset((line, now[place]) for line, place in table.thin),
        other=frozenset((line, now[place]) for line, place in table.other),
    )


def _spread(cell: Cell) -> Figure | None:
    """Get the uncertainty of a cell as a number of its own, None without one."""
    if not isinstance(cell, Figure) or cell.spread is None:
        return None
    return Figure(round(cell.spread, cell.places), decimals=max(0, cell.places))


class _Writer:
    """Writes sheets from the top down."""

    def __init__(self, book: Any, report: Report) -> None:
        self._book = book
        self._report = report
        self._names: set[str] = set()
        self._plots: list[Plot] = []
        self._formats: dict[str, Any] = {}
        self._row = 0
        self._widths: dict[int, int] = {}
        self._heads: dict[int, list[str]] = {}
        self._sentences: dict[int, dict[int, str]] = {}
        self._breaks: list[int] = []
        self._charts = ""

    def section(self, title: str, blocks: tuple[object, ...]) -> None:
        sheet = self._sheet(title)
        self._row, self._widths, self._heads, self._breaks = 0, {}, {}, []
        self._sentences = {}
        self._text(sheet, 0, self._report.title, bold=True, size=14)
        about = (self._report.subject, self._report.moment, self._report.label)
        self._text(sheet, 0, ", ".join(filter(None, about)), color="#55616e")
        for line in self._report.alarms:
            self._text(sheet, 0, line, color="#b3261e")
        for block in blocks:
            self._row += 1
            if isinstance(block, Facts):
                for name, value in block.rows:
                    self._put(sheet, 0, self._report.say(name))
                    self._put(sheet, 1, value)
                    self._row += 1
            elif isinstance(block, Notes):
                for line in block.lines:  # a longer one would make a page tiny
                    for part in textwrap.wrap(line, _LINE, subsequent_indent="  "):
                        self._text(sheet, 0, part)
            elif isinstance(block, Figures):
                self._table(sheet, block.title, block.table)
            elif isinstance(block, Charts):
                self._draw(sheet, block)
            elif isinstance(block, Picture):
                self._picture(sheet, block)
        self._row += 1
        self._text(sheet, 0, self._report.footer, color="#55616e", size=8)
        self._lay_out(sheet)

    def _lay_out(self, sheet: Any) -> None:
        """Set what a sheet is printed by, and its columns and rows of heads."""
        if len(self._heads) == 1:  # heads of one table would stand above another
            sheet.repeat_rows(*self._heads)
            sheet.freeze_panes(min(self._heads) + 1, 1)
        widths = {
            column: max(_NARROWEST, min(_WIDEST, width + 2))
            for column, width in self._widths.items()
        }
        for column, width in widths.items():
            sheet.set_column(column, column, width)
        for row, heads in self._heads.items():
            lines = max(_lines(head, widths[n]) for n, head in enumerate(heads))
            sheet.set_row(row, _LINE_HEIGHT * lines)
        for row, texts in self._sentences.items():
            lines = max(_lines(text, 0.9 * widths[n]) for n, text in texts.items())
            sheet.set_row(row, min(_HIGHEST, _LINE_HEIGHT * lines))
        if self._breaks:
            sheet.set_print_scale(_PRINTED)
            sheet.print_area(0, 0, self._row, _CHART_COLUMNS)
            sheet.set_h_pagebreaks(self._breaks)

    def _picture(self, sheet: Any, picture: Picture) -> None:
        self._text(sheet, 0, picture.title)
        data = io.BytesIO(picture.content)
        size = {"image_data": data, "x_scale": 0.4, "y_scale": 0.4}
        try:
            sheet.insert_image(self._row, 0, picture.title, size)
            self._row += _CHART_ROWS
        except Exception:  # noqa: BLE001 - any, of a file of somebody's
            self._text(sheet, 0, UNSHOWN)

    def _sheet(self, title: str) -> Any:
        name = _BAD.sub(" ", self._report.say(title))[:_LONGEST_NAME].strip() or "Sheet"
        while name.lower() in self._names:
            name = f"{name[: _LONGEST_NAME - 4]} {len(self._names)}"
        sheet = self._add(name)
        sheet.hide_gridlines(2)
        return sheet

    def _add(self, name: str) -> Any:
        """Add a sheet that is printed in full width on A4, across."""
        self._names.add(name.lower())
        sheet = self._book.add_worksheet(name)
        sheet.set_landscape()
        sheet.set_paper(9)
        sheet.fit_to_pages(1, 0)
        sheet.set_footer("&L&A&R&P / &N")
        return sheet

    def _format(self, **keys: object) -> Any:
        name = repr(sorted(keys.items()))
        if name not in self._formats:
            self._formats[name] = self._book.add_format(
                {"font_name": "Calibri", "valign": "top", **keys}
            )
        return self._formats[name]

    def _put(self, sheet: Any, column: int, text: str, **keys: object) -> None:
        widest = self._widths.get(column, 0)
        self._widths[column] = max(widest, len(text))
        sheet.write_string(
            self._row, column, text[:_LONGEST_TEXT], self._format(**keys)
        )

    def _text(self, sheet: Any, column: int, text: str, **keys: object) -> None:
        """Write a line that may run over the columns beside it."""
        names = {"size": "font_size", "color": "font_color"}
        own = {names.get(key, key): value for key, value in keys.items()}
        sheet.write_string(self._row, column, text[:_LONGEST_TEXT], self._format(**own))
        self._row += 1

    def _table(self, sheet: Any, title: str, table: Table) -> None:
        if title:
            self._text(sheet, 0, self._report.say(title), bold=True)
        table = _spreads_apart(table)
        words = [is_word(table, n) for n in range(len(table.columns))]
        heads = self._heads[self._row] = self._report.heads(table)
        for column, head in enumerate(heads):
            side = "left" if words[column] else "right"
            keys = {"bold": True, "bottom": 2, "text_wrap": True, "align": side}
            keys |= {"indent": 1} if words[column] and column else {}
            sheet.write_string(self._row, column, head, self._format(**keys))
            longest = max(map(len, head.split()), default=0)
            widest = self._widths.get(column, 0)
            self._widths[column] = max(widest, longest)
        self._row += 1
        shown = self._report.texts(table)
        for number, row in enumerate(table.rows):
            for column, cell in enumerate(row):
                decimals = table.columns[column].decimals
                text = shown[number][column]
                self._cell(sheet, column, cell, decimals, text)
            self._row += 1

    def _cell(
        self, sheet: Any, column: int, cell: Cell, decimals: int, text: str
    ) -> None:
        if cell is None:
            sheet.write_blank(self._row, column, None, self._format(bottom=4))
            return
        if isinstance(cell, str):
            # Only what is aligned on purpose is indented by every program.
            keys = {"align": "left", "indent": int(column > 0)}
            if is_long := len(text) > _WIDEST:
                self._sentences.setdefault(self._row, {})[column] = text
            self._put(sheet, column, text, bottom=4, text_wrap=is_long, **keys)
            return
        number, unit, sign = float(cell), "", ""
        if isinstance(cell, Figure):
            number, decimals = cell.rounded, max(0, cell.places)
            unit, sign = f" {cell.unit}" * bool(cell.unit), cell.sign
        else:
            decimals = places_of(number, decimals)
        form = "0" + ("." + "0" * decimals if decimals else "")
        form = f'"{sign}"{form}' if sign else form
        behind = f"{unit}{'*' * text.endswith('*')}"
        form += f'"{behind}"' if behind else ""
        self._widths[column] = max(self._widths.get(column, 0), len(text))
        sheet.write_number(
            self._row, column, number, self._format(num_format=form, bottom=4)
        )

    def _draw(self, sheet: Any, charts: Charts) -> None:
        """Draw charts of the points that `data` writes into its own sheet.

        Names are cells of that sheet: of a text, some would be read as a formula.
        """
        self._charts = self._charts or self._free(self._report.say("Data"))
        for number, plot in enumerate(charts.plots):
            column = 2 * sum(len(one.curves) for one in self._plots)
            chart = self._book.add_chart({"type": "scatter", "subtype": "straight"})
            for place, curve in enumerate(plot.curves):
                last = 1 + len(curve.line.polyline()[0])
                at = column + 2 * place
                colour = traces()[place % len(traces())]
                chart.add_series(
                    {
                        "name": [self._charts, 1, at + 1],
                        "categories": [self._charts, 2, at, last, at],
                        "values": [self._charts, 2, at + 1, last, at + 1],
                        "line": {"color": colour, "width": 1.0},
                        "y2_axis": bool(curve.side),
                    }
                )
            title = [self._charts, 0, column]
            chart.set_title({"name": title, "name_font": {"size": 11}})
            chart.set_x_axis(
                {"name": self._report.say(_TIME), "min": 0, "max": plot.span[1]}
            )
            chart.set_y_axis({"major_gridlines": {"visible": True}})
            chart.set_legend({"position": "right"})
            chart.show_blanks_as("gap")
            chart.set_size({"width": 960, "height": 300})
            if number and number % 2 == 0:  # a page would cut a third one
                self._breaks.append(self._row - 1)
            sheet.insert_chart(self._row, 0, chart)
            self._row += _CHART_ROWS
            self._plots.append(plot)

    def _free(self, name: str) -> str:
        while name.lower() in self._names:
            name += " "
        return name

    def data(self) -> None:
        """Write the points of all charts; a gap is an empty cell.

        Printed they would fill a hundred pages: what is printed are their heads.
        """
        if not self._plots:
            return
        sheet = self._add(self._charts)
        sheet.freeze_panes(2, 0)
        bold = self._format(bold=True)
        column = 0
        for plot in self._plots:
            sheet.write_string(0, column, plot.heading, bold)
            for curve in plot.curves:
                sheet.write_string(1, column, self._report.say(_TIME), bold)
                sheet.write_string(1, column + 1, label_text(curve.label), bold)
                times, values = curve.line.polyline()
                for row, time in enumerate(np.round(times, 3).tolist(), 2):
                    sheet.write_number(row, column, time)
                for row, value in enumerate(values.tolist(), 2):
                    if value == value:  # noqa: PLR0124 - NaN is not a number
                        sheet.write_number(row, column + 1, float(f"{value:.6g}"))
                column += 2
        sheet.print_area(0, 0, 1, max(1, column - 1))
