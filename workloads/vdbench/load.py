"""VDBench as a workload: one run definition, live lines, its own averages."""

import math
import shutil
import threading
from collections.abc import Mapping
from pathlib import Path

from instruments.errors import BenchError
from instruments.files.own_folder import OwnFolder
from instruments.reading import SECOND, Channel, Reading, Status
from instruments.sizes import describe_size
from workloads.base import (
    Artefact,
    Emit,
    End,
    LoadCause,
    LoadOutcome,
    LoadResult,
    Measured,
    Say,
)
from workloads.command_line import find_program
from workloads.guard.file_guard import FileGuard
from workloads.guard.load_guard import LoadGuard
from workloads.kept import Kept
from workloads.target.scratch_check import SPARE
from workloads.tool_ended import Ended, Line, judge_forced, report
from workloads.tool_run import guard_poll, run_tool
from workloads.vdbench.job import RD, VdbenchJob
from workloads.vdbench.output import MIB, Report, Row, flatfile_average, io_errors


def table_values(
    average: Row, flat: Mapping[str, float] | None, job: VdbenchJob
) -> dict[str, Measured]:
    """Get the results of the averages, by the names of report_table.

    The flatfile has more digits than the report; it is taken where it has a value.
    MB is 10**6 bytes here and 1024*1024 there.
    """
    origin = f"flatfile.html, {RD}, avg_{average.first}-{average.last}"
    flat = flat or {}

    def best(name: str, printed: str) -> float:
        exact = flat.get(name, math.nan)
        return average.get(printed) if math.isnan(exact) else exact

    rate, mb = best("rate", "rate"), best("mb/sec", "mb")
    results = {
        "iops": Measured(rate, "1/s", origin),
        "bandwidth_mb_s": Measured(mb * MIB / 1e6, "MB/s", origin),
        "latency_mean_ms": Measured(best("resp", "resp"), "ms", origin),
        "latency_max_ms": Measured(flat.get("resp_max", math.nan), "ms", origin),
    }
    share = best("read%", "read_pct") / 100
    for direction, part in (("read", share), ("write", 1 - share)):
        if direction not in job.directions:
            continue
        exact = best(f"{direction}_rate", f"{direction}_rate")
        iops = rate * part if math.isnan(exact) else exact
        results[f"{direction}_iops"] = Measured(iops, "1/s", origin)
        moved = best(f"mb_{direction}", f"mb_{direction}")
        # With several sizes reads may move more than their share of I/Os.
        if math.isnan(moved) and ("," not in job.checked.text("xfersize")):
            moved = mb * part
        results[f"{direction}_mb_s"] = Measured(moved * MIB / 1e6, "MB/s", origin)
        time_ms = best(f"{direction}_resp", f"{direction}_resp")
        results[f"{direction}_latency_ms"] = Measured(time_ms, "ms", origin)
        slowest_ms = flat.get(f"{direction}_max", math.nan)
        results[f"{direction}_max_ms"] = Measured(slowest_ms, "ms", origin)
    return {k: value for k, value in results.items() if not math.isnan(value.value)}


def incomplete(report: Report, files: Mapping[str, bytes]) -> str | None:
    """Tell what is missing of the results, None where they are whole."""
    for name in ("flatfile.html", "totals.html"):
        if name not in files:
            return f"there is no {name}"
    unfinished = [rd for rd in report.rows if report.average(rd) is None]
    average = report.average(RD)
    if unfinished or average is None:
        return f"{(*unfinished, RD)[0]} has no average"
    return _contradiction(average, files)


def _contradiction(average: Row, files: Mapping[str, bytes]) -> str | None:
    """Tell where its files say something else than what it printed."""
    totals = Report()
    for line in _text(files["totals.html"]).splitlines():
        totals.feed(line)
    total = totals.average(RD)
    if total is None or (total.first, total.last) != (average.first, average.last):
        return f"totals.html has no average of {RD}"
    flat = flatfile_average(_text(files["flatfile.html"]), RD)
    if not flat:
        return f"flatfile.html has no average of {RD}"
    exact, printed = flat.get("rate", math.nan), average.get("rate")
    # The report has fewer digits; "not <=", as a rate that is NaN agrees with none.
    if not abs(exact - printed) <= 0.01 * max(exact, printed) + 0.1:
        return f"flatfile.html says {exact:g} I/Os a second, the report {printed:g}"
    return None


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def engine_bytes(
    values: Mapping[str, Measured], window: tuple[int, int]
) -> dict[str, Measured]:
    """Get what it moved in the window, for the comparison with the device."""
    seconds = (window[1] - window[0]) / SECOND
    return {
        f"engine_{direction}_bytes": Measured(
            values[f"{direction}_mb_s"].value * 1e6 * seconds,
            "B",
            values[f"{direction}_mb_s"].origin,
        )
        for direction in ("read", "write")
        if f"{direction}_mb_s" in values
    }


def values_of(
    report: Report,
    files: Mapping[str, bytes],
    job: VdbenchJob,
    window: tuple[int, int] | None,
) -> dict[str, Measured]:
    """Get all results of a run; none where it has no average.

    Args:
        report: What it printed.
        files: What it wrote, by name.
        job: What it was to do.
        window: Its measured window, where that is known.
    """
    average = report.average(RD)
    if average is None:
        return {}
    flat = _text(files.get("flatfile.html", b""))
    values = table_values(average, flatfile_average(flat, RD), job)
    values["buffered"] = Measured(float(not job.is_direct), "", "openflags")
    return values | (engine_bytes(values, window) if window is not None else {})


class Live:
    """Makes readings of interval lines, and remembers when each was read.

    Attributes:
        report: All lines so far.
        written: Bytes that they say were written, its own preparations included.
    """

    def __init__(
        self, channels: tuple[Channel, ...], interval_s: int, emit: Emit
    ) -> None:
        self.report = Report()
        self.channels = channels
        self._interval_ns = interval_s * SECOND
        self._emit = emit
        self._ends: dict[int, int] = {}
        self.written = 0

    def take(self, line: Line) -> None:
        """Take a line of standard output."""
        row = self.report.feed(line.text)
        if row is None or row.is_average:
            return
        self.written += round(_written(row) * self._interval_ns / SECOND)
        if self.report.rd != RD:
            return
        self._ends[row.first] = line.at_ns
        by_name = live_values(row)
        values = tuple(by_name.get(c.quantity, math.nan) for c in self.channels)
        statuses = tuple(
            Status.ABSENT if math.isnan(value) else Status.OK for value in values
        )
        start = line.at_ns - self._interval_ns
        # A line that was late must not begin before the one ahead of it ended.
        start = max(start, self._ends.get(row.first - 1, start))
        self._emit(
            Reading(
                self.channels, start, line.at_ns, values, statuses, line.text.encode()
            )
        )

    def window(self, average: Row | None) -> tuple[int, int] | None:
        """Place the intervals of an average on the monotonic clock."""
        if average is None or average.last not in self._ends:
            return None
        end = self._ends[average.last]
        count = average.last - average.first + 1
        begin = self._ends.get(average.first - 1, end - count * self._interval_ns)
        return (begin, end) if begin < end else None


def _written(row: Row) -> float:
    """Get the bytes that an interval wrote a second, 0 where it does not say."""
    share = row.get("mb") * (1 - row.get("read_pct") / 100)
    written = row.get("mb_write") if "mb_write" in row.values else share
    return 0.0 if math.isnan(written) else written * MIB


def live_values(row: Row) -> dict[str, float]:
    """Get the readings of a line: rates in 1/s and B/s, times in seconds."""
    share = row.get("read_pct") / 100
    rate = row.get("rate")
    values = {
        "iops": rate,
        "bw": row.get("mb") * MIB,
        "lat": row.get("resp") / 1000 if rate else math.nan,
        "read_iops": row.values.get("read_rate", rate * share),
        "write_iops": row.values.get("write_rate", rate * (1 - share)),
    }
    for direction in ("read", "write"):
        has = values[f"{direction}_iops"] > 0
        time_ms = row.get(f"{direction}_resp") if has else math.nan
        values[f"{direction}_lat"] = time_ms / 1000
    return values


ADVICE = (
    "VDBench is a download of Oracle's, whose licence you have to accept; it needs "
    "Java. Search the web for: Vdbench downloads."
)
OVERTIME_S = 120.0
"""Java machines take their time to start, connect and end."""

KEPT_FILES = ("flatfile.html", "totals.html", "summary.html", "errorlog.html")
# Without their first letters, which may be capital.
_MARKS = ("rror", "xception", "terminat")
# Lines that it begins with, whatever happens then.
_NOT_MESSAGES = ("Vdbench", "Copyright", "For documentation", "input argument")


def program() -> str:
    """Find VDBench; raises BenchError that says where to get it."""
    return find_program("vdbench", "vdbench", ADVICE)


class Vdbench:
    """One VDBench run.

    Its lines have a time of day without date or zone, so an interval is taken to end
    when its line is read. The measured window goes from the begin of the first to
    the end of the last interval that its average says it is made of.
    """

    driver = "vdbench"

    def __init__(
        self, job: VdbenchJob, name: str = "vdbench", guard: LoadGuard | None = None
    ) -> None:
        self.name = name
        self.job = job
        self._guard: LoadGuard = guard or FileGuard([job.target])
        period = job.interval_s * SECOND
        names = [("iops", "1/s"), ("bw", "B/s"), ("lat", "s")]
        for direction in job.directions if len(job.directions) > 1 else ():
            names += [(f"{direction}_iops", "1/s"), (f"{direction}_lat", "s")]
        self.channels = tuple(
            Channel(name, what, unit, period_ns=period, window_ns=period)
            for what, unit in names
        )

    def run(self, emit: Emit, say: Say, stop: threading.Event) -> LoadResult:
        """Run VDBench to its end, or stop it with INT, TERM and KILL.

        Raises:
            BenchError: It is not installed, or its files do not fit.
        """
        path = program()
        self._check_space()
        with (
            self._guard.hold(say, destroys=self.job.destroys),
            OwnFolder("bayscope-vdbench-") as folder,
        ):
            place, tree = self._place(folder)
            try:
                (folder / "parmfile").write_text(self.job.text(place), "utf-8")
                live = Live(self.channels, self.job.interval_s, emit)
                ended = run_tool(
                    [path, "-f", str(folder / "parmfile"), "-o", str(folder / "out")],
                    name=self.name,
                    say=say,
                    stop=stop,
                    longest_s=self.job.ramp_s + self.job.runtime_s + OVERTIME_S,
                    cwd=folder,
                    quiet_s=max(30.0, 5.0 * self.job.interval_s),
                    take=live.take,
                    poll=guard_poll(
                        self._guard, lambda _: live.written, destroys=self.job.destroys
                    ),
                )
                files = {
                    name: (folder / "out" / name).read_bytes()
                    for name in KEPT_FILES
                    if (folder / "out" / name).is_file()
                }
            finally:
                if tree is not None:
                    tree.close()
            text = self.job.text(place).encode()
        return self._result(ended, live, files, text, say)

    def _check_space(self) -> None:
        need = self.job.tree_bytes
        if not need:
            return
        free = shutil.disk_usage(self.job.target.parent).free
        if need > self.job.size or need + SPARE > free:
            raise BenchError(
                f"its files need {describe_size(need)}; [dut] size has "
                f"{describe_size(self.job.size)} and the disk {describe_size(free)} "
                f"of which {describe_size(SPARE)} stay free",
                where=self.job.label,
                way_out="Give fewer files, or a larger size in [dut].",
            )

    def _place(self, folder: Path) -> tuple[Path, OwnFolder | None]:
        """Make the name VDBench is given, and its tree of files where it has one.

        It cuts names at spaces, commas and brackets, so it is given a link.
        """
        link = folder / "target"
        if not self.job.tree_bytes:
            link.symlink_to(self.job.target.absolute())
            return link, None
        beside = self.job.target.absolute().parent
        tree = OwnFolder(f"{self.job.target.name}.vdbench-", beside)
        link.symlink_to(tree.path)
        return link, tree

    def _result(
        self,
        ended: Ended,
        live: Live,
        files: Mapping[str, bytes],
        parameters: bytes,
        say: Say,
    ) -> LoadResult:
        if live.report.version:
            say("info", f"this is {live.report.version}")
        errors = io_errors(
            ended.text + files.get("errorlog.html", b"").decode("utf-8", "replace")
        )
        complaints = [*ended.stderr.splitlines(), *errors]
        complaints += [f"a line that does not fit: {line}" for line in live.report.torn]
        report(self.name, say, complaints)
        kept = [Artefact("parmfile", "text/plain", parameters)]
        kept += ended.kept("vdbench")
        kept += [Artefact(name, "text/html", raw) for name, raw in files.items()]
        window = live.window(live.report.average(RD))
        values = values_of(live.report, files, self.job, window)
        end = self._judge(ended, live.report, files, errors)
        return end.result(window, values, kept)

    def _judge(
        self,
        ended: Ended,
        output: Report,
        files: Mapping[str, bytes],
        errors: list[str],
    ) -> End:
        overtime = "in time; see what it printed last"
        if forced := judge_forced(ended.forced, self.name, overtime):
            return forced
        if errors:
            what = f"I/O error on {self.job.target}: {errors[0][:300]}"
            return End(LoadCause.DEVICE, what)
        if ended.forced.cause is LoadCause.STOPPED and not output.completed:
            return End(LoadCause.STOPPED, "vdbench was stopped before its end")
        if ended.code != 0 or not output.completed:
            return End(LoadCause.PROGRAM, _why_failed(ended, output))
        if (missing := incomplete(output, files)) is not None:
            return End(
                LoadCause.RESULTS, f"vdbench's results are incomplete: {missing}"
            )
        return End()


def _notices(ended: Ended) -> list[str]:
    lines = (line.text.strip() for line in ended.lines)
    return [t for t in lines if t.strip("* ") and not t.startswith(_NOT_MESSAGES)]


def _why_failed(ended: Ended, output: Report) -> str:
    """Say why it failed: its own word, or how far it came where it gave none."""
    notices = _notices(ended)
    wrong = [t for t in notices if any(mark in t for mark in _MARKS)]
    rows = output.rows.get(RD, [])
    if wrong or not rows or output.completed:
        message = (*wrong[:1], *notices[-1:], ended.last_words())[0]
        return f"vdbench failed ({ended.how}): {message[:300]}"
    return (
        f"vdbench ended after interval {rows[-1].last} without its closing line "
        f"({ended.how}); look whether somebody or the kernel killed its Java machine, "
        "with journalctl -k"
    )


_DIRECT = "openflags=o_direct"


def kept_result(kept: Kept) -> LoadResult:
    """Get its values; none where its report was not kept, or has no average."""
    report = Report()
    for line in kept.text("vdbench-output.txt").splitlines():
        report.feed(line)
    lines = kept.text("parmfile").splitlines()
    direct = any(_DIRECT in line for line in lines if not line.startswith("*"))
    # Of the job only what its values depend on: its directions and sizes.
    job = VdbenchJob("", Path(), 0, 0.0, 0.0, direct, kept.options)
    values = values_of(report, kept.outputs, job, kept.window)
    return LoadResult(LoadOutcome.DONE, values=values)
