"""fio as a workload: one process, live readings from its documents, one result."""

import re
import threading
from dataclasses import replace
from pathlib import Path

from instruments.errors import BenchError
from instruments.files.own_folder import OwnFolder
from instruments.reading import SECOND, Channel
from instruments.tools.started import Started
from workloads.base import Emit, End, LoadCause, Say
from workloads.command_line import command_line, fio_argv, led_to
from workloads.fio.faults import OVERTIME_S, Ended
from workloads.fio.fine import read_logs
from workloads.fio.live import FioLive
from workloads.fio.reader import FioReader
from workloads.fio.result import FioResult, apart_warning, fio_result, notable
from workloads.fio_job import STATUS_INTERVAL_MS, FioJob, destroys
from workloads.guard.file_guard import FileGuard
from workloads.guard.load_guard import LoadGuard
from workloads.tool_ended import Quiet, report, watch


class Fio:
    """One fio job.

    `run` owns the process; a reader thread takes its output, the calling thread
    watches over it: documents must keep coming, and it must end in time. The guard
    checks the target before, holds it, and looks at what fio has open.
    """

    name = driver = "fio"

    def __init__(self, job: FioJob, guard: LoadGuard | None = None) -> None:
        self.job = job
        self._destroys = destroys(job.options)
        self._guard: LoadGuard = guard or FileGuard(job.targets)

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get the channels of the directions that the job has."""
        return self._live(lambda _: None).channels

    @property
    def argv(self) -> list[str]:
        """Get the command line; the job is written to job.fio in its own folder."""
        return fio_argv(writes=self._destroys)

    def _live(self, emit: Emit) -> FioLive:
        job, ramp_ns = self.job, round(self.job.ramp_s * SECOND)
        return FioLive(self.name, job.directions, ramp_ns, emit, job.devices)

    def run(self, emit: Emit, say: Say, stop: threading.Event) -> FioResult:
        """Run fio to its end, or stop it with INT, TERM and KILL.

        Raises:
            BenchError: fio is not installed, or the guard does not let it start.
        """
        with (
            self._guard.hold(say, destroys=self._destroys),
            OwnFolder("bayscope-fio-") as place,
        ):
            folder = str(place)
            (place / "job.fio").write_text(self.job.text(), encoding="utf-8")
            argv = self.argv
            links = dict(
                zip(self.job.links, map(led_to, self.job.targets), strict=True)
            )
            with self._guard.start(argv, folder, self.job) as process:
                live = self._live(emit)
                reader = FioReader(process, live)
                reader.start()
                forced = self._watch(process, reader, folder, say, stop)
                # Its output is closed by now, unless a child of it has it open.
                reader.join(timeout=10)
                # What its last document tells was not yet counted.
                self._guard.count(reader.newly_written())
                complaints = process.stderr_text().splitlines()
                messages = (*reader.stream.messages, *complaints)
                report("fio", say, notable(messages))
                ended = Ended(
                    code=process.wait(0),
                    forced=forced,
                    document=reader.last,
                    window=live.window(),
                    messages=messages,
                    packed=reader.compressed(),
                    command=command_line(argv, links),
                    apart_s=live.apart_s(),
                )
                if apart := apart_warning(self.job, ended):
                    say("warning", apart)
                logs, troubles = read_logs(Path(folder), self.job)
                for trouble in troubles:
                    say("warning", trouble)
                result = fio_result(self.job, ended)
                return replace(result, logs=tuple(logs), counted=tuple(live.progress))

    def _watch(
        self,
        process: Started,
        reader: FioReader,
        folder: str,
        say: Say,
        stop: threading.Event,
    ) -> End:
        """Wait for the end; return why we ended it."""
        # Five documents: one may be late while fio waits for a job's next I/O.
        quiet = Quiet("fio", say, max(5.0, 5 * STATUS_INTERVAL_MS / 1000))
        guard, destroys = self._guard, self._destroys

        def look() -> End:
            guard.count(reader.newly_written())
            if stray := guard.check(process.pid, folder, destroys=destroys):
                return End(LoadCause.GUARD, stray)
            quiet.check(reader.last_document)
            return guard.spent() if destroys else End()

        longest_s = self.job.ramp_s + self.job.runtime_s + OVERTIME_S
        return watch(process, "fio", say, stop, longest_s=longest_s, look=look)


def check_version(text: str) -> None:
    """Check what `fio --version` printed, such as "fio-3.33".

    Raises:
        BenchError: It is older than 3.33, the oldest that was tried.
    """
    version = text.strip()
    match = re.match(r"(?:fio-)?(\d{1,9})\.(\d{1,9})", version)
    if match is None or (int(match[1]), int(match[2])) < (3, 33):
        raise BenchError(
            f'"{version[:40]}" is too old'
            if version
            else "it does not report its version",
            where="fio --version",
            way_out="Install fio 3.33 or later, on Debian with: apt install fio",
        )
