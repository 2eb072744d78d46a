"""Run a campaign on a bench into a session file; whatever happens, tear down."""

import contextlib
import hashlib
import json
import mimetypes
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.bench.build import build_load, trace_of
from app.bench.model import Bench
from app.campaign.checks import check_engines, check_plan, needs_target
from app.campaign.phases.operator import simulated_operator
from app.campaign.phases.startup import startup_phase
from app.campaign.phases.steering import Steering
from app.campaign.phases.table import resting_phases
from app.campaign.run.interlock_watch import InterlockWatch
from app.campaign.run.progress import Progress
from app.campaign.run.ranging_pass import RangingPass
from app.campaign.run.runner import Runner
from app.operations.bench.lock import only_program
from app.operations.bench.reaching import reach
from app.operations.bench.simulate import running_bench
from app.operations.run.arming import (
    NOT_ARMED,
    Arming,
    arm_target,
    keep_arming,
    keep_written,
)
from app.operations.run.evidence import Evidence
from app.operations.run.going_on import go_on
from app.operations.run.recording import start_recording
from app.operations.run.start_switch import check_start_switches, start_switcher
from app.operations.run.targets import (
    RunProgress,
    prepare_targets,
    resting_paths,
    scale_simulator,
)
from app.operations.sessions.facts import keep_evidence, user_name
from app.operations.sessions.place import make_folder
from app.plan.campaign import Campaign
from app.plan.cleanness import UNCLEAN
from app.plan.prompt import check_prompt
from app.plan.step import Step
from app.plan.verdict import Verdict
from app.record.recorder import Recorder
from app.record.store import Session
from instruments.errors import Aborted, BadInput
from instruments.files.foreign_text import read_content
from instruments.reading import SECOND
from instruments.sizes import describe_size
from workloads.base import Workload
from workloads.guard.budget import Budget
from workloads.setup.made import MadeThings
from workloads.target.scratch import Scratch


@contextlib.contextmanager
def accounts(
    recorder: Recorder, limit: int | None
) -> Iterator[tuple[Budget, MadeThings]]:
    """Keep account of what loads write and set-up steps make, to the end of a run.

    At the end what was made is taken back, then what was written is written down.
    """

    def journal(action: str, facts: Mapping[str, str]) -> None:
        now, text = recorder.clock.monotonic_ns(), json.dumps(dict(facts))
        # Durable at once: should the program be killed, the file says what is left.
        recorder.last_words(lambda w: w.journal(now, action, text))

    def say(level: str, text: str) -> None:
        if recorder.failed is None:
            recorder.event(level, "set-up", text)

    budget, made = Budget(limit), MadeThings(journal, say)
    try:
        yield budget, made
    finally:
        made.close()
        keep_written(recorder, budget)


MOST_BYTES = 16 * 2**20
"""A larger picture is not kept."""


def keep_pictures(recorder: Recorder, campaign: Campaign, beside: Path | None) -> None:
    """Keep what operators are shown, and write down its hash."""
    asked = [
        check_prompt(step.options)
        for _, step in campaign.runs
        if step.engine == "prompt"
    ]
    for name in dict.fromkeys(one.picture for one in asked if one.picture):
        _keep(recorder, name, (beside or Path()) / name)


def _keep(recorder: Recorder, name: str, path: Path) -> None:
    try:
        content = read_content(path, MOST_BYTES)
    except BadInput as error:
        text = f"{name} was not kept: {error.what}"
        recorder.event("warning", "campaign", f"the picture {text}")
        recorder.journal("picture", text)
        return
    size = describe_size(len(content))
    told = f"{name}: {size}, SHA-256 {hashlib.sha256(content).hexdigest()}"
    media = mimetypes.guess_type(name)[0] or "application/octet-stream"
    recorder.journal("picture", told)
    recorder.post(lambda w: w.artefact(None, f"pictures/{name}", media, content))


class Happenings:
    """Turns snapshots of a run into events where something is new.

    Pauses and questions are known to the steering alone, which stores nothing. A pause
    is in the journal, too: by whom, and for how long.
    """

    def __init__(self, recorder: Recorder, operator: str) -> None:
        self._recorder = recorder
        self._operator = operator or "the operator"
        self._since_ns = 0
        self._lock = threading.Lock()
        self._paused = False
        self._asked = 0
        self._missed = 0

    def take(self, progress: Progress) -> None:
        """Take a snapshot; any thread may call."""
        with self._lock:
            if progress.paused != self._paused:
                self._paused = progress.paused
                self._note_pause()
                self._tell(
                    "info",
                    "paused by the operator; the next step waits"
                    if progress.paused
                    else "resumed by the operator",
                )
            question = progress.question
            if question is not None and question.number > self._asked:
                self._asked = question.number
                missing = question.missing
                told = f"{question.text} (not yet: {missing})" if missing else ""
                self._tell("warning", f"asked: {told or question.text}")
            for sentence in progress.missed[self._missed :]:
                self._tell("warning", sentence)
            self._missed = len(progress.missed)

    def _note_pause(self) -> None:
        """Write down who paused the run, or let it go on, and after how long."""
        now = self._recorder.clock.monotonic_ns()
        action, detail = "paused", f"by {self._operator}; the next step waits"
        if self._paused:
            self._since_ns = now
        else:
            seconds = (now - self._since_ns) / SECOND
            action, detail = "went on", f"by {self._operator}, after {seconds:.1f} s"
        self._recorder.journal(action, detail)

    def _tell(self, level: str, text: str) -> None:
        self._recorder.event(level, "operator", text)


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run leaves: the session file, the verdict and a sentence for it."""

    session: Path
    verdict: Verdict
    reason: str
    is_clean: bool = True  # whether all rows had their disks to themselves

    @property
    def exit_code(self) -> int:
        """The exit code of the command line."""
        return self.verdict.exit_code

    @property
    def judged(self) -> str:
        """The verdict as lists and reports write it."""
        return f"{self.verdict}{UNCLEAN * (not self.is_clean)}"


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
    resume: Path | None = None,
    confirmed: str = "",
    notes: Sequence[str] = (),
    operator: str = "",
    note: str = "",
    beside: Path | None = None,
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
        resume: A session of this campaign that a crash cut off; it is continued
            after its last complete row.
        confirmed: The code of a session from elsewhere, by which a person says that
            what it would do is meant; see `app.operations.run.foreign`.
        notes: What the operator was told before the start; kept in the journal.
        operator: Who runs it; "" for the user's name.
        note: A remark of the operator's, which the session keeps.
        beside: Folder of the campaign's file, for the pictures of its prompts.

    Raises:
        BadInput: Something is wrong before anything was started.
        BenchError: The bench failed before the first step.
        Aborted: It was cancelled before the first step.
    """
    steering = steering or Steering()
    told = RunProgress(progress, steering.cancel)
    check_plan(campaign, bench, without)
    check_start_switches(campaign, bench)
    troubles = check_engines(campaign, erase)
    with contextlib.ExitStack() as teardown:
        teardown.enter_context(only_program(bench))
        going_on = go_on(resume, confirmed=confirmed, plan=(campaign, bench))
        disks = arm_target(campaign, bench.without_hosts(without), arming)
        make_folder(out)
        progress(Progress("starting the bench", steps=len(campaign.runs)))
        ready = teardown.enter_context(running_bench(bench))
        simulated = teardown.enter_context(simulated_operator(bench, ready))
        reach(ready, without)
        files: tuple[Scratch, ...] = ()
        if not disks and needs_target(campaign, troubles):
            files = prepare_targets(bench, told)
            for file in files:
                teardown.callback(file.close)
            if "fio" not in troubles:
                scale_simulator(campaign, bench, ready, files[0], told)
        if steering.cancel.is_set():
            raise Aborted("the run was stopped before its first step")
        recorder, absent = start_recording(
            campaign,
            ready,
            out,
            teardown,
            without=without,
            moved=moved,
            resume=resume,
            fingerprint=going_on.fingerprint,
            operator=operator,
            note=note,
        )
        going_on.keep(recorder)
        keep_evidence(recorder, ready, files, absent)
        if resume is None:
            keep_pictures(recorder, campaign, beside)
        for told_before in notes:
            recorder.journal("told before the start", told_before)
        budget, made = teardown.enter_context(
            accounts(recorder, bench.guard.write_budget)
        )
        keep_arming(recorder, disks)
        for engine, trouble in troubles.items():
            recorder.event("error", engine, str(trouble))

        def make_load(label: str, step: Step) -> Workload:
            if step.engine in troubles:
                raise troubles[step.engine]
            return build_load(
                label, step, disks or files, budget, erase=erase, made=made
            )

        evidence = Evidence(ready, recorder, told.cancel)
        _before_steps(campaign, recorder, evidence, make_load, told)
        interlocks = (*bench.interlocks, *campaign.interlocks)
        happenings = Happenings(recorder, operator or user_name())

        def tell(snapshot: Progress) -> None:
            happenings.take(snapshot)
            progress(snapshot)

        with (
            Session.open(recorder.path) as session,
            InterlockWatch(interlocks, recorder, steering),
        ):
            runner = Runner(
                campaign,
                recorder,
                session,
                make_load=make_load,
                steering=steering,
                progress=tell,
                absent=absent,
                hook=evidence,
                operator=simulated,
                phases={
                    "startup": startup_phase(start_switcher(ready, recorder)),
                    **resting_phases(
                        lambda: trace_of(resting_paths(campaign, bench, disks or files))
                    ),
                },
                resume=going_on.how(session),
            )
            verdict = runner.run()
            is_clean = not session.unclean_steps()
        evidence.finish()
        progress(Progress("closing the session", recorder.path))
    failure = recorder.failed
    reason = str(failure) if failure is not None else steering.ended
    return RunResult(recorder.path, verdict, reason, is_clean)


def _before_steps(
    campaign: Campaign,
    recorder: Recorder,
    evidence: Evidence,
    make_load: Callable[[str, Step], Workload],
    told: RunProgress,
) -> None:
    """Look at drives, and let meters find their ranges where the plan wants it."""
    told.say("looking at drives", recorder.path)
    evidence.start()
    if campaign.ranging_s:
        RangingPass(
            recorder,
            make_load=make_load,
            is_over=lambda: told.cancel.is_set() or recorder.failed is not None,
            seconds=campaign.ranging_s,
            progress=lambda label: told.say(f"finding ranges: {label}", recorder.path),
        ).run([step for _, step in campaign.runs])
