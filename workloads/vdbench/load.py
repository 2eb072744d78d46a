"""VDBench as a workload: one run definition, live lines, its own averages."""

import math
import threading
from collections.abc import Mapping
from pathlib import Path

from instruments.errors import BenchError
from instruments.files.own_folder import OwnFolder
from instruments.reading import SECOND, Channel, Reading, Status
from instruments.sizes import describe_size
from workloads.base import Artefact, Emit, End, LoadCause, LoadResult, Say
from workloads.command_line import find_program
from workloads.guard.file_guard import FileGuard
from workloads.guard.load_guard import LoadGuard
from workloads.target.scratch_check import shortage_in
from workloads.tool_ended import Ended, Line, judge_forced, report
from workloads.tool_run import guard_poll, run_tool
from workloads.vdbench.job import RD, VdbenchJob
from workloads.vdbench.output import MIB, Report, Row, io_errors
from workloads.vdbench.values import incomplete, live_values, values_of


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
    the end of the last interval that its average is made of.
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
        if need > self.job.size:
            shortage = f"[dut] size has {describe_size(self.job.size)}"
        else:
            shortage = shortage_in(self.job.target.parent, need)
        if shortage:
            raise BenchError(
                f"its files need {describe_size(need)}: {shortage}",
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
        complaints += [
            f"a line that does not fit its columns: {line}" for line in live.report.torn
        ]
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
    """Say why it failed: in its own words, else how far it came."""
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
