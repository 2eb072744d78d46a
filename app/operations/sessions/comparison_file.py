"""A comparison as a file: text, values for programs, or a report for people."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase

from app.analysis.compare import Comparison, Difference
from app.analysis.compare_notes import (
    correction_told,
    duty_told,
    lengths_told,
    many_told,
    nothing_common_told,
    same_recording_told,
    setups_told,
    terms_told,
)
from app.analysis.setup_facts import differing
from app.analysis.significance import judgement_word
from app.operations.sessions.comparison_text import comparison_json, comparison_text
from app.report.document import Document
from app.report.notes import said_once
from app.report.numbers import Figure, difference, places_of
from app.report.pages.content import Report
from app.report.pages.docx import render_docx
from app.report.pages.html import render_html
from app.report.pages.latex import render_tex
from app.report.pages.markdown import render_markdown
from app.report.pages.pdf import render_pdf
from app.report.pages.report import report_of
from app.report.pages.template import Template, load_template
from app.report.pages.xlsx import render_xlsx
from app.report.parts import MOST_PARTS, PARTS_TITLE, parts_table, told_lost
from app.report.table import Cell, Column, Kind, Table
from app.report.text import comma_separated
from instruments.errors import BadInput
from instruments.files.whole_file import save_file
from instruments.sizes import counted

_SESSIONS = (
    Column("Session", "step"),
    Column("Name", "name"),
    Column("Device", "device"),
    Column("Bench", "device"),
    Column("Power meters", "meters"),
    Column("Verdict", "verdict"),
)


_MOST_BESIDE = 2
"""Differences of so many sessions have room beside each other on a page."""


def comparison_document(comparison: Comparison) -> Document:
    """Make a report of a comparison: a line for each row and metric."""
    letters = ascii_uppercase[: len(comparison.names)]
    about = list(zip(letters, comparison.about, strict=False))
    sessions = tuple(
        (letter, name, one.dut, one.bench, float(one.meters), one.judged)
        for (letter, one), name in zip(about, comparison.names, strict=True)
    )
    every = range(len(letters))
    (_, first), *more = _tables(comparison, letters)
    return Document(
        title=f"Comparison: {', '.join(comparison.names)}",
        dut="",
        started=counted(len(comparison.names), "session"),
        verdict="; ".join(f"{letter}: {one.judged}" for letter, one in about),
        simulated=tuple(
            name
            for name, fake in zip(comparison.names, comparison.simulated, strict=True)
            if fake
        ),
        table=first,
        wide=_differences(comparison, letters, every, every[1:]),
        notes=tuple(dict.fromkeys(filter(None, _notes(comparison, letters)))),
        more=(
            *more,
            *((PARTS_TITLE, parts) for parts in _parts(comparison, letters)),
            ("Sessions", Table(_SESSIONS, sessions, Kind.COMPARED)),
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
    pairs = zip(comparison.rows, comparison.loads, strict=True)
    told = [
        (label, load.told)
        for (label, _), load in pairs
        if load.told and label not in comparison.hosts
    ]
    yield from said_once(told)
    yield from lengths_told(comparison)
    yield many_told(comparison)
    yield correction_told(comparison)
    yield duty_told(comparison)
    yield from terms_told(comparison)
    yield from comparison.crossings
    for letter, one in about:
        yield from (f"{letter}: {note}" for note in one.notes)


_WHAT_DIFFERS = "What differs"


def _facts(comparison: Comparison, letters: str) -> list[Table]:
    """Make the table of what is not the same in their set-ups; none without any."""
    rows = differing([about.facts for about in comparison.about])
    columns = [Column("Fact", "source")]
    columns += [Column(letter, "name") for letter in letters]
    cells = tuple((name, *values) for name, values in rows)
    return [Table(tuple(columns), cells, Kind.COMPARED)] if rows else []


def _parts(comparison: Comparison, letters: str) -> list[Table]:
    """Make the table of load hosts and devices, those of one name together.

    Hosts with rows of their own are not in it, but where it says how they were lost.
    """
    shown = {*comparison.hosts.values()}
    order = {label: place for place, (label, _) in enumerate(comparison.rows)}
    rows = [
        {**row, "session": letter}
        for letter, about in zip(letters, comparison.about, strict=False)
        for row in about.parts
        if row["step"] in order
        and ((row["step"], row["part"]) not in shown or told_lost(row) is not None)
    ]
    rows.sort(key=lambda row: (order[str(row["step"])], str(row["part"])))
    table = parts_table(rows) if len(rows) <= MOST_PARTS else None
    return [table] if table is not None else []


def _tables(comparison: Comparison, letters: str) -> list[tuple[str, Table]]:
    """Make the tables of a page: more sessions than have room in one have their own."""
    every = range(len(letters))
    if len(letters) <= _MOST_BESIDE:
        return [("", _differences(comparison, letters, every, every[1:]))]
    others = ((f"{letters[n]} - {letters[0]}", (0, n)) for n in every[1:])
    return [
        ("", _differences(comparison, letters, every, ())),
        *(
            (title, _differences(comparison, letters, pair, pair[1:]))
            for title, pair in others
        ),
    ]


def _differences(
    comparison: Comparison, letters: str, shown: Sequence[int], others: Sequence[int]
) -> Table:
    """Make a table of values of some sessions, and of differences of some to A.

    That of a pair of several lacks the rows that do not differ for want of a value.
    """
    is_pair = len(shown) < len(letters)
    rows: list[tuple[Cell, ...]] = []
    thin: list[tuple[int, int]] = []
    for label, differences in comparison.rows:
        for one in differences:
            if is_pair and one.against_first(shown[-1]) is None:
                continue
            places = [place for place, n in enumerate(shown, 2) if one.thin[n]]
            thin += [(len(rows), place) for place in places]
            changes = (cell for other in others for cell in _change(one, other))
            values = (_value(one.values[n], one.metric.decimals) for n in shown)
            rows.append((label, one.metric.head, *values, *changes))
    columns = tuple(_columns(letters, shown, others))
    return Table(columns, tuple(rows), thin=frozenset(thin))


def _columns(
    letters: str, shown: Sequence[int], others: Sequence[int]
) -> Iterator[Column]:
    yield from (Column("Workload", "step"), Column("Quantity", "of"))
    yield from (Column(letters[n], "value") for n in shown)
    for letter in (letters[n] for n in others):
        yield Column(f"{letter} - {letters[0]}", "value")
        yield Column("± (k = 2)", "value")
        yield Column("%", "value", 1)
        yield Column("Judgement", "reason")


def _change(one: Difference, other: int) -> Sequence[Cell]:
    decimals, judged = one.metric.decimals, one.judgement(other)
    change, percent = one.against_first(other), one.percent(other)
    return (
        None if change is None else difference(change, decimals),
        _value(judged.uncertainty if judged is not None else None, decimals + 1),
        None if percent is None else difference(percent, 1),
        judgement_word(judged),
    )


def _value(value: float | None, decimals: int) -> Cell:
    return None if value is None else Figure(value, decimals=places_of(value, decimals))


def _json(comparison: Comparison) -> str:
    return json.dumps(comparison_json(comparison), indent=2) + "\n"


_Written = bytes | str
_Write = Callable[[Report, Template], _Written]

_TEXTS: Mapping[str, tuple[str, Callable[[Comparison], str]]] = {
    "txt": ("Text", comparison_text),
    "json": ("JSON for programs", _json),
}
_PAGES: Mapping[str, tuple[str, _Write]] = {
    "pdf": ("PDF", render_pdf),
    "html": ("HTML page", render_html),
    "xlsx": ("Workbook", lambda report, _: render_xlsx(report)),
    "docx": ("Word document", render_docx),
    "md": ("Markdown", render_markdown),
    "tex": ("LaTeX", render_tex),
}
_CSV = "csv"
FORMS = {name: title for name, (title, _) in (*_TEXTS.items(), *_PAGES.items())}
FORMS[_CSV] = "CSV"
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


def write_comparison(
    comparison: Comparison, path: Path, template: Template | None = None
) -> None:
    """Write tables, differences, crossings and notes; a file that is there goes.

    Args:
        comparison: What was compared.
        path: The file; its ending says the form.
        template: Pages, words and title block of a report; None for those that ship.

    Raises:
        BadInput: The form is none of ours, or the file cannot be written.
    """
    form = path.suffix.removeprefix(".")
    check_forms([form], str(path))
    if form in _TEXTS:
        save_file(path, _TEXTS[form][1](comparison))
    else:
        write_document(comparison_document(comparison), path, template)


def write_document(
    document: Document, path: Path, template: Template | None = None
) -> None:
    """Write a document that is of no one session; see `write_comparison`.

    Raises:
        BadInput: It has no such form, or the file cannot be written.
    """
    form = path.suffix.removeprefix(".")
    if form == _CSV:
        save_file(path, comma_separated(document))
        return
    if form not in _PAGES:
        raise BadInput(
            f'tables have no form "{form}"',
            where=str(path),
            way_out=f"Use one of {', '.join((*_PAGES, _CSV))}.",
        )
    template = template or load_template()
    save_file(path, _PAGES[form][1](report_of(document, template), template))
