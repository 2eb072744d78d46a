"""Asks an enclosure for its pages with sg_ses."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from instruments.errors import SourceError
from instruments.thermal.drives.drive_tool import run_tool
from instruments.thermal.ses import pages
from instruments.thermal.ses.element import Configuration, Key, Static, StatusPage
from instruments.tools.command import Completed
from instruments.tools.hosts import Host

T = TypeVar("T")

# sg3_utils(8), EXIT STATUS; 11 is an aborted command, 33 a timeout.
_NOT_READY = 2
_UNIT_ATTENTION = 6
_ILLEGAL_REQUEST = (5, 9)
_PASSING = (_NOT_READY, _UNIT_ATTENTION, 11, 33)
"""Not ready, unit attention, aborted command, timeout: another time it is answered."""


@dataclass(slots=True)
class SesTool:
    """sg_ses on one host.

    Attributes:
        host: Where it runs.
        timeout_s: Seconds after which one call is given up.
    """

    host: Host
    timeout_s: float = 5.0

    def configuration(self, node: str) -> Configuration:
        """Get the configuration page.

        Raises:
            SourceError: The node is not an enclosure, or does not answer.
        """
        return self._page(node, "cf", pages.configuration)[0]

    def static(self, node: str) -> Static:
        """Get all that stays as long as the generation code does.

        Names, bays and limits are excluded where the enclosure has no such page, or
        none that can be read.

        Raises:
            SourceError: The configuration cannot be had.
        """
        config = self.configuration(node)
        return Static(
            config,
            self._optional(node, "ed", lambda page: pages.names(page, config)),
            self._optional(node, "aes", lambda page: pages.bays(page, config)),
            self._optional(node, "th", lambda page: pages.thresholds(page, config)),
        )

    def statuses(self, node: str, config: Configuration) -> tuple[StatusPage, str]:
        """Get the status page, and the text it was read from.

        Raises:
            SourceError: It cannot be had or read.
        """
        return self._page(node, "es", lambda page: pages.statuses(page, config))

    def _page(self, node: str, name: str, read: Callable[[bytes], T]) -> tuple[T, str]:
        done = self._run(node, name)
        if done.code != 0:
            raise refused(done, node)
        try:
            return read(pages.page_bytes(done.stdout, name)), done.stdout
        except ValueError as error:
            raise _garbage(error, node, name) from None

    def _optional(
        self, node: str, name: str, read: Callable[[bytes], dict[Key, T]]
    ) -> dict[Key, T]:
        """Read a page that an enclosure need not have; nothing where it has none."""
        done = self._run(node, name)
        # Without names or bays, channels and slots would be taken for others; without
        # limits, values are only judged less.
        is_needed = name != "th"
        if done.code in _PASSING and is_needed:
            raise refused(done, node)
        if done.code != 0:
            return {}
        try:
            return read(pages.page_bytes(done.stdout, name))
        except ValueError as error:
            if isinstance(error, pages.CutOffError) and is_needed:
                raise _garbage(error, node, name) from None
            return {}

    def _run(self, node: str, name: str) -> Completed:
        # Opened for reading only: looking must not be able to change anything.
        argv = ["sg_ses", "--readonly", "-p", name, "-HHHH", node]
        try:
            return run_tool(self.host, argv, self.timeout_s)
        except SourceError as error:
            error.where = f"{error.where} {node}"
            raise


_BY_TEXT = (
    (
        ("permission denied", "operation not permitted"),
        "reading it is not allowed",
        "Run Bayscope as root there, or give your user the right to it.",
    ),
    (
        ("no such file", "no such device"),
        "there is no such device any more",
        "Check whether the cable is in; 'lsscsi -g' lists what is there.",
    ),
)
"""Words of the kernel in what sg_ses complains of, what they mean, and the way out."""

_BY_CODE = {
    _NOT_READY: ("it is not ready", "Wait until the enclosure has started."),
    _UNIT_ATTENTION: (
        "it was reset, or something in it was changed (unit attention)",
        "It is asked again.",
    ),
}


def refused(done: Completed, node: str) -> SourceError:
    """Say why sg_ses gave nothing; its exit codes are those of sg3_utils."""
    what, way_out = _refusal(done, node)
    return SourceError(what, where=node, way_out=way_out)


def _refusal(done: Completed, node: str) -> tuple[str, str]:
    text = done.stderr.lower()
    # The kernel's words first: they come with whatever code.
    for words, what, way_out in _BY_TEXT:
        if any(each in text for each in words):
            return what, way_out
    if done.code in _ILLEGAL_REQUEST and "illegal request" in text:
        return (
            "it has no enclosure services",
            "Name the node that 'lsscsi -g' lists as 'enclosu'.",
        )
    if done.code in _BY_CODE:
        return _BY_CODE[done.code]
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    complaint = lines[0] if lines else f"exit code {done.code}"
    return complaint, f"Try 'sg_ses -p es {node}' on that machine."


def _garbage(error: ValueError, node: str, name: str) -> SourceError:
    return SourceError(
        f"what sg_ses printed cannot be read: {error}",
        where=node,
        way_out=f"It is asked again. See what 'sg_ses -p {name} {node}' prints.",
    )
