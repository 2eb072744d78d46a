"""Every mistake of a campaign's text, with the field it is in."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.plan.blocks import Block, join, spans, split
from app.plan.campaign import Campaign, parse_campaign
from app.plan.edit import Item, Path, insert, put
from instruments.errors import BadInput, Place, printed

_ITEM = re.compile(r"(?P<name>\w+)#(?P<number>\d+)\.?(?P<rest>.*)")
_NAME = "campaign"
_MOST = 8
"""This many mistakes of a step are looked for."""

_RIGHT: Mapping[Path, str] = {("runtime",): "1s"}
"""What a step cannot be without."""

_OTHER = {"label": "\N{ZERO WIDTH SPACE}", "engine": "idle", "runtime": "1s"}


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake.

    Attributes:
        item: The table it is in, such as ("step", 2); None for the top of the file.
        path: The key in that table, () for the table as a whole.
        sentence: What is wrong and what was expected.
        line: In the text, 0 where it is not known.
    """

    item: Item
    path: Path
    sentence: str
    line: int = 0

    @property
    def words(self) -> str:
        """Say it where its field is not seen."""
        place = f"step {self.item[1] + 1}" if self.item else ""
        place += f", {'.'.join(self.path)}" if self.path else ""
        return f"{place.strip(', ')}: {self.sentence}" if place else self.sentence


@dataclass(frozen=True, slots=True)
class Checked:
    """What a text comes to: a campaign, or its mistakes.

    Attributes:
        text: The text.
        campaign: The campaign, None where it has a mistake.
        mistakes: What is wrong with it.
        writes: Whether the campaign writes to its target.
    """

    text: str
    campaign: Campaign | None
    mistakes: tuple[Mistake, ...] = ()
    writes: bool = False


def check_campaign(text: str) -> Checked:
    """Read a text as a campaign and find its mistakes, those of each step apart."""
    try:
        campaign = parse_campaign(text, _NAME)
        return Checked(text, campaign, writes=campaign.writes)
    except BadInput as error:
        first = mistake_of(error)
    place = (first.item, first.path)
    others = [one for one in _of_steps(text) if (one.item, one.path) != place]
    return Checked(text, None, (first, *others))


def mistake_of(error: BadInput) -> Mistake:
    """Find the field that an error of a campaign is about."""
    place = error.place or Place(_NAME)
    found = _ITEM.fullmatch(place.key)
    item = (found["name"], int(found["number"]) - 1) if found else None
    path = _path(printed(found["rest"] if found else place.key))
    return Mistake(item, path, _sentence(error, path), place.line)


def _sentence(error: BadInput, path: Path) -> str:
    """Write it as a sentence; the name of an option stays as the engine spells it."""
    what = error.what
    if len(path) < 2 or not what.startswith(path[-1]):
        what = f"{what[:1].upper()}{what[1:]}"
    return f"{what}. {error.way_out}".strip()


def _path(key: str) -> Path:
    """Split a key at its first dot: what follows is a name that may have dots."""
    return tuple(key.split(".", 1)) if key else ()


def _of_steps(text: str) -> list[Mistake]:
    """Check each step beside one that is right."""
    try:
        blocks = split(text)
    except BadInput:
        return []
    places = spans(blocks, "step")
    within = {number for first, end in places for number in range(first, end)}
    around = [block for number, block in enumerate(blocks) if number not in within]
    mistakes = []
    for number, (first, end) in enumerate(places):
        alone = insert(join([*around, *blocks[first:end]]), "step", 1, _OTHER)
        there = split(alone)
        shift = _line(blocks, first) - _line(there, spans(there, "step")[0][0])
        for one in sorted(_of_step(alone), key=lambda one: one.line):
            line = one.line + shift if one.line else 0
            mistakes.append(Mistake(("step", number), one.path, one.sentence, line))
    return mistakes


def _of_step(text: str) -> list[Mistake]:
    """Find what is wrong with the first step: each mistake hides those after it.

    A key that is wrong is taken out, or given a value that is right, and what is left
    is read again, until nothing new is found.
    """
    mistakes: list[Mistake] = []
    gone: list[tuple[int, int]] = []
    while len(mistakes) < _MOST:
        try:
            parse_campaign(text, _NAME)
            return mistakes
        except BadInput as error:
            one = mistake_of(error)
        if one.item != ("step", 0) or one.path in [other.path for other in mistakes]:
            return mistakes
        line = one.line
        for at, count in sorted(gone):
            line += count * (line >= at)
        mistakes.append(replace(one, line=line))
        if not one.path or one.path == ("engine",):
            return mistakes
        try:
            left = put(text, ("step", 0), one.path, _RIGHT.get(one.path))
        except BadInput:
            return mistakes
        gone.append((line, text.count("\n") - left.count("\n")))
        text = left
    return mistakes


def _line(blocks: Sequence[Block], number: int) -> int:
    """Get the line of the header of a block."""
    before = "".join(block.text for block in blocks[:number]) + blocks[number].lead
    return before.count("\n") + 1
