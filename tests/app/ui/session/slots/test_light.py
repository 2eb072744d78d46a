"""The locate light from the slot map: only where the bench of a session allows it."""
# mypy: disallow-untyped-calls=False

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.bench.model import Bench
from app.operations.bench.switching import journal_file
from app.record.own_key import own_key
from app.record.store import Session, Writer
from app.ui.kit.context import Context
from app.ui.session.record import Record, open_record
from app.ui.session.slots.light import SlotLight
from tests.instruments.thermal.rooted import tool
from tests.instruments.thermal.ses_bytes import build
from tests.instruments.thermal.shelves import write_pages
from tests.session_info import session_info

BENCH = """
name = "Lab"
[dut]
name = "JBOD"
target = "/tmp/x"
size = "64m"
"""
ALLOWED = """
[[switch]]
name = "lights"
driver = "ses"
device = "/dev/sg5"
allow = ["locate"]
"""
SG_SES = """
case "$*" in
  *--set*|*--clear*|*--version*) exit 0;;
esac
while [ $# -gt 0 ]; do [ "$1" = -p ] && page=$2; shift; done
exec cat {folder}/$page.txt
"""

Open = Callable[..., Record]


@pytest.fixture
def recorded_on(tmp_path: Path) -> Iterator[Open]:
    with ExitStack() as stack:

        def make(bench: str, *, here: bool = True) -> Record:
            path = tmp_path / f"{len(bench)}-{here}.bayscope"
            key = own_key() if here else b""
            info = replace(session_info(), bench=bench)
            writer = Writer.create(path, info, key=key)
            writer.set_session(verdict="PASS")
            writer.finish()
            found = open_record(path)
            stack.callback(found.close)
            return found

        yield make


@pytest.fixture
def light(qtbot: QtBot, context: Context) -> SlotLight:
    found = SlotLight(context)
    qtbot.addWidget(found)
    return found


def show(light: SlotLight, record: Record, qtbot: QtBot) -> None:
    """Show a session, and wait until it is known whether it is our own."""
    taken: list[object] = []
    take = light._take

    def seen(session: Session | None, found: tuple[Bench, str] | None) -> None:
        take(session, found)
        taken.append(session)

    light._take = seen  # type: ignore[method-assign]
    light.set_record(record)
    qtbot.waitUntil(lambda: taken.count(record.session) == 2, timeout=60_000)
    light._take = take  # type: ignore[method-assign]


def test_it_is_there_only_where_the_bench_allows_it(
    light: SlotLight, recorded_on: Open, qtbot: QtBot
) -> None:
    for bench in ("name = 3", BENCH, BENCH + ALLOWED.replace("locate", "fan")):
        show(light, recorded_on(bench), qtbot)
        assert not light.is_there
    show(light, recorded_on(BENCH + ALLOWED), qtbot)
    assert light.is_there
    assert not light.on.isEnabled()
    light.set_slot("bay-a")
    assert not light.on.isEnabled()
    light.set_slot("slot07")
    menu = QMenu()
    light.add_to(menu)
    assert [action.isEnabled() for action in menu.actions()] == [True, True]
    light.set_record(None)
    assert not light.is_there


def test_the_steps_of_a_session_are_not_read_on_the_gui_thread(
    light: SlotLight,
    recorded_on: Open,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It takes its time by thousands of them; only the last session's answer counts."""
    threads: list[str] = []
    is_signed = Session.is_signed

    def seen(session: Session, key: bytes) -> bool:
        threads.append(threading.current_thread().name)
        return is_signed(session, key)

    monkeypatch.setattr(Session, "is_signed", seen)
    light.set_record(recorded_on(BENCH + ALLOWED))
    seen_there = []
    for bench in (BENCH, f"{BENCH}{ALLOWED}\n"):
        show(light, recorded_on(bench), qtbot)
        seen_there.append(light.is_there)
    assert seen_there == [False, True]
    assert threads
    assert threading.main_thread().name not in threads


def test_nothing_is_switched_at_an_address_in_a_session_from_elsewhere(
    light: SlotLight, recorded_on: Open, qtbot: QtBot
) -> None:
    show(light, recorded_on(BENCH + ALLOWED, here=False), qtbot)
    light.set_slot("slot07")
    assert not light.is_there
    assert not light.on.isEnabled()


def test_a_light_is_put_out_and_a_dark_one_is_told(
    light: SlotLight,
    recorded_on: Open,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    tool(folder, "sg_ses", SG_SES.format(folder=tmp_path))
    write_pages(tmp_path, build())
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    show(light, recorded_on(BENCH + ALLOWED), qtbot)
    light.set_slot("slot07")
    with qtbot.waitSignal(light.work.done):
        qtbot.mouseClick(light.off, Qt.MouseButton.LeftButton)
    assert light.told.text() == "The light of slot 7 is off"
    assert "locate-off" in journal_file().read_text()
    with qtbot.waitSignal(light.work.refused):
        qtbot.mouseClick(light.on, Qt.MouseButton.LeftButton)
    assert "the light of slot 7 stayed dark" in light.told.text()


def test_a_session_that_is_let_go_of_while_it_is_read_is_no_error(
    qtbot: QtBot, context: Context, recorded_on: Open
) -> None:
    """The background of these tests fails them where an error is passed on."""
    light = SlotLight(context)
    qtbot.addWidget(light)
    record = recorded_on(BENCH + ALLOWED)
    record.close()
    light.set_record(record)
    light.set_record(None)
    qtbot.waitUntil(lambda: not context.background._works)
