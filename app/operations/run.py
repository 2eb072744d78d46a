"""Run a campaign on a bench into a session file; whatever happens, tear down."""

import contextlib
import getpass
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from app import version
from app.bench import Bench, build_sources
from app.campaign.preflight import check_fio, check_plan, has_load
from app.campaign.progress import Progress
from app.campaign.runner import Runner
from app.operations.bench_power import running_bench
from app.operations.calibrate import calibrate
from app.operations.inventory import host_facts
from app.plan.campaign import Campaign, Step, campaign_text
from app.plan.verdict import Verdict
from app.record.clock import Clock, SystemClock
from app.record.recorder import Recorder
from app.record.store import Session, SessionInfo
from instruments.base import Source
from instruments.errors import BadInput, BenchError
from workloads.base import Workload
from workloads.fio import Fio
from workloads.fio_job import FioJob
from workloads.scratch import Scratch, prepare


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run leaves: the session file, the verdict and a sentence for it."""

    session: Path
    verdict: Verdict
    reason: str

    @property
    def exit_code(self) -> int:
        """The exit code of the command line."""
        return self.verdict.exit_code


def run_campaign(
    campaign: Campaign,
    bench: Bench,
    out: Path,
    *,
    without: Sequence[str] = (),
    progress: Callable[[Progress], None] = lambda _: None,
    moved: Callable[[int], None] = lambda _: None,
    cancel: threading.Event | None = None,
) -> RunResult:
    """Run a campaign and record it.

    Args:
        campaign: The plan.
        bench: What is connected; its simulator is started where it wants one.
        out: Folder for the session file; made where it does not exist.
        without: Names of sources the run may start without.
        progress: Takes snapshots, from several threads.
        moved: Takes the monotonic time up to which the session is stored.
        cancel: Set by the caller to abort.

    Raises:
        BadInput: Something is wrong before anything was started.
        BenchError: The bench failed before the first step.
    """
    control = _Control(progress, cancel or threading.Event())
    check_plan(campaign, bench, without)
    trouble = check_fio(campaign)
    clock = SystemClock()
    with contextlib.ExitStack() as teardown:
        scratch = None
        if has_load(campaign) and trouble is None:
            filling = control.filling("filling the scratch file")
            scratch = prepare(bench.dut.target, bench.dut.size, control.cancel, filling)
        progress(Progress("starting the bench", steps=len(campaign.runs)))
        ready = teardown.enter_context(running_bench(bench))
        _calibrate(campaign, bench, ready, scratch, control)
        path = _session_path(out, campaign)
        recorder = Recorder(
            path, _info(campaign, ready, clock), clock=clock, notify=moved
        )
        teardown.callback(recorder.close)
        recorder.start()
        try:
            _watch(recorder, build_sources(ready), without)
        except BenchError:
            recorder.close()
            path.unlink(missing_ok=True)
            raise
        recorder.call(lambda w: w.inventory("host", "load host", host_facts()))
        with Session.open(path) as session:
            _label_simulated(recorder, session)
            _say_buffered(recorder, scratch)
            if trouble is not None:
                recorder.event("error", "fio", str(trouble))
            runner = Runner(
                campaign,
                recorder,
                session,
                make_load=lambda label, step: _load(label, step, scratch, trouble),
                clock=clock,
                cancel=control.cancel,
                progress=progress,
                absent=without,
            )
            verdict = runner.run()
        failure = recorder.failed
        progress(Progress("closing the session", path, fraction=1.0))
    reason = str(failure) if failure is not None else ""
    return RunResult(path, Verdict.ERROR if failure else verdict, reason)


@dataclass(frozen=True, slots=True)
class _Control:
    """How a run speaks to its caller, and hears from it."""

    progress: Callable[[Progress], None]
    cancel: threading.Event

    def filling(self, state: str) -> Callable[[float], None]:
        """Get what takes the fraction of a preparation."""
        return lambda fraction: self.progress(Progress(state, step_fraction=fraction))


def _calibrate(
    campaign: Campaign,
    bench: Bench,
    ready: Bench,
    scratch: Scratch | None,
    control: _Control,
) -> None:
    """Scale the simulator that this run started to what the disk here can do."""
    pairs = zip(ready.sources, bench.sources, strict=True)
    started = [now for now, was in pairs if now != was and now.section != "power"]
    if started and scratch is not None:
        calibrate(
            started[0].address,
            scratch,
            writes=campaign.writes,
            stop=control.cancel,
            progress=control.filling("calibrating the simulator"),
        )


def _label_simulated(recorder: Recorder, session: Session) -> None:
    """Mark the session where any source turned out to be a simulator."""
    if any(source.simulated for source in session.sources()):
        recorder.call(lambda w: w.set_session(simulated=True))


def _say_buffered(recorder: Recorder, scratch: Scratch | None) -> None:
    if scratch is not None and not scratch.direct:
        text = f"the file system of {scratch.path} has no O_DIRECT, rows are buffered"
        recorder.event("warning", "fio", text)


def _watch(
    recorder: Recorder, sources: Sequence[Source], without: Sequence[str]
) -> None:
    """Start every source; one that fails ends the run unless --without names it.

    One that is named is tried again while the run goes on; its channels have a gap.
    """
    for source in sources:
        required = source.name not in without
        try:
            identity = recorder.watch(source, required=required)
        except BenchError as error:
            raise BenchError(
                f"{source.name} cannot be recorded: {error.what}",
                where=error.where,
                way_out=f"{error.way_out} Or run --without {source.name}.".strip(),
            ) from error
        if identity is None:
            error_text = recorder.health()[source.name].last_error
            recorder.event(
                "warning", source.name, f"the run starts without it: {error_text}"
            )


def _load(
    label: str, step: Step, scratch: Scratch | None, trouble: BenchError | None
) -> Workload:
    if scratch is None:
        raise trouble or BenchError("there is no scratch file", where=label)
    direct = scratch.direct and step.options.get("direct", "1") != "0"
    job = FioJob(
        label,
        scratch.path,
        scratch.size,
        step.runtime_s,
        step.ramp_s,
        direct,
        step.options,
    )
    return Fio(job)


def _info(campaign: Campaign, bench: Bench, clock: Clock) -> SessionInfo:
    return SessionInfo(
        name=campaign.name,
        campaign=campaign.text or campaign_text(campaign),
        bench=bench.text,
        operator=_operator(),
        app_version=version(),
        simulated=bench.is_simulated,
        dut=bench.dut.name,
        boot_id=clock.boot_id(),
        monotonic_ns=clock.monotonic_ns(),
        realtime_ns=clock.realtime_ns(),
    )


def _operator() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def _session_path(out: Path, campaign: Campaign) -> Path:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(
            f"the folder cannot be made, {error.strerror}",
            where=str(out),
            way_out="Name another folder with --out.",
        ) from error
    slug = re.sub(r"[^a-z0-9]+", "-", campaign.name.lower()).strip("-") or "session"
    stamp = datetime.now().astimezone().strftime("%Y-%m-%d_%H-%M-%S")
    path = out / f"{stamp}_{slug[:60]}.bayscope"
    number = 2
    while path.exists():
        path = out / f"{stamp}_{slug[:60]}-{number}.bayscope"
        number += 1
    return path
