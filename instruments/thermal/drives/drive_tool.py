"""Runs the tools that ask drives and enclosures; a late one is not a broken one."""

from collections.abc import Sequence

from instruments.errors import BenchError
from instruments.tools.command import Completed
from instruments.tools.command_errors import lost
from instruments.tools.hosts import Host


def run_tool(host: Host, argv: Sequence[str], timeout_s: float) -> Completed:
    """Run a tool to its end.

    Raises:
        SourceError: It is missing, the host cannot be reached, or it was stopped at
            its deadline, which has the status "timeout".
    """
    try:
        return host.run(argv, timeout_s)
    except BenchError as error:
        raise lost(error) from error


def said_plainly(text: str) -> str:
    """Replace a complaint about rights by plain words; others stay as they are."""
    lower = text.lower()
    # The kernel's words for EACCES and EPERM.
    if "permission denied" in lower or "operation not permitted" in lower:
        return "reading it is not allowed"
    return text
