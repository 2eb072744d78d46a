"""What a session says of its set-up, as facts to put beside those of others."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from app.record.store import Session, SourceRow
from instruments.files.foreign_text import stored_toml
from instruments.reading import SECOND

Facts = Mapping[str, str]
"""What is so, by what it is of, such as "Meter mains: serial"."""

_OF_LOADS = ("load", "")
"""Sections of what a load says, or its disk: which there are follows from the way it is
driven, which bench and steps say."""

_LEFT_OUT = ("python", "memory_bytes")


def facts_of(session: Session) -> dict[str, str]:
    """Collect device, bench, meters, campaign, options, versions and settings."""
    info = session.info
    started = datetime.fromtimestamp(info.realtime_ns / SECOND, UTC).astimezone()
    facts = {
        "Device under test": info.dut,
        "Campaign": info.name,
        "Started": f"{started:%Y-%m-%d %H:%M:%S}",
        "Operator": info.operator,
        "Simulated": "yes" if info.simulated else "no",
        "Bayscope": info.app_version,
    }
    for source in session.sources():
        facts |= _of_source(source)
    for row in session.inventory():
        if row.key not in _LEFT_OUT:
            facts[f"{row.kind.capitalize()} {row.name}: {row.key}".strip()] = row.value
    facts |= {f"Bench: {k}": v for k, v in _flat(stored_toml(info.bench))}
    for step in session.steps():
        if not step.attempt:
            plan = _flat(stored_toml(step.plan))
            facts |= {f"Step {step.label}: {key}": value for key, value in plan}
    return {key: value for key, value in facts.items() if value}


def _of_source(source: SourceRow) -> dict[str, str]:
    facts = {
        "model": f"{source.maker} {source.model}".strip(),
        "serial": source.serial,
        "firmware": source.firmware,
    }
    if source.section not in _OF_LOADS:
        facts |= {"driver": source.driver, "measures": source.measures}
    kind = source.section.capitalize()
    return {f"{kind} {source.name}: {key}": value for key, value in facts.items()}


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
    """Get the facts that are not the same everywhere, "-" where one is not said."""
    names = dict.fromkeys(name for one in facts for name in one)
    rows = [(name, tuple(one.get(name, "-") for one in facts)) for name in names]
    return [(name, values) for name, values in rows if len(set(values)) > 1]
