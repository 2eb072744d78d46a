"""MinIO WARP as a workload: an S3 server under load, live from its status service."""

import socket
import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import replace

from instruments.files.own_folder import OwnFolder
from instruments.reading import SECOND
from instruments.timebase import monotonic_ns
from instruments.tools.command import Running
from workloads.base import Artefact, Emit, End, LoadCause, LoadOutcome, LoadResult, Say
from workloads.command_line import find_program
from workloads.kept import Kept
from workloads.tool_ended import Ended, Quiet, judge_forced, report
from workloads.tool_run import run_tool
from workloads.warp.bucket import check_bucket, empty_bucket, keys
from workloads.warp.csv import read_csv
from workloads.warp.job import WarpJob
from workloads.warp.live import StatusService, channels
from workloads.warp.output import (
    WarpDataError,
    WarpResult,
    cut_short,
    read_json,
    table_values,
    what_is_wrong,
)

ADVICE = (
    "WARP is at https://github.com/minio/warp (AGPL-3.0); Bayscope runs it unmodified."
)
OVERTIME_S = 900.0
"""WARP prepares its objects before its duration begins, and deletes them after it."""

ENDINGS = (".json.zst", ".csv.zst")
"""Of its result files; the first that is there is read."""

# Its counters advance once a second: so a change is seen soon after it.
_ASK_S = 0.4
_SILENT_S = 20.0


def program() -> str:
    """Find WARP; raises BenchError that says where to get it."""
    return find_program("warp", "warp", ADVICE)


class Warp:
    """One WARP benchmark.

    WARP deletes everything in its bucket, so the bucket is checked right before the
    start. It dies of any signal at once and without a result or a cleaning up; after
    a stop the last counters are the result. Bayscope empties the bucket after a stop,
    and after any end where it was empty at the start.
    """

    driver = "warp"

    def __init__(
        self, job: WarpJob, name: str = "warp", erase: Collection[str] = ()
    ) -> None:
        self.name = name
        self.job = job
        self._erase = erase  # buckets that the operator named for this run
        self.channels = channels(name)

    def run(self, emit: Emit, say: Say, stop: threading.Event) -> LoadResult:
        """Run WARP to its end, or stop it.

        Raises:
            BenchError: It is not installed, its keys are not known, or the bucket
                holds data that nobody confirmed.
        """
        path, credentials = program(), keys(self.job)
        confirmed = check_bucket(self.job, self._erase)
        if confirmed:
            say("warning", confirmed)
        address = f"127.0.0.1:{free_port()}"
        with OwnFolder("bayscope-warp-") as folder:
            data = folder / "result"
            service = _Watch(StatusService(address, self.name, emit), say)
            try:
                ended = run_tool(
                    self.job.argv(path, address, str(data)),
                    name=self.name,
                    say=say,
                    stop=stop,
                    longest_s=self.job.ramp_s + self.job.runtime_s + OVERTIME_S,
                    cwd=folder,
                    env=credentials.environment,
                    poll=service.poll,
                    poll_s=_ASK_S,
                )
            finally:
                service.status.close()
            files = {
                file.name: file.read_bytes()
                for ending in ENDINGS
                if (file := data.with_name(data.name + ending)).is_file()
            }
        # What was there before a WARP that failed by itself may still be there.
        if (ended.forced or not confirmed) and (message := empty_bucket(self.job)):
            say("warning", message)
        # WARP redacts its keys itself; nothing is kept that it might have missed.
        ended = _redacted(ended, (credentials.secret, credentials.session))
        return self._result(ended, service.status, files, say)

    def _result(
        self, ended: Ended, status: StatusService, files: dict[str, bytes], say: Say
    ) -> LoadResult:
        kept = ended.kept("warp")
        kept += [Artefact(name, "application/zstd", raw) for name, raw in files.items()]
        report(self.name, say, ended.stderr.splitlines())
        result, wrong = read_result(files, self.job.ramp_s)
        end = self._judge(ended, result, wrong, status)
        if result is None:
            return end.result(None, {}, kept)
        # One that was ended leaves its last counters at most; they have no window.
        window = None if ended.forced else self._window(result, ended, status, say)
        values = table_values(result) if window else {}
        return replace(end.result(window, values, kept), remark=cut_short(result))

    def _window(
        self, result: WarpResult, ended: Ended, status: StatusService, say: Say
    ) -> tuple[int, int] | None:
        """Place its times on our clock; those of other machines may be off.

        A window that does not lie within the run is not believed, and the one of the
        live counters is taken instead.
        """
        offset = monotonic_ns() - time.time_ns()
        start, end = result.start_ns + offset, result.end_ns + offset
        if ended.start_ns <= start < end <= ended.end_ns:
            return start, end
        first, last = status.first_change_ns, status.last_change_ns
        first += round(self.job.ramp_s * SECOND)
        if first and first < last:
            say(
                "warning",
                "the load hosts' clocks are off, so the window is that of the live "
                "counters",
            )
            return first, last
        return None

    def _judge(
        self, ended: Ended, result: WarpResult | None, wrong: str, status: StatusService
    ) -> End:
        overtime = "in time; see what it printed last"
        if forced := judge_forced(ended.forced, self.name, overtime):
            return forced
        if ended.forced.cause is LoadCause.STOPPED:
            done = sum(each.requests for each in status.counted().values())
            what = f"warp was stopped before its end, after {done} requests"
            return End(LoadCause.STOPPED, what)
        if ended.code != 0:
            what = f"warp failed ({ended.how}): {_complaint(ended)}"
            return End(LoadCause.PROGRAM, what)
        if result is None:
            return End(LoadCause.RESULTS, f"warp's results are incomplete: {wrong}")
        if flaw := what_is_wrong(result, self.job):
            return End(LoadCause.RESULTS, flaw)
        return End()


def read_result(
    files: Mapping[str, bytes], ramp_s: float
) -> tuple[WarpResult | None, str]:
    """Read its result file among some by name; return what is wrong with it beside."""
    ramp_ns = round(ramp_s * SECOND)
    for ending in ENDINGS:
        for name in (name for name in files if name.endswith(ending)):
            read = read_json if ending == ENDINGS[0] else read_csv
            try:
                return read(files[name], ramp_ns), ""
            except WarpDataError as error:
                return None, f"{name} is incomplete: {error}"
    return None, "there is no result file"


class _Watch:
    """Asks the status service while WARP runs, and ends WARP when it is over."""

    def __init__(self, status: StatusService, say: Say) -> None:
        self.status = status
        self._began = time.monotonic()
        self._quiet = Quiet("the status service of warp", say, _SILENT_S)

    def poll(self, _: Running) -> End:
        """Ask once; see `run_tool`."""
        self.status.poll()
        # With its status service WARP does not end by itself.
        if self.status.is_over and self.status.ask_to_end():
            return End(LoadCause.OVERTIME, "it did not end when its benchmark was over")
        self._quiet.check(max(self._began, self.status.reached_s))
        return End()


def _complaint(ended: Ended) -> str:
    """Get the line on what went wrong.

    WARP marks its errors with <ERROR>, Go its own with panic or fatal error; every
    other line is progress, and not why it ended.
    """
    lines = [*ended.stderr.splitlines(), *ended.text.splitlines()]
    marks = ("<ERROR>", "panic:", "fatal error:")
    wrong = [line.strip() for line in lines if any(mark in line for mark in marks)]
    if wrong:
        return wrong[0].removeprefix("warp: ")[:300]
    return f'it did not say why; its last line is "{ended.last_words()}"'


def _redacted(ended: Ended, secrets: Collection[str]) -> Ended:
    """Take secrets out of all that a program printed."""
    for secret in filter(None, secrets):
        lines = [
            replace(line, text=line.text.replace(secret, "***")) for line in ended.lines
        ]
        stderr = ended.stderr.replace(secret, "***")
        ended = replace(ended, lines=tuple(lines), stderr=stderr)
    return ended


def free_port() -> int:
    """Find a port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def kept_result(kept: Kept) -> LoadResult:
    """Get its values; none where its result file was not kept, or is incomplete."""
    result, _ = read_result(kept.outputs, kept.ramp_s)
    values = table_values(result) if result is not None else {}
    return LoadResult(LoadOutcome.DONE, values=values)
