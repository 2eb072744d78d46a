"""fio as a workload: one process, live readings from its documents, one result."""

import errno
import math
import os
import signal
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from instruments.errors import BenchError
from instruments.reading import SECOND, Channel, Reading, Status
from instruments.started import Started
from workloads.base import Artefact, LoadOutcome, LoadResult, Measured
from workloads.fio_job import STATUS_INTERVAL_MS, TARGET_NAME, FioJob, destroys
from workloads.fio_output import (
    ZERO,
    Counters,
    DocumentStream,
    Rates,
    counters,
    error_text,
    job_errors,
    percentile,
    rates,
)
from workloads.guard.load_guard import FileGuard, LoadGuard

DEVICE_ERRORS = (errno.EIO, errno.EREMOTEIO, errno.EILSEQ, errno.ETIMEDOUT)
"""Errors that are the fault of the target; every other one is the bench's."""

GRACE_S = {signal.SIGINT: 10.0, signal.SIGTERM: 5.0, signal.SIGKILL: 5.0}
"""Seconds that each signal is given before the next one."""

MOST_EVENTS = 20
"""Messages of a load that become events; all are kept in its artefacts."""

OVERTIME_S = 30.0
"""A load that outlives its ramp and runtime by this much is ended."""

_EARLY_NS = SECOND // 10
"""How much earlier than asked for a ramp may seem to end: clocks are read in turn."""

_SHORTEST_S = 0.2 * STATUS_INTERVAL_MS / 1000
"""fio reads its counters while jobs run; over shorter times they disagree."""

_QUANTITIES = (("iops", "1/s"), ("bw", "B/s"), ("lat", "s"), ("p99", "s"))


def fio_channels(name: str, direction: str) -> tuple[Channel, ...]:
    """Make the four live channels of "read" or "write"."""
    period = STATUS_INTERVAL_MS * SECOND // 1000
    return tuple(
        Channel(name, f"{direction}_{what}", unit, period_ns=period, window_ns=period)
        for what, unit in _QUANTITIES
    )


class Fio:
    """One fio job.

    `run` owns the process; a reader thread takes its output, the calling thread
    watches over it: documents must keep coming, and it must end in time. The guard
    checks the target before, holds it, and looks at what fio has open.
    """

    driver = "fio"

    def __init__(
        self, job: FioJob, name: str = "fio", guard: LoadGuard | None = None
    ) -> None:
        self.name = name
        self.job = job
        self._destroys = destroys(job.options)
        self._guard: LoadGuard = guard or FileGuard(job.target)
        self._by_direction = {d: fio_channels(name, d) for d in job.directions}

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get the channels of the directions that the job has."""
        return tuple(c for group in self._by_direction.values() for c in group)

    def run(
        self,
        emit: Callable[[Reading], None],
        say: Callable[[str, str], None],
        stop: threading.Event,
    ) -> LoadResult:
        """Run fio to its end, or stop it with INT, TERM and KILL.

        Raises:
            BenchError: fio is not installed, or the guard does not let it start.
        """
        with (
            self._guard.hold(say, destroys=self._destroys),
            tempfile.TemporaryDirectory(prefix="bayscope-fio-") as folder,
        ):
            # fio cuts and expands what it reads in a job file, so no path of the
            # user's stands in there: the job names a link in its own folder.
            (Path(folder) / TARGET_NAME).symlink_to(self.job.target.absolute())
            (Path(folder) / "job.fio").write_text(self.job.text(), encoding="utf-8")
            argv = [
                "fio",
                "--output-format=json+",
                f"--status-interval={STATUS_INTERVAL_MS}ms",
                *([] if self._destroys else ["--readonly"]),
                "job.fio",
            ]
            with self._guard.start(argv, folder, self.job) as process:
                ramp_ns = round(self.job.ramp_s * SECOND)
                reader = _Reader(process, self._by_direction, ramp_ns, emit)
                reader.start()
                cause = self._watch(process, reader, folder, say, stop)
                reader.join(timeout=10)
                self._guard.count(reader.newly_written())
                return self._result(process, reader, cause, say)

    def _watch(
        self,
        process: Started,
        reader: "_Reader",
        folder: str,
        say: Callable[[str, str], None],
        stop: threading.Event,
    ) -> str:
        """Wait for the end; return why we ended it, or "" where fio did."""
        deadline = time.monotonic() + self.job.ramp_s + self.job.runtime_s + OVERTIME_S
        quiet_after = max(5.0, 5 * STATUS_INTERVAL_MS / 1000)
        warned = False
        while process.wait(0.1) is None:
            self._guard.count(reader.newly_written())
            trouble = self._guard.check(process.pid, folder, destroys=self._destroys)
            if trouble:
                process.send_signal(signal.SIGKILL)
                say("error", f"fio was killed: {trouble}")
                return trouble
            if self._destroys and (spent := self._guard.spent()):
                say("error", f"fio is ended: {spent}")
                self._end(process, say)
                return spent
            if stop.is_set():
                self._end(process, say)
                return "stopped"
            if time.monotonic() > deadline:
                say("error", f"fio did not end {OVERTIME_S:.0f} s after its runtime")
                self._end(process, say)
                return "overtime"
            quiet = time.monotonic() - reader.last_document
            if quiet > quiet_after and not warned:
                say(
                    "warning", f"no live data from fio for {quiet:.0f} s, it still runs"
                )
            warned = quiet > quiet_after
        return ""

    def _end(self, process: Started, say: Callable[[str, str], None]) -> None:
        """End fio: INT lets it write its last document, TERM, then KILL."""
        for number, grace in GRACE_S.items():
            process.send_signal(number)
            if process.wait(grace) is not None:
                return
            say("warning", f"fio ignored {signal.Signals(number).name} for {grace:g} s")

    def _result(
        self,
        process: Started,
        reader: "_Reader",
        cause: str,
        say: Callable[[str, str], None],
    ) -> LoadResult:
        messages = (*reader.stream.messages, *process.stderr_text().splitlines())
        told = [
            message
            for message in messages
            if not message.startswith("note:")
            and "terminating on signal" not in message
        ]
        for message in told[:MOST_EVENTS]:
            say("warning", f"fio: {message.removeprefix('fio: ')}")
        if len(told) > MOST_EVENTS:
            say("warning", f"fio: {len(told) - MOST_EVENTS} more messages are kept")
        document = reader.last
        code = process.wait(0)
        outcome, reason = self._judge(document, code, cause, list(messages))
        artefacts = [Artefact("job.fio", "text/plain", self.job.text().encode())]
        artefacts.append(
            Artefact("fio-output.json.zz", "application/zlib", reader.compressed())
        )
        if messages:
            text = "\n".join(messages).encode()
            artefacts.append(Artefact("fio-messages.txt", "text/plain", text))
        window, values = None, {}
        if document is not None:
            window = reader.window(document)
            if window is not None:
                values = table_values(document, self.job.directions)
                values["buffered"] = Measured(float(not self.job.direct), "", "direct")
        return LoadResult(outcome, reason, window, values, artefacts=tuple(artefacts))

    def _judge(
        self,
        document: Mapping[str, Any] | None,
        code: int | None,
        cause: str,
        messages: list[str],
    ) -> tuple[LoadOutcome, str]:
        if cause == "overtime":
            return LoadOutcome.FAILED, (
                f"fio did not end {OVERTIME_S:.0f} s after its runtime and was ended"
            )
        if cause not in ("", "stopped"):
            return LoadOutcome.FAILED, f"fio was ended by the guard: {cause}"
        errors = list(job_errors(document)) if document else []
        if errors:
            number = errors[0][1]
            told = error_text(messages) or os.strerror(number)
            where = f"{self.job.target}: {told}"
            if number in DEVICE_ERRORS:
                return LoadOutcome.DEVICE_FAILED, f"I/O error on {where}"
            return LoadOutcome.FAILED, f"fio failed on {where}"
        if cause == "stopped":
            return LoadOutcome.STOPPED, "fio was stopped before its end"
        return _exit_judged(code, document, messages)


_KILLED = (
    "somebody or the kernel killed it: look for out of memory with journalctl -k, "
    "then run the step again"
)
_CRASHED = "look into its output in the session, and try another version of fio"


def _exit_judged(
    code: int | None, document: Mapping[str, Any] | None, messages: list[str]
) -> tuple[LoadOutcome, str]:
    if code == 0 and document is not None:
        return LoadOutcome.DONE, ""
    told = error_text(messages) or "it said nothing"
    ended = f"exit code {code}"
    if code is not None and code < 0:
        name = signal.Signals(-code).name
        killer = _KILLED if -code == signal.SIGKILL else _CRASHED
        return LoadOutcome.FAILED, f"fio was ended by signal {name}; {killer}"
    return LoadOutcome.FAILED, f"fio failed ({ended}): {told}"


class _Reader(threading.Thread):
    """Takes fio's standard output: documents to readings, all of it compressed."""

    def __init__(
        self,
        process: Started,
        by_direction: Mapping[str, tuple[Channel, ...]],
        ramp_ns: int,
        emit: Callable[[Reading], None],
    ) -> None:
        super().__init__(name="fio-reader", daemon=True)
        self.stream = DocumentStream()
        self.last: dict[str, Any] | None = None
        self.last_document = time.monotonic()
        self._process = process
        self._by_direction = by_direction
        self._ramp_ns = ramp_ns
        self._in_ramp = ramp_ns > 0
        self._begun_ns: int | None = None
        self._emit = emit
        self._before: dict[str, tuple[int, Counters]] = {}
        self._load_starts: list[int] = []
        self._written = self._told = self._written_before = 0
        self._compressor = zlib.compressobj(6)
        self._packed: list[bytes] = []

    def run(self) -> None:
        for line in iter(self._process.stdout.readline, b""):
            self._packed.append(self._compressor.compress(line))
            document = self.stream.feed(line.decode("utf-8", "replace"))
            if document is not None:
                arrival = time.monotonic_ns()
                self.last_document = time.monotonic()
                try:
                    self._count_written(document)
                    self._take(document, _moment(document, arrival, time.time_ns()))
                except (KeyError, TypeError, ValueError, AttributeError) as error:
                    # A version of fio that writes them otherwise.
                    self.stream.messages.append(f"a document lacks {error!r}")
                else:
                    self.last = document

    def newly_written(self) -> int:
        """Get the bytes that fio wrote or trimmed since this was last asked."""
        total = self._written
        self._told, new = total, total - self._told
        return new

    def _count_written(self, document: Mapping[str, Any]) -> None:
        total = sum(
            int(job.get(direction, {}).get("io_bytes", 0))
            for job in document["jobs"]
            for direction in ("write", "trim")
        )
        # At the end of the ramp fio begins again at zero.
        before = self._written_before
        self._written += total - before if total >= before else total
        self._written_before = total

    def compressed(self) -> bytes:
        """Get everything fio printed, zlib-compressed; call once, after the end."""
        return b"".join((*self._packed, self._compressor.flush()))

    def window(self, document: Mapping[str, Any]) -> tuple[int, int] | None:
        """Place the measured window on the monotonic clock.

        Its length is the runtime of the last document, and every document after
        the ramp tells the start as its own moment less its runtime; the earliest
        is the one that was delayed least.
        """
        length = _runtime_ns(document)
        if self._in_ramp or not length or not self._load_starts:
            return None
        start = min(self._load_starts)
        return start, start + length

    def _take(self, document: Mapping[str, Any], moment: int) -> None:
        after_ramp = False
        may_measure = self._may_measure(document, moment)
        for direction, channels in self._by_direction.items():
            after = counters(document, direction)
            then, before = self._before.get(direction, (moment, ZERO))
            measured = self._in_ramp and after.latency_n > 0
            if may_measure and (measured or after.runtime_ms < before.runtime_ms):
                # The ramp is over: fio counts latencies and began again at zero.
                after_ramp, before = True, ZERO
            change = rates(before, after)
            self._before[direction] = (moment, after)
            if change is None or change.seconds < _SHORTEST_S:
                continue
            if before is ZERO:
                then = moment - after.runtime_ms * 1_000_000
            self._emit(_reading(channels, then, moment, change))
        self._in_ramp = self._in_ramp and not after_ramp
        runtime = _runtime_ns(document)
        if runtime and not self._in_ramp:
            self._load_starts.append(moment - runtime)

    def _may_measure(self, document: Mapping[str, Any], moment: int) -> bool:
        """Tell whether the ramp can be over: a load stopped in it begins anew, too."""
        if not self._in_ramp:
            return True
        if self._begun_ns is None:
            self._begun_ns = moment - _runtime_ns(document)
        return moment - self._begun_ns >= self._ramp_ns - _EARLY_NS


def _moment(document: Mapping[str, Any], arrival_ns: int, wall_ns: int) -> int:
    """Find when a document was made, on the monotonic clock.

    fio stamps it with the wall clock in whole milliseconds; the wall clock read at
    the arrival carries the stamp over. A stamp that cannot be is not believed.
    """
    age = wall_ns - (int(document.get("timestamp_ms", 0)) * 1_000_000 + 500_000)
    return arrival_ns - age if 0 <= age < 2 * SECOND else arrival_ns


def _runtime_ns(document: Mapping[str, Any]) -> int:
    longest = max(
        (
            max(job["read"]["runtime"], job["write"]["runtime"])
            for job in document["jobs"]
        ),
        default=0,
    )
    return int(longest) * 1_000_000


def _reading(
    channels: tuple[Channel, ...], start_ns: int, end_ns: int, change: Rates
) -> Reading:
    values = (change.iops, change.bandwidth, change.latency_s, change.p99_s)
    statuses = tuple(
        Status.ABSENT if math.isnan(value) else Status.OK for value in values
    )
    return Reading(channels, start_ns, max(start_ns, end_ns), values, statuses)


def table_values(
    document: Mapping[str, Any], directions: tuple[str, ...]
) -> dict[str, Measured]:
    """Get the results of a document, by the names of report_table.

    IOPS is read plus write, MB is 10**6 bytes; latency is the mean over all I/Os
    and its 99th percentile comes from the summed histogram, never from an average
    of percentiles.
    """
    origin = "fio-output.json.zz, last document"
    found: dict[str, Measured] = {}
    total_ios = total_bytes = latency_sum = 0.0
    latency_n = 0
    bins: dict[int, int] = {}
    for direction in ("read", "write"):
        count = counters(document, direction)
        seconds = count.runtime_ms / 1000
        iops = count.ios / seconds if seconds else 0.0
        bandwidth = count.bytes_ / seconds if seconds else 0.0
        if direction in directions:
            found[f"{direction}_iops"] = Measured(iops, "1/s", origin)
            found[f"{direction}_mb_s"] = Measured(bandwidth / 1e6, "MB/s", origin)
        total_ios += iops
        total_bytes += bandwidth
        latency_sum += count.latency_sum_ns
        latency_n += count.latency_n
        for value, number in count.bins.items():
            bins[value] = bins.get(value, 0) + number
    found["iops"] = Measured(total_ios, "1/s", origin)
    found["bandwidth_mb_s"] = Measured(total_bytes / 1e6, "MB/s", origin)
    if latency_n:
        mean_ms = latency_sum / latency_n / 1e6
        found["latency_mean_ms"] = Measured(mean_ms, "ms", origin)
    if bins:
        p99_ms = percentile(bins, 99.0) / 1e6
        found["latency_p99_ms"] = Measured(p99_ms, "ms", origin)
    return found


def check_version(text: str) -> None:
    """Check what `fio --version` printed, such as "fio-3.33".

    Raises:
        BenchError: It is older than 3.33, the oldest that was tried.
    """
    if not text.strip():
        raise BenchError(
            "it does not tell its version",
            where="fio --version",
            way_out="Install fio 3.33 or later, on Debian with: apt install fio",
        )
    digits = text.strip().removeprefix("fio-").split("-")[0].split(".")
    try:
        version = (int(digits[0]), int(digits[1]))
    except (ValueError, IndexError):
        version = (0, 0)
    if version < (3, 33):
        raise BenchError(
            f'"{text.strip()[:40]}" is too old',
            where="fio --version",
            way_out="Install fio 3.33 or later, on Debian with: apt install fio",
        )
