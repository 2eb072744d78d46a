"""What was tested and with what: the sections of the device and of the set-up."""

import posixpath
from collections.abc import Iterator

from app.record.store import Session, SourceRow
from app.report.efficiency import economics_of
from app.report.pages.content import Block, Facts, Figures, Picture
from app.report.pages.template import Template
from app.report.table import Column, Table
from instruments.files.foreign_text import stored_table
from instruments.sizes import describe_size

_LOAD_HOST = "load host"
"""What the computer is called that recorded a session, if no host of the bench."""

_PICTURES = ("image/png", "image/jpeg")

_UNITS = {"_tb": "TB", "_w": "W", "_voltage": "V"}
"""Units of facts of a bench, by how their keys end."""

_SOURCES = (
    Column("Source", "step"),
    Column("Kind", "kind"),
    Column("Instrument", "device"),
    Column("Serial number", "serial"),
    Column("Firmware", "firmware"),
    Column("Measures", "measures"),
)


def device_blocks(session: Session | None, template: Template) -> Iterator[Block]:
    """Yield what is known of the device under test, what was found before the bench's.

    A fact that was found on the device goes before what its bench file says of it.
    """
    if session is None:
        return
    rows = [("Device under test", session.info.dut)]
    rows += [fact_of(f.key, f.value) for f in session.inventory() if f.kind != "host"]
    known = {key.lower() for key, _ in rows}
    currency = economics_of(session).currency
    for key, value in stored_table(session.info.bench, "dut").items():
        words = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        name, shown = fact_of(key, f"{words} {currency}" if key == "price" else words)
        if name.lower() not in known and key != "name":
            rows.append((name, shown))
    yield Facts(tuple((k, _answer(value, template)) for k, value in rows if value))


def _answer(value: str, template: Template) -> str:
    """Say what is a word of ours; what others call anything stays."""
    return template.say(value) if value in ("yes", "no", "simulated") else value


def fact_of(key: str, value: str) -> tuple[str, str]:
    """Write a fact of an inventory or a bench for people."""
    name = key.removesuffix("_bytes")
    if name != key and value.isdigit():
        value = describe_size(int(value))
    for end, unit in _UNITS.items():
        if name.endswith(end):
            name, value = name.removesuffix(f"_{unit.lower()}"), f"{value} {unit}"
    return name[:1].upper() + name[1:].replace("_", " "), value


def setup_blocks(session: Session | None, template: Template) -> Iterator[Block]:
    """Yield the instruments, the computers and the pictures of a set-up."""
    if session is None:
        return
    cells = tuple(_source_cells(source) for source in session.sources())
    if cells:
        yield Figures("Instruments and sources", Table(_SOURCES, cells))
    hosts: dict[str, list[tuple[str, str]]] = {}
    for fact in session.inventory():
        if fact.kind == "host":
            hosts.setdefault(fact.name, []).append(fact_of(fact.key, fact.value))
    for name, facts in hosts.items():
        own = template.say(name) if name == _LOAD_HOST else name
        yield Facts((("Computer", own), *facts))
    for kept in session.artefacts():
        if kept.name.startswith("pictures/") and kept.media_type in _PICTURES:
            title = posixpath.basename(kept.name)
            content = session.artefact(kept.name, kept.step_id)
            yield Picture(title, kept.media_type, content)


def _source_cells(source: SourceRow) -> tuple[str, ...]:
    model = " ".join(filter(None, (source.maker, source.model)))
    return (
        source.name,
        source.section,
        model or source.driver + " (simulated)" * source.simulated,
        source.serial,
        source.firmware,
        source.measures,
    )
