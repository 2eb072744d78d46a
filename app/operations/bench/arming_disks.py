"""All disks that a run overwrites: what was found, and what is still to be typed."""

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.bench.guard import Guard
from app.bench.load_places import build_places
from app.bench.model import Bench
from app.operations.bench.arming_look import DiskLook
from instruments.errors import BadInput
from instruments.tools.hosts import LocalHost
from workloads.guard.device import is_device
from workloads.guard.disk import Findings
from workloads.guard.helper_client import can_ask, inspect
from workloads.guard.look import look
from workloads.guard.objections import Objection
from workloads.guard.survey import survey
from workloads.hosts.target_names import find_there
from workloads.target.targets import find_targets

_BETWEEN = re.compile(r"[\s,;]+")
_BETWEEN_WORDS = re.compile(r"\s*[,;]\s*")


@dataclass(frozen=True, slots=True)
class DiskLooks:
    """One disk or several, as they are found when a run is asked for."""

    each: tuple[DiskLook, ...]

    @property
    def refusals(self) -> tuple[Objection, ...]:
        """What speaks against any of them whatever is typed."""
        return tuple(refusal for one in self.each for refusal in one.refusals)

    @property
    def data_words(self) -> tuple[str, ...]:
        """What has to be typed to let the data on them go, each once."""
        words = (word for one in self.each for word in one.data_words)
        return tuple(dict.fromkeys(words))

    @property
    def word_name(self) -> str:
        """What has to be typed to arm them, by its name."""
        names = dict.fromkeys(one.word_name for one in self.each)
        if len(self.each) == 1:
            return next(iter(names))
        return f"{' or '.join(names)} of each disk"

    def words(self, text: str) -> tuple[str, ...]:
        """Read the words that arm them; of several disks with commas or blanks between.

        The word of a disk may have blanks in it; that of one disk is the whole text.
        """
        if len(self.each) == 1:
            return (text.strip(),)
        between = _BETWEEN_WORDS if re.search("[,;]", text) else _BETWEEN
        return tuple(
            dict.fromkeys(part for part in between.split(text.strip()) if part)
        )

    def missing(
        self, guard: Guard, size: int, text: str, overrule: Sequence[str]
    ) -> str:
        """Tell what keeps them from being armed, "" where nothing does.

        Args:
            guard: What the bench allows.
            size: Bytes of each that loads use, 0 for all.
            text: What was typed to arm them.
            overrule: The types of data that were typed.
        """
        words = self.words(text)
        if len(self.each) == 1:
            return self.each[0].missing(guard, size, words[0], overrule)
        for one in self.each:
            word = one.disk.word if one.disk.word in words else ""
            own = [typed for typed in overrule if typed in one.data_words]
            if told := one.missing(guard, size, word, own):
                return f"{one.title}: {told}"
        known = {one.disk.word for one in self.each}
        if other := [word for word in words if word not in known]:
            return f"{other[0]} is none of these disks."
        if strange := [one for one in overrule if one not in self.data_words]:
            return f"There is no {strange[0]} on these disks."
        return ""


def look_at_disks(bench: Bench, paths: Sequence[Path]) -> DiskLooks | None:
    """Look at the disks that loads would run on, off the GUI thread.

    Args:
        bench: The bench; where it has [load], the disks of those hosts count.
        paths: Its targets on this machine, or patterns of them.

    Returns:
        What was found; None where the targets are files.

    Raises:
        BadInput: There is no disk there, or it is named twice.
        BenchError: One cannot be looked at.
    """
    if bench.load is not None:
        return _on_hosts(bench)
    found = find_targets(paths)
    if not is_device(found[0]):
        return None
    return DiskLooks(tuple(DiskLook(path, _look(path)) for path in found))


def read_words(text: str) -> tuple[str, ...]:
    """Read words that were typed with blanks or commas between them."""
    return tuple(dict.fromkeys(part for part in _BETWEEN.split(text) if part))


def read_paths(text: str) -> tuple[Path, ...]:
    """Read targets that were typed with commas between them; "~" is the home folder.

    Raises:
        BadInput: None is typed, or one is in a home folder that nobody has.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise BadInput("the target is missing", way_out="Enter or choose a path.")
    try:
        return tuple(Path(part).expanduser() for part in parts)
    except RuntimeError as error:
        raise BadInput(
            f'"{text.strip()}" is in no home folder that is known',
            way_out="Enter or choose a path.",
        ) from error


def _look(path: Path) -> Findings:
    return inspect(str(path)) if can_ask() else look(LocalHost(), str(path))


def _on_hosts(bench: Bench) -> DiskLooks | None:
    looks = []
    for place in build_places(bench).places:
        if not place.has_disks or place.windows is not None:
            continue
        with contextlib.closing(place.host):
            names = find_there(place.host, place.targets)
            seen = survey(place.host)
            looks += [
                DiskLook(Path(name), look(place.host, name, seen), place.name)
                for name in names
            ]
    return DiskLooks(tuple(looks)) if looks else None
