"""Rows of a session with what they are by: workload, configuration, swept options."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.plan.campaign import stored_campaign
from app.record.store import Basis, Session
from app.report.efficiency import economics_of
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
    """

    row: Row
    facts: Mapping[str, str]
    options: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    over_range: frozenset[str] = frozenset()

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
    labels = {step.id: step.label for step in steps.values()}
    counts: dict[str, dict[str, tuple[int, int]]] = {}
    over: dict[str, set[str]] = {}
    printed: dict[str, dict[str, str]] = {}
    for result in session.results():
        label = labels[result.step_id]
        if result.n_expected:
            counts.setdefault(label, {})[result.name] = (
                result.n_valid or 0,
                result.n_expected,
            )
        if result.basis == Basis.PRINTED:
            printed.setdefault(label, {})[result.name] = result.note
        if result.over_range_s > 0 and result.value is not None:
            over.setdefault(label, set()).add(result.name)
    campaign = stored_campaign(session.info.campaign)
    configured = campaign.configured if campaign is not None else {}
    name = session.info.name
    # A report of others has several devices, which its set-ups are called by.
    system = name if published_of(session) else session.info.dut or name
    economics = economics_of(session)
    capacity = {one: getattr(economics, one) for one in CAPACITIES}
    records = []
    for row in rows:
        label = str(row["step"])
        planned = steps.get(label)
        options = _options(planned.engine, planned.plan) if planned else {}
        facts = {**options, "system": system, "step": label, "workload": label}
        facts |= {"engine": str(row.get("engine") or "")}
        if published_of(session):
            facts["configuration"] = name
        for fact, spellings in _SAME.items():
            value = next((options[one] for one in spellings if one in options), None)
            if value is not None:
                facts.setdefault(fact, value)
        if planned is not None and planned.series in configured:
            configuration, own = configured[planned.series]
            facts |= configuration.values
            facts["configuration"] = configuration.name
            facts["workload"] = f"{own}{label.removeprefix(planned.series)}"
        records.append(
            Record(
                {**capacity, **row, **printed.get(label, {})},
                facts,
                options,
                counts.get(label, {}),
                frozenset(over.get(label, ())),
            )
        )
    return records


def _options(engine: str, plan: str) -> dict[str, str]:
    table = stored_toml(plan).get(engine or "fio")
    own = table if isinstance(table, Mapping) else {}
    return {str(key): str(value) for key, value in own.items()}
