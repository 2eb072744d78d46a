"""Comparisons as files."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.analysis.compare import About, Comparison, Difference
from app.analysis.row_load import LoadDifference
from app.operations.sessions.comparison_file import (
    comparison_document,
    write_comparison,
)
from app.operations.sessions.comparison_text import comparison_text
from app.report.parts import MOST_PARTS, PARTS_TITLE
from instruments.errors import BadInput
from instruments.metric import BY_NAME

TOLD = "Read: A and B are equally fast at about 90k"
BOTH = (About("PASS"), About("FAIL"))
COMPARISON = Comparison(
    ("one", "two"), (False, True), (), about=BOTH, crossings=(TOLD,)
)


def test_text_and_json_have_the_crossings(tmp_path: Path) -> None:
    write_comparison(COMPARISON, tmp_path / "x.json")
    found = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    assert found["sessions"] == ["one", "two"]
    assert found["crossings"] == [TOLD]


def test_what_cannot_be_written_says_why(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no form"):
        write_comparison(COMPARISON, tmp_path / "x.doc")
    with pytest.raises(BadInput, match="cannot be written"):
        write_comparison(COMPARISON, Path("/proc/none/x.json"))


def with_hosts(count: int) -> Comparison:
    """Compare two sessions of one row, of so many load hosts each."""
    about = [
        About(
            "PASS",
            parts=[
                {"step": "Read", "part": f"load{n}", "iops": rate + n}
                for n in range(1, count + 1)
            ],
        )
        for rate in (100.0, 200.0)
    ]
    loads = (LoadDifference({"bs": ("4k", "8k")}, (True, False), (True, False)),)
    rows = (("Read", ()),)
    passed = (("PASS",) * 2,)
    return Comparison(
        ("one", "two"), (False,) * 2, rows, passed, loads, tuple(about), judged=passed
    )


def test_more_than_two_sessions_have_their_differences_in_tables_of_pairs() -> None:
    def one(*values: float | None) -> Difference:
        return Difference(BY_NAME["iops"], values, (False, False, True))

    rows = (("Read", (one(1.0, 2.0, 4.0),)), ("Write", (one(None, 2.0, 3.0),)))
    verdicts = (("PASS",) * 3,) * 2
    loads = (LoadDifference({}, (True,) * 3, (True,) * 3),) * 2
    about = (About("PASS"),) * 3
    names, fake = ("x", "y", "z"), (False,) * 3
    found = comparison_document(Comparison(names, fake, rows, verdicts, loads, about))
    assert found.table.heads == ["Workload", "Quantity", "A", "B", "C"]
    assert len(found.table.rows) == 2
    assert found.table.thin == {(0, 4), (1, 4)}
    pair = dict(found.more)["C - A"]
    assert pair.heads[2:5] == ["A", "C", "C - A"]
    assert [row[0] for row in pair.rows] == ["Read"]
    assert pair.thin == {(0, 3)}
    assert found.wide is not None
    assert len(found.wide.columns) == 13  # programs get all in one


def test_hosts_of_one_name_stand_together_with_their_rates() -> None:
    found = comparison_document(with_hosts(2))
    table = dict(found.more)[PARTS_TITLE]
    assert table.heads == ["Workload", "Part", "Session", "IOPS"]
    assert list(table.rows) == [
        ("Read", "load1", "A", 101.0),
        ("Read", "load1", "B", 201.0),
        ("Read", "load2", "A", 102.0),
        ("Read", "load2", "B", 202.0),
    ]
    many = comparison_document(with_hosts(MOST_PARTS))
    assert PARTS_TITLE not in dict(many.more)


def test_a_note_on_loads_names_its_row() -> None:
    found = with_hosts(2)
    note = "Read: not the same load: bs 4k / 8k"
    assert note in comparison_document(found).notes
    own = replace(
        found,
        rows=(*found.rows, ("Read, load1", ())),
        verdicts=found.verdicts * 2,
        loads=found.loads * 2,
        judged=found.judged * 2,
        hosts={"Read, load1": ("Read", "load1")},
    )
    assert comparison_document(own).notes == comparison_document(found).notes
    assert comparison_text(own).count("not the same load") == 1
