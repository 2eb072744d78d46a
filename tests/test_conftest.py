import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest
from pytestqt.qtbot import QtBot

from tests.conftest import Home

ROOT = Path(__file__).parent.parent
LEAKING = """
from PySide6.QtWidgets import QWidget
import pyqtgraph

kept = []

def test_that_leaks(qtbot):
    kept.append(QWidget(objectName="forgotten"))

def test_that_tidies_up(qtbot):
    widget = pyqtgraph.PlotWidget()
    qtbot.addWidget(widget)
    widget.show()

def test_without_qt():
    assert True
"""
CONFTEST = (
    "from tests.conftest import _homes, _no_leaked_window, _shared_caches, home\n"
)


def test_a_leaked_window_fails_the_test_that_leaked_it(tmp_path: Path) -> None:
    (tmp_path / "test_leak.py").write_text(LEAKING)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    # In a place of its own: else it takes away what earlier runs have left.
    options = ["-p", "no:cacheprovider", "--basetemp", str(tmp_path / "base")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "3 passed, 1 error" in done.stdout, done.stdout
    assert "QWidget 'forgotten'" in done.stdout
    assert "test_that_leaks" in done.stdout


def test_settings_and_caches_are_the_tests_own(home: Path) -> None:
    assert home in platformdirs.user_config_path("bayscope").parents
    assert home in platformdirs.user_cache_path("bayscope").parents
    assert Path.home() == home
    assert (home / ".run").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "touch",
    [
        lambda home: (home / "file").touch(),
        lambda home: (home / ".local" / "share" / "bayscope").mkdir(),
        lambda home: (home / ".config" / "bayscope" / "session.key").write_bytes(b""),
        lambda home: (home / ".cache").chmod(0o755),
        lambda home: (home / ".run").rmdir(),
    ],
)
def test_a_home_that_was_touched_is_not_the_next_tests(
    touch: Callable[[Path], object], tmp_path: Path
) -> None:
    home = Home(tmp_path)
    assert home.is_untouched()
    touch(tmp_path)
    assert not home.is_untouched()


def test_qt_needs_no_display(qtbot: QtBot) -> None:
    from PySide6.QtGui import QGuiApplication  # noqa: PLC0415

    assert QGuiApplication.platformName() == "offscreen"
