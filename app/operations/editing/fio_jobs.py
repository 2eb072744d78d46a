"""Bring fio jobs in and out: job files and pasted scripts to a campaign, and back."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from app.plan.campaign import Campaign, parse_campaign
from app.plan.fio.export import SIZE, TARGET, ExportedJob, escaped, export_jobs
from app.plan.fio.steps import make_steps
from app.plan.fio.targets import NamedTarget, is_disk
from app.plan.writing import campaign_text
from instruments.errors import BadInput, OptionError, printable
from instruments.files.foreign_text import read_content
from instruments.files.whole_file import save_file
from instruments.sizes import parse_size
from workloads.fio.checks import Place, all_parse, check_job, free_memory
from workloads.fio.paste.file import looks_like_jobs, read_job_file
from workloads.fio.paste.finding import Finding, merged
from workloads.fio.paste.jobs import read_pasted

_MOST_TEXT = 200 * 2**10
_MOST_ASKED = 50  # jobs that fio is asked of one by one, to find those it refuses


@dataclass(frozen=True, slots=True)
class FioImport:
    """What became of a text with fio jobs.

    Attributes:
        campaign: The steps.
        campaign_text: The same as campaign.toml.
        findings: What is taken otherwise or not at all, by line.
        targets: Files and disks that the text names; none of them is taken over.
    """

    campaign: Campaign
    campaign_text: str
    findings: tuple[Finding, ...]
    targets: tuple[NamedTarget, ...]

    @property
    def decisions(self) -> tuple[Finding, ...]:
        """What the user has to decide."""
        return tuple(finding for finding in self.findings if finding.decide)


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
            "it is not a text with fio jobs",
            where=name,
            way_out="Open a .fio file, a script, or paste command lines.",
        )
    parse = read_job_file if looks_like_jobs(text) else read_pasted
    made = make_steps(parse(text, name, read))
    place = Place(memory=free_memory())
    # Where fio takes them all it is asked once; a script may have a thousand jobs.
    ask = not all_parse([step.options for step in made.steps])
    checked = [
        replace(finding, lines=(line,))
        for number, (step, line) in enumerate(zip(made.steps, made.lines, strict=True))
        for finding in check_job(step.options, place, ask=ask and number < _MOST_ASKED)
    ]
    if not made.steps:
        raise _nothing_to_import(made.findings, name)
    written = campaign_text(
        Campaign(
            name=printable(_campaign_name(name)),
            description=printable(f"Imported from {name}"),
            steps=made.steps,
        )
    )
    # What is handed out as a campaign is one: it is read back before anybody keeps it.
    campaign = parse_campaign(written, f"the campaign made of {name}")
    findings = merged([*made.findings, *checked])
    return FioImport(campaign, written, findings, made.targets)


def _nothing_to_import(
    findings: tuple[Finding, ...], name: str
) -> NothingToImportError:
    decision = next((finding for finding in findings if finding.decide), None)
    reason = f": {decision}" if decision is not None else ""
    # The sentence of a finding asks for a decision; here there is nothing to decide on.
    what = f"none of its fio jobs can become a step{reason}".rstrip(".")
    return NothingToImportError(
        what.replace(". Decide", ""),
        findings,
        where=name,
        way_out='A command begins with "fio", a job file with a section in square '
        "brackets.",
    )


def import_fio_file(path: Path, name: str = "") -> FioImport:
    """Make a campaign of a job file or a script; what it includes is read beside it.

    Raises:
        BadInput: It cannot be read, or there is no fio job in it.
    """
    text = read_job_text(path)
    return import_fio_text(text, name or path.name, included(path.parent))


def included(folder: Path) -> Callable[[str], str]:
    """Make what reads the files that a text names: those in its own folder or below.

    The text may come from anybody, so it opens no other file of this computer.
    """

    def read(name: str) -> str:
        path = (folder / name).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise BadInput("it is not in the folder of this text, or below it")
        return read_job_text(path)

    return read


def read_job_text(path: Path) -> str:
    """Read a job file or a script, in whatever its editor wrote.

    Raises:
        BadInput: It cannot be read.
    """
    content = read_content(path, _MOST_TEXT)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Windows' editors write their own page, or UTF-16 with a mark.
        marked = content[:2] in (b"\xff\xfe", b"\xfe\xff")
        return content.decode("utf-16" if marked else "cp1252", "replace")


@dataclass(frozen=True, slots=True)
class FioExport:
    """Job files that were written, and what of the campaign is in none of them."""

    files: tuple[Path, ...]
    left_out: tuple[str, ...]


def export_fio(
    campaign: Campaign, folder: Path, target: str = "", size: str = ""
) -> FioExport:
    """Write a job file for each fio step of a campaign, for the plain fio.

    Args:
        campaign: The campaign.
        folder: Where the files go; it is made.
        target: The file or disk they name; "" leaves the variable TARGET there,
            without which fio refuses them.
        size: How much of it is used, as fio writes it; "" leaves the variable SIZE,
            or, with a disk as the target, says nothing: all of it.

    Raises:
        BadInput: There is no fio step, a file is there already, or one cannot be
            written.
    """
    jobs, left_out = _exported(campaign, target, size)
    if not jobs:
        raise BadInput(
            "there is no fio step to export",
            where=campaign.name,
            way_out="Choose a campaign with steps of the engine fio.",
        )
    files = [folder / job.file for job in jobs]
    there = [path for path in files if path.exists()]
    if there:
        raise BadInput(
            "it already exists",
            where=str(there[0]),
            way_out="Choose an empty folder; nothing was written.",
        )
    for path, job in zip(files, jobs, strict=True):
        save_file(path, job.text)
    return FioExport(tuple(files), tuple(left_out))


def _exported(
    campaign: Campaign, target: str, size: str
) -> tuple[list[ExportedJob], list[str]]:
    """Make the job files, and tell of steps that are in none; see `export_fio`."""
    try:
        name = escaped(target) if target else TARGET
        amount = size or ("" if is_disk(target) else SIZE)
        if size:
            parse_size(size)
        return export_jobs(campaign, name, amount)
    except OptionError as error:
        raise BadInput(error.what, where="export", way_out=error.way_out) from error
    except ValueError as error:
        raise BadInput(
            f'size is "{size}"',
            where="export",
            way_out='Expected a size such as "64g".',
        ) from error


def _campaign_name(name: str) -> str:
    return re.sub(r"\.(fio|sh|bat|cmd|txt|job)$", "", Path(name).name) or "fio"
