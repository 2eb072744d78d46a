"""Ground that only root can change: what the helper starts from, and works in."""

import contextlib
import fcntl
import os
import resource
import shutil
import signal
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from instruments.errors import BenchError

PLACE = Path("/run/bayscope")
"""The helper's own folder, gone when the machine goes down."""

_FOLDERS = ("/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/sbin")
"""Where the helper's programs may lie."""

_OPEN_FILES = 65_536
_LIMITS = {
    resource.RLIMIT_FSIZE: resource.RLIM_INFINITY,
    resource.RLIMIT_CPU: resource.RLIM_INFINITY,
    resource.RLIMIT_AS: resource.RLIM_INFINITY,
    resource.RLIMIT_NOFILE: _OPEN_FILES,
    resource.RLIMIT_CORE: 0,
}


def settle() -> None:
    """Shed what was inherited from the one who asked, as root.

    That is the environment, the working directory, open files, signals that are
    blocked or ignored, and limits, with which a load could be cut short or never end.
    """
    os.environ.clear()
    own = [one for one in _FOLDERS if is_roots(Path(one))]
    os.environ.update(PATH=os.pathsep.join(own), LC_ALL="C.UTF-8", HOME="/")
    os.chdir("/")
    os.umask(0o077)
    os.closerange(3, _OPEN_FILES)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    for name, limit in _LIMITS.items():
        with contextlib.suppress(ValueError):  # root in a container may not
            resource.setrlimit(name, (limit, limit))


def is_roots(path: Path) -> bool:
    """Tell whether only root can change what a path leads to, from "/" on down."""
    try:
        real = path.resolve(strict=True)
        looks = [parent.lstat() for parent in (real, *real.parents)]
    except OSError:
        return False
    return all(not look.st_uid and not look.st_mode & 0o022 for look in looks)


def check_roots(path: Path) -> None:
    """Check that only root can change what a path leads to.

    Raises:
        BenchError: It is not there, or others can.
    """
    if not is_roots(path):
        raise BenchError(
            "not only root can change it, or a folder above it",
            where=str(path),
            way_out="Give it and all folders above it to root, writable by no others: "
            "chown root, chmod go-w.",
        )


def own_place() -> Path:
    """Make the helper's own folder.

    Raises:
        BenchError: It is not root's alone.
    """
    with contextlib.suppress(FileExistsError):
        PLACE.mkdir(mode=0o700)
    look = PLACE.lstat()
    if not stat.S_ISDIR(look.st_mode):
        raise BenchError("it is not a folder", where=str(PLACE), way_out="Remove it.")
    check_roots(PLACE)
    return PLACE


@contextlib.contextmanager
def locked(place: Path) -> Iterator[Path]:
    """Keep every other helper out of a folder."""
    fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield place
    finally:
        os.close(fd)


@contextlib.contextmanager
def own_folder(say: Callable[[str, str], None] = lambda *_: None) -> Iterator[str]:
    """Make a folder for one load that nobody but root reaches, and remove it after.

    What a helper that was killed left behind goes, too.

    Args:
        say: Takes (level, message) about what was removed.
    """
    place = own_place()
    with contextlib.ExitStack() as stack:
        with locked(place):
            swept = sum(_sweep(left) for left in place.glob("load-*"))
            if swept:
                say("info", f"folders that a killed helper had left: {swept} removed")
            # Notes of an OwnFolder lie in a home; of root's, none may lead elsewhere.
            made = tempfile.TemporaryDirectory(dir=place, prefix="load-")
            folder = stack.enter_context(made)
            mark = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            stack.callback(os.close, mark)
            fcntl.flock(mark, fcntl.LOCK_SH)
        yield folder


def _sweep(folder: Path) -> bool:
    """Remove a folder that no running helper holds; tell whether it was one."""
    mark = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder)
        return True
    except BlockingIOError:
        return False
    finally:
        os.close(mark)
