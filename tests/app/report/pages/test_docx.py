"""A Word document has the order and the breaks of the PDF."""

import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import docx
from docx.oxml.ns import qn

from app.report.pages.content import Block, Drawing, Facts, Notes, Script, Section
from app.report.pages.docx import render_docx
from app.report.pages.template import load_template
from tests.app.report.pages.test_formats import with_blocks
from tests.app.report.pages.test_latex import histogram


def document(*blocks: Block) -> Any:
    report = replace(with_blocks(), sections=(Section("one", "One", blocks),))
    return docx.Document(io.BytesIO(render_docx(report, load_template())))


def column_counts(made: Any) -> Sequence[str]:
    found = [one._sectPr.find(qn("w:cols")) for one in made.sections]
    return [one.get(qn("w:num"), "1") for one in found]


def test_figures_stand_two_beside_each_other_with_their_captions() -> None:
    figures = [Drawing(histogram(name)) for name in ("a", "b", "c")]
    made = document(Notes(("Above.",)), *figures, Notes(("Below.",)))
    first, second = made.tables
    assert [cell.text.strip() for cell in first.rows[0].cells] == ["a", "b"]
    assert [cell.text.strip() for cell in second.rows[0].cells] == ["c", ""]
    assert len(made.inline_shapes) == 3
    own = made.sections[0]
    room = own.page_width - own.left_margin - own.right_margin
    assert all(one.width <= room // 2 for one in made.inline_shapes)
    assert [one.text for one in made.paragraphs][-1] == "Below."


def test_a_script_of_short_lines_stands_in_two_columns() -> None:
    made = document(Script("a.toml", "x = 1\n" * 20), Notes(("Below.",)))
    assert column_counts(made) == ["1", "2", "1"]
    made = document(Script("a.toml", f"x = {'1' * 80}\n" * 20))
    assert column_counts(made) == ["1"]


def test_short_facts_stand_two_in_a_line_and_long_ones_below_each_other() -> None:
    facts = (("Drives", "60"), ("Layout", "4x15"), ("Model", "X"))
    [table] = document(Facts(facts)).tables
    rows = [[cell.text for cell in row.cells] for row in table.rows]
    assert rows == [["Drives", "60", "Model", "X"], ["Layout", "4x15", "", ""]]
    [table] = document(Facts((*facts, ("Target", "/" * 50)))).tables
    assert (len(table.rows), len(table.columns)) == (4, 2)
