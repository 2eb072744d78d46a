"""Reports as LaTeX, set by LuaTeX."""

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pypdf
import pytest

from app.report.chart.line import Line
from app.report.chart.plot import Plot, PlotCurve
from app.report.figures.figure import Axis, Figure, Mark, Series, Shape
from app.report.figures.svg import figure_svg
from app.report.pages.content import (
    Block,
    Charts,
    Drawing,
    Facts,
    Figures,
    Notes,
    Report,
    Script,
    Section,
)
from app.report.pages.latex import render_tex
from app.report.pages.sections import in_words
from app.report.pages.template import load_template
from app.report.table import Cell, Column, Table
from tests.app.report.pages.test_formats import HOSTILE

BRACKETS = "[global]\n\n[load]\n*bs=4k\n  indented & 50 %\n"
HASH = "0123456789abcdef" * 4


def table(columns: int) -> Table:
    """Make a table of words, numbers and sentences, with so many columns."""
    heads = tuple(
        Column(f"Completion mean {n} (ms)", "value", 3) for n in range(columns)
    )
    rows: list[tuple[Cell, ...]] = [
        (f"{HOSTILE} {line}", *(12345.678 * n for n in range(columns - 1)), HASH)
        for line in range(3)
    ]
    sentence = "not judged: no ranging pass of this step with power, " * 4
    rows.append((HASH, *(sentence if n == 1 else None for n in range(columns))))
    return Table((Column("Workload", "step"), *heads), tuple(rows))


def two_axes() -> Plot:
    """Make a chart of which one curve has its axis at the right."""
    x = np.arange(3.0)
    left, right = (
        PlotCurve(name, Line(x, y, y, y), is_band=False, side=side)
        for side, (name, y) in enumerate((("Left", x), ("Right [C]", x * 1e4)))
    )
    return Plot("Two", "W", (left, right), (0.0, 2.0), right_unit="degC")


def histogram(name: str) -> Figure:
    """Make a histogram with a mark, and below it a band with a line."""
    edges, counts = np.array([0.01, 0.1, 1.0, 10.0]), np.array([3.0, 0.0, 1000.0])
    steps = Series(name, edges, counts, Shape.STEPS)
    x = np.array([0.02, 5.0])
    band = Series("Band", x, x, Shape.BAND, 2 * x, 1)
    shown = (band, Series("Gap", x, np.array([1.0, np.nan]), Shape.POINTS))
    below = Figure("Below", "", Axis("ms", is_log=True), Axis("W"), shown)
    axes = Axis(f"{name} (ms)", is_log=True), Axis("I/Os", is_log=True)
    marks = (Mark(0.5, f"99 %: {name}"),)
    return Figure(f"Latency of {name}", name, *axes, (steps,), marks, below=below)


def report(*blocks: Block, text: str = HOSTILE) -> Report:
    parts = (Section("results", text, blocks),)
    return Report(text, text, text, text, "PASS", text, (text,), parts, text)


def compiled(made: Report, folder: Path) -> tuple[str, str]:
    """Set a report; get what the program told, and the text of the pages."""
    name = "report.tex"
    (folder / name).write_text(render_tex(made, load_template()))
    command = ["lualatex", "-interaction=nonstopmode", "-halt-on-error", name]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    told = done.stdout.decode(errors="replace")
    assert done.returncode == 0, told[-2000:]
    pages = pypdf.PdfReader(folder / "report.pdf").pages
    return told, "\n".join(page.extract_text() for page in pages)


def test_a_hostile_report_is_set_and_no_table_leaves_the_page(tmp_path: Path) -> None:
    made = report(
        *(Figures(HOSTILE, table(columns)) for columns in (3, 12, 40)),
        Script(HOSTILE, BRACKETS * 2),
        Facts(((HOSTILE, HASH * 3),)),
        Notes((HOSTILE, HASH)),
        Charts((two_axes(),)),
        Drawing(histogram(HOSTILE)),
    )
    made = replace(made, subject="Schr\u00e4nke \u5b58\u50a8")
    told, text = compiled(made, tmp_path)
    too_wide = [float(one) for one in re.findall(r"Overfull \\hbox \(([\d.]+)pt", told)]
    assert max(too_wide, default=0.0) < 12.0  # margins have 57

    # Letters that the font lacks are named, and no others.
    lacking = set(re.findall("Missing character: There is no (.)", told))
    assert lacking == {"\u5b58", "\u50a8"}
    for shown in ("Right [C]", "Schr\u00e4nke", "12345.678", "[global]", "*bs=4k"):
        assert shown in text


def test_axes_have_the_numbers_of_the_language(tmp_path: Path) -> None:
    german = load_template(language="de")
    style = german.language.style
    x = np.array([0.001, 40000.0])
    figure = Figure("f", "", Axis("x", is_log=True), Axis("y"), (Series("s", x, x),))
    figure = in_words(replace(figure, about="487014 I/Os in 2026."), german)
    assert figure.about == "487.014 I/Os in 2026."
    for wanted in (">0,001<", ">10.000<"):
        assert wanted in figure_svg(figure)
    made = replace(
        report(Drawing(figure), Charts((two_axes(),)), text="x"), style=style
    )
    _, text = compiled(made, tmp_path)
    assert len(re.findall(r"\b40\.000\b", text)) >= 1
    assert re.search(r"\b0,5\b", text)
    assert "0.5" not in text


@pytest.mark.parametrize(("count", "kept"), [(1, 1), (12, 12), (40, 2)])
def test_no_row_of_a_table_is_alone_on_a_page(count: int, kept: int) -> None:
    columns = (Column("Workload", "step"), Column("n", "n"))
    rows = tuple((f"Row {n}", float(n)) for n in range(count))
    text = render_tex(report(Figures("T", Table(columns, rows))), load_template())
    assert text.count(r" \\*") == kept
    assert r"\need{" in text.partition(r"\subsection*{T}")[0].splitlines()[-1]


def test_a_histogram_is_drawn_with_its_percentiles(tmp_path: Path) -> None:
    made = report(Drawing(histogram("Random read 4k")), text="x")
    text = render_tex(made, load_template())
    assert text.count("\\begin{axis}") == text.count("\\end{axis}") == 2
    first, *_ = re.findall(r"coordinates \{(.*?)\}", text)
    assert first.startswith("(0.01,1.5)(0.01,3)(0.1,3)(0.1,1.5)(1,1.5)(1,1000)")
    assert "(5,nan)" in text
    _, shown = compiled(made, tmp_path)
    for name in ("Latency of Random read 4k", "I/Os", "Below", "Band"):
        assert name in shown
