"""fio's client: one process that drives the servers of all load hosts."""

import signal
import threading
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from instruments.files.foreign_text import parsed_json
from instruments.tools.command import MOST_SAID, start
from workloads.fio.stream import DocumentStream

GRACE_S = {signal.SIGINT: 15.0, signal.SIGTERM: 5.0, signal.SIGKILL: 5.0}
"""Seconds that each signal is given; INT has all hosts send what they have."""

_ALL = "All clients"


class FioClient:
    """The client, and what it prints; leaving a `with` block ends it.

    Attributes:
        argv: Its command line.

    It prints one document, at the end. --status-interval would only add its interim
    results to that one, and its text with the progress is not printed beside JSON.

    Args:
        folder: Its own folder, with a job file for each server.
        servers: For each server the option that names it, and its job file.
    """

    def __init__(self, folder: Path, servers: Sequence[tuple[str, str]]) -> None:
        pairs = [word for pair in servers for word in pair]
        self.argv = ("fio", "--output-format=json+", *pairs)
        self._process = start(self.argv, cwd=str(folder))
        self._output: list[bytes] = []
        self._reader = threading.Thread(
            target=self._read, name="fio-client", daemon=True
        )
        self._reader.start()

    def wait(self, timeout: float) -> int | None:
        """Wait for its end; see `Started`."""
        return self._process.wait(timeout)

    def end(self) -> None:
        """End it: INT lets all hosts send their results, TERM, then KILL."""
        for number, grace in GRACE_S.items():
            self._process.send_signal(number)
            if self._process.wait(grace) is not None:
                return

    def close(self) -> None:
        """Let go of it; call it after its end, or to end it by force."""
        self._process.close()
        self._reader.join(5)

    @property
    def text(self) -> str:
        """Get what it has printed so far."""
        return b"".join(self._output).decode("utf-8", "replace")

    def packed(self) -> bytes:
        """Get what it printed, zlib-compressed."""
        return zlib.compress(b"".join(self._output), 6)

    def messages(self) -> list[str]:
        """Get what it said beside the document."""
        stream = DocumentStream()
        list(stream.feed(b"".join(self._output)))
        return [*stream.messages, *self._process.stderr_text().splitlines()]

    def _read(self) -> None:
        left = MOST_SAID
        while chunk := self._process.stdout.read1(65_536):  # type: ignore[attr-defined]
            self._output += [chunk] if left > 0 else []
            left -= len(chunk)


def client_results(text: str) -> dict[tuple[str, int], list[Mapping[str, Any]]]:
    """Read the document of a client: the entries of each server, by address and port.

    "All clients" is left out; it has the address of the last one. See `sums`.
    """
    start = text.find("{\n") if text.startswith("{\n") else text.find("\n{\n") + 1
    end = text.rfind("\n}")
    if end < 0 or (start == 0 and not text.startswith("{")):
        return {}
    try:
        document = parsed_json(text[start : end + 2])
        found: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
        for entry in document.get("client_stats", []):
            if entry["jobname"] != _ALL:
                key = (str(entry["hostname"]), int(entry["port"]))
                found.setdefault(key, []).append(entry)
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
    return found
