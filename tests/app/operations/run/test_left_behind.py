"""What a session says that a run may have left as it was."""

import json
from pathlib import Path

import pytest

from app.operations.run.left_behind import left_behind, made_things
from app.record.store import Action, JournalRow, Session, Writer
from instruments.errors import BadInput
from tests.session_info import session_info

MOUNT = {
    "kind": "mount",
    "name": "/mnt/bay1",
    "id": "1234",
    "number": "7:1",
    "folder": "made",
    "after the run": "undone",
}
POOL = {**MOUNT, "kind": "pool", "name": "bay", "number": "", "folder": "there before"}
OLD = {key: MOUNT[key] for key in ("kind", "name", "id", "after the run")}
"""As the first sessions have it, without what would know it again."""

MAYBE_OFF = "the device may have been switched off for its start, and may still be off"


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([], []),
        ([(Action.SWITCHING_OFF, "Cold")], [MAYBE_OFF]),
        (
            [(Action.SWITCHED_OFF, "done"), (Action.SWITCHING_ON, "Cold")],
            [MAYBE_OFF],
        ),
        (
            [(Action.SWITCHED_OFF, "done"), (Action.SWITCHED_ON, "Cold: off: no")],
            [],
        ),
        (
            [("set up", json.dumps(MOUNT)), ("set up", json.dumps(POOL))],
            ["/mnt/bay1 may still be mounted", "the pool bay may be imported"],
        ),
        (
            [
                ("set up", json.dumps(MOUNT)),
                ("set-up undone", json.dumps(MOUNT)),
            ],
            [],
        ),
        ([("set up", json.dumps({**MOUNT, "after the run": "kept"}))], []),
        (
            [("set up", json.dumps(OLD))],
            [
                "/mnt/bay1 may still be mounted: the session is too old to undo "
                "it, do that by hand"
            ],
        ),
    ],
)
def test_it_is_told_until_it_is_put_back(
    tmp_path: Path, rows: list[tuple[str, str]], told: list[str]
) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", session_info())
    for number, (action, detail) in enumerate(rows):
        writer.journal(number, action, detail)
    writer.abandon()
    with Session.open(writer.path) as session:
        assert left_behind(session) == told
        known = len(made_things(session.journal()))
    by_us = [one for one in told if "may" in one and one != MAYBE_OFF]
    assert known == len([one for one in by_us if "by hand" not in one])


@pytest.mark.parametrize(
    ("action", "detail"),
    [
        ("set up", "no JSON"),
        ("set up", "[1]"),
        ("set up", "{}"),
        ("set up", json.dumps({**MOUNT, "kind": "other"})),
        ("set up", json.dumps({**MOUNT, "kind": ["mount"]})),
        ("set-up undone", "[]"),
        ("set-up undone", "{}"),
    ],
)
def test_a_journal_of_another_form_is_refused(action: str, detail: str) -> None:
    with pytest.raises(BadInput):
        made_things([JournalRow(0, action, detail)])


def test_whatever_is_to_be_taken_back_is_told_in_texts() -> None:
    facts = {**MOUNT, "name": ["/mnt/bay1"], "number": 7}
    [made] = made_things([JournalRow(0, "set up", json.dumps(facts))])
    assert (made.name, made.number) == ("['/mnt/bay1']", "7")
    assert not made_things([JournalRow(0, "set up", json.dumps({**OLD, "folder": ""}))])
