"""The command fio: bring jobs in, write jobs out, and look options up."""

import argparse
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from app.bench.file import load_bench
from app.cli.output import Add, print_json, show
from app.operations.editing.fio_check import find_in_steps
from app.operations.editing.fio_jobs import (
    FioImport,
    NothingToImportError,
    export_fio,
    import_fio_file,
    import_fio_text,
)
from app.operations.editing.fio_options import find_options, option_json, option_lines
from app.plan.campaign import load_campaign
from app.terminal import say, warn
from instruments.errors import BadInput
from instruments.files.whole_file import save_file
from instruments.sizes import counted
from workloads.fio.paste.finding import Finding


def add_commands(add: Add) -> None:
    """Add the command to the parser."""
    command = add("fio", "Import, export and check fio jobs, list options.", _none)
    command.set_defaults(json=False)
    parts = command.add_subparsers(dest="part", required=True, metavar="PART")

    def part(
        name: str, text: str, run: Callable[[argparse.Namespace], int]
    ) -> argparse.ArgumentParser:
        parser = parts.add_parser(name, help=text, description=text)
        parser.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="print JSON"
        )
        parser.set_defaults(run=run)
        return parser

    one = part("import", "Make a campaign of job files or command lines.", _import)
    one.add_argument("file", metavar="FILE", help='a job file or script, "-" for stdin')
    one.add_argument("--to", type=Path, metavar="CAMPAIGN", help="campaign to write")
    one.add_argument("--name", default="", help="name of the campaign")
    one = part("export", "Write a job file for each fio step of a campaign.", _export)
    one.add_argument("campaign", type=Path, metavar="CAMPAIGN")
    one.add_argument("--to", type=Path, required=True, metavar="DIR", help="folder")
    one.add_argument("--target", default="", metavar="PATH", help="file or disk")
    one.add_argument("--size", default="", help="how much of it, such as 64g")
    one = part("check", "Check the fio steps of a campaign before it runs.", _check)
    one.add_argument("campaign", type=Path, metavar="CAMPAIGN")
    one.add_argument("--bench", type=Path, help="bench.toml it is to run on")
    one = part("options", "List the options that a step may have.", _options)
    one.add_argument("name", nargs="?", default="", metavar="NAME")
    one.add_argument("--all", action="store_true", help="closed ones, too, and why")


def _none(arguments: argparse.Namespace) -> int:
    raise AssertionError(arguments)  # argparse wants a part


def _import(arguments: argparse.Namespace) -> int:
    to: Path | None = arguments.to
    if to is not None and to.exists():
        raise BadInput(
            "it already exists", where=str(to), way_out="Choose another name."
        )
    try:
        if arguments.file == "-":
            found = import_fio_text(sys.stdin.read(), arguments.name or "pasted")
        else:
            found = import_fio_file(Path(arguments.file), arguments.name)
    except NothingToImportError as error:
        if not arguments.json:
            _complain(error.findings)
        raise
    if to is not None:
        save_file(to, found.campaign_text)
    if arguments.json:
        print_json(_import_json(found, to))
        return 0
    if to is None:
        _complain(found.findings)
        say(found.campaign_text)
        return 0
    steps = counted(len(found.campaign.steps), "step")
    lines = [str(finding) for finding in found.findings]
    decisions = counted(len(found.decisions), "decision")
    lines.append(f"Wrote {to}: {steps}, {decisions} needed.")
    say("\n".join(lines))
    return 0


def _complain(findings: tuple[Finding, ...]) -> None:
    for finding in findings:
        warn(f"bayscope: {finding}")


def _import_json(found: FioImport, to: Path | None) -> Mapping[str, object]:
    return {
        "campaign": found.campaign_text,
        "file": str(to) if to else None,
        "steps": [step.label for step in found.campaign.steps],
        "findings": [asdict(finding) for finding in found.findings],
        "targets": [
            {
                "path": target.path,
                "lines": list(target.lines),
                "disk": target.is_disk,
                "size": target.size or None,
                "writes": target.writes,
            }
            for target in found.targets
        ],
    }


def _export(arguments: argparse.Namespace) -> int:
    campaign = load_campaign(arguments.campaign)
    done = export_fio(campaign, arguments.to, arguments.target, arguments.size)
    if arguments.json:
        files = [str(path) for path in done.files]
        print_json({"files": files, "left_out": list(done.left_out)})
        return 0
    for text in done.left_out:
        warn(f"bayscope: excluded: {text}")
    say("\n".join(f"Wrote {path}" for path in done.files))
    return 0


def _check(arguments: argparse.Namespace) -> int:
    campaign = load_campaign(arguments.campaign)
    bench = None if arguments.bench is None else load_bench(arguments.bench)
    found = find_in_steps(campaign, bench)
    if arguments.json:
        print_json([{"step": one.label, **asdict(one.finding)} for one in found])
    else:
        lines = [f"{one.label}: {one.finding}" for one in found]
        say("\n".join(lines) or "Nothing found.")
    return 2 if any(one.finding.decide for one in found) else 0


def _options(arguments: argparse.Namespace) -> int:
    show(
        arguments,
        find_options(arguments.name, closed=arguments.all),
        lambda found: [option_json(option) for option in found],
        lambda found: "\n".join(option_lines(found, whole=bool(arguments.name))),
    )
    return 0
