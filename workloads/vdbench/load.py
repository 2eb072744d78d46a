"""VDBench as a workload: one run definition, live lines, its own averages."""

import shutil
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from instruments.errors import BenchError
from instruments.files.own_folder import OwnFolder
from instruments.reading import SECOND, Channel, Reading
from workloads.base import Artefact, LoadOutcome, LoadResult, Measured
from workloads.guard.file_guard import FileGuard
from workloads.guard.load_guard import LoadGuard
from workloads.programs import find_program
from workloads.sizes import describe_size
from workloads.target.scratch_check import SPARE
from workloads.tool_ended import STOPPED, Ended, Say, judge_forced, report
from workloads.tool_run import guard_poll, run_tool
from workloads.vdbench.job import RD, VdbenchJob
from workloads.vdbench.live import Live
from workloads.vdbench.output import Report, flatfile_average, io_errors
from workloads.vdbench.result import engine_bytes, incomplete, table_values

ADVICE = (
    "VDBench is a download of Oracle's, whose licence you have to accept; it needs "
    "Java. Search the web for: Vdbench downloads."
)
OVERTIME_S = 120.0
"""Java machines take their time to start, connect and end."""

KEPT_FILES = ("flatfile.html", "totals.html", "summary.html", "errorlog.html")
_NO_NEWS = ("Vdbench", "Copyright", "For documentation", "input argument")


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
        self._guard: LoadGuard = guard or FileGuard(job.target)
        period = job.interval_s * SECOND
        names = [("iops", "1/s"), ("bw", "B/s"), ("lat", "s")]
        for direction in job.directions if len(job.directions) > 1 else ():
            names += [(f"{direction}_iops", "1/s"), (f"{direction}_lat", "s")]
        self._channels = tuple(
            Channel(name, what, unit, period_ns=period, window_ns=period)
            for what, unit in names
        )

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get the channels of its interval lines."""
        return self._channels

    def run(
        self,
        emit: Callable[[Reading], None],
        say: Say,
        stop: threading.Event,
    ) -> LoadResult:
        """Run VDBench to its end, or stop it with INT, TERM and KILL.

        Raises:
            BenchError: It is not installed, or its files do not fit.
        """
        found = program()
        self._check_space()
        with (
            self._guard.hold(say, destroys=self.job.destroys),
            OwnFolder("bayscope-vdbench-") as folder,
        ):
            place, tree = self._place(folder)
            try:
                (folder / "parmfile").write_text(self.job.text(place), "utf-8")
                live = Live(self._channels, self.job.interval_s, emit)
                ended = run_tool(
                    [found, "-f", str(folder / "parmfile"), "-o", str(folder / "out")],
                    name=self.name,
                    say=say,
                    stop=stop,
                    longest_s=self.job.ramp_s + self.job.runtime_s + OVERTIME_S,
                    cwd=folder,
                    quiet_s=max(30.0, 5.0 * self.job.interval_s),
                    take=live.take,
                    poll=guard_poll(
                        self._guard,
                        lambda _: live.written,
                        destroys=self.job.destroys,
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
        told = [*ended.stderr.splitlines(), *errors]
        told += [f"a line that does not fit: {line}" for line in live.report.torn]
        report(self.name, say, told)
        kept = [Artefact("parmfile", "text/plain", parameters)]
        kept += ended.kept("vdbench")
        kept += [Artefact(name, "text/html", raw) for name, raw in files.items()]
        flat = files.get("flatfile.html", b"").decode("utf-8", "replace")
        average = live.report.average(RD)
        window = live.window(average)
        values = {}
        if average is not None:
            values = table_values(average, flatfile_average(flat, RD), self.job)
            values["buffered"] = Measured(
                float(not self.job.is_direct), "", "openflags"
            )
            if window is not None:
                values |= engine_bytes(values, window)
        outcome, reason = self._judge(ended, live.report, files, errors)
        return LoadResult(outcome, reason, window, values, artefacts=tuple(kept))

    def _judge(
        self,
        ended: Ended,
        told: Report,
        files: Mapping[str, bytes],
        errors: list[str],
    ) -> tuple[LoadOutcome, str]:
        if forced := judge_forced(ended, self.name, "see what it printed last"):
            return forced
        if errors:
            return LoadOutcome.DEVICE_FAILED, (
                f"I/O error on {self.job.target}: {errors[0][:300]}"
            )
        if ended.cause == STOPPED and not told.completed:
            return LoadOutcome.STOPPED, "vdbench was stopped before its end"
        if ended.code != 0 or not told.completed:
            return LoadOutcome.FAILED, _why_failed(ended, told)
        if (torn := incomplete(told, files)) is not None:
            return LoadOutcome.FAILED, f"vdbench's results are not whole: {torn}"
        return LoadOutcome.DONE, ""


def _why_failed(ended: Ended, told: Report) -> str:
    """Say why it failed: its own word, or how far it came where it gave none."""
    lines = [line.text.strip() for line in ended.lines]
    news = [t for t in lines if t.strip("* ") and not t.startswith(_NO_NEWS)]
    wrong = [t for t in news if "rror" in t or "xception" in t or "terminat" in t]
    rows = told.rows.get(RD, [])
    if wrong or not rows or told.completed:
        said = wrong[0] if wrong else (news[-1] if news else ended.last_words())
        return f"vdbench failed ({ended.how}): {said[:300]}"
    return (
        f"vdbench ended after interval {rows[-1].last} without its closing line "
        f"({ended.how}); look whether somebody or the kernel killed its Java machine, "
        "with journalctl -k"
    )
