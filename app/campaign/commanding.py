"""The phase of a command of the user's: its exit code decides, a stop ends it."""

import threading

from app.campaign.phase import StepRun
from app.plan.prompt import check_command
from workloads.base import Artefact, LoadOutcome, LoadResult
from workloads.tool_ended import OVERTIME, STOPPED
from workloads.tool_run import run_tool

COMMAND_S = 600.0
"""Longest time of a command whose step has no runtime."""


def user_command(run: StepRun) -> LoadResult:
    """Run a command on this machine, without a shell; raises BenchError."""
    argv = check_command(run.step.options).argv
    run.book.journal("command", f"{run.label}: {' '.join(argv)}")
    longest_s = run.step.runtime_s or COMMAND_S
    stop = threading.Event()

    def look(_: object) -> str:
        if run.is_over():
            stop.set()
        return ""

    ended = run_tool(
        list(argv),
        name=argv[0],
        say=lambda level, text: run.recorder.event(level, run.label, text),
        stop=stop,
        longest_s=longest_s,
        poll=look,
    )
    text = f"{ended.text}{ended.stderr}".strip()
    kept = (Artefact("command.txt", "text/plain", text.encode()),)
    if ended.cause == STOPPED:
        reason = "stopped before its end"
        return LoadResult(LoadOutcome.STOPPED, reason, artefacts=kept)
    if ended.cause == OVERTIME:
        reason = f"{argv[0]} took longer than {longest_s:g} s and was ended"
        return LoadResult(LoadOutcome.FAILED, reason, artefacts=kept)
    if ended.code == 0:
        return LoadResult(LoadOutcome.DONE, artefacts=kept)
    reason = f"{argv[0]} failed ({ended.how}): {ended.last_words()}"
    return LoadResult(LoadOutcome.FAILED, reason, artefacts=kept)
