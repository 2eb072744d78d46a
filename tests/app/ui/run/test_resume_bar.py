"""A run that was cut off is offered, left, or gone on with in the window."""
# mypy: disallow-untyped-calls=False

import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.bench.file import default_bench
from app.operations import sweeping
from app.operations.run.foresee import foresee
from app.operations.run.resume import Unfinished, unfinished
from app.operations.run.resume_offers import CutOff, ago, all_cut_off, sentence_of
from app.plan.campaign import parse_campaign
from app.record.own_key import KEY_NAME
from app.record.store import Session
from app.ui.kit.context import Context
from app.ui.kit.settings import Settings
from app.ui.kit.theme import Theme
from app.ui.run import resume_bar
from app.ui.run.resume_bar import ResumeBar
from app.ui.run.resume_plan import needs_words, plan_of
from app.ui.run.start_asking import ForeignDialog
from app.ui.run.start_dialog import StartDialog
from app.ui.window.main_window import MainWindow
from instruments.files.kept import kept_path
from tests.app.ui.cut_off import cut_off_session
from tests.app.ui.dialogs import once_open

WRITE = """
name = "Write"
[[step]]
label = "Write"
engine = "fio"
runtime = "1s"
[step.fio]
rw = "randwrite"
"""


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session whose recording process was killed in its second row."""
    return cut_off_session(tmp_path_factory.mktemp("cut"))


@pytest.fixture
def path(cut: Path, tmp_path: Path) -> Path:
    for file in cut.parent.glob(f"{cut.name}*"):  # with its write-ahead log
        shutil.copy(file, tmp_path)
    return tmp_path / cut.name


@pytest.fixture
def make_bar(
    qtbot: QtBot, context: Context, settings: Settings
) -> Callable[[], ResumeBar]:
    def make() -> ResumeBar:
        found = ResumeBar(context, settings)
        qtbot.addWidget(found)
        return found

    return make


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (20, "just now"),
        (90, "1 minute ago"),
        (7300, "2 hours ago"),
        (200_000, "2 days ago"),
    ],
)
def test_a_time_ago_is_told_in_its_largest_unit(seconds: float, told: str) -> None:
    assert ago(seconds) == told


def test_the_sentence_counts_rows_or_says_why_not(path: Path) -> None:
    [one] = all_cut_off(path.parent)
    told = sentence_of(one, one.ended_s + 720)
    assert told == "Night was cut off 12 minutes ago, 2 of 3 rows are left."
    assert all_cut_off(path.parent, [path]) == []
    stuck = CutOff(path, "Night", 0, None, "the computer was restarted since.")
    assert sentence_of(stuck, 60).endswith("ago: the computer was restarted since.")


def test_what_was_left_is_offered_no_more(
    qtbot: QtBot, make_bar: Callable[[], ResumeBar], path: Path
) -> None:
    first = make_bar()
    first.look_in(path.parent)
    qtbot.waitUntil(first.isVisible)
    with qtbot.waitSignal(first.wanted) as wanted:
        first.go_on.click()
    assert wanted.args is not None
    assert isinstance(wanted.args[0], Unfinished)
    first.leave.click()
    assert not first.isVisible()
    second = make_bar()
    second.look_at(path)
    qtbot.waitUntil(second.isVisible)
    second.set_quiet(quiet=True)
    assert not second.isVisible()


def test_it_goes_on_in_the_window(window: MainWindow, qtbot: QtBot, path: Path) -> None:
    window.resume.look_in(path.parent)
    qtbot.waitUntil(window.resume.isVisible)
    with qtbot.waitSignal(window.run.finished) as finished:
        window.resume.go_on.click()
        assert not window.resume.isVisible()
    assert finished.args is not None
    assert finished.args[0].session == path
    with Session.open(path) as session:
        rows = [(row.label, row.outcome) for row in session.steps()]
    assert rows == [
        ("Idle", "DONE"),
        ("Rest (void 1)", "VOID"),
        ("Rest", "DONE"),
        ("End", "DONE"),
    ]
    assert not window.resume.isVisible()


def test_a_disk_is_armed_anew(window: MainWindow, qtbot: QtBot, path: Path) -> None:
    plan = plan_of(unfinished(path))
    assert not needs_words(plan)
    seen: list[StartDialog] = []

    def accept(dialog: StartDialog) -> None:
        seen.append(dialog)
        assert dialog.windowTitle() == f"Resume {path.name}"
        assert not dialog.form.campaigns.isEnabled()
        assert not dialog.form.target.isEnabled()
        dialog.accept()
        assert dialog.plan is not None
        assert dialog.plan.resume == path

    once_open(StartDialog, accept)
    with qtbot.waitSignal(window.run.changed):
        window.starter.ask_again(plan)
    assert seen
    window.run.stop()
    qtbot.waitUntil(lambda: not window.run.is_running)


def test_a_disk_or_a_bucket_has_to_be_named_again(path: Path) -> None:
    plan = plan_of(unfinished(path))
    disk = plan.bench.with_target(Path("/dev/sdz"), 0)
    assert not needs_words(replace(plan, bench=disk))
    load = parse_campaign(WRITE, "test.toml")
    assert not needs_words(replace(plan, campaign=load))
    assert needs_words(replace(plan, campaign=load, bench=disk))


def test_one_from_elsewhere_does_nothing_before_it_was_read(
    window: MainWindow, qtbot: QtBot, path: Path, tmp_path: Path
) -> None:
    """Enter does nothing; only the button that says so lets its command run."""
    mark = tmp_path / "mark"
    step = (
        '[[step]]\nlabel = "Evil"\nengine = "command"\n[step.command]\n'
        f'run = "touch {mark}"\n'
    )
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE session SET campaign = campaign || ?", (step,))
        connection.execute(
            "INSERT INTO step (position, label, engine, plan) "
            "VALUES (9, 'Evil', 'command', '')"
        )
        connection.commit()
    window.resume.look_in(path.parent)
    qtbot.waitUntil(window.resume.isVisible)
    assert "not recorded by you" in window.resume.text.text()
    seen: list[str] = []

    def press_enter(dialog: ForeignDialog) -> None:
        seen.append(dialog.lines.toPlainText())
        assert dialog.cancel.isDefault()
        qtbot.keyClick(dialog, Qt.Key.Key_Return)

    once_open(ForeignDialog, press_enter)
    window.resume.go_on.click()
    assert f"run: touch {mark}" in seen[0].splitlines()
    assert not window.run.is_running
    once_open(ForeignDialog, lambda dialog: dialog.go_on.click())
    with qtbot.waitSignal(window.run.finished):
        window.resume.go_on.click()
    assert mark.exists()


def test_without_a_key_one_from_elsewhere_is_not_even_asked_about(
    window: MainWindow, qtbot: QtBot, path: Path, home: Path
) -> None:
    """Its code would be one that anybody can tell."""
    key = kept_path(KEY_NAME)
    key.write_bytes(b"")
    with qtbot.waitSignal(window.starter.failed) as failed:
        window.starter.go_on(unfinished(path))
    assert str(key) in str(failed.args[0])
    assert not window.run.is_running


def test_what_a_start_put_right_stays_until_it_is_dismissed(
    make_bar: Callable[[], ResumeBar], path: Path, qtbot: QtBot
) -> None:
    bar = make_bar()
    told = [f"On host{number} there may be a folder." for number in range(30)]
    bar.show_swept(told)
    assert bar.isVisible()
    assert bar.swept.text.text().splitlines() == told
    assert bar.offer is None
    assert not bar.go_on.isVisible()
    bar.look_in(path.parent)
    qtbot.waitUntil(lambda: bar.offer is not None)
    assert bar.swept.isVisible()
    bar.set_quiet(quiet=True)
    assert not bar.isVisible()
    bar.set_quiet(quiet=False)
    bar.swept.dismiss.click()
    assert not bar.swept.isVisible()
    bar.leave.click()
    assert not bar.isVisible()
    bar.show_swept([])
    assert not bar.isVisible()


def test_a_sweep_that_fails_keeps_no_cut_off_run_from_being_offered(
    qtbot: QtBot,
    theme: Theme,
    settings: Settings,
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail() -> None:
        raise OSError("no room")

    monkeypatch.setattr(sweeping, "sweep_up", fail)
    window = MainWindow(default_bench(), path.parent, theme, settings)
    qtbot.addWidget(window)
    window.show()
    with qtbot.waitSignal(window.background.failed) as failed:
        window.sweep_up(offers=True)
    assert isinstance(failed.args[0], OSError)
    qtbot.waitUntil(lambda: window.resume.offer is not None)
    window.close()


def test_what_is_estimated_is_what_is_left(path: Path) -> None:
    left = unfinished(path)
    [whole, *_] = foresee(left.campaign, left.bench, path.parent)
    [rest, *_] = foresee(left.campaign, left.bench, path.parent, plan_of(left).left)
    assert "3 steps" in whole.basis
    assert "2 steps" in rest.basis
    assert left.count.startswith("2 of 3 ")


def test_it_is_said_anew_how_long_ago_it_was(
    make_bar: Callable[[], ResumeBar],
    path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(resume_bar, "_AGE_MS", 10)
    bar = make_bar()
    bar.look_in(path.parent)
    qtbot.waitUntil(lambda: bar.offer is not None)
    before, later = bar.text.text(), time.time() + 7300
    monkeypatch.setattr(time, "time", lambda: later)
    qtbot.waitUntil(lambda: bar.text.text() != before)
    assert "2 hours ago" in bar.text.text()
