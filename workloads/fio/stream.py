"""fio's standard output, divided into documents and messages while it runs."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from instruments.files.foreign_text import MOST_LINE, parsed_json

# fio: pid=4242, err=5/file:backend.c:471, func=full resid, error=Input/output error
_ERROR = re.compile(r"err=\s*(\d{1,18})/file:.*?func=(.*?), error=(.*)")

_LONGEST = 300
"""Characters of a line that are shown; the whole output is kept as an artefact."""


# A fio that complains without end must not fill the memory.
_MOST_MESSAGES = 10_000

_LARGEST = 64 * 2**20
"""Bytes after "{" that are waited for a "}"; 60 devices need less than one MiB."""


class DocumentStream:
    """Divides fio's standard output into JSON documents and messages.

    A line that is exactly "{" begins a document and one that is exactly "}" ends it
    (fio indents every line within); anything else is a message. Documents are cut out
    as a whole: those of 60 devices have 25 000 lines.
    """

    def __init__(self) -> None:
        self.messages: list[str] = []
        self._rest = bytearray()
        self._inside = False
        self._looked = 0

    def feed(self, chunk: bytes) -> Iterator[tuple[dict[str, Any], bytes]]:
        """Take what was read; give the documents it completes, parsed and as read.

        Each is given before the messages behind it are kept, so that what is said of
        a document stands in its place, whatever the chunks. To be read to its end.
        Garbage between "{" and "}" is kept as a message, never raised.
        """
        self._rest += chunk
        while (cut := self._cut()) is not None:
            text, is_document = cut
            if not is_document:
                if line := text.decode("utf-8", "replace").strip():
                    self.say(_readable(line))
                continue
            try:
                document = parsed_json(text)
            except ValueError:
                self.say(f"a document that is not JSON ({len(text)} bytes)")
                continue
            if document.get("jobs"):
                yield document, text

    def say(self, message: str) -> None:
        """Keep a message, unless it prints them without end."""
        if len(self.messages) < _MOST_MESSAGES:
            self.messages.append(message)

    def _cut(self) -> tuple[bytes, bool] | None:
        """Take the next line, or document (True), off; None where there is none yet."""
        rest = self._rest
        if not self._inside:
            end = rest.find(b"\n")
            if end < 0:
                return self._take(len(rest)) if len(rest) > MOST_LINE else None
            if rest[:end].rstrip(b"\r") != b"{":
                return self._take(end + 1)
            self._inside, self._looked = True, end
        while (at := rest.find(b"\n}", self._looked)) >= 0:
            end = rest.find(b"\n", at + 2)
            if end < 0:
                self._looked = at
                return None
            if not rest[at + 2 : end].strip(b"\r"):
                return self._take(end + 1)
            self._looked = at + 2
        self._looked = max(0, len(rest) - 1)
        return self._take(len(rest)) if len(rest) > _LARGEST else None

    def _take(self, length: int) -> tuple[bytes, bool]:
        text, was_inside = bytes(self._rest[:length]), self._inside
        del self._rest[:length]
        self._inside = False
        return text, was_inside


def _readable(text: str) -> str:
    """Make a line fit to be shown: no control characters, no endless lines."""
    shown = "".join(mark if mark.isprintable() else "\ufffd" for mark in text)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]} ..."


def error_text(messages: list[str]) -> str:
    """Pick the message that best explains why fio failed; "" where there is none."""
    for message in messages:
        if match := _ERROR.search(message):
            return f"{match[3].strip()} ({match[2].strip()})"
    notable = [
        m for m in messages if not m.startswith("note:") and "terminating" not in m
    ]
    return notable[0].removeprefix("fio: ") if notable else ""


def job_errors(document: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield (job name, errno) for each job with an error, if it went on after it."""
    for job in document["jobs"]:
        if number := job.get("error") or job.get("first_error"):
            yield str(job.get("jobname", "")), int(number)
