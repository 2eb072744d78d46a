"""A program on a load host that waits to be let go, so that all begin together."""

import os
import signal
from collections.abc import Sequence

from instruments.errors import BenchError
from instruments.tools.hosts import Host
from instruments.tools.started import Started

_READY = b"ready\n"
# Waits for USR1, and goes on as the program right within its trap. The shell that holds
# it gives it no stdin, so a signal it is; without one it ends by itself. What shells
# say of the sleep that the signal hits, too, is not the program's.
_WAIT = (
    "exec 3>&2 2>/dev/null; trap 'exec \"$@\" 2>&3 3>&-' USR1; "
    "echo ready; n=0; while [ $n -lt 120 ]; "
    'do n=$((n+1)); sleep 1 & wait "$!"; done; exit 75'
)


def start_waiting(host: Host, argv: Sequence[str], folder: str) -> Started:
    """Start a program that waits until `let_go`; it ends by itself after two minutes.

    Args:
        host: The machine.
        argv: The program and its arguments.
        folder: Where it runs.

    Raises:
        BenchError: It cannot be started there.
    """
    process = host.start(["sh", "-c", _WAIT, "sh", *argv], cwd=folder)
    # Byte by byte, since what comes after it is the program's.
    descriptor = process.stdout.fileno()
    for expected in _READY:
        if os.read(descriptor, 1) != bytes([expected]):
            said = process.stderr_text().strip()[-200:]
            process.close()
            raise BenchError(
                f"{argv[0]} cannot be started there ({said or 'it does not say'})",
                where=str(host),
                way_out="See whether its account has a POSIX shell.",
            )
    return process


def let_go(process: Started) -> None:
    """Let a program that waits begin."""
    process.send_signal(signal.SIGUSR1)
