"""A report as one HTML file, its charts alive, and the page that a PDF is made of."""

import base64
import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

from app.report.chart.plot import Plot, range_of
from app.report.chart.svg import (
    BOTTOM,
    HEIGHT,
    LEFT,
    STRIP,
    TOP,
    WIDTH,
    chart_svg,
    right_of,
)
from app.report.figures.figure import Figure
from app.report.figures.svg import SIZE, figure_svg
from app.report.pages.content import Picture, Report
from app.report.pages.template import Template
from app.report.svg import dark_rules, label_text, traces
from app.report.table import WORDS, Table

PAGE, STYLE, SCRIPT = "report.html.j2", "report.css", "report.js"
PAPER = (560, 320)
"""Size of a figure on paper, where two stand beside each other, in pixels."""

_UNIT = re.compile(r" (\([^ ()]{1,9}\))$")
"""A unit at the end of a head, which stays in one line."""

_SHORT = 24
"""This many letters are not broken into lines."""

_SIZES = (("", 8.6, 9.5), ("wide", 7.4, 6.6), ("narrow", 6.4, 4.2))
"""Classes of tables on paper, size of their letters and room beside those, in points:
the first with which a table fits the page in one piece."""

_FEW = 12
"""A table of at most so many rows without sentences stands on one page."""

_ROOM = 510.0
"""Points between the margins of a page."""

_LETTER, _CAPITAL = 0.6, 0.72
"""Widths of letters and digits in parts of the size, of Inter in its bold cut."""

_MOST_NAMED = 2
"""At most this many columns say what a row is, and stand in each part of a table."""

_WORD = re.compile(r"\s+|(?<=[/-])")
"""Where a line may end in words."""

_LONGEST = 30
"""A word of more letters is broken where its line ends: a name may be one."""

_LONG = re.compile(rf"([^\s/-]{{{_LONGEST + 1},}})")

Head = tuple[str, str]
"""Text and kind of a head."""

Cells = tuple[str, list[tuple[str, str, str]]]
"""Of a row its anchor, and of each cell text, kind and link."""

_OUTCOMES = ("PASS", "FAIL", "ERROR", "ABORTED")


def render_html(report: Report, template: Template, *, paper: bool = False) -> str:
    """Write a report as HTML that needs no other file and no network.

    Args:
        report: The report.
        template: Whose page it is.
        paper: Whether it is for paper: charts that stand still, and no script.

    Raises:
        BadInput: The page has a mistake.
    """
    css, _ = template.text(STYLE)
    js = "" if paper else template.text(SCRIPT)[0]
    if not paper:  # fonts of the reader's computer: these would be half a megabyte
        css = "\n".join(x for x in css.splitlines() if not x.startswith("@font-face"))
        css = f"{css}\n{dark_rules()}"
    mark = base64.b64encode(hashlib.sha256(js.encode()).digest()).decode()
    moment = datetime.fromtimestamp(report.made_at, UTC)
    return template.fill(
        PAGE,
        {},
        {},
        report=report,
        paper=paper,
        css=Markup(css),
        js=Markup(js),
        # Nothing but this very script runs, whatever a label may smuggle in.
        policy=f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{mark}'",
        made_at=moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
        heads=partial(_heads, report),
        rows=partial(_rows, report),
        parts=partial(_parts, report, paper=paper),
        classes=partial(_classes, report),
        chart=partial(_chart, report, paper=paper),
        drawing=partial(_drawing, paper=paper),
        picture=_picture,
    )


def is_word(table: Table, column: int) -> bool:
    """Tell whether a column holds words."""
    if column == 0 or table.columns[column].key in WORDS:
        return True
    cells = [row[column] for row in table.rows if row[column] is not None]
    return bool(cells) and all(isinstance(cell, str) for cell in cells)


def _classes(report: Report, table: Table) -> list[str]:
    """Get what a page sets a table by: its size, and whether it stays together."""
    rows = _rows(report, table)
    has_sentences = any(kind == "sentence" for _, row in rows for _, kind, _ in row)
    few = ["few"] * (len(rows) <= _FEW and not has_sentences)
    size, _, _ = _size(_heads(report, table), rows)
    return [*filter(None, [size]), *few]


def _size(heads: Sequence[Head], rows: Sequence[Cells]) -> tuple[str, float, float]:
    """Choose of `_SIZES` by the widths of short texts, which stay in a line."""
    for one in _SIZES:
        if sum(_widths(heads, rows, one, is_whole=True)) <= _ROOM:
            return one
    return _SIZES[-1]


def _widths(
    heads: Sequence[Head],
    rows: Sequence[Cells],
    size: tuple[str, float, float],
    *,
    is_whole: bool = False,
) -> list[float]:
    """Estimate the least widths of columns; `is_whole` where short texts stay so."""
    _, points, beside = size
    return [
        beside
        + points
        * max(
            _least(head),
            *(
                _least(
                    cells[n][0],
                    whole=kind == "number" or (is_whole and len(cells[n][0]) <= _SHORT),
                )
                for _, cells in rows
            ),
            0.0,
        )
        for n, (head, kind) in enumerate(heads)
    ]


def _parts(
    report: Report, table: Table, *, paper: bool
) -> list[tuple[list[Head], list[Cells]]]:
    """Get heads and rows of a table; on paper of its parts, each as wide as a page.

    A window scrolls. Each part has the columns that say what a row is.
    """
    heads, rows = _heads(report, table), _rows(report, table)
    kinds = [kind for _, kind in heads]
    named = kinds.index("number") if "number" in kinds else len(kinds)
    widths = _widths(heads, rows, _size(heads, rows))
    shares = _shares(widths, min(named, _MOST_NAMED)) if paper else [range(len(heads))]
    return [
        (
            [heads[n] for n in share],
            [("" if part else to, [cells[n] for n in share]) for to, cells in rows],
        )
        for part, share in enumerate(shares)
    ]


def _shares(widths: Sequence[float], named: int) -> list[Sequence[int]]:
    """Share columns out to parts that fit a page, about as many to each."""
    first, others = range(named), range(named, len(widths))
    room = _ROOM - sum(widths[:named])
    for count in range(1, len(others)):
        most = math.ceil(len(others) / count)
        parts = [others[at : at + most] for at in range(0, len(others), most)]
        if all(sum(widths[n] for n in part) <= room for part in parts):
            return [[*first, *part] for part in parts]
    return [[*first, n] for n in others] or [first]


def _least(text: str, *, whole: bool = False) -> float:
    """Estimate the width of what stays in a line, a number whole, in parts of size."""
    text = text.striptags() if isinstance(text, Markup) else text
    words = [text] if whole else [word[:_LONGEST] for word in _WORD.split(text)]
    return max(
        sum(_CAPITAL if one.isupper() else _LETTER for one in word) for word in words
    )


def _heads(report: Report, table: Table) -> list[Head]:
    kinds = ("" if is_word(table, n) else "number" for n in range(len(table.columns)))
    return list(zip(map(_unbroken, report.heads(table)), kinds, strict=True))


def _unbroken(head: str) -> str:
    """Keep the unit of a head in a line: it may end behind a stroke, as in MB/s."""
    unit = _UNIT.search(head)
    if unit is None:
        return _broken(head)
    kept = Markup('{} <span class="unit">{}</span>')
    return kept.format(_broken(head[: unit.start()]), unit[1])


def _broken(text: str) -> str:
    """Let a line end within the words of a text that are too long for a column."""
    parts = _LONG.split(text)  # Every second one is such a word.
    if len(parts) == 1:
        return text
    long = Markup('<span class="long">{}</span>')
    return Markup().join(
        long.format(one) if n % 2 else escape(one) for n, one in enumerate(parts)
    )


def _rows(report: Report, table: Table) -> list[Cells]:
    """Get the rows of a table: each one's anchor, and of each cell text, kind, link.

    The links of a cell with several stand in its text.
    """
    words = [is_word(table, n) for n in range(len(table.columns))]
    anchors = table.anchors or ("",) * len(table.rows)
    return [
        (
            anchors[line],
            [
                (
                    _linked(_broken(text), table.several.get((line, n), {})),
                    _kind(text, words[n]),
                    table.links.get((line, n), ""),
                )
                for n, text in enumerate(row)
            ],
        )
        for line, row in enumerate(report.texts(table))
    ]


def _linked(text: str, places: Mapping[str, str]) -> str:
    """Put links behind a text, each with what it leads to."""
    if not places:
        return text
    link = Markup('<a href="#{}">{}</a>')
    links = Markup(", ").join(link.format(to, name) for name, to in places.items())
    return Markup("{}: {}").format(text, links)


def _kind(text: str, word: bool) -> str:
    """Get what a page looks of a cell by: a verdict, a number, a word that fits."""
    outcome, marked, _ = text.partition(", ")
    if outcome in _OUTCOMES:
        return "warn" if outcome == "PASS" and marked else outcome
    return ("short" if len(text) <= _SHORT else "sentence") if word else "number"


def _chart(report: Report, plot: Plot, number: int, *, paper: bool) -> Markup:
    is_first = number == 0
    svg = chart_svg(
        plot,
        name=f"chart{number}",
        strip=is_first,
        style=report.style,
        say=report.say,
    )
    if paper:  # As a picture it is not styled, element by element, as the page is.
        source = base64.b64encode(svg.encode()).decode()
        return Markup(f'<img src="data:image/svg+xml;base64,{source}">')
    # What would end the element stands in no JSON: "<" is written as an escape.
    data = json.dumps(_data(plot, report, strip=is_first), separators=(",", ":"))
    data = data.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(f'{svg}<script type="application/json">{data}</script>')


def _drawing(figure: Figure, *, paper: bool) -> Markup:
    width, height = PAPER if paper else SIZE
    return Markup(figure_svg(figure, width=width, height=height))  # It escapes names.


def _data(plot: Plot, report: Report, *, strip: bool) -> dict[str, object]:
    top = TOP + (STRIP if strip else 0)
    height = HEIGHT + (STRIP if strip else 0) - BOTTOM - top
    curves = []
    for number, curve in enumerate(plot.curves):
        line = curve.line
        one = {
            "name": label_text(curve.label),
            "colour": traces()[number % len(traces())],
            "dashes": number >= len(traces()),
            "side": curve.side,
            "x": _short(line.x, 7),
            "m": _short(line.mean, 5),
        }
        if curve.is_band:
            one |= {"l": _short(line.low, 5), "h": _short(line.high, 5)}
        curves.append(one)
    return {
        "span": plot.span,
        "sides": [
            {"unit": unit, "zero": zero, "range": range_of(plot, side)}
            for side, (unit, zero) in enumerate(plot.sides)
        ],
        "point": report.style.point,
        "width": WIDTH,
        "plot": {
            "left": LEFT,
            "top": top,
            "width": WIDTH - LEFT - right_of(plot),
            "height": height,
        },
        "windows": plot.windows,
        "gaps": plot.gaps,
        "steps": [(label_text(name), *span) for name, *span in plot.steps],
        "curves": curves,
    }


def _short(values: NDArray[np.float64], digits: int) -> list[float | None]:
    """Write values to this many digits, None for what is missing."""
    return [
        float(f"{value:.{digits}g}") if value == value else None  # noqa: PLR0124
        for value in values.tolist()
    ]


def _picture(picture: Picture) -> str:
    content = base64.b64encode(picture.content).decode()
    return f"data:{picture.media_type};base64,{content}"
