"""The start dialog: defaults that work, mistakes said, nothing started."""
# mypy: disallow-untyped-calls=False

import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.bench.file import default_bench
from app.operations.bench.aim import Aim, aimed
from app.operations.run.foresee import Forecast
from app.plan.campaign import Campaign, load_campaign
from app.ui.campaign.chooser import shipped_campaigns
from app.ui.kit.context import Context
from app.ui.kit.settings import Settings
from app.ui.run.control import RunControl
from app.ui.run.start_asking import RunAsking
from app.ui.run.start_dialog import StartDialog
from instruments.errors import BenchError
from tests.app.ui.dialogs import choose_campaign, knows_campaign, once_open

CAMPAIGN = """
name = "Mine"
[[step]]
label = "Rest"
engine = "idle"
runtime = "1s"
"""


@pytest.fixture
def dialog(qtbot: QtBot, context: Context, tmp_path: Path) -> StartDialog:
    found = StartDialog(
        default_bench(),
        tmp_path,
        context,
        campaigns=shipped_campaigns(),
    )
    qtbot.addWidget(found)
    found.show()
    return found


def press_start(dialog: StartDialog, qtbot: QtBot) -> None:
    for button in dialog.buttons.buttons():
        role = dialog.buttons.buttonRole(button)
        if role == QDialogButtonBox.ButtonRole.AcceptRole:
            qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_start_at_once_takes_the_demo(
    dialog: StartDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    press_start(dialog, qtbot)
    assert dialog.result() == QDialog.DialogCode.Accepted
    plan = dialog.plan
    assert plan is not None
    assert plan.campaign.name.startswith("Demo")
    assert plan.out == tmp_path
    assert list(plan.without) == []
    assert plan.bench.dut.size == default_bench().dut.size


def test_enter_starts_and_escape_does_not(dialog: StartDialog, qtbot: QtBot) -> None:
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.result() == QDialog.DialogCode.Rejected
    assert dialog.plan is None
    dialog.show()
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.plan is not None


def test_what_is_entered_is_taken(
    dialog: StartDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(CAMPAIGN)
    choose_campaign(dialog, file, qtbot)
    assert "1 step, 0:01: Rest." in dialog.form.about.text()
    dialog.form.target.setText(str(tmp_path / "scratch.dat"))
    dialog.form.target.amount.setText("64m")
    dialog.form.sources[2].setChecked(False)
    dialog.form.operator.setText("Ann ")
    dialog.form.note.setText("new cables")
    press_start(dialog, qtbot)
    plan = dialog.plan
    assert plan is not None
    assert plan.campaign.name == "Mine"
    assert (plan.operator, plan.note) == ("Ann", "new cables")
    assert plan.bench.dut.targets[0] == tmp_path / "scratch.dat"
    assert plan.bench.dut.size == 64 * 2**20
    assert list(plan.without) == ["noise"]


def test_a_bad_size_is_said_and_nothing_starts(
    dialog: StartDialog, qtbot: QtBot
) -> None:
    dialog.form.target.amount.setText("much")
    press_start(dialog, qtbot)
    assert dialog.isVisible()
    assert '"much" is not a size' in dialog.error
    dialog.form.target.amount.setText("64m")
    dialog.form.out.setText(" ")
    press_start(dialog, qtbot)
    assert "the folder is missing" in dialog.error
    assert "not a size" not in dialog.error
    assert dialog.form.mistakes[dialog.form.out].isVisible()
    assert not dialog.form.mistakes[dialog.form.target.amount].isVisible()
    assert dialog.plan is None


def test_a_size_that_bench_toml_would_refuse_is_said_beside_the_field(
    dialog: StartDialog, qtbot: QtBot
) -> None:
    for size in ("0", "4k", "16000k", "16777215", "-1g", "9" * 400):
        dialog.form.target.amount.setText(size)
        press_start(dialog, qtbot)
        assert dialog.isVisible()
        assert dialog.plan is None
        label = dialog.form.mistakes[dialog.form.target.amount]
        assert label.isVisible()
        assert size in label.text()
        assert not dialog.form.error.isVisible()
        assert dialog.focusWidget() is dialog.form.target.amount


def test_a_mistake_moves_no_field(dialog: StartDialog, qtbot: QtBot) -> None:
    form = dialog.form

    def places() -> list[QPoint]:
        fields = (form.target, form.out, form.operator, form.when.then)
        return [one.mapTo(dialog, QPoint()) for one in fields]

    # The style sheet reaches the fields after the first layout of the window.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
    before = places()
    form.target.amount.setText("5 x")
    press_start(dialog, qtbot)
    assert form.mistakes[form.target.amount].isVisible()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
    assert places() == before
    form.complain("It cannot be written.", form.out)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
    assert places() == before


def test_another_campaign_moves_no_field(dialog: StartDialog, qtbot: QtBot) -> None:
    form, estimate, places, lines = dialog.form, dialog.checks.estimate, set(), set()
    for name in ("HDD against SSD: block sizes", "Readings without a load"):
        form.campaigns.box.setCurrentText(name)
        qtbot.waitUntil(lambda: estimate.value("Cost") != "...")
        dialog._height._fit()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        fields = (form.target, form.operator, form.when.then, estimate)
        places.add(tuple(one.mapTo(dialog, QPoint()) for one in fields))
        lines.add(form.about.height())
    assert len(lines) == 2, "one description is longer"
    assert len(places) == 1


def test_an_estimate_that_comes_or_fails_moves_nothing(
    dialog: StartDialog, qtbot: QtBot
) -> None:
    estimate = dialog.checks.estimate
    qtbot.waitUntil(lambda: estimate.value("Cost") != "...")
    known = [
        Forecast(name, "about 1.2 to 1.4", "one thing; " * 20)
        for name in ("Duration", "Written", "Energy", "Cost")
    ]
    found = []
    for show in (
        estimate.show_waiting,
        estimate.show_nothing,
        partial(estimate.show_forecasts, known),
        partial(estimate.show_nothing, "the folder cannot be read. " * 9),
        partial(estimate.show_forecasts, [replace(one, basis="") for one in known]),
    ):
        show()
        dialog._height._fit()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        rows = (estimate.findChildren(QLabel), dialog.buttons, dialog.form.when.then)
        places = [one.mapTo(dialog, QPoint()).y() for one in (*rows[0], *rows[1:])]
        found.append((dialog.height(), estimate.height(), places))
    assert found[1:] == found[:-1]
    estimate.show_forecasts(known)
    assert dialog.checks.estimate._bases["Cost"].toolTip().count("one thing") == 20


def test_why_a_run_did_not_begin_stands_below_its_field(
    dialog: StartDialog, qtbot: QtBot
) -> None:
    press_start(dialog, qtbot)
    assert dialog.plan is not None
    for where, field in (
        (str(dialog.form.target.paths[0]), dialog.form.target),
        (dialog.form.out.text(), dialog.form.out),
    ):
        error = BenchError("it cannot be written", where=where)
        dialog.set_plan(dialog.plan, error)
        label = dialog.form.mistakes[field]
        assert label.text() == str(error)
        assert label.objectName() == "mistake", "what has the error colour"
        assert not dialog.form.error.text()
    dialog.set_plan(dialog.plan, BenchError("the bench is busy"))
    assert dialog.form.error.text() == "the bench is busy."


def test_why_a_run_of_a_file_did_not_begin_is_said_once_that_was_read_again(
    dialog: StartDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(CAMPAIGN)
    choose_campaign(dialog, file, qtbot)
    press_start(dialog, qtbot)
    assert dialog.plan is not None
    dialog.set_plan(dialog.plan, BenchError("the bench is busy"))
    assert dialog.error == ""
    qtbot.waitUntil(lambda: knows_campaign(dialog))
    assert dialog.error == "the bench is busy."
    assert dialog._start.isEnabled()
    dialog.form.campaigns.box.setCurrentIndex(0)
    assert dialog.error == ""


@pytest.mark.parametrize(
    ("target", "where", "is_its"),
    [
        (".", "/elsewhere", False),
        (".", ".", True),
        ("/scratch/a[1].dat", "/scratch/a[1].dat", True),
        ("/scratch/dev*", "/scratch/dev7", True),
        ("/scratch/dev7", "/more/scratch/dev7", False),
        ("dev7", "/scratch/dev7", False),
        ("/scratch/[", "/scratch/x", False),
    ],
)
def test_the_field_of_an_error_is_found_by_its_path(
    dialog: StartDialog, qtbot: QtBot, target: str, where: str, is_its: bool
) -> None:
    press_start(dialog, qtbot)
    assert dialog.plan is not None
    bench = aimed(dialog.plan.bench, Aim((Path(target),), 2**24))
    plan = replace(dialog.plan, bench=bench)
    dialog.set_plan(plan, BenchError("it cannot be written", where=where))
    assert bool(dialog.form.mistakes[dialog.form.target].text()) == is_its
    assert bool(dialog.form.error.text()) != is_its


def test_a_home_nobody_has_is_a_sentence(dialog: StartDialog, qtbot: QtBot) -> None:
    dialog.form.target.setText("~nobody-of-that-name/scratch.dat")
    press_start(dialog, qtbot)
    assert dialog.form.mistakes[dialog.form.target].isVisible()
    assert "home folder" in dialog.error
    assert dialog.plan is None


def test_a_campaign_with_a_mistake_stays_visible_and_cannot_start(
    dialog: StartDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "bad.toml"
    file.write_text('name = "x"\n[[step]]\nlabel = "a"\nengine = "warp9"\n')
    choose_campaign(dialog, file, qtbot)
    assert "bad.toml" in dialog.form.campaigns.box.currentText()
    assert "bad.toml" in dialog.error
    assert "engine" in dialog.error
    estimate = dialog.checks.estimate
    assert {estimate.value(name) for name in ("Duration", "Energy")} == {"-"}
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    press_start(dialog, qtbot)
    dialog.accept()
    assert dialog.result() == QDialog.DialogCode.Rejected
    assert dialog.isVisible()
    dialog.form.campaigns.box.setCurrentIndex(0)
    assert dialog.error == ""
    press_start(dialog, qtbot)
    assert dialog.plan is not None
    assert dialog.plan.file is None


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Keep every campaign file from being read until this is set."""
    back = threading.Event()

    def wait(path: Path) -> Campaign:
        back.wait()
        return load_campaign(path)

    monkeypatch.setattr("app.ui.campaign.chooser.load_campaign", wait)
    yield back
    back.set()


@pytest.fixture
def slow(
    dialog: StartDialog, answers: threading.Event, tmp_path: Path, qtbot: QtBot
) -> Path:
    """Choose a file that is being read, and press Enter."""
    file = tmp_path / "mine.toml"
    file.write_text(CAMPAIGN)
    dialog.form.campaigns.add(file)
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    assert dialog.isVisible()
    assert dialog.reason.text() == "Starts as soon as mine.toml is read."
    return file


def test_enter_while_the_file_is_read_starts_once_it_is(
    dialog: StartDialog, slow: Path, answers: threading.Event, qtbot: QtBot
) -> None:
    dialog.form.note.setText("typed meanwhile")
    answers.set()
    qtbot.waitUntil(lambda: dialog.plan is not None)
    assert not dialog.isVisible()
    assert dialog.plan is not None
    assert (dialog.plan.file, dialog.plan.note) == (slow, "typed meanwhile")


@pytest.mark.parametrize("other", ["a mistake", "a disk", "a campaign", "a target"])
def test_enter_is_forgotten_where_something_else_stands_then(
    dialog: StartDialog, slow: Path, answers: threading.Event, qtbot: QtBot, other: str
) -> None:
    if other == "a mistake":
        slow.write_text("name = 1")
    elif other == "a campaign":
        dialog.form.campaigns.box.setCurrentIndex(0)
    elif other == "a target":
        dialog.form.target.setText("scratch.dat")
    else:  # which is to be armed first
        slow.write_text(CAMPAIGN.replace("idle", "fio"))
        dialog.form.target.setText("/dev/bayscope-none")
        qtbot.keyClick(dialog, Qt.Key.Key_Return)
    answers.set()
    box, index = dialog.form.campaigns.box, dialog.form.campaigns.box.count() - 1
    qtbot.waitUntil(lambda: "being read" not in box.itemText(index))
    assert dialog.isVisible()
    assert dialog.plan is None
    assert "as soon as" not in dialog.reason.text()


def test_escape_while_the_file_is_read_starts_nothing(
    dialog: StartDialog, slow: Path, answers: threading.Event, qtbot: QtBot
) -> None:
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    answers.set()
    qtbot.waitUntil(lambda: knows_campaign(dialog))
    assert dialog.result() == QDialog.DialogCode.Rejected
    assert dialog.plan is None


def test_a_mended_file_takes_the_place_of_the_broken_one(
    dialog: StartDialog, tmp_path: Path, qtbot: QtBot
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("name = 1")
    choose_campaign(dialog, file, qtbot)
    count = dialog.form.campaigns.box.count()
    file.write_text(CAMPAIGN)
    choose_campaign(dialog, file, qtbot)
    assert dialog.form.campaigns.box.count() == count
    assert dialog.error == ""
    assert dialog._start.isEnabled()


def test_the_campaign_file_of_the_last_run_is_chosen(
    qtbot: QtBot,
    context: Context,
    settings: Settings,
    tmp_path: Path,
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(CAMPAIGN)
    parent = QWidget()
    qtbot.addWidget(parent)
    seen: list[str] = []

    def answer(choose: bool, found: StartDialog) -> None:
        if choose:
            choose_campaign(found, file, qtbot)
        seen.append(found.form.campaigns.box.currentText())
        found.accept()

    for choose in (True, False):
        once_open(StartDialog, partial(answer, choose), knows_campaign)
        asking = RunAsking(context, settings, parent)
        run = RunControl(context.background)
        plan = asking.ask(default_bench(), tmp_path, run=run)
        assert plan is not None
        assert plan.file == file
    assert seen == ["Mine  (mine.toml)"] * 2


def test_no_button_is_called_by_the_room_beside_its_icon(dialog: StartDialog) -> None:
    buttons = dialog.findChildren(QAbstractButton)
    names = [one.accessibleName() or one.text() for one in buttons]
    assert "Check again" in names
    assert [name for name in names if name != name.strip()] == []
