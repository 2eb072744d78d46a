"""Rows of a session with what they are by: workload, configuration, swept options."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.plan.campaign import stored_campaign
from app.record.store import Basis, Session, StepRow
from app.report.efficiency import economics_of, terms_of
from app.report.numbers import decimals_of
from app.report.provenance import published_of
from app.report.table import Row
from instruments.files.foreign_text import stored_toml

_SAME = {
    "block_size": ("bs", "blocksize", "xfersize", "r"),
    "read_share": ("rwmixread", "rdpct"),
    "object_size": ("obj.size",),
    "jobs": ("numjobs", "threads", "t", "concurrent"),
}
"""What engines spell differently."""

_PLAIN = re.compile(r"\d+(?:\.\d+)?")
"""A number that is printed as one is written."""

CAPACITIES = ("capacity_tb", "net_capacity_tb", "usable_capacity_tb")
"""What the bench says of a device that forms may name like a result."""


@dataclass(frozen=True, slots=True)
class Record:
    """A row of a report.

    Attributes:
        row: Its values by the names of results.
        facts: What it is by, see `FormTable`.
        options: Of its engine.
        counts: By the name of a result, samples that are values and expected ones.
        over_range: Results for which a meter was over range: they are more.
        terms: By the name of a result what it is at, such as tariff and PUE.
        held: By the name of a result that is quoted from print, its digits behind the
            point there.
    """

    row: Row
    facts: Mapping[str, str]
    options: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    over_range: frozenset[str] = frozenset()
    terms: Mapping[str, str] = field(default_factory=dict)
    held: Mapping[str, int] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Its row in the session."""
        return str(self.row["step"])


def records_of(session: Session, rows: Sequence[Row]) -> list[Record]:
    """Get the rows of a session's report as records.

    Args:
        session: The session.
        rows: Of `report_rows`.
    """
    steps = {step.label: step for step in session.steps()}
    stored = _Stored.of(session, steps.values())
    campaign = stored_campaign(session.info.campaign)
    configured = campaign.configured if campaign is not None else {}
    name = session.info.name
    is_published = bool(published_of(session))
    # A report of others has several devices, which its set-ups are called by.
    common = {"system": name if is_published else session.info.dut or name}
    if is_published:
        common["configuration"] = name
    economics = economics_of(session)
    terms = terms_of(rows, economics)
    capacity = {one: getattr(economics, one) for one in CAPACITIES}
    records = []
    for row in rows:
        label = str(row["step"])
        planned = steps.get(label)
        options = _options(planned.engine, planned.plan) if planned else {}
        facts = {**_common_names(options), **options, **common}
        facts |= {"step": label, "workload": label}
        facts["engine"] = "" if is_published else str(row.get("engine") or "")
        if planned is not None and planned.series in configured:
            configuration, workload = configured[planned.series]
            facts |= configuration.values
            facts["configuration"] = configuration.name
            facts["workload"] = f"{workload}{label.removeprefix(planned.series)}"
        records.append(
            Record(
                {**capacity, **row, **stored.printed.get(label, {})},
                facts,
                options,
                stored.counts.get(label, {}),
                frozenset(stored.over.get(label, ())),
                terms,
                stored.held.get(label, {}),
            )
        )
    return records


@dataclass(frozen=True, slots=True)
class _Stored:
    """What results say beside their values, by the label of the row.

    Attributes:
        counts: Samples that are values, and expected ones, by the name of the result.
        over: Results for which a meter was over range.
        printed: What a report of others prints that is no number, by the name of the
            result.
        held: Digits behind the point of the numbers that it prints.
    """

    counts: dict[str, dict[str, tuple[int, int]]] = field(default_factory=dict)
    over: dict[str, set[str]] = field(default_factory=dict)
    printed: dict[str, dict[str, str]] = field(default_factory=dict)
    held: dict[str, dict[str, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, session: Session, steps: Iterable[StepRow]) -> "_Stored":
        labels = {step.id: step.label for step in steps}
        stored = cls()
        for result in session.results():
            label, name = labels[result.step_id], result.name
            if result.n_expected:
                counts = result.n_valid or 0, result.n_expected
                stored.counts.setdefault(label, {})[name] = counts
            text = result.note if result.basis == Basis.PRINTED else ""
            if text and not _PLAIN.fullmatch(text):
                stored.printed.setdefault(label, {})[name] = text
            elif session.info.is_published and result.value is not None:
                _, _, behind = text.partition(".")
                places = len(behind) if text else decimals_of(result.value)
                stored.held.setdefault(label, {})[name] = places
            if result.over_range_s > 0 and result.value is not None:
                stored.over.setdefault(label, set()).add(name)
        return stored


def _common_names(options: Mapping[str, str]) -> dict[str, str]:
    """Get the options that engines spell differently by one name each."""
    return {
        fact: next(options[one] for one in spellings if one in options)
        for fact, spellings in _SAME.items()
        if not options.keys().isdisjoint(spellings)
    }


def _options(engine: str, plan: str) -> dict[str, str]:
    table = stored_toml(plan).get(engine or "fio")
    own = table if isinstance(table, Mapping) else {}
    return {str(key): str(value) for key, value in own.items()}
