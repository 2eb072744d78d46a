"""What a line of the list of sessions says."""

from dataclasses import replace
from pathlib import Path

from app.record.store import SessionSummary
from app.ui.kit.context import Context
from app.ui.session.list import FACTS_ROLE, SessionModel, facts

ONE = SessionSummary(Path("a.bayscope"), "Reads", "dut", 1, 90.0, 2, "PASS")


def test_a_changed_file_says_so_first() -> None:
    assert facts(replace(ONE, changed=True)).startswith("changed after the run  ·  ")
    assert "changed" not in facts(ONE)


def test_sessions_of_one_name_show_their_files(context: Context) -> None:
    model = SessionModel(context)
    model.set_summaries([ONE, replace(ONE, path=Path("b.bayscope"))])
    told = [model.index(row).data(FACTS_ROLE) for row in range(2)]
    assert [text.rpartition("  ·  ")[2] for text in told] == [
        "a.bayscope",
        "b.bayscope",
    ]
    model.set_summaries([ONE])
    assert "a.bayscope" not in model.index(0).data(FACTS_ROLE)
