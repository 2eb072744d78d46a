"""What the steps of the several engines do; each ends with a load's result."""

from collections.abc import Callable, Mapping

from app.analysis.io_checks import with_rest
from app.campaign.phases.command import run_command
from app.campaign.phases.cooldown import cool_down
from app.campaign.phases.load import run_load
from app.campaign.phases.phase import Phase, StepRun
from app.campaign.phases.prompt import ask_operator
from app.campaign.phases.steady import Steadying
from app.campaign.phases.steering import Interruption
from app.plan.phases import is_open_ended
from app.plan.step import RESTING, Step
from instruments.durations import format_duration
from instruments.reading import SECOND
from workloads.base import LoadOutcome, LoadResult, Workload
from workloads.disk_trace import DiskTrace


def wait(run: StepRun) -> LoadResult:
    """Idle: nothing runs, everything is recorded."""
    begin = run.start_ns + round(run.step.ramp_s * SECOND)
    end = begin + round(run.step.runtime_s * SECOND)
    run.log.expect_window(run.step_id, begin)
    steadying = Steadying(run, run.step.steady) if run.step.steady else None
    if steadying is not None:
        steadying.begin(begin)
    if is_open_ended(run.step.options):
        longest = format_duration(run.step.runtime_s)
        run.tell(f"recorded until you stop it, for {longest} at most")
    while not run.is_over() and (left := end - run.clock.monotonic_ns()) > 0:
        if steadying is not None and steadying.is_done():
            end = run.clock.monotonic_ns()
            break
        run.sleep(min(0.2, left / SECOND))
    if run.is_over():
        return _interrupted(run, begin, min(end, run.clock.monotonic_ns()))
    result = LoadResult(LoadOutcome.DONE, window=(begin, end))
    return steadying.finish(result) if steadying is not None else result


def _interrupted(run: StepRun, begin: int, end: int) -> LoadResult:
    """End an idle step early; one without an end of its own is done by that."""
    window = (begin, end) if end > begin else None
    by_operator = run.steering.interruption is not Interruption.HOLD
    if by_operator and window and is_open_ended(run.step.options):
        return LoadResult(LoadOutcome.DONE, window=window)
    return LoadResult(LoadOutcome.STOPPED, "stopped before its end", window)


def load_phase(make_load: Callable[[str, Step], Workload]) -> Phase:
    """Make the phase of all engines that put a load on something."""

    def load(run: StepRun) -> LoadResult:
        ramp = round(run.step.ramp_s * SECOND)
        steadying = Steadying(run, run.step.steady) if run.step.steady else None

        def started(first_ns: int) -> None:
            # A load that says nothing in its ramp began to measure just there.
            early = first_ns < run.start_ns + ramp
            begin = first_ns + ramp if early else first_ns
            run.log.expect_window(run.step_id, begin)
            if steadying is not None:
                steadying.begin(begin)

        def is_over() -> bool:
            return run.is_over() or (steadying is not None and steadying.is_done())

        try:
            result = run_load(
                make_load(run.label, run.step),
                run.recorder,
                is_over=is_over,
                started=started,
            )
            return steadying.finish(result) if steadying is not None else result
        except BaseException:
            run.log.no_window(run.step_id)
            raise

    return load


def resting_phases(make_trace: Callable[[], DiskTrace | None]) -> Mapping[str, Phase]:
    """Make the phases without a load, with a look at who uses the disk meanwhile.

    Args:
        make_trace: Makes a trace of the disk of the target; None where it has none.
    """

    def beside(phase: Phase) -> Phase:
        def rest(run: StepRun) -> LoadResult:
            trace = make_trace()
            if trace is None:
                return phase(run)
            with trace:
                result = phase(run)
            return with_rest(trace.add_to(result))

        return rest

    return {engine: beside(PHASES[engine]) for engine in RESTING}


PHASES: Mapping[str, Phase] = {
    "idle": wait,
    "cooldown": cool_down,
    "prompt": ask_operator,
    "command": run_command,
}
"""What needs nothing but the run itself, by engine."""
