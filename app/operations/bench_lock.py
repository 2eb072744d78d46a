"""One program at a time on a bench: a lock for each instrument and each target."""

import contextlib
import fcntl
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from app.bench import Bench
from instruments.errors import BadInput

_UNSAFE = re.compile(r"[^A-Za-z0-9]+")


def lock_folder() -> Path:
    """Get the folder of the locks, the same for every user of the machine."""
    shared = Path("/run/lock")
    return shared if os.access(shared, os.W_OK) else Path(tempfile.gettempdir())


@contextlib.contextmanager
def only_program(bench: Bench, folder: Path | None = None) -> Iterator[None]:
    """Keep every other Bayscope off the instruments and targets of a bench.

    Two benches that share a meter exclude each other, too. The locks are flock's, so
    they end with the process, however that ends. What a bench starts for itself, the
    simulator, is not shared.

    Raises:
        BadInput: Another program uses one of them; it is named, with its process.
    """
    with contextlib.ExitStack() as held:
        for what, address in _shared(bench):
            _take(held, folder or lock_folder(), what, address)
        yield


def _shared(bench: Bench) -> list[tuple[str, str]]:
    """List what only one program may use: (what it is, its address)."""
    found = [
        (source.name, f"{source.host or 'here'} {source.address}")
        for source in bench.sources
        if source.address and source.section != "host" and not source.wants_simulator
    ]
    found += [("the target", f"here {path}") for path in bench.dut.targets]
    return found


def _take(held: contextlib.ExitStack, folder: Path, what: str, address: str) -> None:
    name = _UNSAFE.sub("-", address).strip("-")[-150:]
    path = folder / f"bayscope-{name}.lock"
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:  # Somebody else's, and not to be opened: their lock counts.
        fd = os.open(path, os.O_RDONLY)
    held.callback(os.close, fd)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        with contextlib.suppress(OSError):
            told = os.pread(fd, 40, 0).decode(errors="replace").strip()
        owner = f" (process {told})" if told else ""
        raise BadInput(
            f"another Bayscope{owner} is using {what}",
            where=address.removeprefix("here "),
            way_out="Wait for its run to end, or stop it.",
        ) from None
    with contextlib.suppress(OSError):  # Read-only: without a number then.
        os.ftruncate(fd, 0)
        os.pwrite(fd, str(os.getpid()).encode(), 0)
