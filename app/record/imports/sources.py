"""Which source each file is of: one for each program or meter that ran by itself."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.record.imports.found import FoundTrace
from app.record.imports.placing import Placed
from instruments.reading import Channel, Identity

DRIVER = "imported"


@dataclass(frozen=True, slots=True)
class ImportedSource:
    """A source of an imported session, with the files that tell of it.

    Attributes:
        name: Its name, such as "fio" or "mains-2".
        parts: The files in the order of time.
    """

    name: str
    parts: tuple[Placed, ...]

    @property
    def section(self) -> str:
        """What it is: load or power."""
        return self.parts[0].found.section

    @property
    def spread_ns(self) -> int:
        """How far its times may be off."""
        return max(part.spread_ns for part in self.parts)

    @property
    def method(self) -> str:
        """How its files were placed."""
        return "; ".join(f"{_names(p)}: {p.method}" for p in self.parts)

    def identity(self) -> Identity:
        """Tell who measured, as far as the files say."""
        runs = [part.found for part in self.parts if part.found.steps]
        first = (*runs, self.parts[0].found)[0]
        return Identity(
            maker=first.maker,
            model=first.model,
            serial=first.serial,
            firmware=first.version,
            address=f"imported from {', '.join(_names(p) for p in self.parts)}",
        )

    def channels(self, trace: FoundTrace) -> tuple[Channel, ...]:
        """Make the channels of a trace."""
        return tuple(
            Channel(
                self.name,
                quantity,
                unit,
                location,
                period_ns=trace.period_ns,
                window_ns=trace.window_ns,
            )
            for quantity, unit, location in trace.quantities
        )


def _names(part: Placed) -> str:
    names = [path.name for path in part.found.paths]
    return ", ".join(names) if len(names) <= 3 else f"{names[0]} .. {names[-1]}"


def sources_of(placed: Sequence[Placed]) -> list[ImportedSource]:
    """Give every file a source; what ran at the same time are different ones.

    Logs of fio are of the source of their run, which is always at the same time.
    """
    kept: dict[str, list[list[Placed]]] = {}
    for one in sorted(placed, key=lambda p: (p.found.kind == "fio log", p.extent)):
        own = kept.setdefault(one.found.engine, [])
        place = next((group for group in own if _fits(group, one)), None)
        if place is None:
            own.append([one])
        else:
            place.append(one)
    return [
        ImportedSource(
            engine if not number else f"{engine}-{number + 1}",
            tuple(sorted(group, key=lambda p: p.extent)),
        )
        for engine, groups in kept.items()
        for number, group in enumerate(groups)
    ]


def _fits(group: Sequence[Placed], one: Placed) -> bool:
    """Whether a file can be of the same source as others."""
    if one.found.run_path is not None:
        return any(p.found.path == one.found.run_path for p in group)
    if one.found.serial and any(
        p.found.serial not in ("", one.found.serial) for p in group
    ):
        return False
    known = {q for p in group for t in p.found.traces for q in t.quantities}
    return not any(
        _overlap(one, other) and _collide(one, other, known) for other in group
    )


def _overlap(one: Placed, other: Placed) -> bool:
    (a, b), (c, d) = one.extent, other.extent
    return a < d and c < b


def _collide(one: Placed, other: Placed, known: set[tuple[str, str, str]]) -> bool:
    """Whether two files at the same time cannot be of one source."""
    if one.found.steps and other.found.steps:
        return True
    own = {q for trace in one.found.traces for q in trace.quantities}
    return one.found.section == "power" or bool(own & known)
