"""Finished documents of any fio, 2.1 to 3.42, brought into one form.

Versions are told apart by the keys that are there and never by the
version's text, because builds call themselves anything (fio-3.42-6-g219f). Sources:
the history of fio's stat.c, and public outputs of 2.1.11, 2.2.10, 3.1 and 3.42.
"""

import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from instruments.errors import BadInput, plain_words
from instruments.files.foreign_text import MISSHAPEN
from workloads.fio.read.side import Side, read_side, timed

DIRECTIONS = ("read", "write", "trim", "mixed")
"""What a job may do; "mixed" stands alone, with unified_rw_reporting."""

ALL_CLIENTS = "All clients"
"""A sum that fio's client makes of the first documents; it is never used."""

NO_RESULT, KILLED, UNTIMED = -1, -2, -3
"""The errors of a job that was started and of which nothing is told, of one with a
process that a signal ended, and of one that did I/Os and tells no time for them.

The last one fell while others went on, or took less than a millisecond.
"""

_MOST_DAMAGED = 100  # documents after which a file is given up
_MOST_MESSAGES = 1000  # that are looked at, of each kind
_TAIL = 4096  # characters after what is cut short
_NOT_JSON = re.compile(r"(:\s*)-?(nan|inf)\b", re.IGNORECASE)
_LATEST_MS = 2**42
"""The year 2109; what is later is not a time."""


@dataclass(frozen=True, slots=True)
class Job:
    """One job of a document.

    Attributes:
        name: Its name.
        group: Its reporting group.
        error: Its errno, 0 for none; NO_RESULT, KILLED.
        sides: Its directions that did anything.
        options: Its options over the global ones, where the version prints them.
        host: Where it ran, "" for the machine of the document.
        start_ms: Wall-clock time at which it began to measure, since 3.36.
        elapsed_s: Seconds since fio was started, None where it is not given.
        eta_s: Seconds to its end, as fio reckons; 0 where it is not given.
    """

    name: str
    group: int
    error: int
    sides: Mapping[str, Side]
    options: Mapping[str, str] = field(default_factory=dict)
    host: str = ""
    start_ms: int | None = None
    elapsed_s: int | None = None
    eta_s: int = 0

    @property
    def runtime_ms(self) -> int:
        """Length of the measured time in ms."""
        return max((s.counters.runtime_ms for s in self.sides.values()), default=0)

    @property
    def waits(self) -> bool:
        """Whether it starts only after the jobs before it have ended."""
        return "stonewall" in self.options or "wait_for_previous" in self.options


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a fio run.

    Attributes:
        version: As fio calls itself, such as "fio-3.33".
        moment_ms: Wall-clock time at which it was made, None where it is not given.
        precision_ms: How fine that is, 1 or 1000.
        jobs: Its jobs.
        is_local: Whether the moment is local time in a zone that is not given.
        run: Which run of its file it is of, None where the file does not show it.
        signal: The signal that ended fio before it was done, 0 for none.
        is_killed: Whether a signal ended a process of it, where it is not known which.
    """

    version: str
    moment_ms: int | None
    precision_ms: int
    jobs: tuple[Job, ...]
    is_local: bool = False
    run: int | None = None
    signal: int = 0
    is_killed: bool = False


SIGNALLED = re.compile(
    r"^[ \t]*(?:<\S+> )?fio: terminating on signal (\d{1,3})\b", re.M
)
"""What fio prints before its result where a signal ended it."""

# fio: pid=4242, got signal=9
_KILLED = re.compile(r"^[ \t]*(?:<\S+> )?fio: pid=\d{1,9}, got signal=\d", re.M)


def is_document(value: object) -> bool:
    """Whether a JSON value is a document of fio."""
    return isinstance(value, dict) and any(
        isinstance(value.get(key), list) for key in ("jobs", "client_stats")
    )


def read_documents(text: str, name: str, *, keep_rest: bool = False) -> list[Document]:
    """Read all documents of a file, with whatever is around them.

    Args:
        text: The file.
        name: What it is called in messages.
        keep_rest: Exclude what is damaged, if at least one document is whole.

    Raises:
        BadInput: There is none, or one is cut short or damaged; names the line.
    """
    documents: list[Document] = []
    troubles: list[BadInput] = []
    signals = _Signals(text)
    at = 0
    for line, value, why in _values(text):
        if why:
            troubles.append(_bad(name, line, why))
        elif is_document(value):
            try:
                read = document(value, len(documents))
                documents.append(signals.mark(read, at, line))
                at = line
            except MISSHAPEN as error:
                what = f"the document that begins here is damaged: {plain_words(error)}"
                troubles.append(_bad(name, line, what))
    if troubles and not (keep_rest and documents):
        raise troubles[0]
    if not documents:
        raise _bad(name, 1, "it contains no fio document")
    # Standard error may stand behind it all.
    documents[-1] = signals.mark(documents[-1], at, math.inf)
    return documents


class _Signals:
    """The messages of a text on signals, by lines."""

    def __init__(self, text: str) -> None:
        self._ended = lines_of(SIGNALLED, text)
        self._killed = lines_of(_KILLED, text)

    def mark(self, document: Document, after: int, last: float) -> Document:
        """Add to a document what comes after one line, up to another."""
        ended = [number for line, number in self._ended if after < line <= last]
        is_killed = any(after < line <= last for line, _ in self._killed)
        return replace(
            document,
            signal=max([document.signal, *ended]),
            is_killed=document.is_killed or is_killed,
        )


def lines_of(message: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """Find a message of fio: the lines it is in, and the number in it, or 0."""
    lines: list[tuple[int, int]] = []
    line, counted = 1, 0
    for match in itertools.islice(message.finditer(text), _MOST_MESSAGES):
        line, counted = line + text.count("\n", counted, match.start()), match.start()
        lines.append((line, int(match[1]) if match.re.groups else 0))
    return lines


def _values(text: str) -> Iterator[tuple[int, Any, str]]:
    """Yield (line, JSON value, what is wrong with it) for each value in a text."""
    # fio prints numbers as C does: nan and inf, too.
    if _NOT_JSON.search(text):
        text = _NOT_JSON.sub(r"\1NaN", text)
    decoder = json.JSONDecoder(strict=False)
    at = _next_brace(text, 0)
    line, counted, damaged = 1, 0, 0
    while at >= 0:
        line, counted = line + text.count("\n", counted, at), at
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            damaged += 1
            end = _next_start(text, at + 1) if damaged < _MOST_DAMAGED else -1
            # fio's own lines hold braces only in file names and the like.
            if '"' in text[at : at + 40]:
                where = getattr(error, "pos", at)
                place = line + text.count("\n", at, where)
                is_end = "\n" not in text[where : where + _TAIL].strip()
                what = "is cut short" if is_end or end >= 0 else "is damaged"
                yield place, None, f"the document that begins at line {line} {what}"
            at = end
            continue
        yield line, value, ""
        at = _next_brace(text, end)


def _next_brace(text: str, start: int) -> int:
    return text.find("{", start)


def _next_start(text: str, start: int) -> int:
    """Find where the next whole document may begin: a brace alone on its line."""
    match = re.compile(r"^\{[ \t]*\r?$", re.MULTILINE).search(text, start)
    return match.start() if match else -1


def document(value: Mapping[str, Any], number: int = 0) -> Document:
    """Bring one document into the form of all.

    Raises:
        ValueError: It contradicts itself.
    """
    common = _options(value.get("global options"))
    entries, run = value.get("jobs"), None
    if not isinstance(entries, list):
        entries, run = _last_of_each(value["client_stats"], common), number
    moment, precision = value.get("timestamp_ms"), 1
    # Before 2.12 there are whole seconds only.
    if not isinstance(moment, int) and isinstance(value.get("timestamp"), int):
        moment, precision = value["timestamp"] * 1000, 1000
    if isinstance(moment, int) and not 0 < moment < _LATEST_MS:
        raise ValueError(f"a time of {moment} ms")
    jobs = tuple(_job(entry, common) for entry in entries)
    if not jobs:
        raise ValueError("it has no jobs")
    return Document(
        version=str(value.get("fio version", "")),
        moment_ms=moment if isinstance(moment, int) else None,
        precision_ms=precision,
        jobs=jobs,
        run=run,
    )


def _last_of_each(entries: Sequence[Any], common: Mapping[str, str]) -> list[Any]:
    """Take the last report of each host; interim ones come before it.

    Clones of a job have entries with the same name. How many there are follows from the
    sum, which the client makes once of the first reports, and else by the options.

    Raises:
        ValueError: Their number fits neither.
    """
    names = [entry.get("jobname") for entry in entries]
    first = names.index(ALL_CLIENTS) if ALL_CLIENTS in names else 0
    clones = Counter(_key(entry) for entry in entries[:first])
    entries_of: dict[tuple[object, ...], list[Any]] = {}
    for entry in entries:
        if entry.get("jobname") != ALL_CLIENTS:
            entries_of.setdefault(_key(entry), []).append(entry)
    last = []
    for key, same in entries_of.items():
        number = clones[key] or _reported({**common, **_options_of(same[0])})
        if len(same) % number:
            raise ValueError(
                f"job {key[2]} on {key[0]} has {len(same)} entries, not a multiple of "
                f"{number}"
            )
        last += same[-number:]
    return last


def _key(entry: Mapping[str, Any]) -> tuple[object, ...]:
    # Two servers on one machine differ by their port only.
    return tuple(entry.get(key) for key in ("hostname", "port", "jobname", "groupid"))


def clones_of(options: Mapping[str, str]) -> int:
    """Get how many clones of a job run, as its options say."""
    number = re.fullmatch(r"[0-9]{1,5}", options.get("numjobs", "1"))
    return max(1, int(number[0])) if number else 1


def _reported(options: Mapping[str, str]) -> int:
    """Get how many entries a report has of a job with such options."""
    grouped = options.get("group_reporting", "0") not in ("0", "false")
    return 1 if grouped else clones_of(options)


def _job(entry: Mapping[str, Any], common: Mapping[str, str]) -> Job:
    if not any(direction in entry for direction in DIRECTIONS):
        raise ValueError(f"{_named(entry)} has neither read nor write nor mixed")
    parts = {
        direction: _side(entry, direction)
        for direction in DIRECTIONS
        if isinstance(entry.get(direction), dict)
    }
    sides = timed(parts)
    error = abs(int(entry.get("error") or entry.get("first_error") or 0))
    did_any = any(side.counters.ios for side in parts.values())
    return Job(
        name=str(entry["jobname"]),
        group=int(entry.get("groupid", 0)),
        error=judged(error, sides, did_any),
        options={**common, **_options_of(entry)},
        host=_host(entry),
        start_ms=_start_ms(entry),
        elapsed_s=_whole(entry.get("elapsed")),
        sides=sides,
        eta_s=_whole(entry.get("eta")) or 0,
    )


def judged(error: int, sides: Mapping[str, Side], did_any: bool) -> int:
    """Get the error of a job, UNTIMED where it did I/Os in a time that is not given."""
    return error or (UNTIMED if did_any and not sides else 0)


def _host(entry: Mapping[str, Any]) -> str:
    host, port = str(entry.get("hostname", "")), entry.get("port")
    return f"{host}:{port}" if host and port else host


def _start_ms(entry: Mapping[str, Any]) -> int | None:
    start = _whole(entry.get("job_start"))
    return start if start and 0 < start < _LATEST_MS else None


def _whole(number: object) -> int | None:
    return number if isinstance(number, int) else None


def _named(entry: Mapping[str, Any]) -> str:
    return f"job {entry.get('jobname', 'without a name')}"


def _side(entry: Mapping[str, Any], direction: str) -> Side:
    """Read one direction; raises ValueError with the job and the direction."""
    try:
        return read_side(entry[direction])
    except MISSHAPEN as error:
        where = f"{direction} of {_named(entry)}"
        raise ValueError(f"{where}: {plain_words(error)}") from error


def _options_of(entry: Mapping[str, Any]) -> dict[str, str]:
    return _options(entry.get("job options"))


def _options(table: object) -> dict[str, str]:
    return {str(k): str(v) for k, v in table.items()} if isinstance(table, dict) else {}


def _bad(name: str, line: int, what: str) -> BadInput:
    return BadInput(
        what,
        where=f"{name}, line {line}",
        way_out="Expected the output of fio with --output-format=json or json+.",
    )
