"""What every test stands on: no real settings, no leaked window, a screen on demand."""

import gc
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from app.ui.kit.background import collect_if_due
from tests.virtual_display import VirtualDisplay

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# A thread for each processor that spins for work, in every process that imports numpy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # Scripts start what they put in the background so, and all that we start inherits
    # it: programs that a test interrupts would go on for ever.
    signal.signal(signal.SIGINT, signal.default_int_handler)

PLACES = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
    "XDG_CACHE_HOME": ".cache",
    "XDG_RUNTIME_DIR": ".run",
}


KEY = Path("bayscope", "session.key")
"""Beside the settings: by it a program knows its own sessions again."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep what is imported out of the garbage collector's sight.

    It would look through all of it again and again: a third of a second each time, in
    every one of the processes, while they collect and after each test with a window.
    What tests make is looked through more rarely than usual, too, and between them:
    Python would do it in any thread, where widgets in reference cycles must not go.
    """
    gc.disable()
    gc.set_threshold(20_000, 20, 20)
    try:
        return (yield)
    finally:
        gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    collect_if_due()


@pytest.fixture(scope="session", autouse=True)
def _shared_caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give what runs for several tests a home of its own."""
    with pytest.MonkeyPatch.context() as patch:
        # What runs for several tests has a home, too, and not that of who tests.
        Home(tmp_path_factory.mktemp("home")).move_in(patch)
        yield


class Home:
    """An empty home; with one key in all, for what one records all go on with."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for place in PLACES.values():
            (folder / place).mkdir(parents=True, mode=0o700)
        key = folder / PLACES["XDG_CONFIG_HOME"] / KEY
        key.parent.mkdir()
        key.write_bytes(bytes(range(32)))
        key.chmod(0o600)
        self._found = [folder, folder / ".local", key.parent, key]
        self._found += [folder / place for place in PLACES.values()]
        self._as_made = self._state()

    def move_in(self, patch: pytest.MonkeyPatch) -> None:
        patch.setenv("HOME", str(self.folder))
        for variable, place in PLACES.items():
            patch.setenv(variable, str(self.folder / place))

    def is_untouched(self) -> bool:
        """Whether nothing was ever put into it, changed in it or taken out of it."""
        try:
            return self._state() == self._as_made
        except OSError:
            return False

    def _state(self) -> list[tuple[int, ...]]:
        seen = [path.lstat() for path in self._found]
        return [(one.st_ino, one.st_mode, one.st_uid, one.st_ctime_ns) for one in seen]


@pytest.fixture(scope="session")
def _homes() -> list[Home]:
    """The home that the last test left as it had found it, if it did."""
    return []


@pytest.fixture(autouse=True)
def home(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    _homes: list[Home],
) -> Iterator[Path]:
    """Give the test, and the programs it starts, an empty home of its own."""
    found = _homes.pop() if _homes else Home(tmp_path_factory.mktemp("home"))
    found.move_in(monkeypatch)
    yield found.folder
    if found.is_untouched():
        _homes.append(found)


@pytest.fixture(autouse=True)
def _no_leaked_window(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a top-level widget alive."""
    failed_before = request.session.testsfailed
    yield
    leaked = _leaked_windows()
    if leaked and request.session.testsfailed == failed_before:
        pytest.fail(f"the test left top-level widgets alive: {', '.join(leaked)}")


def _leaked_windows() -> list[str]:
    """Describe the windows that outlived their test, and delete them."""
    if "PySide6.QtWidgets" not in sys.modules:
        return []
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415

    if QApplication.instance() is None:
        return []
    _delete_what_waits()
    if QApplication.topLevelWidgets():
        gc.collect()  # Menus of charts hang in reference cycles; those are no leak.
    widgets = QApplication.topLevelWidgets()
    leaked = [
        f"{type(widget).__name__} {widget.objectName() or widget.windowTitle()!r}"
        for widget in widgets
    ]
    for widget in widgets:
        widget.deleteLater()
    _delete_what_waits()
    return leaked


def _delete_what_waits() -> None:
    from PySide6.QtCore import QCoreApplication, QEvent  # noqa: PLC0415

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def nobody() -> Iterator[str]:
    """Host and port that nothing listens on, and that no other test has.

    Tests that share one keep each other off it: a bench is locked by its addresses.
    """
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{held.getsockname()[1]}"


@pytest.fixture
def dead_meter(nobody: str) -> str:
    """Tell the address of a meter that is not there, and not any other test's."""
    return f"TCPIP::{nobody.replace(':', '::')}::SOCKET"


@pytest.fixture
def display() -> Iterator[VirtualDisplay]:
    """Start a real X display with a window manager; stop it after the test."""
    screen = VirtualDisplay()
    try:
        yield screen
    finally:
        screen.stop()


@pytest.fixture
def own_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of its own, that nobody else on this machine writes to.

    The simulated bench follows the disk beneath a load, so what other programs do to
    that disk is in its power. Where mounting is not permitted, any folder.
    """
    image, folder = tmp_path / "disk.img", tmp_path / "disk"
    folder.mkdir()
    with image.open("wb") as made:
        made.truncate(640 * 2**20)
    mkfs = ["/usr/sbin/mkfs.ext4", "-q", "-E", "lazy_itable_init=0", str(image)]
    subprocess.run(mkfs, check=True)
    mount = ["mount", "-o", "loop", str(image), str(folder)]
    mounted = subprocess.run(mount, check=False, capture_output=True).returncode == 0
    yield folder
    if mounted:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
