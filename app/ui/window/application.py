"""Starts the window: application, look, error hooks, signals of the terminal."""

import signal
import sys
import threading
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from app import version
from app.bench.model import Bench
from app.operations.sweeping import sweep_up
from app.ui.bench.recent import last_bench
from app.ui.kit.settings import Settings
from app.ui.kit.theme import Theme
from app.ui.window.display import check_display
from app.ui.window.main_window import MainWindow

_WAKE_MS = 300


def run_window(bench: Bench | None, folder: Path, session: Path | None) -> int:
    """Open the window and run until it is closed.

    Args:
        bench: The bench; the one that was open last where None.
        folder: Where sessions are kept.
        session: A session file to open at once.

    Returns:
        The exit code of the program.

    Raises:
        BenchError: There is no display, or it does not answer.
    """
    check_display()
    ending = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: ending.set())
    app = make_application()
    settings = Settings()
    theme = Theme(app, settings)
    trouble = None
    if bench is None:
        bench, trouble = last_bench(settings)
    window = MainWindow(bench, folder, theme, settings)
    _catch(window)
    # The handler runs wherever Python happens to be, in the middle of a paint event
    # or before the loop has begun; windows are closed only from within the loop. The
    # timer also lets Python see the signal, which Qt's loop alone would not.
    wake = QTimer()
    wake.timeout.connect(lambda: window.stop_and_close() if ending.is_set() else None)
    wake.start(_WAKE_MS)
    window.show()
    window.background.run(sweep_up, window.status.showMessage)
    if trouble is not None:
        window.errors.show(trouble)
    if session is not None:
        window.navigation.choose("Sessions")
        window.pages.sessions.open(session)
    else:
        window.warm_up()
    code = app.exec()
    wake.stop()
    sys.excepthook = sys.__excepthook__
    threading.excepthook = threading.__excepthook__
    return int(code)


def make_application() -> QApplication:
    """Get the application, made when there is none."""
    found = QApplication.instance()
    app = found if isinstance(found, QApplication) else QApplication(sys.argv[:1])
    app.setApplicationName("bayscope")
    app.setApplicationDisplayName("Bayscope")
    app.setApplicationVersion(version())
    app.setDesktopFileName("bayscope")
    app.setWindowIcon(QIcon.fromTheme("bayscope"))
    return app


def _catch(window: MainWindow) -> None:
    """Show errors that nobody took: the user's as a sentence, ours logged as well."""

    def hook(
        _kind: type[BaseException], error: BaseException, _trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception):
            window.background.failed.emit(error)

    def in_thread(info: threading.ExceptHookArgs) -> None:
        if isinstance(info.exc_value, Exception):
            window.background.failed.emit(info.exc_value)

    sys.excepthook = hook
    threading.excepthook = in_thread
