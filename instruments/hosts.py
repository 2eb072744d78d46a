"""Where a tool runs: on this machine, or on another one that is told how to reach."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from instruments import command
from instruments.command import Completed
from instruments.errors import BenchError


class Host(Protocol):
    """A machine that tools run on; used by one thread at a time.

    Attributes:
        name: What the bench calls it; "" is this machine.
    """

    name: str

    def run(self, argv: Sequence[str], timeout_s: float) -> Completed:
        """Run a tool to its end; no shell of ours is involved.

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
    """This machine."""

    name = ""

    def run(self, argv: Sequence[str], timeout_s: float) -> Completed:
        """Run a tool to its end; see `Host`."""
        return command.run(argv, timeout_s)

    def read_text(self, path: str, timeout_s: float = 5.0) -> str:  # noqa: ARG002
        """Read a small text file; see `Host`."""
        try:
            return Path(path).read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise _unreadable(path, error) from error

    def list_folder(self, path: str, timeout_s: float = 5.0) -> list[str]:  # noqa: ARG002
        """List a folder; see `Host`."""
        try:
            return sorted(entry.name for entry in Path(path).iterdir())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _unreadable(path, error) from error

    def close(self) -> None:
        """Nothing is held; see `Host`."""


def _unreadable(path: str, error: OSError) -> BenchError:
    return BenchError(
        f"it cannot be read ({error.strerror or error})",
        where=path,
        way_out="See whether it is there and whether you may read it.",
    )
