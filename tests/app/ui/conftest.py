"""Fixtures of the window's tests: a theme, background work, recorded sessions."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.bench.file import default_bench
from app.ui.campaign.view import CampaignView
from app.ui.kit.background import Background
from app.ui.kit.context import Context
from app.ui.kit.icons import Icons
from app.ui.kit.settings import Settings
from app.ui.kit.theme import Theme
from app.ui.window.main_window import MainWindow
from tests.app.ui.patient_bot import PatientBot
from tests.app.ui.sample import write_sample


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    return PatientBot(request)


@pytest.fixture(autouse=True)
def _whatever_is_missed(unhurried: None) -> None:
    """Run as a busy machine lets us."""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "config" / "settings.toml")


@pytest.fixture
def theme(qapp: QApplication, settings: Settings) -> Theme:
    return Theme(qapp, settings)


@pytest.fixture
def icons(theme: Theme) -> Icons:
    return Icons(theme)


@pytest.fixture
def background(qtbot: QtBot) -> Iterator[Background]:
    """Background work whose failures fail the test."""
    work = Background()
    errors: list[Exception] = []
    work.failed.connect(errors.append)
    yield work
    assert work.close(120)
    assert errors == []


@pytest.fixture
def context(theme: Theme, icons: Icons, background: Background) -> Context:
    return Context(theme, icons, background)


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two finished sessions; read only."""
    folder = tmp_path_factory.mktemp("sessions")
    write_sample(folder / "first.bayscope", step_s=12, name="First run")
    write_sample(
        folder / "second.bayscope",
        step_s=12,
        seed=2,
        factor=1.1,
        name="Second run",
        silence=False,
    )
    return folder


@pytest.fixture
def campaigns(
    qtbot: QtBot,
    *,
    context: Context,
    settings: Settings,
    recorded: Path,
) -> Iterator[CampaignView]:
    """The Campaigns page without the window around it, with the demo in hand."""
    page = CampaignView(context, settings, bench=default_bench(), folder=recorded)
    page.resize(1280, 740)
    page.show()
    qtbot.waitExposed(page)
    qtbot.waitUntil(lambda: page.file.name.startswith("Demo"))
    yield page
    page.close()
    page.shut()
    page.deleteLater()


@pytest.fixture
def window(
    qtbot: QtBot, theme: Theme, settings: Settings, recorded: Path
) -> Iterator[MainWindow]:
    """The main window over the recorded sessions; an error shown fails the test."""
    found = MainWindow(default_bench(), recorded, theme, settings)
    errors: list[Exception] = []
    found.background.failed.connect(errors.append)
    found.resize(1280, 800)
    found.show()
    qtbot.waitExposed(found)
    yield found
    found.stop_and_close()
    qtbot.waitUntil(lambda: not found.isVisible())
    found.deleteLater()
    assert errors == []
