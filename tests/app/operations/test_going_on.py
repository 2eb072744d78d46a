"""What a run that goes on has to know, read from its session."""

import json
from pathlib import Path

import pytest

from app.operations.going_on import UNDONE, GoingOn
from app.operations.resume_clock import CarriedOn, Now
from app.record.store import ClockPair, Session, Writer
from tests.session_info import session_info

NOW = Now(0, 0, "boot")
LAST = ClockPair("boot", 0, 0)


@pytest.mark.parametrize("undone", [(), (7,), (7, 9)])
def test_what_an_earlier_resumption_took_back_is_known(
    tmp_path: Path, undone: tuple[int, ...]
) -> None:
    """It was killed before the rows of these mounts were planned again."""
    writer = Writer.create(tmp_path / "s.bayscope", session_info())
    for at in undone:
        writer.journal(at, UNDONE, json.dumps({"name": "/mnt/x"}))
    writer.abandon()
    carried = CarriedOn(0, False, LAST, NOW, restarted_ns=5)
    with Session.open(writer.path) as session:
        how = GoingOn(carried).how(session)
    assert how is not None
    assert how.restarted_ns == 5
    assert how.undone_ns == (undone[-1] if undone else None)


def test_a_new_session_has_nothing_behind_it(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", session_info())
    writer.abandon()
    with Session.open(writer.path) as session:
        assert GoingOn(None).how(session) is None
