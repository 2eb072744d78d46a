"""The start-up step: the device off, switched on, and recorded at the fastest rate."""

from collections.abc import Callable
from contextlib import suppress

from app.analysis.startup_row import startup_row
from app.campaign.phases.answer import is_no, is_yes
from app.campaign.phases.operator import SIMULATION_NOTE
from app.campaign.phases.phase import INTERRUPTED, Phase, StepRun
from app.plan.startup import StartupPlan, check_startup
from app.record.store import Action
from instruments.errors import Aborted, BenchError
from workloads.base import LoadOutcome, LoadResult

Switcher = Callable[[str, str, str, Callable[[str], bool]], str]
"""Switches: name of the switch, "on" or "off", place, what is asked to confirm it.

Returns what the switch said; raises Aborted where it was not confirmed.
"""

AFTER_OFF_S = 2.0
"""So long after switching off the trace of the device that is off begins."""

SETTLE_S = 1.0
"""So long slow readings of the end are waited for."""

_ASK = {
    "off": "Switch the device off at the mains, then confirm.",
    "on": "Confirm, and then switch the device on.",
}
_SIMULATED = {"off": "SIMulate:DUT OFF", "on": "SIMulate:DUT ON"}
_SWITCHING = {"off": Action.SWITCHING_OFF, "on": Action.SWITCHING_ON}
_SWITCHED = {"off": Action.SWITCHED_OFF, "on": Action.SWITCHED_ON}

SWITCH_OFF = "Switch off"
STILL_OFF = "the device was off, and may still be"


def startup_phase(switcher: Switcher) -> Phase:
    """Make the phase of start-up steps; `switcher` does what the bench allows."""

    def start(run: StepRun) -> LoadResult:
        plan = check_startup(run.step.options)
        try:
            _switch(run, plan, "off", switcher)
            armed = run.recorder.begin_capture()
            try:
                return _recorded(run, plan, switcher)
            finally:
                run.recorder.end_capture()
                told = ", ".join(armed) or "no meter, at the usual rate"
                run.recorder.journal("capture", f"{run.label}: {told}")
        except Aborted:
            return INTERRUPTED

    return start


def _recorded(run: StepRun, plan: StartupPlan, switcher: Switcher) -> LoadResult:
    try:
        # The first readings still tell of the time before: meters average, late.
        run.pause(AFTER_OFF_S, "waiting until it is off")
        begin = run.clock.monotonic_ns()
        run.log.expect_window(run.step_id, begin)
        run.pause(plan.off_s, "recording the device while it is off")
        on_ns = _switch(run, plan, "on", switcher)
    except BaseException:  # a second Ctrl-C, too, leaves it as it is
        run.findings.remarks.append(STILL_OFF)
        text = f"{run.label} was ended while the device was off, and may still be off"
        run.recorder.event("warning", "campaign", text)
        raise
    run.pause(run.step.runtime_s, "recording the start")
    if run.is_over():
        return INTERRUPTED
    end = run.clock.monotonic_ns()
    run.pause(SETTLE_S, "waiting for the last readings")
    run.refresh()
    row = startup_row(run.session, (begin, end), on_ns, plan.ready)
    run.findings.results += row.results
    run.findings.missed = row.missed
    return LoadResult(LoadOutcome.DONE, window=(begin, end))


def _switch(run: StepRun, plan: StartupPlan, action: str, switcher: Switcher) -> int:
    """Switch, or have it done by the operator.

    Returns:
        The moment of it: of the order, or of the operator's word that it is done.

    Raises:
        Aborted: The step was interrupted, or it was not agreed to.
        BenchError: The switch failed, or the operator says that it could not be done.
    """
    moments = [run.clock.monotonic_ns()]
    if run.is_over():
        raise Aborted("the step was interrupted")
    if plan.switch:
        run.tell(f"switching {action} with {plan.switch}")

        def confirm(sentence: str) -> bool:
            if plan.asks and action == "off" and not _agreed(run, sentence):
                return False
            _order(run, action)
            if action == "off":
                # It took a moment, in which somebody may have stopped or held it.
                run.steering.await_free()
            moments.append(run.clock.monotonic_ns())
            return True

        said = switcher(plan.switch, action, plan.outlet, confirm)
    elif run.operator.do is not None:
        _order(run, action)
        said, _ = _confirmed(run, f"{_ASK[action]}\n{SIMULATION_NOTE}")
        run.steering.await_free()
        moments.append(run.clock.monotonic_ns())
        # No host can use a device that starts; others may well use this one's disk.
        rest = f"SIMulate:REST {min(3600.0, run.step.runtime_s + SETTLE_S):g}"
        run.operator.do([_SIMULATED[action], rest])
        said = f"{said} ({_SIMULATED[action]})"
    else:
        _order(run, action)
        said, moment = _confirmed(run, _ASK[action])
        with suppress(Aborted):  # It is done; the step ends at its next wait.
            run.steering.await_free()
        moments.append(moment)
    run.recorder.journal(_SWITCHED[action], f"{run.label}: {said}")
    run.recorder.event("info", "campaign", f"{run.label}: switched {action}: {said}")
    return moments[-1]


def _order(run: StepRun, action: str) -> int:
    """Write it down for good before it is done: the program may be killed meanwhile."""
    now = run.clock.monotonic_ns()
    run.recorder.call(lambda w: w.journal(now, _SWITCHING[action], run.label))
    return now


def _agreed(run: StepRun, sentence: str) -> bool:
    """Ask whether power may be taken away; what is not a yes ends the step."""
    run.recorder.journal("asked", f"{run.label}: {sentence}")
    answer = run.steering.ask(sentence, action=SWITCH_OFF, waits=True)
    run.answered(answer or "nothing")
    if not is_yes(answer):
        told = f'answered "{answer}"' if answer else "did not agree"
        run.findings.refused = f"not switched off, the operator {told}"
        return False
    run.steering.await_free()  # no power is taken away while something holds
    return True


def _confirmed(run: StepRun, sentence: str) -> tuple[str, int]:
    """Ask to have it done; return the operator's word and the moment of that.

    `await_free` has to follow: where something holds, the word is kept until then.
    """
    run.recorder.journal("asked", f"{run.label}: {sentence}")
    said = run.steering.ask(sentence, waits=True) or "done"
    moment = run.clock.monotonic_ns()
    run.answered(said)
    if is_no(said):
        raise BenchError(f'the operator answered "{said}"', where=run.label)
    return said, moment
