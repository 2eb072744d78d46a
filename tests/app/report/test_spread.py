"""Figures with their expanded uncertainty beside them, in every format."""

from itertools import pairwise
from pathlib import Path

import openpyxl
import pytest

from app.cli.main import run
from app.plan.campaign import parse_campaign
from app.plan.writing import step_text
from app.record.store import Result, Session, Writer
from app.report.document import Document, build_document
from app.report.expanded import HEADING as EXPANDED
from app.report.forms.form import parse_form
from app.report.forms.records import Record
from app.report.forms.tables import form_tables
from app.report.numbers import Figure, NumberStyle
from app.report.spread import SAID, with_spread
from app.report.table import Table
from app.report.tables import OTHERS, result_at
from instruments.reading import Identity
from tests.app.report.test_pivot import ARCHIVE, BENCH
from tests.session_info import session_info

READ = "single path: 64k, 100 % read"
PARTS = {
    "power_w": (698.93, 1.0, 1.2688),
    "power_peak_w": (720.0, 2.0, None),
    "energy_wh": (0.78012, 0.006, 0.0052915),
    "server.power_w": (201.26, 0.5, 0.0),
    "lambda": (0.978, 0.0, 0.0),
}
"""Values with their standard uncertainties by the meter and by scatter."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A session whose meter is known in one row of each configuration."""
    found = tmp_path / "x.bayscope"
    info = session_info(simulated=False, campaign=ARCHIVE, bench=BENCH)
    writer = Writer.create(found, info)
    who = Identity("m", "m", "s", "f", "a")
    writer.add_source("mains", "power", "hmc8015", who, "", measures="dut")
    writer.add_source("pdu", "power", "yokogawa", who, "", measures="server")
    runs = parse_campaign(ARCHIVE, "plan.toml").runs
    for number, (label, step) in enumerate(runs, 1):
        row = writer.add_step(number, label, step.engine, step_text(step))
        writer.update_step(row, outcome="DONE", verdict="PASS", start_ns=0, end_ns=1)
        if not step.is_load:
            idle = Result("power_w", 580.04, "W", 0, 1, u_meter=0.8, u_scatter=0.4)
            writer.result(row, idle)
            continue
        writer.result(row, Result("bandwidth_mb_s", 15.67, "MB/s", 0, 1))
        for name, (value, *known) in PARTS.items():
            meter, scatter = known if label == READ else (None, None)
            one = Result(name, value, "", 0, 1, u_meter=meter, u_scatter=scatter)
            writer.result(row, one)
    writer.finish()
    return found


def documents(path: Path, form: str = "") -> tuple[Document, Document]:
    """Get the document of a session without uncertainties, and with them."""
    with Session.open(path) as session:
        plain = build_document(session, form=form, verify=False)
    return plain, with_spread(plain)


def tables_of(document: Document) -> tuple[Table, ...]:
    return document.table, *dict(document.more).values()


def line_of(table: Table, label: str = READ) -> dict[str, str]:
    lines = (dict(zip(table.heads, texts, strict=True)) for texts in table.texts())
    return next(one for one in lines if label in one.values())


@pytest.mark.parametrize(
    ("value", "spread", "shown"),
    [
        (698.93, 3.234, "698.9 ± 3.2"),
        (0.58244, 0.00271, "0.5824 ± 0.0027"),
        (44_612.0, 3219.6, "44600 ± 3200"),
        (5.0, 0.0996, "5.00 ± 0.10"),  # two digits of what it is rounded to
        (123.4, 9.96, "123 ± 10"),
        (-3.14159, 0.5, "-3.14 ± 0.50"),
        (0.0, 12.0, "0 ± 12"),
        (-3.0, 1234.0, "0 ± 1200"),
    ],
)
def test_two_digits_of_the_uncertainty_place_the_value(
    value: float, spread: float, shown: str
) -> None:
    figure = Figure(value, decimals=5, spread=spread)
    assert figure.text() == shown
    assert figure == value


def test_a_unit_is_of_both_and_a_language_marks_both() -> None:
    german = NumberStyle(",", ".")
    figure = Figure(44_612.0, spread=3219.6, unit="J/GB")
    assert figure.text(german) == "(44.600 ± 3.200) J/GB"
    assert Figure(1.25, spread=0.1).text(german) == "1,25 ± 0,10"


def test_each_figure_that_is_known_has_it_wherever_it_stands(path: Path) -> None:
    plain, found = documents(path)
    first = line_of(found.table)
    assert first["Power (W)"] == "698.9 ± 3.2"
    assert first["Energy (Wh)"] == "0.780 ± 0.016"
    assert first["Bandwidth (MB/s)"] == "15.7"  # it is counted
    assert first["Lambda"] == "0.978"  # an uncertainty of nought is none
    write = line_of(found.table, READ.replace("100", "0"))
    assert write["Power (W)"] == "698.9"  # its meter is not known
    tables = dict(found.more)
    assert line_of(tables[OTHERS])["Power (W)"] == "201.3 ± 1.0"
    assert line_of(tables["Efficiency and cost"])["W/TB"] == "0.8321 ± 0.0038"
    assert line_of(tables["Derived figures"])["J/GB"] == "44600 ± 210"
    pivot = tables["Power (W) by configuration"]
    assert pivot.texts()[0] == ["single path", "580.0 ± 1.8"]
    assert tables[EXPANDED] == dict(plain.more)[EXPANDED]
    assert found.wide == plain.wide
    assert SAID in found.notes
    assert SAID not in plain.notes


def test_cells_lead_where_they_led_before(path: Path) -> None:
    plain, found = documents(path)
    for before, after in zip(tables_of(plain), tables_of(found), strict=True):
        for line, cells in enumerate(before.rows):
            assert before.label_of(line) == after.label_of(line)
            for place in range(len(cells)):
                assert result_at(before, line, place) == result_at(after, line, place)
                assert before.label_at(line, place) == after.label_at(line, place)


def test_a_form_has_it_in_its_own_unit(path: Path) -> None:
    _, found = documents(path, "measured")
    shown = {text for t in tables_of(found) for line in t.texts() for text in line}
    assert {"698.9 ± 3.2", "580.0 ± 1.8", "698.9"} <= shown
    own = parse_form(
        'title = "T"\n[[table]]\n[[table.column]]\nof = "power_w"\nunit = "kW"\n'
        '[[table.below]]\nhead = "At rest"\nof = "power_w"\nunit = "kW"\nstep = "Read"',
        "t",
    )
    row = {"step": "Read", "engine": "fio", "power_w": 698.93}
    row["uncertainty"] = {"power_w": 3.234}
    record = Record(row, {"step": "Read", "workload": "Read"})
    ((_, table),) = form_tables(own, [record])
    document = Document("", "", "", "", (), table, (), rows=(row,))
    texts = with_spread(document).table.texts()
    assert texts == [["Read", "0.6989 ± 0.0032"], ["At rest", "0.6989 ± 0.0032"]]
    over = Record(row, record.facts, over_range=frozenset({"power_w"}))
    ((_, table),) = form_tables(own, [over])
    bound = with_spread(Document("", "", "", "", (), table, (), rows=(row,)))
    assert bound.table.texts()[0] == ["Read", ">0.7"]  # a bound has none


def test_the_terminal_has_it_where_it_is_asked_for(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(path)]) == 0
    plain = capsys.readouterr().out
    assert "698.9" in plain
    assert "698.9 ± 3.2" not in plain
    assert run(["show", str(path), "--uncertainty"]) == 0
    shown = capsys.readouterr().out
    assert "698.9 ± 3.2" in shown
    assert f"- {SAID}\n" in shown
    assert run(["show", str(path), "--uncertainty", "--form", "measured"]) == 0
    assert "698.9 ± 3.2" in capsys.readouterr().out
    assert run(["show", str(path), "--json"]) == 0
    values = capsys.readouterr().out
    assert run(["show", str(path), "--json", "--uncertainty"]) == 0
    assert capsys.readouterr().out == values  # it has all of it anyway


def test_every_format_of_an_export_has_it(path: Path, tmp_path: Path) -> None:
    formats = "html,xlsx,md,tex,csv,docx"
    argv = ["export", str(path), "--format", formats]
    assert run([*argv, "--to", str(tmp_path / "on"), "--uncertainty"]) == 0
    assert run([*argv, "--to", str(tmp_path / "off")]) == 0
    on, off = (
        {one.suffix: one for one in (tmp_path / name).iterdir()}
        for name in ("on", "off")
    )
    for suffix in (".html", ".md", ".tex"):
        assert "698.9 ± 3.2" in on[suffix].read_text()
        assert on[suffix].read_text().count("± is the expanded") == 1
        assert "698.9 ± 3.2" not in off[suffix].read_text()
    assert "(698.9 ± 3.2) W (" in on[".md"].read_text()  # the highest, in the summary
    assert on[".csv"].read_text() == off[".csv"].read_text()  # for programs
    assert on[".docx"].read_bytes() != off[".docx"].read_bytes()


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_workbook_has_both_as_numbers(
    path: Path, tmp_path: Path, language: str
) -> None:
    argv = ["export", str(path), "--format", "xlsx", "--to", str(tmp_path)]
    assert run([*argv, "--uncertainty", "--language", language]) == 0
    book = openpyxl.load_workbook(tmp_path / "x.xlsx")
    rows = [row for sheet in book for row in sheet.iter_rows()]
    pairs = {
        (left.value, left.number_format, right.value, right.number_format)
        for row in rows
        for left, right in pairwise(row)
    }
    assert (698.9, "0.0", 3.2, "0.0") in pairs
    assert (44600, "0", 210, "0") in pairs
    assert any("±" in [cell.value for cell in row] for row in rows)


def test_german_says_it_in_german(path: Path, tmp_path: Path) -> None:
    argv = ["export", str(path), "--format", "md", "--to", str(tmp_path)]
    assert run([*argv, "--uncertainty", "--language", "de"]) == 0
    text = (tmp_path / "x.md").read_text()
    assert "698,9 ± 3,2" in text
    assert "44.600 ± 210" in text
    assert "± ist die erweiterte Unsicherheit (k = 2)" in text
    assert "expanded" not in text
