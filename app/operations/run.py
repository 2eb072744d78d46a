"""Run a campaign on a bench into a session file; whatever happens, tear down."""

import contextlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.bench import Bench, build_load
from app.campaign.engine_checks import check_engines, needs_target
from app.campaign.interlock_watch import InterlockWatch
from app.campaign.preflight import check_plan
from app.campaign.progress import Progress
from app.campaign.ranging_pass import RangingPass
from app.campaign.runner import Runner
from app.campaign.steering import Steering
from app.operations.arming import (
    NOT_ARMED,
    Arming,
    arm_target,
    keep_arming,
)
from app.operations.bench_power import running_bench
from app.operations.calibrate import calibrate
from app.operations.evidence import Evidence
from app.operations.reaching import reach, watch
from app.operations.session_facts import keep_evidence, session_info
from app.operations.session_place import make_folder, session_path
from app.operations.setups import accounts
from app.plan.campaign import Campaign
from app.plan.step import Step
from app.plan.verdict import Verdict
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session
from instruments.errors import Aborted, BenchError
from workloads.base import Workload
from workloads.scratch import Scratch
from workloads.targets import ManyFiles, find_targets, prepare_all


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
    arming: Arming = NOT_ARMED,
    erase: Sequence[str] = (),
    progress: Callable[[Progress], None] = lambda _: None,
    moved: Callable[[int], None] = lambda _: None,
    steering: Steering | None = None,
) -> RunResult:
    """Run a campaign and record it.

    Args:
        campaign: The plan.
        bench: What is connected; its simulator is started where it wants one.
        out: Folder for the session file; made where it does not exist.
        without: Names of sources the run may start without.
        arming: What was typed to let a disk be overwritten.
        erase: Buckets that were named to be erased, whatever they hold.
        progress: Takes snapshots, from several threads.
        moved: Takes the monotonic time up to which the session is stored.
        steering: Through which the caller aborts, pauses, skips and answers.

    Raises:
        BadInput: Something is wrong before anything was started.
        BenchError: The bench failed before the first step.
        Aborted: It was cancelled before the first step.
    """
    steering = steering or Steering()
    control = _Control(progress, steering.cancel)
    check_plan(campaign, bench, without)
    troubles = check_engines(campaign, erase)
    device = arm_target(campaign, bench, arming)
    make_folder(out)
    clock = SystemClock()
    with contextlib.ExitStack() as teardown:
        progress(Progress("starting the bench", steps=len(campaign.runs)))
        ready = teardown.enter_context(running_bench(bench))
        reach(ready, without)
        scratch = None
        if device is None and needs_target(campaign, troubles):
            filling = control.filling("filling the scratch file")
            paths = find_targets(bench.dut.targets)
            scratch = prepare_all(paths, bench.dut.size, control.cancel, filling)
            teardown.callback(scratch.close)
            if "fio" not in troubles:
                _calibrate(campaign, bench, ready, scratch, control)
        if control.cancel.is_set():
            raise Aborted("the run was stopped before its first step")
        path = session_path(out, campaign.name)
        recorder = Recorder(
            path, session_info(campaign, ready, clock), clock=clock, notify=moved
        )
        teardown.callback(recorder.close)
        recorder.start()
        try:
            absent = watch(recorder, ready, without)
        except BenchError:
            recorder.close()
            path.unlink(missing_ok=True)
            raise
        keep_evidence(recorder, ready, scratch, absent)
        budget, made = teardown.enter_context(
            accounts(recorder, bench.guard.write_budget)
        )
        if device is not None:
            keep_arming(recorder, device)
        for engine, trouble in troubles.items():
            recorder.event("error", engine, str(trouble))

        def make_load(label: str, step: Step) -> Workload:
            if step.engine in troubles:
                raise troubles[step.engine]
            return build_load(
                label, step, device or scratch, budget, erase=erase, made=made
            )

        evidence = Evidence(ready, recorder, control.cancel)
        _before_steps(campaign, recorder, evidence, make_load, control)
        interlocks = (*bench.interlocks, *campaign.interlocks)
        with (
            Session.open(path) as session,
            InterlockWatch(interlocks, recorder, steering),
        ):
            runner = Runner(
                campaign,
                recorder,
                session,
                make_load=make_load,
                clock=clock,
                steering=steering,
                progress=progress,
                absent=absent,
                around=evidence,
            )
            verdict = runner.run()
        evidence.finish()
        progress(Progress("closing the session", path, fraction=1.0))
    failure = recorder.failed
    reason = str(failure) if failure is not None else steering.ended
    return RunResult(path, verdict, reason)


@dataclass(frozen=True, slots=True)
class _Control:
    """How a run speaks to its caller, and hears from it."""

    progress: Callable[[Progress], None]
    cancel: threading.Event

    def say(self, state: str, session: Path) -> None:
        """Tell what is done beside the steps."""
        self.progress(Progress(state, session))

    def filling(self, state: str) -> Callable[[float], None]:
        """Get what takes the fraction of a preparation."""
        return lambda fraction: self.progress(Progress(state, step_fraction=fraction))


def _calibrate(
    campaign: Campaign,
    bench: Bench,
    ready: Bench,
    scratch: Scratch | ManyFiles | None,
    control: _Control,
) -> None:
    """Scale the simulator that this run started to what the disk here can do."""
    pairs = zip(ready.sources, bench.sources, strict=True)
    started = [now for now, was in pairs if now != was and now.section != "power"]
    if started and scratch is not None:
        calibrate(
            started[0].address,
            scratch.each[0] if isinstance(scratch, ManyFiles) else scratch,
            writes=campaign.writes,
            stop=control.cancel,
            progress=control.filling("calibrating the simulator"),
        )


def _before_steps(
    campaign: Campaign,
    recorder: Recorder,
    evidence: Evidence,
    make_load: Callable[[str, Step], Workload],
    control: _Control,
) -> None:
    """Look at drives, and let meters find their ranges where the plan wants it."""
    control.say("looking at drives", recorder.path)
    evidence.start()
    if campaign.ranging_s:
        RangingPass(
            recorder,
            recorder.clock,
            make_load=make_load,
            is_over=lambda: control.cancel.is_set() or recorder.failed is not None,
            seconds=campaign.ranging_s,
            progress=lambda label: control.say(
                f"finding ranges: {label}", recorder.path
            ),
        ).run([step for _, step in campaign.runs])
