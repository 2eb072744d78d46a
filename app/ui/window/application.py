"""Starts the window: application, look, error hooks, signals of the terminal."""

import logging
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from app import version
from app.bench.model import Bench
from app.ui.bench.recent import last_bench
from app.ui.kit.background import collect_here
from app.ui.kit.settings import Settings
from app.ui.kit.theme import Theme
from app.ui.window.main_window import MainWindow
from instruments.errors import BenchError, one_line

_DISPLAY = re.compile(r"(?:\w+/)?(?P<host>.*):(?P<number>\d+)(?:\.\d+)?")
_FIRST_PORT = 6000
_WAYLAND, _X = "wayland", "xcb"
"""What Qt calls the displays, or begins their names with."""

_PATIENCE_S = 2.0
_WAY_OUT = "Log in to a desktop, or use a command such as: bayscope demo"


def check_display(environment: Mapping[str, str] = os.environ) -> None:
    """Make sure that the window can be opened somewhere.

    Whether the display lets us in is not asked, only whether it is there.

    Args:
        environment: Variables by name.

    Raises:
        BenchError: No display is named, or none of those named answers.
    """
    kinds = _displays(environment)
    if not sys.platform.startswith("linux") or not kinds:
        return
    wayland = environment.get("WAYLAND_DISPLAY", "") if _WAYLAND in kinds else ""
    x = environment.get("DISPLAY", "") if _X in kinds else ""
    is_open = _WAYLAND in kinds and "WAYLAND_SOCKET" in environment
    if is_open or _wayland_answers(wayland, environment) or _x_answers(x):
        return
    if not (name := x or wayland):
        raise BenchError("there is no display to open the window on", way_out=_WAY_OUT)
    raise BenchError(f"the display {name} does not answer", way_out=_WAY_OUT)


def _displays(environment: Mapping[str, str]) -> set[str]:
    """Get the kinds of displays that Qt may open; empty where it needs none."""
    platforms = environment.get("QT_QPA_PLATFORM", "")
    named = [one.split(":")[0] for one in platforms.split(";") if one]
    if any(not one.startswith((_X, _WAYLAND)) for one in named):
        return set()  # such as "offscreen"
    # There are several of Wayland, such as "wayland-egl".
    kinds = {_WAYLAND if one.startswith(_WAYLAND) else one for one in named}
    return kinds or {_WAYLAND, _X}


def _wayland_answers(name: str, environment: Mapping[str, str]) -> bool:
    folder = environment.get("XDG_RUNTIME_DIR", "")
    if not name or not (folder or name.startswith("/")):
        return False
    return _unix_answers(str(Path(folder) / name))


def _x_answers(name: str) -> bool:
    if name.startswith("/") and _unix_answers(name):
        return True
    found = _DISPLAY.fullmatch(name)
    if found is None:
        return False
    host, number = found["host"].strip("[]"), int(found["number"])
    if host in ("", "unix"):
        path = f"/tmp/.X11-unix/X{number}"
        if _unix_answers(path) or _unix_answers(f"\0{path}"):
            return True
        host = "localhost"
    with suppress(OSError, OverflowError, UnicodeError):
        address = (host, _FIRST_PORT + number)
        socket.create_connection(address, timeout=_PATIENCE_S).close()
        return True
    return False


def _unix_answers(path: str) -> bool:
    with (
        suppress(OSError, ValueError),
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe,
    ):
        probe.settimeout(_PATIENCE_S)
        probe.connect(path)
        return True
    return False


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

    def go_on() -> None:
        window.sweep_up(offers=session is None)
        if session is None:
            window.warm_up()

    # Not before, nor beside it: whatever is imported meanwhile delays the first frame.
    window.painted.connect(go_on, Qt.ConnectionType.QueuedConnection)
    window.show()
    for error in filter(None, (settings.trouble, trouble)):
        window.errors.show(error)
        window.status.showMessage(one_line(str(error)))
    if session is not None:
        window.navigation.choose("Sessions")
        window.pages.sessions.open(session)
    code = app.exec()
    wake.stop()
    sys.excepthook = sys.__excepthook__
    threading.excepthook = threading.__excepthook__
    if window.background.hangs:
        _leave(code)
    return int(code)


def _leave(code: int) -> None:
    """End although something hangs, as on a server that is gone, and holds files."""
    for thread in threading.enumerate():
        if not (thread.daemon or thread is threading.main_thread()):
            thread.join()  # what is being written
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def make_application() -> QApplication:
    """Get the application, made when there is none."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
        collect_here(app)
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
