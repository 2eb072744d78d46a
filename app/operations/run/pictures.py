"""The pictures of a campaign's prompts, kept with the run that showed them."""

import hashlib
import mimetypes
from pathlib import Path

from app.plan.campaign import Campaign
from app.plan.prompt import check_prompt
from app.record.recorder import Recorder
from app.record.store import Writer
from instruments.errors import BadInput
from instruments.files.foreign_text import read_content
from workloads.sizes import describe_size

MOST_BYTES = 16 * 2**20
"""A larger picture is not kept."""


def keep_pictures(recorder: Recorder, campaign: Campaign, beside: Path | None) -> None:
    """Keep what operators are shown, and write down its hash.

    Args:
        recorder: Takes the files.
        campaign: Its prompts name them.
        beside: Folder of the campaign's file; None where it has none.
    """
    asked = [
        check_prompt(step.options)
        for _, step in campaign.runs
        if step.engine == "prompt"
    ]
    for name in dict.fromkeys(one.picture for one in asked if one.picture):
        _keep(recorder, name, (beside or Path()) / name)


def _keep(recorder: Recorder, name: str, path: Path) -> None:
    now = recorder.clock.monotonic_ns()
    try:
        content = read_content(path, MOST_BYTES)
    except BadInput as error:
        text = f"{name} was not kept: {error.what}"
        recorder.event("warning", "campaign", f"the picture {text}")
        recorder.post(lambda w: w.journal(now, "picture", text))
        return
    size = describe_size(len(content))
    told = f"{name}: {size}, SHA-256 {hashlib.sha256(content).hexdigest()}"
    media = mimetypes.guess_type(name)[0] or "application/octet-stream"

    def write(writer: Writer) -> None:
        writer.journal(now, "picture", told)
        writer.artefact(None, f"pictures/{name}", media, content)

    recorder.post(write)
