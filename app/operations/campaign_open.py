"""Files and pasted texts as campaigns: campaign.toml, and fio jobs made into one."""

import textwrap
from dataclasses import dataclass
from pathlib import Path

from app.operations.fio_jobs import FioImport, import_fio_file, import_fio_text
from app.plan.blocks import items, read
from instruments.errors import BadInput

SUFFIX = ".toml"
_WIDTH = 88


@dataclass(frozen=True, slots=True)
class Opened:
    """What was opened.

    Attributes:
        text: The text of the campaign.
        path: The campaign's own file, None where the text was made of something else.
    """

    text: str
    path: Path | None


def open_campaign(path: Path) -> Opened:
    """Read a campaign.toml as it stands, or make a campaign of a file with fio jobs.

    What is to be known of imported jobs stands as comments at the begin of the text.

    Raises:
        BadInput: It cannot be read, or there is no fio job in it.
    """
    if path.suffix.lower() != SUFFIX:
        return Opened(with_findings(import_fio_file(path), path.name), None)
    return Opened(read_text_file(path), path)


def read_text_file(path: Path) -> str:
    """Read a text as it stands, right or wrong.

    Raises:
        BadInput: It cannot be read, or is no text.
    """
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(
            "this is not UTF-8 text",
            where=str(path),
            way_out="Save it again with the encoding UTF-8.",
        ) from error
    except OSError as error:
        raise BadInput(
            f"cannot be read ({error.strerror or error})",
            where=str(path),
            way_out="Choose a file that you may read.",
        ) from error


def steps_of(text: str) -> str:
    """Make steps of what is on the clipboard: steps of a campaign, or fio jobs.

    Raises:
        BadInput: It is neither.
    """
    try:
        if items(read(text), "step"):
            return text
    except BadInput:
        pass  # then it may be a command line
    try:
        return import_fio_text(text, "the clipboard").campaign_text
    except BadInput as error:
        raise BadInput(
            "the clipboard has no step and no fio job",
            way_out="Copy steps of a campaign, a fio job, or a command line of fio.",
        ) from error


def with_findings(found: FioImport, name: str) -> str:
    """Write an imported campaign with its findings as comments at the begin.

    Args:
        found: What was imported.
        name: Of what.
    """
    lines = [f"# Made of {name}."]
    if found.findings:
        lines.append("# What to know of it, by its lines:")
    for finding in found.findings:
        said = " ".join(str(finding).split())
        lines += textwrap.wrap(
            said, _WIDTH, initial_indent="# - ", subsequent_indent="#   "
        )
    return "\n".join(lines) + f"\n\n{found.campaign_text}"
