"""Rows with what they are by."""

from pathlib import Path

from app.record.store import Session
from app.report.forms.records import records_of
from app.report.rows import report_rows
from tests.app.report.test_pivot import ARCHIVE, session

_CHECK = """
[[step]]
label = "single path: check the cables"
engine = "idle"
runtime = "1m"
teardown = true
"""


def test_the_plan_tells_the_configuration_of_a_row_not_its_label(
    tmp_path: Path,
) -> None:
    session(tmp_path, ARCHIVE + _CHECK)
    with Session.open(tmp_path / "x.bayscope") as opened:
        facts = {
            one.label: one.facts for one in records_of(opened, report_rows(opened))
        }
    idle = facts["dual path: Idle"]
    assert (idle["configuration"], idle["workload"]) == ("dual path", "Idle")
    assert idle["path"] == "dual path"
    mix = facts["single path: 64k, 0 % read"]
    assert (mix["configuration"], mix["workload"]) == ("single path", "64k, 0 % read")
    check = facts["single path: check the cables"]
    assert "configuration" not in check
    assert check["workload"] == "single path: check the cables"
