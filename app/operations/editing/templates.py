"""The campaigns to begin with: those that ship, the user's own, and the last ones."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import platformdirs

from app.plan.campaign import Campaign, parse_campaign
from instruments.errors import BadInput, BenchError, one_line
from instruments.files import foreign_text
from resources import read_text

SHIPPED, OWN, RECENT = "Templates", "My campaigns", "Recent"

_FIRST = "demo.toml"


@dataclass(frozen=True, slots=True)
class Template:
    """One campaign on offer.

    Attributes:
        group: SHIPPED, OWN or RECENT.
        name: What it is called; the name of its file where it cannot be read.
        text: Its TOML.
        path: Its file, None for one that ships.
        campaign: What it comes to, None where it has a mistake.
        error: The mistake as a sentence.
        runs: How many rows its report has.
        duration_s: Planned length in seconds.
        loss: What is lost by a run, in a word or two.
    """

    group: str
    name: str
    text: str
    path: Path | None = None
    campaign: Campaign | None = None
    error: str = ""
    runs: int = 0
    duration_s: float = 0.0
    loss: str = ""


def own_folder() -> Path:
    """Get the folder where the user's own campaigns are looked for."""
    return platformdirs.user_documents_path() / "Bayscope" / "campaigns"


def list_templates(recent: Iterable[Path] = ()) -> list[Template]:
    """Read all that can be begun with; a file with a mistake says so."""
    mine = sorted(own_folder().glob("*.toml"))
    last = [path for path in recent if path.is_file() and path not in mine]
    return [
        *(_read(RECENT, path) for path in last),
        *(_read(OWN, path) for path in mine),
        *shipped(),
    ]


def shipped() -> Iterator[Template]:
    """Read the templates that ship with Bayscope, the demo first."""
    folder = files("resources") / "campaigns"
    names = sorted(
        path.name for path in folder.iterdir() if path.name.endswith(".toml")
    )
    for name in sorted(names, key=lambda name: name != _FIRST):
        yield _template(SHIPPED, name, read_text("campaigns", name), None)


def _read(group: str, path: Path) -> Template:
    try:
        text = foreign_text.read_text(path)
    except BadInput as error:
        return Template(group, one_line(path.stem), "", path, None, str(error))
    return _template(group, path.name, text, path)


def _template(group: str, name: str, text: str, path: Path | None) -> Template:
    try:
        campaign = parse_campaign(text, name)
    except BenchError as error:
        name = one_line(Path(name).stem)
        return Template(group, name, text, path, None, str(error))
    runs = campaign.runs
    return Template(
        group,
        one_line(campaign.name),
        text,
        path,
        campaign,
        runs=len(runs),
        duration_s=sum(step.duration_s for _, step in runs),
        loss=_loss(campaign, [step.engine for _, step in runs]),
    )


def _loss(campaign: Campaign, engines: Collection[str]) -> str:
    if "warp" in engines:
        return "empties bucket"
    if campaign.writes:
        return "overwrites data"
    return "switches power off" if "startup" in engines else "read-only"
