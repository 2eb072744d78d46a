"""A program that was started and runs on, here or on another machine."""

import signal
from typing import IO, Protocol, Self


class Started(Protocol):
    """A program that was started and is held; leaving a `with` block kills it.

    Attributes:
        pid: Its process id on its machine.
        stdout: Its output as a binary file; read it by one thread.
    """

    @property
    def pid(self) -> int:
        """Get its process id on its machine."""
        ...

    @property
    def stdout(self) -> IO[bytes]:
        """Get its output as a binary file."""
        ...

    def stderr_text(self) -> str:
        """Get what it has complained about so far (at most the last 256 KiB)."""
        ...

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to its process group; nothing happens if it has ended."""
        ...

    def wait(self, timeout: float | None = None) -> int | None:
        """Wait for its end.

        Args:
            timeout: Seconds to wait; 0 looks once, None waits for ever.

        Returns:
            The exit code (negative: the signal that ended it), or None if it runs on.

        Raises:
            BenchError: Its machine was lost, and the program with it.
        """
        ...

    def close(self) -> None:
        """Kill it if it still runs and let go of it; may be called twice."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...
