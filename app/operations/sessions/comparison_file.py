"""A comparison as a file: text, values for programs, or a report for people."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase

from app.analysis.compare import (
    Comparison,
    Difference,
    correction_told,
    lengths_told,
    many_told,
    nothing_common_told,
    same_recording_told,
    setups_told,
)
from app.analysis.significance import judgement_word
from app.operations.sessions.comparison_text import comparison_json, comparison_text
from app.report.document import Document
from app.report.numbers import Figure
from app.report.pages.content import Report
from app.report.pages.docx import render_docx
from app.report.pages.html import render_html
from app.report.pages.latex import render_tex
from app.report.pages.markdown import render_markdown
from app.report.pages.pdf import render_pdf
from app.report.pages.report import report_of
from app.report.pages.template import Template, load_template
from app.report.pages.xlsx import render_xlsx
from app.report.setup_facts import differing
from app.report.table import Cell, Column, Table
from app.report.text import comma_separated
from instruments.errors import BadInput
from instruments.files.whole_file import save_file
from instruments.sizes import counted

_SESSIONS = (
    Column("Session", "step"),
    Column("Name", "of"),
    Column("Device", "device"),
    Column("Bench", "device"),
    Column("Power meters", "meters"),
    Column("Verdict", "verdict"),
)


def comparison_document(comparison: Comparison) -> Document:
    """Make a report of a comparison: a line for each row and metric."""
    letters = ascii_uppercase[: len(comparison.names)]
    about = list(zip(letters, comparison.about, strict=False))
    sessions = tuple(
        (letter, name, one.dut, one.bench, float(one.meters), one.verdict)
        for (letter, one), name in zip(about, comparison.names, strict=True)
    )
    return Document(
        title=f"Comparison of {' and '.join(comparison.names)}",
        dut="",
        started=counted(len(comparison.names), "session"),
        verdict=", ".join(f"{letter} {one.verdict}" for letter, one in about),
        simulated=tuple(
            name
            for name, fake in zip(comparison.names, comparison.simulated, strict=True)
            if fake
        ),
        table=_differences(comparison, letters),
        notes=tuple(dict.fromkeys(filter(None, _notes(comparison, letters)))),
        more=(
            ("Sessions", Table(_SESSIONS, sessions)),
            *((_WHAT_DIFFERS, facts) for facts in _facts(comparison, letters)),
        ),
    )


def _notes(comparison: Comparison, letters: str) -> Iterator[str]:
    """List the remarks below the table, what may mislead first; "" for none."""
    about = list(zip(letters, comparison.about, strict=False))
    for letter, one in about:
        yield from (f"{letter}: {text}" for text in one.warnings)
    yield same_recording_told(comparison)
    yield nothing_common_told(comparison)
    if setups := setups_told(comparison):
        yield f"They do not differ in the device alone. {setups}"
    yield from (load.told for load in comparison.loads)
    yield from lengths_told(comparison)
    yield many_told(comparison)
    yield correction_told(comparison)
    yield from comparison.crossings
    for letter, one in about:
        yield from (f"{letter}: {note}" for note in one.notes)


_WHAT_DIFFERS = "What differs"


def _facts(comparison: Comparison, letters: str) -> list[Table]:
    """Make the table of what is not the same in their set-ups; none without any."""
    rows = differing([about.facts for about in comparison.about])
    columns = [Column(_WHAT_DIFFERS, "step")]
    columns += [Column(letter, "of") for letter in letters]
    cells = tuple((name, *values) for name, values in rows)
    return [Table(tuple(columns), cells)] if rows else []


def _differences(comparison: Comparison, letters: str) -> Table:
    others = range(1, len(letters))
    rows: list[tuple[Cell, ...]] = []
    thin: list[tuple[int, int]] = []
    for label, differences in comparison.rows:
        for one in differences:
            places = [place for place, is_thin in enumerate(one.thin, 2) if is_thin]
            thin += [(len(rows), place) for place in places]
            changes = (cell for other in others for cell in _change(one, other))
            values = (_figure(value, one.metric.decimals) for value in one.values)
            rows.append((label, one.metric.head, *values, *changes))
    return Table(tuple(_columns(letters)), tuple(rows), thin=frozenset(thin))


def _columns(letters: str) -> Iterator[Column]:
    yield from (Column("Workload", "step"), Column("Quantity", "of"))
    yield from (Column(letter, "value") for letter in letters)
    for letter in letters[1:]:
        yield Column(f"{letter} - {letters[0]}", "value")
        yield Column("± (k = 2)", "value")
        yield Column("%", "value", 1)
        yield Column("Judgement", "reason")


def _change(one: Difference, other: int) -> Sequence[Cell]:
    decimals, judged = one.metric.decimals, one.judgement(other)
    return (
        _figure(one.against_first(other), decimals, signed=True),
        _figure(judged.uncertainty if judged is not None else None, decimals + 1),
        _figure(one.percent(other), 1, signed=True),
        judgement_word(judged),
    )


def _figure(value: float | None, decimals: int, *, signed: bool = False) -> Cell:
    if value is None:
        return None
    return Figure(value, decimals=decimals, sign="+" if signed and value > 0 else "")


def _json(comparison: Comparison) -> str:
    return json.dumps(comparison_json(comparison), indent=2) + "\n"


_Written = bytes | str


def _page(
    write: Callable[[Report, Template], _Written],
) -> Callable[[Document], _Written]:
    def written(document: Document) -> _Written:
        template = load_template()
        return write(report_of(document, template), template)

    return written


_TEXTS: Mapping[str, tuple[str, Callable[[Comparison], str]]] = {
    "txt": ("Text", comparison_text),
    "json": ("JSON for programs", _json),
}
_PAGES: Mapping[str, tuple[str, Callable[[Document], _Written]]] = {
    "pdf": ("PDF", _page(render_pdf)),
    "html": ("HTML page", _page(render_html)),
    "xlsx": ("Workbook", _page(lambda report, _: render_xlsx(report))),
    "docx": ("Word document", _page(render_docx)),
    "md": ("Markdown", _page(render_markdown)),
    "tex": ("LaTeX", _page(render_tex)),
    "csv": ("CSV", comma_separated),
}
FORMS = {name: title for name, (title, _) in (*_TEXTS.items(), *_PAGES.items())}
"""By the ending of a file what it is called."""


def check_forms(names: Sequence[str], where: str) -> None:
    """Check the names of forms; raises BadInput naming those there are."""
    for name in names:
        if name not in FORMS:
            raise BadInput(
                f'a comparison has no form "{name}"',
                where=where,
                way_out=f"Use one of {', '.join(FORMS)}.",
            )


def comparison_name(names: Sequence[str]) -> str:
    """Say what a file that compares these is called, without its ending."""
    first, *others = names
    more = f"-and-{len(others) - 1}-more" if len(others) > 1 else ""
    return f"{first}-against-{others[0]}{more}"


def write_comparison(comparison: Comparison, path: Path) -> None:
    """Write tables, differences, crossings and notes; a file that is there goes.

    Raises:
        BadInput: The form is none of ours, or the file cannot be written.
    """
    form = path.suffix.removeprefix(".")
    check_forms([form], str(path))
    if form in _TEXTS:
        _write(path, _TEXTS[form][1](comparison))
    else:
        write_document(comparison_document(comparison), path)


def write_document(document: Document, path: Path) -> None:
    """Write a document that is of no one session.

    Raises:
        BadInput: It has no such form, or the file cannot be written.
    """
    form = path.suffix.removeprefix(".")
    if form not in _PAGES:
        raise BadInput(
            f'tables have no form "{form}"',
            where=str(path),
            way_out=f"Use one of {', '.join(_PAGES)}.",
        )
    _write(path, _PAGES[form][1](document))


def _write(path: Path, content: _Written) -> None:
    save_file(path, content)
