"""VDBench's flatfile.html, totals.html, summary.html or output as steps and traces.

Times are local. The report tells the date in its header lines; the flatfile tells it
since 5.04.07 only, in a column "timestamp" as MM/dd/yyyy-HH:mm:ss-zone [read in
published sources, not run]. A row's time is the end of its interval.
"""

import re
from dataclasses import replace
from datetime import date
from pathlib import Path

from app.record.imports.found import Clock, Found
from app.record.imports.vdbench_blocks import (
    Block,
    Point,
    TimeOfDay,
    number_of,
    whole_of,
)
from app.record.imports.vdbench_found import found_of
from instruments.errors import BadInput
from workloads.vdbench.output import Report, read_flatfile

_START = re.compile(
    r"^(?:<[^<>]*+>)*+(\d\d:\d\d:\d\d\.\d{3}) Starting RD=([^;\s]+)(.*)$"
)
_DATE = re.compile(r"^(\w{3}) (\d\d), (\d{4})\s")
_STAMP = re.compile(r"(\d\d)/(\d\d)/(\d{4})-(\d\d):(\d\d):(\d\d)-(\w+)")
_ANYCASE = re.IGNORECASE | re.MULTILINE
_AVERAGE = re.compile(r"avg_(\d{1,18})-(\d{1,18})")
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
_FLAT = {"mb/sec": "mb", "read%": "read_pct", "rate": "rate", "resp": "resp"}
_BEGIN, _END = "input argument scanned", "Vdbench execution completed"
"""What standard output begins with, and its closing line; excerpts have neither."""

_FLAT_MORE = ("read_resp", "write_resp", "resp_max")


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
        run, interval = line.get("run", ""), line.get("interval", "")
        stamp = _STAMP.fullmatch(line.get("timestamp", ""))
        if stamp is not None:
            kind = Clock.WALL if stamp[7] in ("UTC", "GMT") else Clock.LOCAL
            clock.set_day(date(int(stamp[3]), int(stamp[1]), int(stamp[2])))
        at = clock.read(line.get("tod", ""))
        if at is None or not interval:
            continue
        values = {ours: number_of(line.get(own)) for own, ours in _FLAT.items()}
        values |= {name: number_of(line.get(name)) for name in _FLAT_MORE}
        options = {k: v for k in ("xfersize", "threads") if (v := line.get(k, ""))}
        average = _AVERAGE.fullmatch(interval)
        number = int(average[1]) if average else whole_of(interval)
        if number is None:
            continue
        last = blocks[-1] if blocks else None
        if last is None or last.name != run or last.average is not None:
            last = Block(run, options=options)
            blocks.append(last)
        point = Point(number, int(average[2]) if average else number, at, values)
        if average:
            last.average = point
        else:
            last.points.append(point)
    if _is_torn(text) and not keep_rest:
        raise BadInput(
            "it is cut short in its last line",
            where=f"{path}, line {len(text.splitlines())}",
            way_out="Fetch it once more; with --keep-rest what is whole is taken.",
        )
    method = "time of day of its lines"
    return found_of(path, "VDBench flatfile", kind, method, blocks, keep_rest=keep_rest)


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
            loops = found[3].partition("For loops:")[2].strip()
            options = dict(part.split("=", 1) for part in loops.split() if "=" in part)
            lengths = re.findall(r"\b(?:elapsed|warmup)=(\d{1,18})(?!\d)", found[3])
            block = Block(found[2], options, sum(int(each) for each in lengths))
            block.start_ns = clock.read(found[1])
            blocks.append(block)
        elif dated := _DATE.match(line):
            clock.set_day(_day(dated))
        row = report.feed(line)
        if row is None or not blocks:
            continue
        at = clock.read(row.tod)
        if at is None:
            continue
        point = Point(row.first, row.last, at, row.values)
        if row.is_average:
            blocks[-1].average = point
        else:
            blocks[-1].points.append(point)
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
    what = "it is cut short, run definitions may lack"
    if keep_rest:
        return replace(whole, remarks=(*whole.remarks, what))
    raise BadInput(
        what,
        where=f"{path}, line {len(text.splitlines())}",
        way_out=f'VDBench ends with "{_END}"; with --keep-rest what is whole is taken.',
    )


def _day(found: re.Match[str]) -> date:
    month = _MONTHS.find(found[1]) // 4 + 1
    return date(int(found[3]), max(1, month), int(found[2]))
