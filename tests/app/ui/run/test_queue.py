"""Waiting runs in the window: their turn, their time, and what holds them."""
# mypy: disallow-untyped-calls=False

import json
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.operations import queueing
from app.operations.run.run import RunResult
from app.plan.campaign import parse_campaign
from app.plan.verdict import Verdict
from app.record.store import Session
from app.ui.kit.settings import Settings
from app.ui.kit.theme import Theme
from app.ui.run import queue_bar
from app.ui.run.control import RunPlan
from app.ui.run.queue import queue_folder
from app.ui.run.start_dialog import StartDialog
from app.ui.window import leaving
from app.ui.window.main_window import MainWindow
from instruments.errors import BadInput
from tests.app.ui.dialogs import once_open

Make = Callable[..., RunPlan]


@pytest.fixture
def make(window: MainWindow, tmp_path: Path) -> Make:
    """Make a plan of one resting step."""

    def one(name: str, seconds: int = 2, limit: str = "") -> RunPlan:
        text = (
            f'name = "{name}"\n[[step]]\nlabel = "Rest"\nengine = "idle"\n'
            f'runtime = "{seconds}s"\n{limit}'
        )
        bench = window.pages.bench.bench.with_target(tmp_path / "s.dat", 16 * 2**20)
        return RunPlan(parse_campaign(text, "test.toml"), bench, tmp_path / "out")

    return one


@pytest.fixture
def ended(window: MainWindow) -> list[str]:
    found: list[str] = []

    def take(result: RunResult) -> None:
        with Session.open(result.session) as session:
            found.append(f"{session.info.name} {result.verdict}")

    window.run.finished.connect(take)
    return found


def names(window: MainWindow) -> list[str]:
    return [plan.campaign.name for plan in window.starter.queue.waiting]


def test_one_waits_for_the_other_and_is_looked_at_again(
    window: MainWindow, qtbot: QtBot, make: Make, ended: list[str], tmp_path: Path
) -> None:
    said = tmp_path / "said"
    script = (
        f"import os; open({str(said)!r}, 'w').write(os.environ['BAYSCOPE_VERDICTS'])"
    )
    then = (sys.executable, "-c", script)
    window.starter.begin(make("First"))
    window.starter.begin(replace(make("Second"), then=then))
    assert names(window) == ["Second"]
    assert window.queue.isVisible()
    assert "Second" in window.queue.text.text()
    assert not window.queue.start.isEnabled()
    qtbot.waitUntil(lambda: ended == ["First PASS"])
    qtbot.waitUntil(lambda: ended == ["First PASS", "Second PASS"])
    assert not window.queue.isVisible()
    qtbot.waitUntil(lambda: said.exists() and said.read_text() == "PASS")


def test_what_would_not_be_valid_does_not_start_and_asks_nobody(
    window: MainWindow, qtbot: QtBot, make: Make, ended: list[str]
) -> None:
    blind = '[[interlock]]\nname = "hot"\nchannels = ["nothing.*"]\nabove = 1\n'
    window.starter.begin(make("First"))
    window.starter.begin(make("Blind", limit=blind))
    window.starter.begin(make("Third"))
    qtbot.waitUntil(lambda: ended == ["First PASS"])
    qtbot.waitUntil(lambda: ended == ["First PASS", "Third PASS"])
    assert window.errors.dialog is not None
    assert "pre-flight" in window.errors.dialog.text()
    window.errors.dialog.close()


def test_a_failure_holds_what_does_not_go_on_then(
    window: MainWindow, qtbot: QtBot, make: Make, ended: list[str]
) -> None:
    window.starter.begin(make("Bad", limit='limits = ["power_w < 1"]\n'))
    window.starter.begin(replace(make("Careful"), go_on=False))
    queue = window.starter.queue
    qtbot.waitUntil(lambda: queue.held != "")
    assert "FAIL" in window.queue.text.text()
    assert names(window) == ["Careful"]
    window.queue.start.click()
    qtbot.waitUntil(lambda: ended[1:] == ["Careful PASS"])


def test_a_stop_holds_all(
    window: MainWindow,
    qtbot: QtBot,
    make: Make,
    ended: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[object] = []
    monkeypatch.setattr(queueing, "run_command", lambda words, *_: done.append(words))
    monkeypatch.setattr(queueing, "notify", lambda *told: done.append(told))
    window.starter.begin(replace(make("Long", 300), then=("true",)))
    window.starter.begin(make("Next"))
    qtbot.waitUntil(lambda: window.pages.live.record is not None)
    window.run.stop()
    qtbot.waitUntil(lambda: window.starter.queue.held != "")
    assert ended == [f"Long {Verdict.ABORTED}"]
    qtbot.waitUntil(lambda: done != [])
    assert done == [("Run ended", f"Long: {Verdict.ABORTED}")]
    window.queue._fill()
    window.queue._menu.actions()[0].trigger()
    assert names(window) == []
    assert not window.queue.isVisible()


def test_a_time_is_waited_for_and_the_earlier_goes_first(
    window: MainWindow, qtbot: QtBot, make: Make, ended: list[str]
) -> None:
    now = datetime.now().astimezone()
    late = replace(make("Late"), at=now + timedelta(hours=2))
    soon = replace(make("Soon"), at=now + timedelta(seconds=2), shorten=2)
    window.starter.begin(late)
    window.starter.begin(soon)
    assert names(window) == ["Soon", "Late"]
    assert not window.run.is_running
    qtbot.waitUntil(lambda: len(ended) == 1)
    assert ended[0].startswith("Soon (SHORTENED 1:2)")
    assert names(window) == ["Late"]


def test_a_time_that_is_far_off_is_told_with_its_date(make: Make) -> None:
    now = datetime.now().astimezone()
    near, far = now + timedelta(days=2), now + timedelta(days=9)
    assert f"{near:at %a %H:%M}" in queue_bar.described(replace(make("A"), at=near))
    assert f"{far:at %Y-%m-%d}" in queue_bar.described(replace(make("A"), at=far))


def test_closing_asks_what_becomes_of_those_that_wait(
    window: MainWindow, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def ask(_: object, title: str, *_more: object, **_rest: object) -> bool:
        asked.append(title)
        return False

    monkeypatch.setattr(leaving, "ask", ask)
    at = datetime.now().astimezone() + timedelta(hours=1)
    window.starter.begin(replace(make("Late"), at=at))
    window.close()
    assert window.isVisible()
    assert asked == ["Runs are waiting"]


def test_no_run_begins_while_it_is_asked_whether_to_close(
    window: MainWindow,
    qtbot: QtBot,
    make: Make,
    ended: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts: list[str] = []

    def ask(_: object, _title: str, text: str, **_rest: object) -> bool:
        texts.append(text)
        # The run ends behind the question, and a turn of the queue passes.
        qtbot.waitUntil(lambda: not window.run.is_running)
        qtbot.wait(1_500)
        assert names(window) == ["Next"]
        return True

    monkeypatch.setattr(leaving, "ask", ask)
    window.starter.begin(make("First"))
    window.starter.begin(make("Next"))
    qtbot.waitUntil(lambda: window.run.is_running)
    window.close()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert ended == ["First PASS"]
    [text] = texts
    assert "1 run will not start" in text


def test_closing_ends_the_command_after_a_run_and_all_that_it_started(
    window: MainWindow,
    qtbot: QtBot,
    make: Make,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def ask(_: object, title: str, *_more: object, **_rest: object) -> bool:
        asked.append(title)
        return True

    monkeypatch.setattr(leaving, "ask", ask)
    told = tmp_path / "pids"
    script = f"sleep 600 & echo $! $$ >{told}.new; mv {told}.new {told}; wait"
    window.starter.begin(replace(make("Short", 1), then=("sh", "-c", script)))
    qtbot.waitUntil(told.exists)
    window.close()
    assert asked == ["A command is running"]
    assert not window.isVisible()
    stats = [Path("/proc", pid, "stat") for pid in told.read_text().split()]
    qtbot.waitUntil(lambda: all(map(_has_ended, stats)))


def _has_ended(stat: Path) -> bool:
    try:
        return stat.read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_window_closed_before_the_first_step_leaves_no_box(
    window: MainWindow, qtbot: QtBot, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaving, "ask", lambda *_, **__: True)
    window.starter.begin(make("Stopped"))
    assert window.run.is_running
    window.close()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert window.errors.dialog is None
    assert QApplication.activeModalWidget() is None


def test_the_dialog_takes_time_rehearsal_and_command(
    window: MainWindow, qtbot: QtBot
) -> None:
    command = shlex.join([sys.executable, "-c", "pass"])

    def fill(dialog: StartDialog) -> None:
        when = dialog.form.when
        assert dialog._start.text() == "Start"
        when.when.setCurrentIndex(1)
        when.shorten.setValue(20)
        when.then.setText("no-such-program-here")
        assert dialog._start.text() == "Add to queue"
        assert dialog.form.wish is not None
        assert "1:20" in dialog.form.wish.campaign.name
        qtbot.waitUntil(dialog._start.isEnabled)
        dialog.accept()
        assert "no-such-program-here" in dialog.error
        when.then.setText(command)
        dialog.accept()

    once_open(StartDialog, fill)
    window.start_run()
    [plan] = window.starter.queue.waiting
    assert plan.shorten == 20
    assert plan.at is not None
    assert plan.then == tuple(shlex.split(command))
    assert "SHORTENED" not in plan.campaign.name


def test_the_dialog_follows_the_run_it_waits_for(
    window: MainWindow, qtbot: QtBot, make: Make
) -> None:
    window.starter.begin(make("Long", 300))
    qtbot.waitUntil(lambda: window.pages.live.record is not None)
    seen: list[str] = []

    def follow(dialog: StartDialog) -> None:
        panel = dialog.preflight.panel
        seen.append(dialog._start.text())
        assert panel.found is None
        window.run.stop()
        qtbot.waitUntil(lambda: panel.found is not None)
        seen.extend((dialog._start.text(), dialog.form.when.when.itemText(0)))
        dialog.show_waits(waits=True)
        assert panel.found is None
        seen.append(dialog._start.text())
        dialog.reject()

    once_open(StartDialog, follow)
    window.start_run()
    assert seen == ["Add to queue", "Start", "Now", "Add to queue"]


def test_a_time_that_is_past_is_said(window: MainWindow, qtbot: QtBot) -> None:
    def fill(dialog: StartDialog) -> None:
        when = dialog.form.when
        when.when.setCurrentIndex(1)
        when.at.setDateTime(when.at.dateTime().addDays(-1))
        with pytest.raises(BadInput, match="past"):
            when.read()
        qtbot.waitUntil(dialog._start.isEnabled)
        dialog.accept()
        assert "past" in dialog.error
        dialog.reject()

    once_open(StartDialog, fill)
    window.start_run()
    assert window.starter.queue.waiting == ()


def test_the_last_run_is_repeated_with_its_choices(
    window: MainWindow, qtbot: QtBot, make: Make, ended: list[str]
) -> None:
    assert not window.tools.repeat.isVisible()
    window.starter.begin(replace(make("Once"), note="fan 3", operator="Ann"))
    qtbot.waitUntil(lambda: ended == ["Once PASS"])
    assert window.tools.repeat.isVisible()
    seen: list[str] = []

    def look(dialog: StartDialog) -> None:
        campaign = dialog.form.campaigns.choice.campaign
        assert campaign is not None
        seen.extend([campaign.name, dialog.form.note.text()])
        dialog.reject()

    once_open(StartDialog, look)
    window.tools.repeat.trigger()
    assert seen == ["Once", "fan 3"]


def test_a_waiting_run_that_cannot_be_read_hides_no_other(
    window: MainWindow, qtbot: QtBot, make: Make, theme: Theme, settings: Settings
) -> None:
    late = datetime.now().astimezone() + timedelta(hours=1)
    plans = [replace(make(name), at=late) for name in ("One", "Two", "Three")]
    for plan in plans:
        window.starter.begin(plan)
    window.stop_and_close()
    qtbot.waitUntil(lambda: not window.isVisible())
    [kept] = queue_folder().glob("*.json")
    draft = json.loads(kept.read_text())
    runs = json.loads(draft["text"])
    runs[1]["campaign"] = runs[1]["campaign"].replace('"idle"', '"of a newer version"')
    draft["text"] = json.dumps(runs)
    kept.write_text(json.dumps(draft))
    found = MainWindow(plans[0].bench, plans[0].out, theme, settings)
    errors: list[Exception] = []
    found.starter.queue.failed.connect(errors.append)
    found.sweep_up(offers=True)
    queue = found.starter.queue
    qtbot.waitUntil(lambda: queue.left != [])
    assert [one.campaign.name for one in queue.left] == ["One", "Three"]
    [error] = errors
    assert "1 run that waited cannot be read" in str(error)
    queue.forget_left()
    found.stop_and_close()
    found.deleteLater()


def test_what_waits_outlives_the_program_and_starts_nothing_by_itself(
    window: MainWindow,
    qtbot: QtBot,
    make: Make,
    theme: Theme,
    settings: Settings,
) -> None:
    now = datetime.now().astimezone()
    late = replace(make("Late"), at=now + timedelta(hours=2), then=("true",), note="x")
    window.starter.begin(late)
    window.starter.begin(replace(make("Soon"), at=now + timedelta(hours=1), shorten=2))
    window.starter.queue.look_back()  # another program that looks finds none of ours
    window.stop_and_close()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert window.starter.queue.left == []

    def next_window() -> MainWindow:
        found = MainWindow(late.bench, late.out, theme, settings)
        found.show()
        found.sweep_up(offers=True)
        qtbot.waitUntil(lambda: found.starter.queue.left != [])
        return found

    second = next_window()
    second.stop_and_close()  # nobody said what becomes of them
    qtbot.waitUntil(lambda: not second.isVisible())
    third = next_window()
    queue = third.starter.queue
    assert third.queue.left.isVisible()
    assert not third.queue.start.isVisible()
    assert [one.campaign.name for one in queue.left] == ["Soon", "Late"]
    assert names(third) == []
    assert not third.run.is_running
    seen: list[tuple[str, str, int]] = []

    def accept(dialog: StartDialog) -> None:
        form, when = dialog.form, dialog.form.when
        seen.append((form.note.text(), when.then.text(), when.shorten.value()))
        qtbot.waitUntil(dialog._start.isEnabled)
        assert dialog._start.text() == "Add to queue"
        dialog.accept()
        if len(seen) == 1:
            once_open(StartDialog, lambda other: other.reject())

    once_open(StartDialog, accept)
    third.queue.again.click()
    assert seen == [("", "", 2)]
    assert names(third) == ["Soon"]
    assert [one.campaign.name for one in queue.left] == ["Late"]
    assert queue.left[0].then == ("true",)
    answers = [False, True]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queue_bar, "ask", lambda *_, **__: answers.pop(0))
        third.queue.forget.click()
        assert [one.campaign.name for one in queue.left] == ["Late"]
        third.queue.forget.click()
    assert not third.queue.left.isVisible()
    third.stop_and_close()
    qtbot.waitUntil(lambda: not third.isVisible())
    for one in (second, third):
        one.deleteLater()


def test_a_resumption_waits_for_a_run_that_began_while_it_was_asked_for(
    window: MainWindow, qtbot: QtBot, make: Make, tmp_path: Path
) -> None:
    window.starter.begin(make("Timed", 300))
    resumed = replace(make("Cut off"), resume=tmp_path / "cut.bayscope")
    window.starter.begin(resumed)
    window.starter.begin(resumed)  # asked for twice
    assert names(window) == ["Cut off"]
    qtbot.waitUntil(lambda: window.pages.live.record is not None)
    window.starter.queue.clear()
