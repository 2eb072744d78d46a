"""IOzone as a workload: matrix or throughput mode in a folder of Bayscope's own."""

import threading
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from instruments.errors import BenchError, OptionError
from instruments.files.own_folder import OwnFolder
from instruments.host.diskstats import Transfers
from instruments.reading import SECOND, Channel
from instruments.sizes import describe_size, format_size
from instruments.timebase import monotonic_ns
from instruments.tools.command import Running
from workloads.base import Emit, End, LoadCause, LoadOutcome, LoadResult, Measured, Say
from workloads.command_line import find_program
from workloads.guard.file_guard import FileGuard
from workloads.guard.load_guard import LoadGuard
from workloads.iozone.job import IozoneJob
from workloads.iozone.output import KB, Cell, IozoneOutput, errors, parse
from workloads.kept import Kept, counts_artefact
from workloads.process_io import ProgramTransfers, transfer_channels, transfer_reading
from workloads.target.scratch_check import shortage_in
from workloads.tool_ended import Ended, judge_forced, report
from workloads.tool_run import guard_poll, run_tool

ADVICE = (
    "IOzone is in Debian's section non-free (apt install iozone3) "
    "and at https://www.iozone.org."
)
PERIOD_NS = SECOND // 2
# What strerror(3) says of EIO, EREMOTEIO and ETIMEDOUT: IOzone tells no numbers.
_DEVICE_WORDS = ("Input/output error", "Remote I/O error", "Connection timed out")


def program() -> str:
    """Find IOzone; raises BenchError that says where to get it."""
    return find_program("iozone", "iozone", ADVICE)


class Iozone:
    """One IOzone step.

    IOzone prints no rates while it runs. The live readings are what the kernel counts
    of its system calls; the table has its own figures and, over the measured window,
    those counts.
    """

    name = driver = "iozone"

    def __init__(self, job: IozoneJob, guard: LoadGuard | None = None) -> None:
        self.job = job
        self._guard: LoadGuard = guard or FileGuard([job.target])
        self.channels = transfer_channels(self.name, PERIOD_NS)

    def run(self, emit: Emit, say: Say, stop: threading.Event) -> LoadResult:
        """Run IOzone to its end, or stop it.

        Raises:
            BenchError: It is not installed, or its files do not fit.
        """
        path = program()
        prefix, beside = f"{self.job.target.name}.iozone-", self.job.target.parent
        with self._guard.hold(say, destroys=True), OwnFolder(prefix, beside) as folder:
            argv = self._argv(path, folder)
            counts = _Counts(self.channels, emit)
            ended = run_tool(
                argv,
                name=self.name,
                say=say,
                stop=stop,
                longest_s=self.job.runtime_s,
                cwd=folder,
                poll=guard_poll(self._guard, counts.look, destroys=True),
            )
        return self._result(ended, counts, say)

    def _argv(self, path: str, folder: Path) -> list[str]:
        try:
            argv = self.job.argv(path, folder)
        except OptionError as error:
            where = f"{self.job.label}, {error.option}"
            raise BenchError(error.what, where=where, way_out=error.way_out) from error
        need = self.job.file_size * max(1, self.job.threads)
        if shortage := shortage_in(folder, need):
            raise BenchError(
                f"IOzone's files need {describe_size(need)}: {shortage}",
                where=str(self.job.target.parent),
                way_out="Give a smaller s or t in [step.iozone].",
            )
        return argv

    def _result(self, ended: Ended, counts: "_Counts", say: Say) -> LoadResult:
        output = parse(ended.text)
        complaints = [*errors(ended.text), *ended.stderr.splitlines()]
        report(self.name, say, complaints)
        end = self._judge(ended, output, complaints)
        kept = ended.kept("iozone")
        window = counts.window
        moved = counts.moved if window is not None else None
        values = values_of(output, moved, window, direct=self.job.direct)
        if moved is not None:
            kept.append(counts_artefact({"direct": self.job.direct, **asdict(moved)}))
        return end.result(window, values, kept)

    def _judge(self, ended: Ended, output: IozoneOutput, complaints: list[str]) -> End:
        overtime = "in time; give a longer runtime or a smaller s"
        if forced := judge_forced(ended.forced, self.name, overtime):
            return forced
        # A stopped IOzone ends with exit code 0, so only its words tell.
        if ended.forced.cause is LoadCause.STOPPED and not output.complete:
            return End(LoadCause.STOPPED, "iozone was stopped before its end")
        if error := _device_error(complaints):
            what = f"I/O error on {self.job.target.parent}: {error}"
            return End(LoadCause.DEVICE, what)
        if not output.complete:
            words = complaints[0] if complaints else ended.last_words()
            what = f"iozone did not complete its tests ({ended.how}): {words}"
            return End(LoadCause.RESULTS, what)
        if ended.code != 0:
            return End(LoadCause.PROGRAM, f"iozone failed ({ended.how})")
        return End()


def _device_error(complaints: Iterable[str]) -> str:
    errors = (t for t in complaints if any(word in t for word in _DEVICE_WORDS))
    return next(errors, "")


class _Counts:
    """Looks at what IOzone has read and written, and makes readings of it."""

    def __init__(self, channels: tuple[Channel, ...], emit: Emit) -> None:
        self.channels = channels
        self._emit = emit
        self._program: ProgramTransfers | None = None
        self._first = self._emitted = self._total = Transfers()
        self._start = self._emitted_ns = self._last = 0

    @property
    def window(self) -> tuple[int, int] | None:
        """From the first look at the running program to the last one."""
        return (self._start, self._last) if self._last > self._start else None

    def look(self, process: Running) -> int:
        """Look now, emit at most once a period; return the bytes written so far."""
        if self._program is None:
            self._program = ProgramTransfers(process.pid)
            self._first = self._emitted = self._total = self._program.look()
            self._start = self._emitted_ns = self._last = monotonic_ns()
            return 0
        self._total = self._program.look()
        self._last = monotonic_ns()
        if self._last - self._emitted_ns >= PERIOD_NS:
            change = self._total.since(self._emitted)
            self._emit(
                transfer_reading(self.channels, change, self._emitted_ns, self._last)
            )
            self._emitted, self._emitted_ns = self._total, self._last
        return self._total.written_bytes

    @property
    def moved(self) -> Transfers:
        """What was moved in the window, all tests together."""
        return self._total.since(self._first)


def values_of(
    output: IozoneOutput,
    moved: Transfers | None,
    window: tuple[int, int] | None,
    *,
    direct: bool,
) -> dict[str, Measured]:
    """Get all results of a run: its own figures, and what it moved in the window."""
    values = table_values(output) if output.complete else {}
    if window is not None and moved is not None:
        seconds = (window[1] - window[0]) / SECOND
        origin = "system calls of all tests, the gaps between them included"
        bytes_ = moved.read_bytes + moved.written_bytes
        values |= {
            "iops": Measured((moved.reads + moved.writes) / seconds, "1/s", origin),
            "bandwidth_mb_s": Measured(bytes_ / seconds / 1e6, "MB/s", origin),
            "engine_read_bytes": Measured(float(moved.read_bytes), "B", origin),
            "engine_write_bytes": Measured(float(moved.written_bytes), "B", origin),
        }
    return values | {"buffered": Measured(float(not direct), "", "I")}


def table_values(output: IozoneOutput) -> dict[str, Measured]:
    """Get IOzone's own figures, MB being 10**6 bytes.

    Names have the record size where there are several, and the size of the file where
    there are several, such as "random_read_64k_of_16m_mb_s". They are means over one
    test each, not over the measured window.
    """
    records = {cell.record_kb for cell in output.cells}
    files = {cell.file_kb for cell in output.cells}
    results = {}
    for cell in output.cells:
        name = cell.test
        if len(records) > 1:
            name += f"_{format_size(cell.record_kb * KB)}"
        if len(files) > 1:
            name += f"_of_{format_size(cell.file_kb * KB)}"
        if output.in_operations:
            results[f"{name}_iops"] = Measured(cell.value, "1/s", _origin(cell))
        else:
            value = cell.value * KB / 1e6
            results[f"{name}_mb_s"] = Measured(value, "MB/s", _origin(cell))
    return results


def _origin(cell: Cell) -> str:
    many = f", {cell.processes} processes" if cell.processes > 1 else ""
    return f"iozone-output.txt, {cell.test.replace('_', ' ')}{many}"


def kept_result(kept: Kept) -> LoadResult:
    """Get its values; only its own figures where its system calls were not kept.

    Raises:
        ValueError: These are damaged.
    """
    output = parse(kept.text("iozone-output.txt"))
    if (counts := kept.counts) is None:
        values = table_values(output) if output.complete else {}
        return LoadResult(LoadOutcome.DONE, values=values)
    try:
        direct = bool(counts["direct"])
        moved = Transfers(**{k: int(v) for k, v in counts.items() if k != "direct"})
    except (KeyError, TypeError) as error:
        raise ValueError("its counts are damaged") from error
    values = values_of(output, moved, kept.window, direct=direct)
    return LoadResult(LoadOutcome.DONE, values=values)
