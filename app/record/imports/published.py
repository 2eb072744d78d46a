"""Figures of published reports, as sessions that stand beside measured ones.

They are facts quoted from print: no samples, no meters, no times. `printed` keeps what
the report calls a row, `step` what the campaigns of Bayscope call it, so that rows of
both are compared.
"""

import csv
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from pathlib import Path

from app.plan.step import Role, Step
from app.plan.verdict import Outcome
from app.plan.writing import step_text
from app.record.store import Basis, Result, SessionInfo, Writer
from app.record.store.model import PUBLISHED
from instruments.files.foreign_text import parsed_toml
from instruments.metric import BY_NAME
from instruments.reading import SECOND

DRIVER = "published"
_AXIS_NS = 1000 * SECOND
"""All of it is said to be at this moment, for no report says when."""


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A line of a table of a report."""

    step: str  # what Bayscope calls it
    printed: str  # what the report calls it
    values: dict[str, float]  # by the names of metrics
    note: str  # what the table says beside it, or what is to be known of it
    role: str = ""  # what it stands for, as in a plan
    options: tuple[tuple[str, str], ...] = ()  # of its load, such as its block size
    # by the names of metrics what stands in print, such as "450/450"
    texts: tuple[tuple[str, str], ...] = ()
    # what other devices drew, such as "server.power_w"
    beside: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class PublishedSetup:
    """One set-up of a report: what becomes one session."""

    report: str  # short name of the report
    device: str
    title: str
    publisher: str
    published: str  # year, or year and month
    configuration: str
    rows: tuple[PublishedRow, ...]
    bench: str = ""  # what it says of the device itself, TOML

    @property
    def source(self) -> str:
        """Where the figures are from, as a reader would quote it."""
        return f"{self.publisher}, {self.title}, {self.published}"


_SAID = ("device", "title", "publisher", "published")


@cache
def published_setups() -> tuple[PublishedSetup, ...]:
    """Read all set-ups of the reports that ship, in their order."""
    folder = files("resources") / "reference"
    text = folder.joinpath("reports.toml").read_text(encoding="utf-8")
    known = parsed_toml(text, "reports.toml")
    reports = {str(one["name"]): one for one in known["report"]}
    benches = {str(one["configuration"]): str(one["bench"]) for one in known["setup"]}
    table = folder.joinpath("measured.csv").read_text(encoding="utf-8").splitlines()
    rows_of: dict[tuple[str, str], list[PublishedRow]] = {}
    for line in csv.DictReader(table):
        values = {k: float(v) for k, v in line.items() if k in BY_NAME and v}
        row = PublishedRow(
            line["step"],
            line["printed"],
            values,
            line["note"],
            line["role"],
            _pairs(line["options"]),
            (*_pairs(line["as_printed"]), *_last_noughts(line, values)),
            tuple((name, float(v)) for name, v in _pairs(line["beside"])),
        )
        rows_of.setdefault((line["report"], line["configuration"]), []).append(row)
    return tuple(
        PublishedSetup(
            report=name,
            configuration=configuration,
            rows=tuple(rows),
            bench=benches.get(configuration, ""),
            **{key: str(reports[name][key]) for key in _SAID},
        )
        for (name, configuration), rows in rows_of.items()
    )


def _last_noughts(
    line: Mapping[str, str], values: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Find what is printed with a nought behind the point that a number would lose."""
    for name in values:
        if "." in line[name] and line[name].endswith("0"):
            yield name, line[name]


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    parts = (part.partition("=") for part in text.split(";") if part)
    return tuple((name, value) for name, _, value in parts)


def write_published(path: Path, setup: PublishedSetup, version: str) -> None:
    """Write one set-up as a session without samples.

    Args:
        path: The file, which is made.
        setup: The set-up.
        version: The version of Bayscope that writes it.

    Raises:
        BadInput: The file cannot be made.
        StoreError: The disk is full.
    """
    mark = hashlib.sha256(f"{setup}".encode()).hexdigest()[:16]
    year, _, month = setup.published.partition("-")
    day = datetime(int(year), int(month or 1), 1, tzinfo=UTC)
    info = SessionInfo(
        name=setup.configuration,
        campaign="",
        bench=setup.bench,
        operator=setup.publisher,
        app_version=version,
        simulated=False,
        dut=setup.device,
        boot_id=f"{PUBLISHED}{mark}",
        monotonic_ns=_AXIS_NS,
        realtime_ns=round(day.timestamp()) * SECOND,
        note=f"{setup.title}, {setup.published}",
    )
    writer = Writer.create(path, info)
    try:
        for position, row in enumerate(setup.rows, 1):
            _write_row(writer, position, row, setup)
        writer.set_session(ended_ns=_AXIS_NS)
    finally:
        writer.finish()


def _write_row(
    writer: Writer, position: int, row: PublishedRow, setup: PublishedSetup
) -> None:
    step = Step(
        label=row.step,
        engine=DRIVER,
        runtime_s=0.0,
        role=Role(row.role) if row.role else None,
        options=dict(row.options),
    )
    number = writer.add_step(position, row.step, DRIVER, step_text(step))
    writer.update_step(number, outcome=Outcome.DONE, reason=row.note)
    origin, texts = f'printed as "{row.printed}" in {setup.source}', dict(row.texts)
    values = {**row.values, **dict(row.beside)}
    for name in {**values, **texts}:
        found = Result(
            name,
            values.get(name),
            BY_NAME[name.rpartition(".")[2]].unit,
            *(_AXIS_NS, _AXIS_NS),
            origin=origin,
            basis=Basis.PRINTED if name in texts else Basis.USUAL,
            note=texts.get(name, ""),
        )
        writer.result(number, found)
