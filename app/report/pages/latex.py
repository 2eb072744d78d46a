"""A report as one LaTeX file, from the page of its template."""

import re
from collections.abc import Sequence
from functools import partial

import numpy as np

from app.report.chart.plot import Plot, PlotCurve, range_of
from app.report.figures.figure import Axis, Figure, Floats, Shape
from app.report.figures.svg import SIZE, levels_of, outline_of
from app.report.numbers import NumberStyle
from app.report.pages.content import Report
from app.report.pages.html import is_word
from app.report.pages.template import Template
from app.report.svg import label_text, traces
from app.report.table import Table
from instruments.errors import printable

_TEX = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    '"': "\\textquotedbl{}",
    "-": "-{}",  # "--" would become another sign
    "`": "\\textasciigrave{}",
    "'": "\\textquotesingle{}",
    # After the end of a line these would be its options.
    **{letter: f"{{{letter}}}" for letter in "[]*"},
}
_MARKS = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<<",
    "variable_end_string": ">>>",
    "comment_start_string": "<##",
    "comment_end_string": "##>",
}
_WIDTH = 483.0
"""Points between the margins of the page."""

_SIZES = (
    ("small", 5.0, 5.0),
    ("footnotesize", 4.7, 4.0),
    ("scriptsize", 4.3, 2.5),
    ("tiny", 3.6, 1.5),
)
"""Sizes of a table: the command, and points of a letter's width and beside a cell."""

_BOLD = 1.2
"""How much wider than others the letters of heads are."""

_UNBROKEN = 14
"""So many letters of a word of others stay together; a line may end after them."""

_SMALL_TABLE = 13
"""A table of so many lines, its head included, stays on one page."""

_LONG = re.compile(rf"\S{{{_UNBROKEN}}}(?=\S)")


def render_tex(report: Report, template: Template) -> str:
    """Write a report as one LaTeX file, its charts drawn by pgfplots.

    Raises:
        BadInput: The page of the template has a mistake.
    """
    return template.fill(
        "report.tex.j2",
        _MARKS,
        {"tex": tex},
        report=report,
        tex=tex,
        code=_typed,
        colours=[colour.lstrip("#").upper() for colour in traces()],
        table=partial(_tabular, report),
        chart=partial(_pgfplot, report.style),
        drawing=_pgffigure,
    )


def tex(text: object) -> str:
    """Write a text of others in LaTeX: no command, on one line."""
    line = printable(str(text).replace("\n", " "))
    parts = _LONG.sub(lambda word: f"{word[0]}\0", line).split("\0")
    written = ("".join(_TEX.get(letter, letter) for letter in one) for one in parts)
    return "\\allowbreak{}".join(written)


def _typed(text: str) -> str:
    """Write a script; its lines break where they have to, and none is a paragraph."""
    lines = (tex(line).replace(" ", "\\ ") for line in text.splitlines())
    return "\\\\\n".join(f"\\mbox{{}}{line}" for line in lines)


def _tabular(report: Report, table: Table) -> str:
    words = [is_word(table, n) for n in range(len(table.columns))]
    return _longtable([report.heads(table), *report.texts(table)], words)


def _longtable(rows: Sequence[Sequence[str]], words: Sequence[bool]) -> str:
    """Write a table as wide as the page at most; one with more columns in parts."""
    columns = list(zip(*rows, strict=True))
    least = list(map(_least, columns))
    rooms = [
        (size, letter, gap, (_WIDTH - 2 * gap * len(columns)) / letter)
        for size, letter, gap in _SIZES
    ]
    fitting = [one for one in rooms if sum(least) <= one[-1]]
    if not fitting and len(columns) > 2:
        half = len(columns) // 2 + 1
        first = [row[:half] for row in rows], words[:half]
        other = [[row[0], *row[half:]] for row in rows], [words[0], *words[half:]]
        return f"{_longtable(*first)}\n{_longtable(*other)}"
    size, letter, gap, room = (fitting or rooms[-1:])[0]
    kinds = "".join(
        f">{{\\ragged{'right' if word else 'left'}\\arraybackslash}}"
        f"p{{{letter * width:.1f}pt}}"
        for width, word in zip(_widths(columns, least, room), words, strict=True)
    )
    heads = " & ".join(f"\\textbf{{{tex(head)}}}" for head in rows[0])
    # A star forbids a page to end there: no row of a table is alone on a page.
    together = range(len(rows)) if len(rows) <= _SMALL_TABLE else (1, len(rows) - 2)
    lines = [
        f"{' & '.join(map(tex, row))} \\\\{'*' * (number in together)}"
        for number, row in enumerate(rows[1:], 1)
    ]
    return "\n".join(
        (
            f"{{\\{size}\\setlength{{\\tabcolsep}}{{{gap}pt}}"
            f"\\begin{{longtable}}[l]{{{kinds}}}\\toprule",
            f"{heads} \\\\ \\midrule\\endhead",
            *lines,
            "\\bottomrule\\end{longtable}}",
        )
    )


def _widths(
    columns: Sequence[Sequence[str]], least: Sequence[float], room: float
) -> list[float]:
    """Share the room of a page among columns, in letters: what they lack alike."""
    most = [max(a, *map(_letters, one)) for a, one in zip(least, columns, strict=True)]
    spare = max(0.0, min(1.0, (room - sum(least)) / (sum(most) - sum(least) or 1)))
    wide = [a + (b - a) * spare for a, b in zip(least, most, strict=True)]
    return [width * min(1.0, room / sum(wide)) for width in wide]


def _least(column: Sequence[str]) -> float:
    """Get how many letters of a column have to stand beside each other."""
    head, *cells = ([one[:_UNBROKEN] for one in text.split()] for text in column)
    bold = (_BOLD * _letters(one) for one in head)
    return max([2.0, *bold, *(_letters(one) for words in cells for one in words)])


def _letters(text: str) -> float:
    """Get how wide a text is, in letters of mean width."""
    return len(text) + 0.4 * sum(map(str.isupper, text))


_AXIS = (
    "width=0.93\\textwidth,height=42mm,unbounded coords=jump,scaled ticks=false,"
    "legend style={font=\\tiny,draw=none,anchor=north},legend columns=4,"
    "tick label style={font=\\tiny},title style={font=\\small}"
)
_SIDES = (
    "legend style={at={(0.5,-0.3)}},grid=major,xlabel={s},xlabel style={font=\\tiny}",
    "legend style={at={(0.5,-0.5)}},axis y line*=right,axis x line=none",
)
"""What is of the axis at the left, and of that at the right."""


def _numbers(style: NumberStyle) -> str:
    """Get the options that write numbers at axes in the style of a language."""
    to = "/pgf/number format"
    # Else a comma has room behind it, as in a list.
    point = f"{{\\mathord{{{style.point}}}}}"
    return f"{to}/dec sep={point},{to}/1000 sep={{{style.group}}}"


def _pgfplot(style: NumberStyle, plot: Plot) -> str:
    lines = ["\\begin{tikzpicture}"]
    for side in range(len(plot.sides)):
        low, high = range_of(plot, side)
        title = f",title={{{tex(plot.heading)}}}" if side == 0 else ""
        lines.append(
            f"\\begin{{axis}}[{_AXIS},{_numbers(style)},{_SIDES[side]}{title},xmin=0,"
            f"xmax={plot.span[1]:.6g},ymin={low:.6g},ymax={high:.6g}]"
        )
        for number, curve in enumerate(plot.curves):
            if curve.side == side:
                lines += _addplot(curve, number % len(traces()))
        lines.append("\\end{axis}")
    return "\n".join((*lines, "\\end{tikzpicture}\n"))


_LINE, _AXIS_HEIGHT = 6.5, 85.0
"""Points of a line of the smallest text, and of the height of an axis."""

_SHAPES = {
    Shape.LINE: "",
    Shape.DASHES: "dashed",
    Shape.POINTS: "only marks,mark size=1.2pt",
    Shape.MARKED: "mark=*,mark size=1.2pt",
    Shape.STEPS: "fill opacity=0.22,draw opacity=1",
    Shape.BAND: "draw=none,fill opacity=0.14",
}
"""Options of the shapes that a report of one session draws."""


def _pgffigure(figure: Figure) -> str:
    """Draw a figure, its parts on one axis below each other."""
    lines = []
    for level in levels_of(figure, *SIZE):
        part, across, up = level.figure, level.across, level.up
        if any(one.shape not in _SHAPES for one in part.series):
            continue
        (left, right), (low, high) = across.span, up.span
        top = _above(up.axis, (low, high), level.rows * _LINE / _AXIS_HEIGHT)
        modes = "".join(
            f",{name}mode=log" * axis.is_log
            for name, axis in (("x", part.x), ("y", part.y))
        )
        lines.append(
            f"\\begin{{tikzpicture}}\\begin{{axis}}[{_AXIS},{_numbers(part.style)},"
            f"grid=major,legend style={{at={{(0.5,-0.35)}}}}{modes},"
            f"title={{{tex(part.title)}}},xlabel={{{tex(part.x.title)}}},ylabel={{{tex(part.y.title)}}},"
            "label style={font=\\tiny},log ticks with fixed point,tick pos=left,"
            f"xmin={left:.6g},xmax={right:.6g},ymin={low:.6g},ymax={top:.6g}]"
        )
        for one in part.series:
            colour = f"curve{one.colour % len(traces())}"
            x, y = outline_of(one, low)
            is_filled = one.shape in (Shape.STEPS, Shape.BAND)
            options = f"{colour},{_SHAPES[one.shape]}" + f",fill={colour}" * is_filled
            lines += _coordinates(options, x, np.maximum(y, low), one.name)
        for mark in (one for one in level.marks if one.row < level.rows):
            anchor = "east" if mark.is_left else "west"
            at = f"axis cs:{mark.mark.x:.6g}"
            lines.append(
                f"\\draw[gray,dotted] ({at},{low:.6g}) -- "
                f"([yshift={-_LINE * mark.below:g}pt]{at},{top:.6g});"
                f"\\node[anchor=north {anchor},yshift={-_LINE * mark.row:g}pt,"
                f"inner ysep=1pt,font=\\tiny,fill=white] at ({at},{top:.6g}) "
                f"{{{tex(mark.name)}}};"
            )
        lines.append("\\end{axis}\\end{tikzpicture}\n")
    return "\n".join(lines)


def _above(axis: Axis, span: tuple[float, float], share: float) -> float:
    """Get the end of an axis that has so large a share of its length above a span."""
    low, high = span
    more = share / (1 - share)
    return high * (high / low) ** more if axis.is_log else high + more * (high - low)


def _coordinates(options: str, x: Floats, y: Floats, name: str) -> tuple[str, str]:
    points = "".join(
        f"({a:.6g},{b:.5g})" if np.isfinite(b) else f"({a:.6g},nan)"
        for a, b in zip(x, y, strict=True)
    )
    return (
        f"\\addplot[{options}] coordinates {{{points}}};",
        f"\\addlegendentry{{{tex(label_text(name))}}}",
    )


def _addplot(curve: PlotCurve, colour: int) -> tuple[str, str]:
    return _coordinates(f"curve{colour}", *curve.line.polyline(), curve.label)
