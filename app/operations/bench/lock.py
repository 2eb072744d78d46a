"""One program at a time on a bench: a lock for each instrument and each target."""

import contextlib
import fcntl
import os
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from instruments.errors import BenchError
from instruments.files.lock_file import is_there, open_lock

if TYPE_CHECKING:  # Locks are swept at every start, by commands that read no bench.
    from app.bench.model import Bench

_UNSAFE = re.compile(r"[^A-Za-z0-9]+")

_AGAIN_S = 0.05
_TRIES = 100
"""A lock is tried again while no living process stands in its file: somebody is just
taking, leaving or sweeping it."""


def lock_folder() -> Path:
    """Get the folder of the locks, the same for every user of the machine."""
    shared = Path("/run/lock")
    return shared if os.access(shared, os.W_OK) else Path(tempfile.gettempdir())


@contextlib.contextmanager
def only_program(bench: "Bench", folder: Path | None = None) -> Iterator[None]:
    """Keep every other Bayscope off the instruments and targets of a bench.

    Two benches that share a meter exclude each other, too. The locks are flock's, so
    they end with the process, however that ends. What a bench starts for itself, the
    simulator, is not shared.

    Raises:
        BenchError: Another program uses one of them; it is named, with its process.
    """
    with contextlib.ExitStack() as held:
        # Names that differ in marks alone share a file, and no lock waits for itself.
        # The name of a file has 255 bytes at most.
        files = {_UNSAFE.sub("-", one).strip("-")[-150:]: one for one in _shared(bench)}
        for name, address in files.items():
            path = (folder or lock_folder()) / f"bayscope-{name}.lock"
            _take(held, path, _shared(bench)[address], address)
        yield


def sweep_locks(folder: Path | None = None) -> int:
    """Remove the files of this user's locks that nobody holds.

    Returns:
        How many of them a program had when it was killed. Others do not count: such
        as one that another program has made and is about to lock.
    """
    swept = 0
    for path in (folder or lock_folder()).glob("bayscope-*.lock"):
        with contextlib.suppress(OSError), contextlib.ExitStack() as one:
            fd = open_lock(path, 0, os.O_RDWR)
            one.callback(os.close, fd)
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(fd).st_uid == os.getuid() and is_there(fd, path):
                swept += bool(os.fstat(fd).st_size)
                os.ftruncate(fd, 0)
                path.unlink()
    return swept


def _shared(bench: "Bench") -> dict[str, str]:
    """List what only one program may use: what it is, by its address.

    Two sources of a bench may have one address, such as a BMC that is asked by IPMI
    and by Redfish: they share a lock.
    """
    shared: dict[str, str] = {}
    for source in bench.sources:
        is_own = source.section == "host" or source.wants_simulator
        if source.address and not is_own:
            port = f":{source.keys['port']}" if source.keys.get("port") else ""
            address = f"{source.host or 'here'} {source.address}{port}"
            shared.setdefault(address, source.name)
    for target in _targets(bench):
        shared.setdefault(target, "the target")
    return shared


def _targets(bench: "Bench") -> Iterator[str]:
    """Yield the targets with the machine that each is on."""
    paths = [str(path) for path in bench.dut.targets]
    if bench.load is None:
        yield from (f"here {path}" for path in paths)
        return
    for number, host in enumerate(bench.load.hosts):
        for target in bench.load.targets_of(number, paths):
            yield f"{host} {target}"


def _take(held: contextlib.ExitStack, path: Path, what: str, address: str) -> None:
    """Take one lock; its file goes with it, as far as it is ours to remove."""
    holder: str | None = None
    for _ in range(_TRIES):
        fd = _open(path, what)
        if fd is None:
            continue
        one = contextlib.ExitStack()
        one.callback(os.close, fd)
        with one:
            holder = _lock(fd)
            # Else it was let go of, and removed, between opening and locking: a lock on
            # a file without a name keeps nobody out, so the next one is taken.
            if holder is None and is_there(fd, path):
                held.push(one.pop_all())
                held.callback(_remove, path, fd)
                break
        if holder is not None and Path("/proc", holder or "-").exists():
            raise _in_use(what, address, f" (process {holder})")
        if holder is not None:
            time.sleep(_AGAIN_S)
    else:
        if holder is not None:
            raise _in_use(what, address)
        raise BenchError(
            f"the lock of {what} cannot be created",
            where=str(path),
            way_out=f"Check whether files can be made in {path.parent}.",
        )
    with contextlib.suppress(OSError):  # Read-only: without a number then.
        os.ftruncate(fd, 0)
        os.pwrite(fd, str(os.getpid()).encode(), 0)


def _open(path: Path, what: str) -> int | None:
    """Open a lock's file, or make it for every user; None where it has just gone."""
    try:
        fd = open_lock(path, 0o666)
    except OSError:  # Somebody else's, and not to be written: their lock counts.
        try:
            return open_lock(path, 0, os.O_RDONLY)
        except FileNotFoundError:
            return None
        except OSError:
            raise BenchError(
                f"a lock of another user is on {what}, or a file that is not a lock",
                where=str(path),
                way_out="Wait for their run to end. Where none is left, have them or "
                "an administrator remove the file.",
            ) from None
    with contextlib.suppress(OSError):  # Whatever our umask; only its owner may.
        os.fchmod(fd, 0o666)
    return fd


def _remove(path: Path, fd: int) -> None:
    """Remove a lock's file; the number in it goes where the file has to stay."""
    with contextlib.suppress(OSError):  # It was read-only for us.
        os.ftruncate(fd, 0)
    with contextlib.suppress(OSError):  # Another user's, in a folder of all.
        path.unlink()


def _lock(fd: int) -> str | None:
    """Lock a file; return None, or the number of the process that holds it, if told."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        told = os.pread(fd, 40, 0).decode(errors="replace").strip()
        return told if told.isdecimal() else ""
    return None


def _in_use(what: str, address: str, owner: str = "") -> BenchError:
    return BenchError(
        f"another Bayscope{owner} is using {what}",
        where=address.removeprefix("here "),
        way_out="Wait for its run to end, or stop it.",
    )
