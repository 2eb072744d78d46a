"""What a run that goes on has to know, and takes back before."""

import contextlib
import json
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.operations.bench.aim import Aim, aimed
from app.operations.run import going_on, resume_clock
from app.operations.run.foreign import UnconfirmedError, plan_in
from app.operations.run.going_on import GoingOn, go_on
from app.operations.run.left_behind import made_things
from app.operations.run.resume_clock import CarriedOn, Now
from app.operations.run.run import run_campaign
from app.plan.campaign import parse_campaign
from app.record.own_key import own_key
from app.record.store import Action, ClockPair, Session, Writer
from instruments import timebase
from instruments.errors import BadInput, BenchError
from instruments.reading import SECOND
from tests.app.operations.benches import BENCH, READ
from tests.session_info import session_info
from workloads.setup.made import Made

NOW = Now(0, 0, "boot")
LAST = ClockPair("boot", 0, 0)
EVIL = """
name = "Evil"
[[step]]
label = "Evil"
engine = "command"
[step.command]
run = "touch {mark}"
"""
NAMES = ("/mnt/bay1", "/mnt/bay2", "/mnt/bay3")


@pytest.mark.parametrize("undone", [(), (7,), (7, 9)])
def test_what_an_earlier_resumption_took_back_is_known(
    tmp_path: Path, undone: tuple[int, ...]
) -> None:
    """It was killed before the rows of these mounts were planned again."""
    writer = Writer.create(tmp_path / "s.bayscope", session_info())
    for at in undone:
        writer.journal(at, Action.UNDONE, json.dumps({"name": "/mnt/x"}))
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


@pytest.fixture(params=["same boot", "restarted"])
def cut_off(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A session that was killed while three file systems were mounted."""
    now = Now(100 * SECOND, 1_700_000_000 * SECOND, "this boot")
    for module in (resume_clock, going_on):
        monkeypatch.setattr(module, "read_clocks", lambda: now)
    began = Now(40 * SECOND, now.realtime_ns - 60 * SECOND, now.boot_id)
    if request.param == "restarted":
        began = Now(3600 * SECOND, now.realtime_ns - 200 * SECOND, "another boot")
    info = session_info(
        campaign=READ,
        bench=BENCH.format(target="/nowhere", meter="simulated"),
        boot_id=began.boot_id,
        monotonic_ns=began.kernel_ns,
        realtime_ns=began.realtime_ns,
    )
    writer = Writer.create(tmp_path / "s.bayscope", info, key=own_key())
    for number, name in enumerate(NAMES):
        facts = {
            "kind": "mount",
            "name": name,
            "id": f"id{number}",
            "number": f"7:{number}",
            "folder": "made",
            "after the run": "undone",
        }
        writer.journal(began.kernel_ns, "set up", json.dumps(facts))
    writer.abandon()
    yield writer.path
    timebase.set_offset(0)


def left(path: Path) -> list[str]:
    with Session.open(path) as session:
        return [made.name for made in made_things(session.journal())]


def test_a_new_session_takes_nothing_back() -> None:
    assert go_on(None).carried is None


def test_all_is_taken_back_and_written_down_at_once(cut_off: Path) -> None:
    undone: list[str] = []

    def undo(made: Made) -> str:
        undone.append(made.name)
        return f"{made.name} was unmounted"

    going = go_on(cut_off, undo)
    assert going.carried is not None
    assert undone == [*reversed(NAMES)]
    with Session.open(cut_off) as session:
        how = going.how(session)
        last = [row for row in session.journal() if row.action == "set-up undone"][-1]
    assert how is not None
    assert json.loads(last.detail) == {
        "kind": "mount",
        "name": "/mnt/bay1",
        "id": "id0",
        "done": "/mnt/bay1 was unmounted",
    }
    again = go_on(cut_off, undo)
    assert len(undone) == 3
    assert again.carried is not None
    assert again.carried.offset_ns == going.carried.offset_ns


def test_one_in_use_does_not_keep_the_others(cut_off: Path) -> None:
    in_use = {"/mnt/bay2"}

    def undo(made: Made) -> str:
        if made.name in in_use:
            raise BenchError("it stays mounted", where=made.name)
        return f"{made.name} was unmounted"

    with pytest.raises(BenchError, match=r"^/mnt/bay2: it stays mounted"):
        go_on(cut_off, undo)
    assert left(cut_off) == ["/mnt/bay2"]
    in_use.clear()
    go_on(cut_off, undo)
    assert left(cut_off) == []


def test_all_that_stay_are_named(cut_off: Path) -> None:
    def undo(made: Made) -> str:
        raise BenchError("it stays mounted", where=made.name)

    with pytest.raises(BenchError, match="3 things cannot be undone") as raised:
        go_on(cut_off, undo)
    assert all(name in str(raised.value) for name in NAMES)
    assert left(cut_off) == [*NAMES]


def test_nothing_is_taken_back_of_a_session_that_was_changed(cut_off: Path) -> None:
    """A line of the journal was added: its mount is not what the run made."""
    with sqlite3.connect(cut_off) as connection:
        connection.execute(
            "INSERT INTO journal (t_ns, action, detail) SELECT t_ns, action, "
            "replace(detail, '/mnt/bay1', '/home') FROM journal WHERE id = 1"
        )
    connection.close()
    asked: list[str] = []

    def undo(made: Made) -> str:
        asked.append(made.name)
        return "unmounted"

    with pytest.raises(UnconfirmedError) as refused:
        go_on(cut_off, undo)
    assert refused.value.facts["deeds"]
    assert asked == []


def put_in_place(path: Path, other: Path) -> None:
    """Swap a session as whoever may write to its folder does."""
    for one in path.parent.glob(f"{path.name}-*"):
        one.unlink()
    other.replace(path)


@pytest.fixture
def other(cut_off: Path, tmp_path: Path) -> Path:
    """Another session, which says that it mounted what it did not."""
    folder = tmp_path / "other"
    folder.mkdir()
    path = folder / "evil.bayscope"
    with Session.open(cut_off):  # It is recovered, and one file from now on.
        shutil.copy(cut_off, path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "UPDATE journal SET detail = replace(detail, '/mnt/bay1', '/home')"
        )
        connection.commit()
    return path


def test_one_that_is_swapped_while_it_is_checked_is_not_signed(
    cut_off: Path, other: Path
) -> None:
    def undo(made: Made) -> str:
        if other.exists():
            put_in_place(cut_off, other)
        return f"{made.name} was unmounted"

    with pytest.raises(BadInput, match="changed or replaced"):
        go_on(cut_off, undo)
    with Session.open(cut_off) as session:
        assert not session.is_signed(own_key())
        assert "/home" in left(cut_off)


def test_one_that_is_swapped_after_its_check_is_not_recorded_into(
    cut_off: Path, other: Path
) -> None:
    going = go_on(cut_off, lambda made: f"{made.name} was unmounted")
    put_in_place(cut_off, other)
    at = timebase.monotonic_ns()
    with pytest.raises(BadInput, match="changed or replaced"):
        Writer.resume(cut_off, at, key=own_key(), expected=going.fingerprint)
    with Session.open(cut_off) as session:
        assert session.state == "crashed"
        assert not session.is_signed(own_key())
        with pytest.raises(BadInput, match="changed or replaced"):
            going.how(session)


def test_what_was_checked_is_what_is_recorded_into(cut_off: Path) -> None:
    going = go_on(cut_off, lambda made: f"{made.name} was unmounted")
    at = timebase.monotonic_ns()
    writer = Writer.resume(cut_off, at, key=own_key(), expected=going.fingerprint)
    writer.abandon()
    with Session.open(cut_off) as session:
        assert session.is_signed(own_key())
        assert going.how(session) is not None


def test_only_the_plan_of_the_session_goes_on(cut_off: Path) -> None:
    with Session.open(cut_off) as session:
        campaign, bench = plan_in(session)
    longer = tuple(replace(step, runtime_s=99.0) for step in campaign.steps)
    for another in (
        (replace(campaign, steps=longer), bench),
        (parse_campaign(EVIL.format(mark="x"), ""), bench),
        (campaign, bench.with_target(Path("/another"))),
        (campaign, replace(bench, sources=())),
    ):
        with pytest.raises(BadInput, match="not the one of this session"):
            go_on(cut_off, lambda _: "unmounted", plan=another)
    assert left(cut_off) == [*NAMES]
    aims = aimed(bench, Aim(bench.dut.targets, bench.dut.size))
    assert go_on(cut_off, lambda _: "unmounted", plan=(campaign, aims)).carried


def test_a_run_of_another_plan_is_refused(cut_off: Path, tmp_path: Path) -> None:
    """By the function that runs it, whoever calls that."""
    with Session.open(cut_off) as session:
        _, bench = plan_in(session)
    evil = parse_campaign(EVIL.format(mark=tmp_path / "mark"), "")
    with pytest.raises(BadInput, match="not the one of this session"):
        run_campaign(evil, bench, tmp_path, resume=cut_off)
    assert not (tmp_path / "mark").exists()
