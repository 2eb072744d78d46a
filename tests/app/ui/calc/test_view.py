"""The page of the calculators: every one of them, mistakes, measured values."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from app.calc.calculator import Chart, Course
from app.calc.catalogue import CALCULATORS
from app.ui.calc.chart import ticks
from app.ui.calc.take_dialog import TakeDialog
from app.ui.calc.view import CalculatorPage, CalculatorsView
from app.ui.kit.context import Context
from tests.app.ui.sample import write_sample


@pytest.fixture
def view(qtbot: QtBot, context: Context, tmp_path: Path) -> CalculatorsView:
    view = CalculatorsView(context, tmp_path)
    qtbot.addWidget(view)
    view.resize(1184, 640)
    view.show()
    return view


def _choose(view: CalculatorsView, word: str) -> CalculatorPage:
    view.list.setCurrentRow(list(CALCULATORS).index(word))
    return view.page


def _shown(page: CalculatorPage, title: str) -> str:
    lines = [line for line in page.results.records if line.title == title]
    return lines[0].value if lines else ""


def _type(page: CalculatorPage, key: str, text: str) -> None:
    editor = page.fields[key].editor
    assert isinstance(editor, QLineEdit)
    editor.setText(text)
    editor.textEdited.emit(text)


@pytest.mark.parametrize("word", CALCULATORS)
def test_every_calculator_shows_its_results_at_once(
    view: CalculatorsView, qtbot: QtBot, word: str
) -> None:
    page = _choose(view, word)
    qtbot.waitUntil(lambda: bool(page.results.records))
    for field in page.fields.values():
        assert field.editor.accessibleName()
        assert field.editor.focusPolicy() & Qt.FocusPolicy.TabFocus
    chart = CALCULATORS[word].answer({}).chart
    assert page.chart.isVisible() == (chart is not None)
    if chart is not None:
        assert page.chart.names == [course.name for course in chart.courses]


def test_a_change_is_worked_out_and_a_mistake_is_said_at_its_field(
    view: CalculatorsView, qtbot: QtBot
) -> None:
    page = _choose(view, "raid")
    qtbot.waitUntil(lambda: _shown(page, "Gross") == "1200")
    _type(page, "drives", "24")
    qtbot.waitUntil(lambda: _shown(page, "Gross") == "480")
    _type(page, "drives", "3")
    mistake = page.fields["drives"].mistake
    qtbot.waitUntil(lambda: "has 3 drives" in mistake.text())
    assert page.results.records == []
    _type(page, "drives", "many")
    qtbot.waitUntil(lambda: "whole number" in mistake.text())
    _type(page, "drives", "8")
    qtbot.waitUntil(lambda: _shown(page, "Gross") == "160")
    assert not mistake.isVisible()


@pytest.mark.parametrize(
    "case",
    [
        ("raid", "group", "level", "raid6", "raid60"),
        ("zfs", "group", "layout", "stripe", "mirror"),
        ("zfs", "data", "layout", "raidz2", "draid2"),
        ("link", "sas_lanes", "sas", "none", "12"),
        ("link", "pcie_share", "pcie", "none", "4"),
    ],
)
def test_an_input_is_shown_only_where_it_counts(
    view: CalculatorsView, qtbot: QtBot, case: tuple[str, ...]
) -> None:
    word, key, by, without, where = case
    page = _choose(view, word)
    qtbot.waitUntil(lambda: bool(page.results.records))
    box, field = page.fields[by].editor, page.fields[key]
    assert isinstance(box, QComboBox)
    box.setCurrentText(where)
    qtbot.waitUntil(field.isVisible)
    _type(page, key, "many")
    qtbot.waitUntil(lambda: page.results.records == [])
    box.setCurrentText(without)
    qtbot.waitUntil(lambda: not field.isVisible())
    # A mistake in what does not count is none.
    qtbot.waitUntil(lambda: bool(page.results.records))


def test_every_calculator_names_inputs_of_its_own() -> None:
    for calculator in CALCULATORS.values():
        options = {one.key: one for one in calculator.options}
        for key, (by, where) in calculator.only.items():
            assert key in options
            assert set(where) <= set(options[by].choices)


def test_a_printed_figure_is_looked_for_among_the_results(
    view: CalculatorsView, qtbot: QtBot
) -> None:
    page = _choose(view, "cost")
    page.fill({"power": 860.0, "capacity": 840.0})
    page.printed.setText("1.12")
    qtbot.waitUntil(lambda: "W/TiB" in page.found.text())
    page.printed.setText("much")
    assert "number" in page.found.text()


def test_values_are_taken_from_a_row_of_a_session(
    view: CalculatorsView, qtbot: QtBot, tmp_path: Path
) -> None:
    write_sample(tmp_path / "sample.bayscope")
    page = _choose(view, "cost")
    page.take.click()
    dialog = page.findChild(TakeDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.steps.count() > 1)
    dialog.steps.setCurrentText("Sequential read 4M")
    assert dialog.buttons.yes.isEnabled()
    values = dict(dialog.values)
    assert values["idle"] == pytest.approx(412, abs=2)
    dialog.buttons.yes.click()
    shown = page.fields["power"].editor
    assert isinstance(shown, QLineEdit)
    assert float(shown.text()) == pytest.approx(values["power"], rel=1e-4)
    qtbot.waitUntil(lambda: bool(_shown(page, "MB/s/W")))
    assert QApplication.activeModalWidget() is None


def test_a_folder_without_sessions_says_so(view: CalculatorsView, qtbot: QtBot) -> None:
    page = _choose(view, "intake")
    page.take.click()
    dialog = page.findChild(TakeDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: "no session" in dialog.told.text())
    assert not dialog.buttons.yes.isEnabled()
    dialog.reject()


def test_what_a_session_holds_is_text_and_never_a_tag(
    view: CalculatorsView, qtbot: QtBot, tmp_path: Path
) -> None:
    write_sample(tmp_path / "odd.bayscope", name="<b>bold</b>\u202e")
    page = _choose(view, "streams")
    page.take.click()
    dialog = page.findChild(TakeDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.steps.count() > 1)
    assert "<b>bold</b>\\u202e" in dialog.sessions.currentText()
    dialog.reject()


def test_ticks_are_round_and_within() -> None:
    assert ticks(0, 10, 5) == [0, 2, 4, 6, 8, 10]
    assert ticks(1, 60, 6) == [10, 20, 30, 40, 50, 60]
    assert ticks(0, 0.023, 5) == pytest.approx([0, 0.005, 0.01, 0.015, 0.02])
    assert ticks(3, 3, 5) == [3]


def test_a_chart_of_nothing_but_noughts_is_painted(
    view: CalculatorsView, qtbot: QtBot
) -> None:
    page = _choose(view, "crossover")
    flat = Chart("Size", "MB/s", (Course("A", ((4.0, 0.0),)),), is_log=True)
    page.chart.show_chart(flat)
    page.chart.grab()


def test_a_value_and_its_unit_are_seen_in_a_small_window(
    view: CalculatorsView, qtbot: QtBot
) -> None:
    view.resize(856, 500)
    page = _choose(view, "reliability")
    qtbot.waitUntil(lambda: page.results.rowCount() > 0)
    table = page._table

    def seen() -> bool:
        head = table.horizontalHeader()
        end = head.sectionPosition(2) + head.sectionSize(2)
        return head.sectionSize(0) > 100 and end <= table.viewport().width()

    qtbot.waitUntil(seen)
