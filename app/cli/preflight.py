"""The command preflight: will this campaign on this bench give a valid result?"""

import argparse
from dataclasses import asdict
from pathlib import Path

from app.bench.file import load_bench
from app.cli.output import Add, add_out, print_json
from app.operations.bench.lock import only_program
from app.operations.preflight.finding import Finding, Level
from app.operations.preflight.preflight import preflight
from app.operations.run.foresee import forecast_json, forecast_text, foresee
from app.plan.campaign import load_campaign
from app.terminal import say

_MARKS = {Level.OK: " ok ", Level.WARN: "WARN", Level.STOP: "STOP"}


def add_commands(add: Add) -> None:
    """Add the command to the parser."""
    text = "Look whether a campaign will give a valid result, before it is started."
    command = add("preflight", text, _preflight)
    command.add_argument("campaign", type=Path, metavar="CAMPAIGN")
    command.add_argument("--bench", type=Path, help="bench.toml (default: simulated)")
    command.add_argument("--without", action="append", default=[], metavar="SOURCE")
    command.add_argument("--erase-bucket", action="append", default=[], metavar="NAME")
    add_out(command)


def _preflight(arguments: argparse.Namespace) -> int:
    campaign, bench = load_campaign(arguments.campaign), load_bench(arguments.bench)
    with only_program(bench):
        found = preflight(
            campaign,
            bench,
            arguments.out,
            without=arguments.without,
            erase=arguments.erase_bucket,
            beside=arguments.campaign.parent,
        )
    forecasts = foresee(campaign, bench, arguments.out)
    if arguments.json:
        findings = [asdict(one) for one in found]
        print_json({"findings": findings, "estimate": forecast_json(forecasts)})
    else:
        say(f"{_text(found)}\n\n{forecast_text(forecasts)}")
    return 3 if any(one.level is Level.STOP for one in found) else 0


def _text(found: list[Finding]) -> str:
    width = max((len(one.topic) for one in found), default=0)
    lines = []
    for one in found:
        lines.append(f"{_MARKS[one.level]}  {one.topic:<{width}}  {one.text}")
        if one.help == "command":
            lines.append(f"      {'':<{width}}  {one.detail}")
    return "\n".join(lines)
