"""A disk as a person sees it before it is armed, and what is still to be typed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.bench.guard import Guard
from instruments.errors import BadInput
from instruments.sizes import describe_size
from workloads.guard.arming import arm
from workloads.guard.disk import Disk, Findings
from workloads.guard.objections import Objection, objections

_NAMELESS = "name and exact size"
"""What arms a disk without serial number and WWN."""


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
        """Write how much of it the loads use.

        Args:
            size: Bytes from its start, 0 for all.
        """
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
            yield "This disk must not be overwritten: choose another target."
        if not is_allowed(self.disk, guard):
            yield "The bench does not let this disk be overwritten."
        if size > self.disk.identity.size:
            yield f"The disk has only {disk_size_text(self.disk.identity.size)}."
        if not word:
            yield f"Type the {self.word_told} of the disk."
        if word != self.disk.word:
            yield f"That is not the {self.word_told} of the disk."
        if left := [
            data_word for data_word in self.data_words if data_word not in overrule
        ]:
            yield f"Type what data may be overwritten: {' '.join(left)}."
        if other := [one for one in overrule if one not in self.data_words]:
            yield f"There is no {other[0]} on the disk."
        try:
            arm(str(self.path), self.found, word, overrule)
        except BadInput as error:
            yield str(error)


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
