"""Where a tool runs: on this machine, or on another one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any, Protocol, TypeVar

from instruments.errors import BenchError, plain_words
from instruments.tools import command
from instruments.tools.command import Completed
from instruments.tools.command_errors import TooLate
from instruments.tools.detached import begin
from instruments.tools.started import Started

T = TypeVar("T")


class Host(Protocol):
    """A machine that tools run on.

    Several threads may run tools at once; everything else is done by one thread.

    Attributes:
        name: What the bench calls it; "" is this machine.
    """

    name: str

    def run(
        self,
        argv: Sequence[str],
        timeout_s: float,
        *,
        env: Mapping[str, str] | None = None,
    ) -> Completed:
        """Run a tool to its end; each argument reaches it as it is.

        Args:
            argv: Program and arguments; everybody on that machine can see them.
            timeout_s: Seconds after which it is killed.
            env: Variables set on top of its own, the way for a password; no value
                has a line break.

        Raises:
            BenchError: The host cannot be reached, the tool is missing there or
                cannot start, or it took too long and was stopped.
        """
        ...

    def read_text(self, path: str, timeout_s: float = 5.0) -> str:
        """Read a small text file, such as one of /proc or /sys.

        Raises:
            BenchError: The host cannot be reached, or the file cannot be read.
        """
        ...

    def read_many(
        self, paths: Iterable[str], timeout_s: float = 5.0
    ) -> dict[str, str | None]:
        """Read small text files in one go; None is one that cannot be read.

        A file's last line always ends with a line break, whether it has one or not.

        Raises:
            BenchError: The host cannot be reached.
        """
        ...

    def start(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Started:
        """Start a program that runs on; it ends with us and with the connection.

        Raises:
            BenchError: The host cannot be reached, or the tool is missing there or
                cannot start.
        """
        ...

    def list_folder(self, path: str, timeout_s: float = 5.0) -> list[str]:
        """List the names in a folder, sorted; empty where there is no such folder.

        Raises:
            BenchError: The host cannot be reached, or the folder cannot be read.
        """
        ...

    def close(self) -> None:
        """Let go of the connection; may be called twice, and used again after."""
        ...


class LocalHost:
    """This machine.

    A file of /sys may ask a device, and wait for it inside the kernel; one that does
    not come back is left alone, and nothing is read until it does.
    """

    def __init__(self, name: str = "") -> None:
        self.name = name
        self._hung: Future[Any] | None = None

    def __str__(self) -> str:
        return "this machine"

    def run(
        self,
        argv: Sequence[str],
        timeout_s: float,
        *,
        env: Mapping[str, str] | None = None,
    ) -> Completed:
        """Run a tool to its end; see `Host`."""
        return command.run(argv, timeout_s, env=env)

    def read_text(self, path: str, timeout_s: float = 5.0) -> str:
        """Read a small text file; see `Host`."""
        return self._within(timeout_s, path, lambda: _text(path))

    def read_many(
        self, paths: Iterable[str], timeout_s: float = 5.0
    ) -> dict[str, str | None]:
        """Read small text files in one go; see `Host`."""
        names = list(paths)
        where = f"{names[0]} and others" if len(names) > 1 else "".join(names)

        def read() -> dict[str, str | None]:
            return {path: _text_or_none(path) for path in names}

        return self._within(timeout_s, where, read)

    def start(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Started:
        """Start a program that runs on; see `Host`."""
        return command.start(argv, cwd=cwd, env=env)

    def list_folder(self, path: str, timeout_s: float = 5.0) -> list[str]:
        """List a folder; see `Host`."""
        return self._within(timeout_s, path, lambda: _names(path))

    def close(self) -> None:
        """Nothing is held; see `Host`."""

    def _within(self, timeout_s: float, where: str, read: Callable[[], T]) -> T:
        """Read something; raises TooLate at the deadline."""
        # One hung thread at most: the next read would hang there as well, and a read a
        # second would pile up threads that nobody can end.
        if self._hung is not None and not self._hung.done():
            raise _hangs("an earlier read has not come back yet", where)
        reading = begin(read, "read")
        wait([reading], timeout_s)
        if not reading.done():
            self._hung = reading
            raise _hangs(f"it was not read within {timeout_s:g} s", where)
        return reading.result()


def _hangs(what: str, where: str) -> TooLate:
    return TooLate(what, where=where, way_out="Check whether its device still answers.")


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise _unreadable(path, error) from error


def _names(path: str) -> list[str]:
    try:
        return sorted(entry.name for entry in Path(path).iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _unreadable(path, error) from error


def _text_or_none(path: str) -> str | None:
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # As another host has it: grep, which reads the files there, ends the last line.
    return text if text.endswith("\n") or not text else f"{text}\n"


def _unreadable(path: str, error: OSError) -> BenchError:
    return BenchError(
        f"it cannot be read ({plain_words(error)})",
        where=path,
        way_out="Check whether it is there and whether you may read it.",
    )
