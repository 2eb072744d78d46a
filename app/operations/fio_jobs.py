"""Bring fio jobs in and out: job files and pasted scripts to a campaign, and back."""

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.plan.campaign import Campaign, campaign_text
from app.plan.fio_steps import make_steps
from app.plan.fio_targets import NamedTarget
from instruments.command import run
from instruments.errors import BadInput, BenchError
from workloads.fio_file import looks_like_jobs, read_job_file
from workloads.fio_finding import Finding
from workloads.fio_paste_jobs import read_pasted
from workloads.guard.fio_options import value_trouble

_DEADLINE_S = 10.0
_MOST_TEXT = 1_000_000


@dataclass(frozen=True, slots=True)
class FioImport:
    """What became of a text with fio jobs.

    Attributes:
        campaign: The steps.
        campaign_text: The same as campaign.toml.
        findings: What is to be told, by line.
        targets: Files and disks that the text names; none of them is taken over.
    """

    campaign: Campaign
    campaign_text: str
    findings: tuple[Finding, ...]
    targets: tuple[NamedTarget, ...]

    @property
    def decisions(self) -> tuple[Finding, ...]:
        """What the user has to decide."""
        return tuple(one for one in self.findings if one.decide)


class NothingToImportError(BadInput):
    """A text of which no step could be made; its findings say why."""

    def __init__(
        self, what: str, findings: tuple[Finding, ...], *, where: str, way_out: str
    ) -> None:
        super().__init__(what, where=where, way_out=way_out)
        self.findings = findings


def import_fio_text(
    text: str, name: str, read: Callable[[str], str] | None = None
) -> FioImport:
    """Make a campaign of a job file, a shell script, a batch file or pasted lines.

    Nothing of the text is run, and no target of it becomes the bench's.

    Args:
        text: The text.
        name: What the campaign is called, such as the name of the file.
        read: Reads a file that the text includes, None where none may be.

    Raises:
        BadInput: There is no fio job in it of which a step can be made.
    """
    if len(text) > _MOST_TEXT or "\0" in text:
        raise BadInput(
            "it is no text with fio jobs",
            where=name,
            way_out="Open a .fio file, a script, or paste command lines.",
        )
    if looks_like_jobs(text):
        parsed = read_job_file(text, name, read)
    else:
        parsed = read_pasted(text, fio_says, read)
    made = make_steps(parsed)
    if not made.steps:
        why = next((one for one in made.findings if one.decide), None)
        said = f": {why}" if why is not None else ""
        raise NothingToImportError(
            f"no fio job of it can become a step{said}".rstrip(".").replace(
                ". Decide", ""
            ),
            made.findings,
            where=name,
            way_out='A command begins with "fio", a job file with a section in square '
            "brackets.",
        )
    campaign = Campaign(
        name=_campaign_name(name),
        description=f"Imported from {name}",
        steps=made.steps,
    )
    text_out = campaign_text(campaign)
    return FioImport(campaign, text_out, made.findings, made.targets)


@functools.cache
def fio_says(option: str) -> str:
    """Ask the real fio what is wrong with an option that it should not know.

    Only an option that no known one begins with, or more than one, may be asked: fio
    does then nothing but complain. "" where there is no fio.
    """
    if value_trouble("option", option) or not option.startswith("-"):
        return ""
    try:
        said = run(["fio", "--parse-only", "--name=check", option], _DEADLINE_S)
    except BenchError:
        return ""
    lines = [line.strip() for line in said.stderr.splitlines() if line.strip()]
    return re.sub(r"^fio: ", "", lines[0]) if lines else ""


def _campaign_name(name: str) -> str:
    return re.sub(r"\.(fio|sh|bat|cmd|txt|job)$", "", Path(name).name) or "fio"
