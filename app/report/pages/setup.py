"""What was tested and with what: the sections of the device and of the set-up."""

import posixpath
from collections.abc import Iterator

from app.record.store import Session, SourceRow
from app.report.efficiency import economics_of
from app.report.pages.content import Block, Facts, Figures, Picture
from app.report.pages.template import Template
from app.report.table import Column, Label, Table
from instruments.files.foreign_text import stored_table
from instruments.sizes import describe_size

_LOAD_HOST = "load host"
"""What the computer is called that recorded a session, if no host of the bench."""

_RECORDED = "wav"
_SOUNDS = (_RECORDED, "microphone")
"""Drivers that say in words of ours what they play, and how they are calibrated."""

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
    rows += [
        _said_fact(fact.key, fact.value, template)
        for fact in session.inventory()
        if fact.kind != "host"
    ]
    known = {key.lower() for key, _ in rows}
    currency = economics_of(session).currency
    for key, value in stored_table(session.info.bench, "dut").items():
        words = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        name, shown = _said_fact(key, words, template)
        if key == "price":
            shown = f"{template.say(shown)} {currency}"
        if name.lower() not in known and key != "name":
            rows.append((name, shown))
    yield Facts(tuple((key, value) for key, value in rows if value))


def _said_fact(key: str, value: str, template: Template) -> tuple[str, str]:
    """Say a fact, see `fact_of`: numbers with units, and what is a word of ours.

    What others call anything stays.
    """
    name, shown = fact_of(key, value)
    is_ours = shown != value or value in ("yes", "no", "simulated")
    return name, template.say(shown) if is_ours else shown


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
            said = _said_fact(fact.key, fact.value, template)
            hosts.setdefault(fact.name, []).append(said)
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
    shown = model or source.driver + " (simulated)" * source.simulated
    calibration = source.driver in _SOUNDS
    return (
        source.name,
        source.section,
        Label(shown) if source.driver == _RECORDED else shown,
        source.serial,
        Label(source.firmware) if calibration else source.firmware,
        source.measures,
    )
