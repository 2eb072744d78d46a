"""Sessions of version 4: codes come in place of the sentences that were their state."""

import hmac
import json
import sqlite3
import tarfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from app.analysis.interrupted import open_session
from app.campaign.phases.steering import Steering
from app.campaign.run.redoing import UNCHANGED
from app.campaign.run.runner import Runner
from app.operations.run.left_behind import left_behind
from app.operations.run.resume import unfinished
from app.operations.run.resume_clock import Now
from app.plan.campaign import parse_campaign
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import CRASHED, Session
from app.report.notes import operators_notes
from instruments.reading import SECOND
from tests.app.campaign.stand import no_load

OLD = Path(__file__).parents[3] / "fixtures" / "session" / "version_4.tar.xz"
KEY = hmac.digest(b"k" * 32, b"", "sha256")
"""Of who recorded them."""

FIRST = [
    ("Idle", "DONE", ""),
    ("Held (void 1)", "VOID", "interlock"),
    ("Held", "DONE", ""),
    ("Skip", "SKIPPED", "skipped"),
    ("Bad", "ERROR", ""),
]
COLD = ("Cold", "DONE", "")
CUT_OFF = [*FIRST, COLD, ("Read", "ERROR", "crashed"), ("After", "SKIPPED", "crashed")]
CAUSES = {
    "complete": [
        *FIRST,
        ("Needy", "SKIPPED", "needs"),
        COLD,
        ("Stop", "ABORTED", "stopped"),
        ("Never", "SKIPPED", "stopped"),
    ],
    "crashed": CUT_OFF,
    "recovered": CUT_OFF,
    "resumed": [
        *FIRST,
        COLD,
        ("Read (void 1)", "VOID", "crashed"),
        ("Read", "DONE", ""),
        ("After", "DONE", ""),
    ],
    "held": [
        FIRST[0],
        COLD,
        ("Held", "VOID", "interlock"),
        ("After", "SKIPPED", "crashed"),
    ],
    "off": [FIRST[0], ("Cold", "ERROR", "crashed"), ("After", "SKIPPED", "crashed")],
}


class LaterClock(SystemClock):
    """Goes on where a session ended, whatever boot of whatever computer that was."""

    def __init__(self, at_ns: int) -> None:
        self._ahead_ns = at_ns - super().monotonic_ns()

    def monotonic_ns(self) -> int:
        return super().monotonic_ns() + self._ahead_ns


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A folder with these sessions, and the tables that version 4 showed of them."""
    with tarfile.open(OLD) as packed:
        packed.extractall(tmp_path, filter="data")
    return tmp_path


def ends(session: Session) -> list[tuple[str, str, str]]:
    return [(row.label, row.outcome, row.cause) for row in session.steps()]


def without_computed(rows: Sequence[Mapping[str, object]]) -> list[dict[str, object]]:
    power = ("power_w", "energy_wh", "energy_by_mean_wh", "lambda", "apparent_va")
    computed = (*power, "duration_s")
    found = [{k: v for k, v in row.items() if k not in computed} for row in rows]
    for row in found:
        thin = str(row["thin"]).split()
        row["thin"] = " ".join(name for name in thin if name not in computed)
    return found


@pytest.mark.parametrize("name", CAUSES)
def test_it_shows_the_same_table_is_our_own_and_says_why_in_codes(
    old: Path, name: str
) -> None:
    before = "the recording program ended without finishing (crash, kill or power cut)"
    shown = json.loads((old / "tables.json").read_text())[name]
    with open_session(old / f"{name}.bayscope") as session:
        table = session.report_table()
        if session.state == "crashed":
            # What was cut off is computed on opening, by the rules of today.
            table, shown["table"] = (
                without_computed(table),
                without_computed(shown["table"]),
            )
            for row in (*table, *shown["table"]):
                row["reason"] = str(row["reason"]).replace(before, CRASHED)
        assert table == shown["table"]
        assert session.state == shown["state"]
        assert ends(session) == CAUSES[name]
        assert session.is_signed(KEY)
        assert session.is_unchanged() or session.state == "crashed"


def test_the_lines_of_its_journal_that_are_read_again_are_codes(old: Path) -> None:
    with open_session(old / "off.bayscope") as session:
        [off] = left_behind(session)
        assert "may still be off" in off
    with open_session(old / "crashed.bayscope") as session:
        assert left_behind(session) == []
    with open_session(old / "resumed.bayscope") as session:
        assert operators_notes(session) == [
            "Lab: a first try",
            "root: second try: fan mended",
        ]


LEFT = {
    "crashed": ("Read", "After"),
    "recovered": ("Read", "After"),
    "held": ("Held", "After"),
    "off": ("Cold", "After"),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_of_one_that_was_cut_off_is_known(old: Path, name: str) -> None:
    path = old / f"{name}.bayscope"
    with Session.open(path) as session:
        info = session.info
    now = Now(0, info.realtime_ns + 3600 * SECOND, "another boot")
    assert unfinished(path, now).left == LEFT[name]


RESUMED = {
    "crashed": CAUSES["resumed"],
    "held": [
        FIRST[0],
        COLD,
        ("Held (void 1)", "VOID", "interlock"),
        ("After", "DONE", ""),
        ("Held", "DONE", ""),
    ],
}


@pytest.mark.parametrize("name", RESUMED)
def test_one_that_was_cut_off_is_resumed(
    old: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.record.writer_thread.own_key", lambda: KEY)
    path = old / f"{name}.bayscope"
    with open_session(path) as session:
        info, fingerprint = session.info, session.fingerprint()
    assert info.ended_ns
    clock = LaterClock(info.ended_ns)
    recorder = Recorder(path, info, clock=clock, resume=fingerprint)
    recorder.start()
    with Session.open(path) as session:
        Runner(
            parse_campaign(info.campaign, "plan"),
            recorder,
            session,
            make_load=no_load,
            steering=Steering(),
            progress=lambda _: None,
            resume=UNCHANGED,
        ).run()
    recorder.close()
    with Session.open(path) as session:
        assert sorted(ends(session)) == sorted(RESUMED[name])
        assert (session.state, session.is_signed(KEY)) == ("complete", True)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE step SET cause = 'crashed' WHERE label = 'Skip'",
        "UPDATE step SET cause = 'stopped' WHERE label = 'Idle'",
        "UPDATE step SET cause = '' WHERE label = 'Held (void 1)'",
        "UPDATE step SET reason = 'skipped by the operator' WHERE label = 'Idle'",
        "UPDATE journal SET action = 'start-up' WHERE action = 'switched off'",
        "UPDATE journal SET action = 'switched on' WHERE action = 'switching off'",
        "DELETE FROM journal WHERE action = 'switched on'",
    ],
)
def test_a_code_that_was_changed_makes_it_foreign(old: Path, sql: str) -> None:
    path = old / "crashed.bayscope"
    Session.open(path).close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(sql).rowcount > 0
        connection.commit()
    with Session.open(path) as session:
        assert not session.is_signed(KEY)
