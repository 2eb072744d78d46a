"""A report as Markdown and as LaTeX, from the pages of its template."""

import re
from collections.abc import Callable
from functools import partial

import numpy as np

from app.report.chart.plot import Plot, range_of
from app.report.chart.svg import label_text, traces
from app.report.pages.content import Report
from app.report.pages.html import is_word
from app.report.pages.template import Template
from app.report.table import Table
from app.report.text import marked, piped
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
}
_TEX_MARKS = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<<",
    "variable_end_string": ">>>",
    "comment_start_string": "<##",
    "comment_end_string": "##>",
}
_WIDE = 8


def render_markdown(report: Report, template: Template) -> str:
    """Write a report as Markdown, its charts left out.

    Raises:
        BadInput: The page of the template has a mistake.
    """
    return template.fill(
        "report.md.j2",
        {},
        {"md": marked},
        report=report,
        md=marked,
        code=fenced,
        table=partial(_piped, report),
    )


def render_tex(report: Report, template: Template) -> str:
    """Write a report as one LaTeX file, its charts drawn by pgfplots.

    Raises:
        BadInput: The page of the template has a mistake.
    """
    return template.fill(
        "report.tex.j2",
        _TEX_MARKS,
        {"tex": tex},
        report=report,
        tex=tex,
        code=_typed,
        colours=[colour.lstrip("#").upper() for colour in traces()],
        table=partial(_tabular, report),
        chart=_pgfplot,
    )


def tex(text: object) -> str:
    """Write a text of others in LaTeX: no command, on one line."""
    line = printable(str(text).replace("\n", " "))
    return "".join(_TEX.get(letter, letter) for letter in line)


def _piped(report: Report, table: Table) -> str:
    return "\n".join(piped(report.heads(table), report.texts(table)))


def fenced(text: str) -> str:
    """Put a text between fences that nothing in it closes."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{_lines(text, printable)}\n{fence}"


def _typed(text: str) -> str:
    return _lines(text, lambda line: tex(line).replace(" ", "~") + "\\\\")


def _lines(text: str, write: Callable[[str], str]) -> str:
    return "\n".join(write(line) for line in text.splitlines())


def _tabular(report: Report, table: Table) -> str:
    words = [is_word(table, n) for n in range(len(table.columns))]
    kinds = "".join("l" if word else "r" for word in words)
    size = "\\tiny" if len(table.columns) > _WIDE else "\\small"
    rows = [" & ".join(map(tex, row)) + " \\\\" for row in report.texts(table)]
    heads = " & ".join(f"\\textbf{{{tex(head)}}}" for head in report.heads(table))
    space = "\\setlength{\\tabcolsep}{2.5pt}" if len(table.columns) > _WIDE else ""
    return "\n".join(
        (
            f"{{{size}{space}\\begin{{longtable}}[l]{{{kinds}}}\\toprule",
            f"{heads} \\\\ \\midrule\\endhead",
            *rows,
            "\\bottomrule\\end{longtable}}",
        )
    )


def _pgfplot(plot: Plot) -> str:
    low, high = range_of(plot)
    lines = [
        "\\begin{tikzpicture}\\begin{axis}[width=\\textwidth,height=45mm,grid=major,"
        "unbounded coords=jump,legend pos=outer north east,legend style={font=\\tiny},"
        "tick label style={font=\\tiny},title style={font=\\small},scaled ticks=false,"
        f"title={{{tex(plot.heading)}}},xmin=0,xmax={plot.span[1]:.6g},"
        f"ymin={low:.6g},ymax={high:.6g},xlabel={{s}},xlabel style={{font=\\tiny}}]"
    ]
    for number, curve in enumerate(plot.curves):
        pairs = zip(*curve.line.polyline(), strict=True)
        points = "".join(
            f"({x:.6g},{value:.5g})" if np.isfinite(value) else f"({x:.6g},nan)"
            for x, value in pairs
        )
        colour = number % len(traces())
        lines.append(f"\\addplot[curve{colour}] coordinates {{{points}}};")
        lines.append(f"\\addlegendentry{{{tex(label_text(curve.label))}}}")
    return "\n".join((*lines, "\\end{axis}\\end{tikzpicture}\n"))
