"""The phase of a command of the user's: its exit code decides, a stop ends it."""

import os
import shutil
import threading

from app.bench.model import Bench
from app.campaign.phases.phase import StepRun
from app.plan.campaign import Campaign
from app.plan.prompt import check_command
from instruments.errors import BadInput
from instruments.reading import SECOND
from instruments.simulated.tools import DRIVES, NAMES, SIMULATED
from workloads.base import Artefact, End, LoadCause, LoadResult
from workloads.tool_run import run_tool

COMMAND_S = 600.0
"""Longest time of a command whose step has no runtime."""


def lacking_of_commands(campaign: Campaign, bench: Bench) -> list[BadInput]:
    """Find what commands of a campaign need and this machine does not have.

    Such a command would fail in its row, hours into a run.

    Returns:
        One error for each program, and each variable of the environment.
    """
    simulated = {*NAMES, DRIVES} if bench.has_no_device else set()
    errors: dict[str, BadInput] = {}
    for label, step in campaign.runs:
        if step.engine != "command":
            continue
        command, where = check_command(step.options), f'step "{label}"'
        for program in (command.argv[0], *command.programs):
            if program not in simulated and not shutil.which(program):
                text = f"it runs {program}, which is not here or not executable"
                way_out = "Install it, or correct the command."
                errors.setdefault(program, BadInput(text, where=where, way_out=way_out))
        for name, message in command.variables.items():
            if name not in simulated and not os.environ.get(name):
                text = f"it needs the variable {name}, which is not set: {message}"
                way_out = (
                    f"Close Bayscope, export {name}=..., and start it again there; or "
                    "write the value into the command."
                )
                errors.setdefault(name, BadInput(text, where=where, way_out=way_out))
    return list(errors.values())


def run_command(run: StepRun) -> LoadResult:
    """Run a command on this machine, without a shell; raises BenchError.

    On a simulated bench it finds simulated tools of drives first.
    """
    operator = run.operator
    program, *words = check_command(run.step.options).argv
    text = " ".join((program, *words))
    run.recorder.journal("command", f"{run.label}: {text}")
    if operator.tools:
        tools = f"first on the PATH: simulated {', '.join(operator.tools)}"
        run.recorder.journal("simulated", f"{run.label}: simulated bench, {tools}")
        program = shutil.which(program, path=operator.env["PATH"]) or program
    longest_s = run.step.runtime_s or COMMAND_S

    def look(_: object) -> End:
        return End(LoadCause.STOPPED) if run.is_over() else End()

    ended = run_tool(
        [program, *words],
        name=program,
        say=lambda level, text: run.recorder.event(level, run.label, text),
        stop=threading.Event(),
        longest_s=longest_s,
        env=operator.env,
        poll=look,
    )
    text = f"{ended.text}{ended.stderr}".strip()
    kept = (Artefact("command.txt", "text/plain", text.encode()),)
    if ended.forced.cause is LoadCause.STOPPED:
        return End(LoadCause.STOPPED, "stopped before its end").result(None, {}, kept)
    if ended.forced.cause is LoadCause.OVERTIME:
        reason = f"{program} took longer than {longest_s:g} s and was ended"
        return End(LoadCause.OVERTIME, reason).result(None, {}, kept)
    if ended.code == 0:
        took = f"took {(ended.end_ns - ended.start_ns) / SECOND:.1f} s"
        is_simulated = operator.tools and SIMULATED in text
        run.findings.remarks.append(f"{took}, simulated" if is_simulated else took)
        return End().result(None, {}, kept)
    reason = f"{program} failed ({ended.how}): {ended.last_words()}"
    return End(LoadCause.PROGRAM, reason).result(None, {}, kept)
