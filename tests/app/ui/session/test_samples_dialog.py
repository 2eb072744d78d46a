"""Samples are chosen in the window as they are seen there, and written."""
# mypy: disallow-untyped-calls=False

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.operations.sessions.samples import Written
from app.ui.chart.part import Part
from app.ui.kit.background import Background
from app.ui.session.page import SessionPage
from app.ui.session.samples_dialog import Offer, SamplesDialog
from app.ui.window.main_window import MainWindow
from instruments.reading import SECOND
from tests.app.operations.sessions.test_samples import csv_frame
from tests.app.record.recording import NOISE, POWER
from tests.app.ui.session.sessions_page import write

WHOLE = Part(0.0, 20.0, "Whole session", is_whole=True)


@pytest.fixture
def dialog(
    qtbot: QtBot, background: Background, tmp_path: Path
) -> Iterator[SamplesDialog]:
    offer = Offer(
        write(tmp_path),
        (*POWER, *NOISE),
        frozenset({"mains.P"}),
        (Part(5.0, 10.0, "What is shown"), WHOLE),
    )
    parent = QWidget()
    qtbot.addWidget(parent)
    found = SamplesDialog(offer, background, parent)
    found.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    yield found
    assert parent.isHidden()  # It lives as long as the dialog.


def _press(dialog: SamplesDialog, text: str) -> None:
    next(b for b in dialog.findChildren(QPushButton) if b.text() == text).click()


def test_the_channels_of_the_charts_are_one_click_away(dialog: SamplesDialog) -> None:
    found = [list(dialog.choice.channels)]
    _press(dialog, "In the &charts")
    found.append(list(dialog.choice.channels))
    assert found == [[], ["mains.P"]]
    _press(dialog, "&None")
    assert not dialog.buttons.yes.isEnabled()
    dialog.channels.filter.setText("mains.*")
    _press(dialog, "&All")  # Of those that are listed.
    assert list(dialog.choice.channels) == ["mains.P", "mains.U"]


def test_what_is_shown_is_chosen_first(dialog: SamplesDialog) -> None:
    choices = []
    for place in range(2):
        dialog.part.setCurrentIndex(place)
        choices.append((dialog.choice.from_s, dialog.choice.until_s))
    assert choices == [(5.0, 10.0), (0.0, None)]
    assert (
        "420 values" in dialog.amount.text()
    )  # 200 of each of mains, 5 too many: 1 Hz
    dialog.grid.setCurrentText("Means of 10 s")
    assert dialog.choice.grid_ns == 10 * SECOND


def test_it_needs_a_format(dialog: SamplesDialog) -> None:
    dialog.formats["csv"].setChecked(False)
    assert not dialog.buttons.yes.isEnabled()
    dialog.formats["parquet"].setChecked(True)
    assert dialog.buttons.yes.isEnabled()


def test_a_folder_of_an_unknown_user_is_said(dialog: SamplesDialog) -> None:
    dialog.folder.setText("~nobody-knows-me/x")
    dialog.buttons.yes.click()
    assert "unknown user" in dialog.mistake.text()
    assert dialog.buttons.yes.isEnabled()


def test_a_mistake_is_said_and_can_be_mended(
    dialog: SamplesDialog, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog.show()
    _press(dialog, "&None")
    dialog.channels.list.item(0).setCheckState(Qt.CheckState.Checked)
    dialog.folder.setText("/proc/nowhere")
    dialog.buttons.yes.click()
    qtbot.waitUntil(dialog.mistake.isVisible)
    assert "cannot be written" in dialog.mistake.text()
    dialog.folder.setText(str(tmp_path / "out"))
    with qtbot.waitSignal(dialog.written, timeout=60_000) as caught:
        dialog.buttons.yes.click()
    written = caught.args[0]
    assert isinstance(written, Written)
    assert (written.folder, written.rows) == (tmp_path / "out", 10)
    qtbot.waitUntil(lambda: not dialog.isVisible())


def test_every_control_has_a_name_and_the_keyboard_reaches_it(
    dialog: SamplesDialog,
) -> None:
    controls = [
        *(dialog.channels.list, dialog.channels.filter, dialog.part, dialog.grid),
        *(dialog.folder, *dialog.formats.values(), dialog.buttons.yes),
    ]
    for widget in controls:
        assert widget.accessibleName() or widget.text()  # type: ignore[attr-defined]
        assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_the_window_writes_what_it_shows(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window.navigation.choose("Sessions")
    window.pages.sessions.open(write(tmp_path))
    page: SessionPage = window.pages.sessions.page
    qtbot.waitUntil(lambda: page.record is not None)
    page.pane.chart.zoom.zoom_to(5.0, 15.0)
    page.head.samples_wanted.emit()
    qtbot.waitUntil(lambda: window.findChild(SamplesDialog) is not None)
    dialog = window.findChild(SamplesDialog)
    assert dialog is not None
    assert dialog.part.count() == 3  # What is shown, all, the row's window.
    dialog.folder.setText(str(tmp_path / "out"))
    with qtbot.waitSignal(dialog.written, timeout=60_000):
        dialog.buttons.yes.click()
    frame = csv_frame(tmp_path / "out" / "good-samples.csv")
    assert set(frame["channel"]) == {"mains.P", "mains.lambda"}
    assert 4.9 < frame["monotonic_ns"].min() / SECOND < 6
    qtbot.waitUntil(lambda: "rows of samples" in window.status.currentMessage())
