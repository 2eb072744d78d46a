"""Tables in a form: what the lab prints, from made-up rows and from sessions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.operations.sessions.export import export_sessions
from app.report.forms.form import (
    all_forms,
    form_names,
    load_form,
    own_folder,
    parse_form,
)
from app.report.forms.records import Record
from app.report.forms.tables import form_tables
from app.report.numbers import Figure, NumberStyle
from app.report.table import Table
from instruments.errors import BadInput
from tests.app.report.test_document import document, write
from tests.app.report.test_pivot import session

Values = Mapping[str, object]


def record(values: Values, facts: Mapping[str, str] | None = None) -> Record:
    row = {"step": "Read", "engine": "fio", **values}
    label = str(row["step"])
    return Record(row, {"step": label, "workload": label, **(facts or {})}, facts or {})


def formed(text: str, records: Sequence[Record]) -> list[tuple[str, Table]]:
    return form_tables(parse_form(f'title = "T"\n{text}', "t"), records)


def only(text: str, records: Sequence[Record]) -> list[list[str]]:
    ((_, table),) = formed(text, records)
    return [table.heads, *table.texts()]


@pytest.mark.parametrize(
    ("value", "decimals", "digits", "shown"),
    [
        (13234.0, None, 3, "13200"),
        (38651.0, None, 3, "38700"),
        (999.6, None, 3, "1000"),
        (0.9754, None, 3, "0.975"),
        (-3.14159, None, 2, "-3.1"),
        (0.0, None, 3, "0"),
        (8.3, None, 3, "8.30"),
        (9.999, None, 3, "10.0"),
        (580.25, 1, None, "580.2"),
    ],
)
def test_numbers_are_rounded_as_the_form_says(
    value: float, decimals: int | None, digits: int | None, shown: str
) -> None:
    figure = Figure(value, decimals=decimals, digits=digits)
    assert figure.text() == shown
    assert figure == value  # nothing of it is lost for programs


def test_what_is_printed_gets_no_zeros_of_ours() -> None:
    assert Figure(45.0, digits=3, held=0).text() == "45"
    assert Figure(8.3, digits=4, held=2).text() == "8.30"
    assert Figure(1234.5, digits=2, held=1).text() == "1200"


def test_a_language_has_marks_of_its_own() -> None:
    german = NumberStyle(",", ".")
    assert Figure(-1234567.25, decimals=2).text(german) == "-1.234.567,25"
    assert Figure(1234.5, decimals=1).text(german) == "1.234,5"


def test_every_shipped_form_is_good_and_the_labs_is_the_first() -> None:
    assert form_names()[0] == "lab"
    for form in all_forms():
        assert form.tables, form.about
        assert form.about


def test_a_unit_is_converted_and_its_head_says_so() -> None:
    column = '[[table]]\n[[table.column]]\nof = "bandwidth_mb_s"\nunit = "MiB/s"\n'
    cells = only(column + "digits = 5\n", [record({"bandwidth_mb_s": 12653.168})])
    assert cells == [["Workload", "Bandwidth (MiB/s)"], ["Read", "12067"]]


def test_uncertainty_and_counts_stand_beside_the_value() -> None:
    shown = record({"power_w": 580.0, "uncertainty": {"power_w": 1.234}})
    shown = Record(shown.row, shown.facts, {}, {"power_w": (299, 300)})
    cells = only(
        '[[table]]\n[[table.column]]\nof = "power_w"\n'
        '[[table.column]]\nof = "power_w"\nshow = "uncertainty"\n'
        '[[table.column]]\nof = "power_w"\nshow = "count"\n',
        [shown],
    )
    assert cells[0] == ["Workload", "Power (W)", "± (k = 2)", "n of n"]
    assert cells[1] == ["Read", "580.0", "1.2", "299/300"]


def test_over_range_is_more_and_what_is_printed_stays_as_it_is() -> None:
    column = '[[table]]\n[[table.column]]\nof = "noise_db"\ndecimals = 0\n'
    loud = record({"noise_db": 90.0})
    loud = Record(loud.row, loud.facts, over_range=frozenset({"noise_db"}))
    assert only(column, [loud])[1] == ["Read", ">90"]
    assert only(column, [record({"noise_db": ">90dB"})])[1] == ["Read", ">90dB"]


def test_reads_and_writes_of_a_copy_stand_apart() -> None:
    copy = record(
        {"engine": "copy", "bandwidth_mb_s": 450.0, "read_mb_s": 450.4}
        | {"write_mb_s": 449.6}
    )
    column = '[[table]]\n[[table.column]]\nof = "bandwidth_mb_s"\ndigits = 3\n'
    assert only(f'{column}apart = ["copy"]\n', [copy])[1] == ["Read", "450/450"]
    assert only(column, [copy])[1] == ["Read", "450"]


def test_systems_stand_side_by_side_and_may_change_places_with_lines() -> None:
    records = [
        record({"iops": iops, "bandwidth_mb_s": rate}, {"bs": bs, "system": system})
        for system, rows in {
            "SSD": (("4k", 80000.0, 320.0), ("64k", 7100.0, 454.0)),
            "HDD": (("4k", 11200.0, 45.0),),
        }.items()
        for bs, iops, rate in rows
    ]
    text = '[[table]]\nhead = "Size"\ndown = ["bs"]\nacross = ["system"]\n'
    columns = (
        '[[table.column]]\nof = "iops"\nhead = "IOPS"\n'
        '[[table.column]]\nof = "bandwidth_mb_s"\nhead = "MB/s"\ndecimals = 0\n'
    )
    assert only(text + columns, records) == [
        ["Size", "IOPS SSD", "MB/s SSD", "IOPS HDD", "MB/s HDD"],
        ["4k", "80000", "320", "11200", "45"],
        ["64k", "7100", "454", "", ""],
    ]
    turned = '[[table]]\nhead = "Size"\ndown = ["system", "bs"]\nturned = true\n'
    assert only(turned + columns, records)[:2] == [
        ["Size", "SSD, 4k", "SSD, 64k", "HDD, 4k"],
        ["IOPS", "80000", "7100", "11200"],
    ]
    # Two rows for one cell are no table: none of them is dropped unseen.
    assert formed(text + columns, [*records, records[0]]) == []


def at(tariff: str, system: str, cost: float) -> Record:
    made = record({"cost_per_year": cost}, {"system": system})
    return replace(made, terms={"cost_per_year": f"EUR, {tariff} per kWh, PUE 1.3"})


COST = """
[[table]]
down = ["system"]
[[table.column]]
of = "cost_per_year"
"""


def test_a_cost_stands_beside_its_tariff() -> None:
    near, far = at("0.07", "A", 72.0), at("0.2", "B", 183.0)
    like = replace(far, terms=near.terms)
    head = "Cost/year (EUR, 0.07 per kWh, PUE 1.3)"
    assert only(COST, [near, like]) == [["Workload", head], ["A", "72"], ["B", "183"]]
    assert only(COST, [near, far]) == [
        ["Workload", "Cost/year", "Cost/year: terms"],
        ["A", "72", "EUR, 0.07 per kWh, PUE 1.3"],
        ["B", "183", "EUR, 0.2 per kWh, PUE 1.3"],
    ]
    without = replace(record({}, {"system": "C"}), terms=far.terms)
    assert only(COST, [near, without])[0] == ["Workload", head]


def test_a_cost_of_systems_side_by_side_and_below_has_its_tariff() -> None:
    near, far = at("0.07", "A", 72.0), at("0.2", "B", 183.0)
    across = COST.replace("down", "across")
    head = "Cost/year (EUR, 0.07 per kWh, PUE 1.3) A"
    assert only(across, [near])[0] == ["Workload", head]
    assert only(across, [near, far])[0][1:] == [
        *("Cost/year A", "Cost/year: terms A"),
        *("Cost/year B", "Cost/year: terms B"),
    ]
    below = "[[table]]\n[[table.below]]\nof = 'cost_per_year'\ntake = 'max'\n"
    assert only(f"{below}head = 'Dearest'", [far])[1] == [
        "Dearest (EUR, 0.2 per kWh, PUE 1.3)",
        "183",
    ]


def test_a_sweep_in_two_configurations_is_a_table_for_each(tmp_path: Path) -> None:
    session(tmp_path)
    found = document(tmp_path / "x.bayscope", form="transfer-sizes")
    titles = [found.caption, *dict(found.more)]
    assert titles[0].endswith("in percent, fio, single path")
    assert titles[1].endswith("in percent, fio, dual path")
    assert found.table.heads == ["Transfer size", "100", "0"]
    assert [row[0] for row in found.table.texts()] == ["64k", "1m", "4m"]
    beside = dict(found.more)[titles[2]]
    assert beside.heads == ["Transfer size", "single path", "dual path"]
    (csv,) = export_sessions(
        [tmp_path / "x.bayscope"], ["csv"], tmp_path, form="transfer-sizes"
    )
    assert csv.read_text().count("Transfer size") == len(titles)


def test_a_line_names_a_row_or_its_workload() -> None:
    form = '[[table]]\n[[table.below]]\nof = "power_w"\nstep = "Idle"\n'
    lookalike = record({"step": "Warm: Idle", "power_w": 9.0})
    assert (
        only(form, [record({"step": "Idle", "power_w": 5.0}), lookalike])[1][1]
        == "5.0 W"
    )
    configured = record({"step": "raidz2: Idle", "power_w": 7.0}, {"workload": "Idle"})
    assert only(form, [configured, lookalike])[1][1] == "7.0 W"


def test_a_cell_leads_to_its_row_and_result(tmp_path: Path) -> None:
    table = document(write(tmp_path), form="lab").table
    cell = table.rows[0][1]
    assert isinstance(cell, Figure)
    assert cell.source == ("Sequential write 4M", "power_w")


def test_a_lab_may_have_forms_of_its_own(tmp_path: Path, home: Path) -> None:
    own_folder().mkdir(parents=True)
    text = 'title = "Ours"\n[[table]]\n[[table.column]]\nof = "power_w"\nunit = "kW"\n'
    (own_folder() / "ours.toml").write_text(text)
    (own_folder() / "wrong.toml").write_text(text.replace("power_w", "powr_w"))
    assert document(write(tmp_path), form="ours").table.heads[1] == "Power (kW)"
    forms = {form.name: form for form in all_forms()}
    assert forms["ours"].tables
    assert not forms["wrong"].tables
    assert "wrong.toml" in forms["wrong"].about


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no table"),
        ("[[table]]\n", "neither columns nor lines"),
        ('[[table]]\n[[table.column]]\nof = "powr_w"\n', 'result "powr_w"'),
        ('[[table]]\n[[table.column]]\nof = "power_w"\nunit = "MB/s"\n', "unit is"),
        ('[[table]]\n[[table.column]]\nof = "power_w"\nwidth = 3\n', "unknown key"),
        (
            '[[table]]\n[[table.column]]\nof = "power_w"\ndigits = 3\ndecimals = 1\n',
            "are given",
        ),
    ],
)
def test_a_mistake_is_a_sentence_with_its_line(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words) as raised:
        parse_form(f'title = "T"\n{text}', "mine")
    assert "mine.toml" in str(raised.value)


def test_a_form_that_there_is_not_names_those_there_are() -> None:
    with pytest.raises(BadInput, match="lab"):
        load_form("lap")
    with pytest.raises(BadInput, match="no form"):
        load_form("../forms/lab")


def test_a_session_without_what_a_form_wants_says_so(tmp_path: Path) -> None:
    found = document(write(tmp_path), form="object-sizes")
    assert "has no table" in found.caption
    assert found.table.rows == ()
