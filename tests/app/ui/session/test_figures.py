"""The figures of a session on screen: real sessions, real pictures."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QGuiApplication
from pytestqt.qtbot import QtBot

from app.operations.run.run import run_campaign
from app.ui.kit.context import Context
from app.ui.kit.theme import Choice
from app.ui.session.figures import FigurePage
from app.ui.session.record import Record, open_record
from tests.app.operations.benches import READ, bench, campaign


@pytest.fixture
def record(recorded: Path) -> Iterator[Record]:
    found = open_record(recorded / "first.bayscope")
    yield found
    found.close()


@pytest.fixture
def page(qtbot: QtBot, context: Context, record: Record) -> FigurePage:
    found = FigurePage(context)
    qtbot.addWidget(found)
    found.resize(900, 600)
    found.show()
    found.set_record(record)
    qtbot.waitUntil(lambda: found.box.count() > 0)
    return found


def shows(page: FigurePage, qtbot: QtBot, number: int) -> None:
    page.box.setCurrentIndex(number)
    qtbot.waitUntil(lambda: bool(page.about.text()))


def test_each_load_of_fio_has_an_entry(page: FigurePage, qtbot: QtBot) -> None:
    titles = [page.box.itemText(n) for n in range(page.box.count())]
    assert titles
    assert all(title.startswith("Latency: ") for title in titles)
    shows(page, qtbot, 0)


def test_what_is_not_kept_is_said(page: FigurePage, qtbot: QtBot) -> None:
    """Sessions of these tests have rows of fio without its output."""
    shows(page, qtbot, 0)
    assert page.view.figure is None
    assert "No histogram" in page.about.text()
    assert not page._copy.isEnabled()


def test_a_session_that_is_let_go_of_while_it_is_read_is_no_error(
    qtbot: QtBot, context: Context, record: Record
) -> None:
    """The background of these tests fails them where an error is passed on."""
    page = FigurePage(context)
    qtbot.addWidget(page)
    record.close()
    page.set_record(record)
    page.set_record(None)
    qtbot.waitUntil(lambda: not context.background._works)


def test_a_session_without_figures_says_what_would_have_some(
    qtbot: QtBot, context: Context
) -> None:
    page = FigurePage(context)
    qtbot.addWidget(page)
    page.show()
    page.set_record(None)
    assert page._empty.isVisible()
    page.copy()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session of one second of real fio."""
    folder = tmp_path_factory.mktemp("run")
    plain = replace(bench(folder), sources=(), simulated=None)
    return run_campaign(campaign(READ), plain, folder / "out").session


def test_a_histogram_is_drawn_in_the_colours_of_the_theme(
    qtbot: QtBot, context: Context, run: Path
) -> None:
    record = open_record(run)
    page = FigurePage(context)
    qtbot.addWidget(page)
    page.resize(900, 600)
    page.show()
    page.set_record(record)
    qtbot.waitUntil(lambda: page.view.figure is not None)
    assert page.view.accessibleName() == "Latency: Random read 4k"
    assert "I/Os" in page.view.accessibleDescription()
    for choice in (Choice.LIGHT, Choice.DARK):
        context.theme.choose(choice)
        picture = page.view.grab().toImage()
        corner = picture.pixelColor(picture.width() - 3, picture.height() - 3)
        assert corner == QColor(context.theme.tokens.surface)
        trace = context.theme.tokens.trace(0)
        seen = {
            picture.pixelColor(x, y).name()
            for x in range(0, picture.width(), 2)
            for y in range(0, picture.height(), 2)
        }
        assert trace.name() in seen
    page.copy()
    assert QGuiApplication.clipboard().text().startswith("series\tCompletion latency")
    page.set_record(None)
    record.close()
