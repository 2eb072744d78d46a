"""All disks that a run overwrites: what was found, and what is still to be typed."""

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.bench.guard import Guard
from app.bench.load_places import build_places
from app.bench.model import Bench
from instruments.errors import BadInput
from instruments.files.foreign_text import home_path
from instruments.sizes import describe_size
from instruments.tools.hosts import LocalHost
from workloads.guard.arming import arm
from workloads.guard.device import is_device
from workloads.guard.disk import Disk, Findings
from workloads.guard.helper_client import can_ask, inspect
from workloads.guard.look import look
from workloads.guard.objections import Objection, objections
from workloads.guard.survey import survey
from workloads.hosts.target_names import find_there
from workloads.target.targets import find_targets

_NAMELESS = "name and exact size"
"""What arms a disk without serial number and WWN."""


_IN_USE = ("open", "busy")
"""Rules that speak against a disk only for as long as another program has it."""


@dataclass(frozen=True, slots=True)
class DiskLook:
    """A disk as it is found when a run is asked for.

    Attributes:
        path: How the bench names it.
        found: What was found there.
        host: The load host that it is a disk of, "" for this machine.
    """

    path: Path
    found: Findings
    host: str = ""

    @property
    def disk(self) -> Disk:
        """The disk."""
        return self.found.disk

    @property
    def freed(self) -> "DiskLook":
        """The same disk for a run that waits: who uses it now does not count yet.

        The guard looks again when the turn of that run comes.
        """
        return replace(self, found=replace(self.found, writers=(), busy=""))

    @property
    def title(self) -> str:
        """Name it among others."""
        return f"{self.disk.name} on {self.host}" if self.host else self.disk.name

    @property
    def refusals(self) -> tuple[Objection, ...]:
        """What speaks against it whatever is typed."""
        return tuple(
            objection for objection in objections(self.found) if not objection.word
        )

    @property
    def data(self) -> tuple[Objection, ...]:
        """The data on it, which goes where it is named."""
        return tuple(
            objection for objection in objections(self.found) if objection.word
        )

    @property
    def data_words(self) -> tuple[str, ...]:
        """What has to be typed to let that data go, each once."""
        return tuple(dict.fromkeys(one.word for one in self.data))

    @property
    def word_name(self) -> str:
        """What has to be typed to arm it, by its name."""
        own = self.disk.identity
        names = {own.wwn: "WWN", own.serial: "serial number"}
        return names.get(self.disk.word, _NAMELESS)

    @property
    def word_told(self) -> str:
        """The same, with the word itself where it is printed nowhere."""
        is_nameless = self.word_name == _NAMELESS
        return f"{_NAMELESS}, {self.disk.word}," if is_nameless else self.word_name

    def size_text(self, size: int) -> str:
        """Write how much of it the loads use."""
        whole = disk_size_text(self.disk.identity.size)
        if size in (0, self.disk.identity.size):
            return f"all of it, {whole}"
        return f"the first {describe_size(size)} of {whole}"

    def missing(
        self, guard: Guard, size: int, word: str, overrule: Sequence[str]
    ) -> str:
        """Tell what keeps it from being armed, "" where nothing does.

        The guard itself has the last word, here and again when the run begins.

        Args:
            guard: What the bench allows.
            size: Bytes from its start that loads use, 0 for all.
            word: What was typed to arm it.
            overrule: The types of data that were typed.
        """
        return next(self._missing(guard, size, word, overrule), "")

    def _missing(
        self, guard: Guard, size: int, word: str, overrule: Sequence[str]
    ) -> Iterator[str]:
        if self.refusals:
            lasting = [one for one in self.refusals if one.rule not in _IN_USE]
            yield _never(lasting) if lasting else _BUSY
        if not is_allowed(self.disk, guard):
            yield "The bench does not let this disk be overwritten."
        if size > self.disk.identity.size:
            yield f"The disk has only {disk_size_text(self.disk.identity.size)}."
        if not word:
            yield f"Type the {self.word_told} of the disk."
        if word != self.disk.word:
            yield f"That is not the {self.word_told} of the disk."
        if left := _without(self.data_words, overrule):
            yield f"Type what data may be overwritten: {' '.join(left)}."
        if other := _without(overrule, self.data_words):
            yield f"There is no {other[0]} on the disk."
        try:
            arm(str(self.path), self.found, word, overrule)
        except BadInput as error:
            yield str(error)


def _without(words: Sequence[str], expected: Sequence[str]) -> list[str]:
    return [word for word in words if word not in expected]


_BUSY = (
    "This disk is in use, by a run or another program: it is armed once it is free. "
    "Check again then, choose another target, or let the run wait for its turn or a "
    "time."
)


def _never(refusals: Sequence[Objection]) -> str:
    """Say why a disk is not overwritten whatever is typed."""
    why = "; ".join(one.sentence for one in refusals)
    return f"This disk must not be overwritten: {why}. Choose another target."


def is_allowed(disk: Disk, guard: Guard) -> bool:
    """Tell whether a bench lets a disk be overwritten, as its guard does."""
    return not guard.allow or bool(disk.allowed_as & set(guard.allow))


def disk_size_text(size: int) -> str:
    """Write the size of a disk as makers print it, in powers of 1000."""
    for power, unit in ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if size >= power:
            value = size / power
            return f"{value:.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
    return f"{size} B"


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
    def freed(self) -> "DiskLooks":
        """The same disks for a run that waits; see `DiskLook`."""
        return DiskLooks(tuple(one.freed for one in self.each))

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
            if missing := one.missing(guard, size, word, own):
                return f"{one.title}: {missing}"
        if other := _without(words, [one.disk.word for one in self.each]):
            return f"{other[0]} is not one of these disks."
        if other := _without(overrule, self.data_words):
            return f"There is no {other[0]} on these disks."
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
    return tuple(map(home_path, parts))


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
