"""What each file is: told by what is in it, never by its name alone."""

import codecs
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Protocol

from app.record.imports.fio_json import is_fio, read_fio
from app.record.imports.fio_logs import FoundLog, read_found_log
from app.record.imports.found import MS, Clock, FileClock, Found, FoundStep
from app.record.imports.meter import read_meter
from app.record.imports.vdbench_blocks import (
    Block,
    Point,
    TimeOfDay,
    found_of,
    number_of,
    whole_of,
)
from app.record.imports.warp import ZSTANDARD, is_warp, read_warp, unpacked
from instruments.errors import BadInput, plain_words
from instruments.files.foreign_text import MISSHAPEN, read_content
from instruments.power.hmc8015.csv import looks_like_log as looks_like_meter
from instruments.reading import SECOND
from workloads.base import Measured
from workloads.fio.read.logs import KINDS as LOG_KINDS
from workloads.fio.read.logs import log_name
from workloads.fio.read.logs import looks_like_log as looks_like_fio_log
from workloads.fio.read.text import local_moment
from workloads.iozone.load import table_values
from workloads.iozone.output import parse
from workloads.vdbench.output import Report, read_flatfile

_START = re.compile(
    r"^(?:<[^<>]*+>)*+(\d\d:\d\d:\d\d\.\d{3}) Starting RD=([^;\s]+)(.*)$"
)
_DATE = re.compile(r"^(\w{3}) (\d\d), (\d{4})\s")
_STAMP = re.compile(r"(\d\d)/(\d\d)/(\d{4})-(\d\d):(\d\d):(\d\d)-(\w+)")
_ANYCASE = re.IGNORECASE | re.MULTILINE
_AVERAGE = re.compile(r"avg_(\d{1,18})-(\d{1,18})")
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
_FLAT = {"mb/sec": "mb", "read%": "read_pct", "rate": "rate", "resp": "resp"} | {
    name: name
    for name in ("read_resp", "write_resp", "resp_max", "read_max", "write_max")
}
"""Columns of a flatfile by the short names of `workloads.vdbench.output`."""

_BEGIN, _END = "input argument scanned", "Vdbench execution completed"
"""What standard output begins with, and its closing line; excerpts have neither."""


def is_flatfile(text: str) -> bool:
    """Whether a text has the header line of a flatfile."""
    return bool(
        re.search(
            r"^[ \t]*+tod[ \t]++(timestamp[ \t]++)?run[ \t]++interval\b", text, _ANYCASE
        )
    )


def is_report(text: str) -> bool:
    """Whether a text has lines of VDBench's report, if of a run that was stopped."""
    head = r"^\w{3} \d\d, \d{4}[ \t]++\.*+interval\.*+\s"
    return bool(re.search(head, text, _ANYCASE))


def read_flat(path: Path, text: str, *, keep_rest: bool = False) -> Found:
    """Read a flatfile.

    Raises:
        BadInput: A run definition has no average, there is none, or its last line is
            torn; names the file.
    """
    clock = TimeOfDay()
    kind = Clock.DAY
    blocks: list[Block] = []
    for line in read_flatfile(text):
        if stamp := _STAMP.fullmatch(line.get("timestamp", "")):
            kind = Clock.WALL if stamp[7] in ("UTC", "GMT") else Clock.LOCAL
            clock.set_day(date(int(stamp[3]), int(stamp[1]), int(stamp[2])))
        at = clock.read(line.get("tod", ""))
        average = _AVERAGE.fullmatch(line.get("interval", ""))
        first = int(average[1]) if average else whole_of(line.get("interval", ""))
        if at is None or first is None:
            continue
        run = line.get("run", "")
        # A run definition ends with its average; the next one may have its name.
        if not blocks or blocks[-1].name != run or blocks[-1].average is not None:
            blocks.append(Block(run, _flat_options(line)))
        values = {ours: number_of(line.get(own)) for own, ours in _FLAT.items()}
        point = Point(first, int(average[2]) if average else first, at, values)
        blocks[-1].add(point, is_average=average is not None)
    if _is_torn(text) and not keep_rest:
        raise BadInput(
            "it is cut short in its last line",
            where=f"{path}, line {len(text.splitlines())}",
            way_out="Fetch it again; --keep-rest imports the intact part.",
        )
    method = "time of day of its lines"
    return found_of(path, "VDBench flatfile", kind, method, blocks, keep_rest=keep_rest)


def _flat_options(line: Mapping[str, str]) -> dict[str, str]:
    """Get what the loops of a run definition set."""
    options = {name: line.get(name, "") for name in ("xfersize", "threads")}
    return {name: value for name, value in options.items() if value}


def _is_torn(text: str) -> bool:
    """Whether the last row of a flatfile has fewer cells than its header."""
    rows = [words for line in text.splitlines() if (words := line.split())]
    heads = [words for words in rows if words[0].lower() == "tod"]
    is_row = bool(rows) and re.match(r"\d\d:\d", rows[-1][0]) is not None
    return is_row and len(rows[-1]) < len(heads[-1] if heads else ())


def read_report(path: Path, text: str, *, keep_rest: bool = False) -> Found:
    """Read the report: standard output, summary.html or totals.html.

    Raises:
        BadInput: A run definition has no average, there is none, or the closing line
            of standard output lacks; names the file.
    """
    clock = TimeOfDay()
    report = Report()
    blocks: list[Block] = []
    for line in text.splitlines():
        if found := _START.match(line):
            blocks.append(_begun(found, clock))
        elif dated := _DATE.match(line):
            clock.set_day(_day(dated))
        row = report.feed(line)
        if row is None or not blocks:
            continue
        at = clock.read(row.tod)
        if at is None:
            continue
        point = Point(row.first, row.last, at, row.values)
        blocks[-1].add(point, is_average=row.is_average)
    if not clock.has_day:
        raise BadInput(
            "its header lines have no date",
            where=str(path),
            way_out="Import the flatfile of the run.",
        )
    clock.settle(blocks)
    method = "date and time of its lines"
    whole = found_of(
        path, "VDBench report", Clock.LOCAL, method, blocks, keep_rest=keep_rest
    )
    if _BEGIN not in text or _END in text:
        return whole
    what = "it is cut short, run definitions may be missing"
    if keep_rest:
        return replace(whole, remarks=(*whole.remarks, what))
    raise BadInput(
        what,
        where=f"{path}, line {len(text.splitlines())}",
        way_out=f'VDBench ends with "{_END}"; --keep-rest imports the intact part.',
    )


def _begun(line: re.Match[str], clock: TimeOfDay) -> Block:
    """Begin a run definition with what its line tells of it."""
    loops = line[3].partition("For loops:")[2].strip()
    options = dict(part.split("=", 1) for part in loops.split() if "=" in part)
    lengths = re.findall(r"\b(?:elapsed|warmup)=(\d{1,18})(?!\d)", line[3])
    block = Block(line[2], options, sum(int(each) for each in lengths))
    block.start_ns = clock.read(line[1])
    return block


def _day(found: re.Match[str]) -> date:
    month = _MONTHS.find(found[1]) // 4 + 1
    return date(int(found[3]), max(1, month), int(found[2]))


KIND = "IOzone output"
_BEGAN = re.compile(r"Run began: (.*)")


def is_iozone(text: str) -> bool:
    """Whether a text is the output of IOzone."""
    return "Iozone: Performance Test" in text or "Command line used: " in text


def read_iozone(path: Path, text: str, *, keep_rest: bool = False) -> Found:
    """Read an output.

    Raises:
        BadInput: It has no results, or it is cut short.
    """
    output = parse(text)
    if not output.cells or not (output.complete or keep_rest):
        what = "it is cut short" if output.cells else "it has no results"
        raise BadInput(
            what,
            where=f"{path}, line {text.count(chr(10)) + 1}",
            way_out='IOzone ends with "iozone test complete."',
        )
    began = _BEGAN.search(text)
    start = 0
    clock = FileClock(Clock.OWN, SECOND, "no clock")
    moment = local_moment(began[1]) if began else None
    if moment is not None:
        start = moment * MS
        clock = FileClock(Clock.LOCAL, SECOND, 'its line "Run began"')
    values = table_values(output)
    if output.command:
        direct = bool(re.search(r"(?:^|\s)-\w*I\b", output.command))
        values["buffered"] = Measured(float(not direct), "", "-I")
    step = FoundStep(
        label=path.stem,
        engine="iozone",
        start_ns=start,
        window=None,
        values=values,
        options={"command": output.command} if output.command else {},
        fault="" if output.complete else "ABORTED",
        reason="" if output.complete else "its output is cut short",
    )
    return Found(
        path=path,
        kind=KIND,
        engine="iozone",
        section="load",
        clock=clock,
        extent=(start, start),
        maker="iozone.org",
        model="IOzone",
        version=output.version,
        steps=(step,),
        remarks=("it has no times of its tests, there is nothing to draw",),
    )


LONGEST_BYTES = 2**30
"""A longer file would not fit into the memory of a small machine."""

# What tells kinds of files apart is in their head; a log may have gigabytes.
_HEAD_BYTES = 65_536
KNOWN = (
    "fio JSON, terse and text, fio logs, VDBench flatfile and totals, IOzone output, "
    "WARP results and logs of an HMC8015"
)


@dataclass(frozen=True, slots=True)
class Read:
    """One file as it was read."""

    path: Path
    content: bytes
    # what it holds; a log of fio waits for the run that it is of. None for an empty
    # log, such as fio writes of slat with a synchronous engine
    found: Found | FoundLog | None
    sha256: str = field(init=False)  # the hash of the file

    def __post_init__(self) -> None:
        digest = hashlib.sha256(self.content).hexdigest()
        object.__setattr__(self, "sha256", digest)


class _Reader(Protocol):
    def __call__(self, path: Path, text: str, *, keep_rest: bool) -> Found: ...


def read_file(path: Path, *, keep_rest: bool = False) -> Read:
    """Read one file.

    Raises:
        BadInput: It cannot be read, is none of the known, or is damaged.
    """
    return read_bytes(path, read_content(path, LONGEST_BYTES), keep_rest=keep_rest)


def read_bytes(path: Path, content: bytes, *, keep_rest: bool = False) -> Read:
    """Read the content of a file.

    Raises:
        BadInput: It is none of the known, or is damaged.
    """
    try:
        return _read(path, content, keep_rest=keep_rest)
    except MISSHAPEN as error:  # what no reader thought of; a file may say anything
        raise BadInput(
            f"it is damaged: {plain_words(error)}",
            where=str(path),
            way_out="Fetch it again, or exclude it.",
        ) from error


def _read(path: Path, content: bytes, *, keep_rest: bool) -> Read:
    plain = content
    if content[:4] == ZSTANDARD:
        plain = unpacked(path, content)
    head = plain[:_HEAD_BYTES].decode("utf-8", "replace")
    first = head.lstrip("\ufeff \t\r\n")
    name = log_name(path)
    if not content and name is not None:
        return Read(path, content, None)
    if not first:
        raise BadInput("it is empty", where=str(path), way_out="Exclude it.")
    # A row of a histogram has too many numbers to look like one of the other logs.
    if name is not None and (name.kind not in LOG_KINDS or looks_like_fio_log(head)):
        return Read(path, content, read_found_log(path, content))
    if looks_like_meter(head):
        found = read_meter(path, _text(plain), keep_rest=keep_rest)
        return Read(path, content, found)
    text = _text(plain)
    for fits, read in _KINDS:
        if fits(text):
            return Read(path, content, read(path, text, keep_rest=keep_rest))
    if looks_like_fio_log(head):
        return Read(path, content, read_found_log(path, content))
    raise BadInput(
        "this kind of file cannot be imported",
        where=str(path),
        way_out=f"It can be {KNOWN}.",
    )


def _text(content: bytes) -> str:
    # A redirection in PowerShell writes UTF-16.
    is_utf16 = content[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return content.decode("utf-16" if is_utf16 else "utf-8-sig", "replace")


_KINDS: Sequence[tuple[Callable[[str], bool], _Reader]] = (
    (is_warp, read_warp),
    (is_fio, read_fio),
    (is_flatfile, read_flat),
    (is_report, read_report),
    (is_iozone, read_iozone),
)
