"""What sessions say of their set-ups, and in what they differ."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from app.bench.file import SECTIONS, SWITCH
from app.record.store import InventoryRow, Session, SourceRow, StepRow
from instruments.base import DUT
from instruments.files.foreign_text import stored_toml
from instruments.reading import SECOND
from instruments.sizes import listed

_OF_LOADS = ("load", "")
"""Sections of what a load says, or its disk: which there are follows from the way it is
driven, which bench and steps say."""

_MOST = 4
"""So many steps of a set-up are named that others lack."""

LACKING = "Steps that others lack"
"""What the line of steps is called that not all have."""

_LEFT_OUT = ("python", "memory_bytes")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a set-up that has a name of somebody's choice, such as a meter.

    Attributes:
        kind: What it is, such as "power".
        name: What it is called.
        measures: What it measures; "" where that is not said.
        facts: What is so, by what stands before its name and behind it.
    """

    kind: str
    name: str
    measures: str = ""
    facts: dict[tuple[str, str], str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a session says of its set-up.

    Attributes:
        whole: What is so, by what it is of, such as "Campaign".
        parts: Its parts, in their order.
        steps: What its plan says of each step, by the label, in their order.
    """

    whole: Mapping[str, str] = field(default_factory=dict)
    parts: Sequence[Part] = ()
    steps: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def facts_of(session: Session) -> Facts:
    """Collect device, bench, meters, campaign, options, versions and settings."""
    info = session.info
    started = datetime.fromtimestamp(info.realtime_ns / SECOND, UTC).astimezone()
    whole = {
        "Device under test": info.dut,
        "Campaign": info.name,
        "Started": f"{started:%Y-%m-%d %H:%M:%S}",
        "Operator": info.operator,
        "Simulated": "yes" if info.simulated else "no",
        "Bayscope": info.app_version,
    }
    parts: dict[tuple[str, str], Part] = {}
    for source in session.sources():
        if source.section in _OF_LOADS:
            own = _told_by(source)
            whole |= {f"Load {source.name}: {key}": own[key] for key in own}
        else:
            parts[source.section, source.name] = _source_part(source)
    for row in session.inventory():
        _add_found(parts, row)
    for key, value in stored_toml(info.bench).items():
        if isinstance(value, list) and all(isinstance(one, Mapping) for one in value):
            _add_tables(parts, key, value)
        else:
            whole |= {f"Bench: {name}": said for name, said in _flat(value, key)}
    said = {key: value for key, value in whole.items() if value}
    return Facts(said, tuple(parts.values()), _planned(session.steps()))


def _add_found(parts: dict[tuple[str, str], Part], row: InventoryRow) -> None:
    """Add what was found out of a host or a device."""
    if row.key not in _LEFT_OUT:
        kind = row.kind.capitalize()
        part = parts.setdefault((kind, row.name), Part(kind, row.name))
        part.facts[kind, f": {row.key}"] = row.value


def _planned(steps: Sequence[StepRow]) -> dict[str, dict[str, str]]:
    """Get what was planned of each row that was not planned again, by its label."""
    return {
        step.label: {
            key: value for key, value in _flat(stored_toml(step.plan)) if value
        }
        for step in steps
        if not step.attempt
    }


def _told_by(source: SourceRow) -> dict[str, str]:
    return {
        "model": f"{source.maker} {source.model}".strip(),
        "serial": source.serial,
        "firmware": source.firmware,
    }


def _source_part(source: SourceRow) -> Part:
    told = {**_told_by(source), "driver": source.driver, "measures": source.measures}
    head = source.section.capitalize()
    facts = {(head, f": {key}"): value for key, value in told.items()}
    return Part(source.section, source.name, source.measures, facts)


def _add_tables(
    parts: dict[tuple[str, str], Part], key: str, tables: Sequence[Mapping[str, object]]
) -> None:
    """Add what a bench says of a source to its part, or of anything else a part."""
    is_source = key in SECTIONS
    for number, table in enumerate(tables, 1):
        kind = key if is_source else f"Bench: {key}"
        default = key if number == 1 else f"{key}{number}"
        has_name = is_source or key == SWITCH
        name = str(table.get("name", default if has_name else number))
        measures = str(table.get("measures", DUT if is_source else ""))
        part = parts.setdefault((kind, name), Part(kind, name, measures))
        facts = _flat({k: v for k, v in table.items() if k != "name"})
        part.facts.update({(f"Bench: {key}", f".{own}"): said for own, said in facts})


def _flat(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield what a table says by the names of its keys, with points between them."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _flat(one, f"{name}.{key}" if name else str(key))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        if any(isinstance(one, Mapping) for one in value):
            for number, one in enumerate(value, 1):
                own = one.get("name") if isinstance(one, Mapping) else None
                yield from _flat(one, f"{name} {own or number}")
        else:
            yield name, ", ".join(map(str, value))
    else:
        yield name, str(value)


def differing(facts: Sequence[Facts]) -> list[tuple[str, tuple[str, ...]]]:
    """Get the facts that are not the same everywhere, "-" where one is not said.

    Parts are put beside each other by their names, else by their places, as feeds are
    added up whatever they are called; of those that are called otherwise the names
    differ. Steps that not all have are one line, with none of their facts.
    """
    rows = [
        row for part in matched([one.parts for one in facts]) for row in _rows(part)
    ]
    names = dict.fromkeys(name for one in facts for name in one.whole)
    rows += [(name, tuple(one.whole.get(name, "-") for one in facts)) for name in names]
    rows += _of_steps([one.steps for one in facts])
    return [(name, values) for name, values in rows if len(set(values)) > 1]


def _of_steps(
    setups: Sequence[Mapping[str, Mapping[str, str]]],
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the facts of the steps that all have, and who has which others."""
    shared = [label for label in setups[0] if all(label in one for one in setups)]
    for label in shared:
        for key in dict.fromkeys(key for one in setups for key in one[label]):
            values = tuple(one[label].get(key, "-") for one in setups)
            yield f"Step {label}: {key}", values
    others = ([label for label in one if label not in shared] for one in setups)
    yield LACKING, tuple(listed(labels, _MOST) if labels else "-" for labels in others)


Beside = list[Part | None]
"""The same part of each set-up; None where one has none."""


def _rows(beside: Beside) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the facts of a part; it is called as in the first set-up that has it."""
    known = [part for part in beside if part is not None]
    first = known[0]
    head = next(iter(first.facts), ("", ""))[0]
    yield (
        f"{head} {first.name}: name",
        tuple(part.name if part is not None else "-" for part in beside),
    )
    for key in dict.fromkeys(key for part in known for key in part.facts):
        before, behind = key
        values = (part.facts.get(key) if part is not None else "" for part in beside)
        yield (
            f"{before} {first.name}{behind}",
            tuple(value or "-" for value in values),
        )


def matched(setups: Sequence[Sequence[Part]]) -> list[Beside]:
    """Put the parts of set-ups beside each other, those of a kind alone.

    Those of one name are the same; of others those that measure the same, in their
    order; then whatever is left of a kind, in its order.
    """
    found: list[Beside] = []
    for place, parts in enumerate(setups):
        left = list(parts)
        for alike in _ALIKE:
            left = [part for part in left if not _put(part, place, found, alike)]
        found += [
            [part if n == place else None for n in range(len(setups))] for part in left
        ]
    return found


def _put(
    part: Part,
    place: int,
    found: Sequence[Beside],
    alike: Callable[[Part, Part], bool],
) -> bool:
    """Put a part beside the first one that it is like; tell whether there is one."""
    for beside in found:
        known = (one for one in beside if one is not None)
        if beside[place] is None and any(
            one.kind == part.kind and alike(one, part) for one in known
        ):
            beside[place] = part
            return True
    return False


_ALIKE: Sequence[Callable[[Part, Part], bool]] = (
    lambda one, other: one.name == other.name,
    lambda one, other: one.measures == other.measures,
    lambda *_: True,
)
"""What makes one part of a set-up stand beside one of another, best first."""
