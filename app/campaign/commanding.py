"""The phase of a command of the user's: its exit code decides, a stop ends it."""

import shutil
import threading

from app.campaign.hands import NO_HANDS, Hands
from app.campaign.phase import Phase, StepRun
from app.plan.prompt import check_command
from instruments.reading import SECOND
from instruments.simulated.tools import SIMULATED
from workloads.base import Artefact, LoadOutcome, LoadResult
from workloads.tool_ended import OVERTIME, STOPPED
from workloads.tool_run import run_tool

COMMAND_S = 600.0
"""Longest time of a command whose step has no runtime."""


def commanding(hands: Hands = NO_HANDS) -> Phase:
    """Make the phase of commands.

    Args:
        hands: Whose tools a command finds first on a simulated bench.
    """

    def command(run: StepRun) -> LoadResult:
        return _command(run, hands)

    return command


def _command(run: StepRun, hands: Hands) -> LoadResult:
    """Run a command on this machine, without a shell; raises BenchError."""
    program, *words = check_command(run.step.options).argv
    text = " ".join((program, *words))
    run.book.journal("command", f"{run.label}: {text}")
    if hands.tools:
        told = f"simulated bench, first on the PATH: simulated {', '.join(hands.tools)}"
        run.book.journal("simulated", f"{run.label}: {told}")
        program = shutil.which(program, path=hands.env["PATH"]) or program
    longest_s = run.step.runtime_s or COMMAND_S
    stop = threading.Event()

    def look(_: object) -> str:
        if run.is_over():
            stop.set()
        return ""

    ended = run_tool(
        [program, *words],
        name=program,
        say=lambda level, text: run.recorder.event(level, run.label, text),
        stop=stop,
        longest_s=longest_s,
        env=hands.env,
        poll=look,
    )
    text = f"{ended.text}{ended.stderr}".strip()
    kept = (Artefact("command.txt", "text/plain", text.encode()),)
    if ended.cause == STOPPED:
        reason = "stopped before its end"
        return LoadResult(LoadOutcome.STOPPED, reason, artefacts=kept)
    if ended.cause == OVERTIME:
        reason = f"{program} took longer than {longest_s:g} s and was ended"
        return LoadResult(LoadOutcome.FAILED, reason, artefacts=kept)
    if ended.code == 0:
        took = f"took {(ended.end_ns - ended.start_ns) / SECOND:.1f} s"
        is_simulated = hands.tools and SIMULATED in text
        run.found.remarks.append(f"{took}, simulated" if is_simulated else took)
        return LoadResult(LoadOutcome.DONE, artefacts=kept)
    reason = f"{program} failed ({ended.how}): {ended.last_words()}"
    return LoadResult(LoadOutcome.FAILED, reason, artefacts=kept)
