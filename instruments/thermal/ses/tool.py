"""Asks an enclosure for its pages with sg_ses, whichever version is there."""

import math
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass

from instruments.errors import SourceError, plain_words
from instruments.files.foreign_text import parsed_json
from instruments.thermal.drives.drive_tool import run_tool
from instruments.thermal.ses import json as ses_json
from instruments.thermal.ses import text as ses_text
from instruments.thermal.ses.element import (
    Bay,
    Configuration,
    Key,
    Kind,
    Static,
    StatusPage,
    Thresholds,
)
from instruments.tools.command import Completed
from instruments.tools.hosts import Host

_PAGE_CODE = 0x05
_HEAD = 8


def thresholds(text: str, known: Configuration) -> dict[Key, Thresholds]:
    """Read the limits of temperatures (`-p th -HHHH`).

    Limits of voltages and currents are shares of a nominal value that no page tells;
    their elements carry bits for these instead.

    Args:
        text: The page in hexadecimal.
        known: The configuration, which says what stands where.

    Raises:
        ValueError: It is no threshold page, or one of another configuration.
    """
    words = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    page = bytes.fromhex(" ".join(words))
    if len(page) < _HEAD or page[0] != _PAGE_CODE:
        raise ValueError("no threshold page")
    if int.from_bytes(page[4:8], "big") != known.generation:
        raise ValueError("it is of another configuration")
    found: dict[Key, Thresholds] = {}
    place = _HEAD
    for header, group in enumerate(known.groups):
        place += 4  # the overall descriptor
        for number in range(group.count):
            limits = page[place : place + 4]
            place += 4
            if group.kind is Kind.TEMPERATURE and len(limits) == 4:
                found[header, number] = _limits(limits)
    return found


def _limits(limits: bytes) -> Thresholds:
    high_critical, high_warning, low_warning, low_critical = (
        float(byte - 20) if byte else math.nan for byte in limits
    )
    return Thresholds(low_critical, low_warning, high_warning, high_critical)


_UNKNOWN_OPTION = re.compile(r"(unrecognized|invalid|unknown) option", re.IGNORECASE)
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
        is_json: Whether it prints JSON (1.49 does, 1.46 does not); None until it
            was asked once.
    """

    host: Host
    timeout_s: float = 5.0
    is_json: bool | None = None

    def configuration(self, node: str) -> Configuration:
        """Get the configuration page; finds out how sg_ses speaks.

        Raises:
            SourceError: The node is no enclosure, or does not answer.
        """
        if self.is_json is not False:
            done = self._run(("--json", "-p", "cf"), node)
            if done.code == 0:
                try:
                    found = ses_json.configuration(done.stdout)
                except ValueError:
                    # 1.48 knows the option, but not for every page.
                    self.is_json = False
                else:
                    self.is_json = True
                    return found
            elif _UNKNOWN_OPTION.search(done.stderr):
                self.is_json = False
            else:
                raise refused(done, node)
        text = self.page(node, "cf")
        try:
            return ses_text.configuration(text)
        except ValueError as error:
            raise _garbage(error, node) from None

    def static(self, node: str) -> Static:
        """Get all that stays as long as the generation code does.

        Names, bays and limits are left out where the enclosure has no such page, or
        none that can be read.

        Raises:
            SourceError: The configuration cannot be had.
        """
        known = self.configuration(node)
        bays: dict[Key, Bay] = {}
        if text := self._optional(node, "aes"):
            with suppress(ValueError):
                bays = self._bays(text, known)
        names: dict[Key, str] = {}
        if text := self._optional(node, "ed"):
            with suppress(ValueError):
                read = ses_json if self.is_json else ses_text
                names = read.names(text)
                _see_all(read.described(text), known, node)
        limits: dict[Key, Thresholds] = {}
        done = self._run(("-p", "th", "-HHHH"), node)
        if done.code == 0:
            with suppress(ValueError):
                limits = thresholds(done.stdout, known)
        return Static(known, names, bays, limits)

    def statuses(self, node: str) -> tuple[StatusPage, str]:
        """Get the status page, and the text it was read from.

        Raises:
            SourceError: It cannot be had or read.
        """
        text = self.page(node, "es")
        read = ses_json.statuses if self.is_json else ses_text.statuses
        try:
            return read(text), text
        except ValueError as error:
            raise _garbage(error, node) from None

    def page(self, node: str, page: str) -> str:
        """Get one page as it is printed.

        Raises:
            SourceError: The node does not give it.
        """
        words = ("--json",) if self.is_json else ()
        done = self._run((*words, "-p", page), node)
        if done.code != 0:
            raise refused(done, node)
        return done.stdout

    def _is_cut(self, done: Completed) -> bool:
        """Tell whether what was printed ends before its end."""
        if not self.is_json:
            return not done.stdout.endswith("\n")
        try:
            parsed_json(done.stdout)
        except ValueError:
            return True
        return False

    def _bays(self, text: str, known: Configuration) -> dict[Key, Bay]:
        return ses_json.bays(text, known) if self.is_json else ses_text.bays(text)

    def _optional(self, node: str, page: str) -> str:
        words = ("--json",) if self.is_json else ()
        done = self._run((*words, "-p", page), node)
        if done.code in _PASSING or (done.code == 0 and self._is_cut(done)):
            # Without the page slots would go by their position, which may be wrong.
            raise refused(done, node)
        return done.stdout if done.code == 0 else ""

    def _run(self, words: Sequence[str], node: str) -> Completed:
        # Opened for reading only: looking must not be able to change anything.
        argv = ["sg_ses", "--readonly", *words, node]
        try:
            return run_tool(self.host, argv, self.timeout_s)
        except SourceError as error:
            error.where = f"{error.where} {node}"
            raise


def refused(done: Completed, node: str) -> SourceError:
    """Say why sg_ses gave nothing; its exit codes are those of sg3_utils."""
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    said = lines[0] if lines else f"exit code {done.code}"
    text = done.stderr.lower()
    way_out = f"Try 'sg_ses -p es {node}' on that machine."
    if "permission denied" in text or "operation not permitted" in text:
        said = "reading it is not allowed"
        way_out = "Run Bayscope as root there, or give your user the right to it."
    elif "no such file" in text or "no such device" in text:
        said = "there is no such device any more"
        way_out = "See whether the cable is in; 'lsscsi -g' lists what is there."
    elif done.code in _ILLEGAL_REQUEST and "illegal request" in text:
        said = "it has no enclosure services"
        way_out = "Name the node that 'lsscsi -g' lists as 'enclosu'."
    elif done.code == _NOT_READY:
        said = "it is not ready"
        way_out = "Wait until the enclosure has started."
    elif done.code == _UNIT_ATTENTION:
        said = "it was reset, or something in it was changed (unit attention)"
        way_out = "It is asked again."
    elif done.code == 0:
        said = "what sg_ses printed is cut off"
        way_out = f"It is asked again. See what 'sg_ses -p es {node}' prints."
    return SourceError(said, where=node, way_out=way_out)


def _see_all(found: Collection[Key], known: Configuration, node: str) -> None:
    """Refuse descriptors that end before the last element.

    Without them a temperature would have another name, and be another channel.
    """
    promised = list(known.keys())
    lacking = sum(key not in found for key in promised)
    if found and lacking:
        raise SourceError(
            f"its descriptors are cut off: {lacking} of {len(promised)} elements "
            "are missing",
            where=node,
            way_out=f"It is asked again. See what 'sg_ses -p ed {node}' prints.",
        )


def _garbage(error: Exception, node: str) -> SourceError:
    return SourceError(
        f"what sg_ses printed cannot be read: {plain_words(error)}",
        where=node,
        way_out=f"Look at what 'sg_ses -p es {node}' prints.",
    )
