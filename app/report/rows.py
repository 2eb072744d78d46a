"""The rows of a report: those of report_table with what is computed from them."""

from collections.abc import Mapping, Sequence

from app.analysis.derived import FACTS, WHOLE, derived_of, thin_of
from app.analysis.tail import KEY as THIN
from app.analysis.tail import thin_percentiles
from app.plan.step import Role
from app.record.store import Result, Session
from app.report.efficiency import economics_of, idle_row
from app.report.expanded import KEY, expanded, rest_of
from app.report.table import number_of
from instruments.base import DUT
from instruments.files.foreign_text import stored_toml
from instruments.metric import BY_NAME
from instruments.noise.background import without_background

DEVICE_RESULTS = ("power_w", "power_peak_w", "lambda", "energy_wh")
"""Results of a device beside the one under test."""

_BESIDE = ("buffered", "duration_s")
"""Results in report_table that are not metrics."""

_P = "power_w"
SUMMED = (_P, "energy_wh")

PARTIAL = 0.95
"""A value of fewer valid samples than this share of the expected is marked."""

Row = dict[str, object]


def report_rows(
    session: Session, other: Mapping[int, Sequence[Result]] | None = None
) -> list[Row]:
    """Get the rows of report_table, with further results where there are any.

    Added are further results of an engine by their names, such as
    "fsync_s"; the power's limit of error, noise without the background, the results of
    other devices by names such as "server.power_w", and sums such as
    "whole bench.power_w" where all parts are known; what follows from these, such as
    "iops_per_w", named in "thin" where one of these is, and under "facts" what of the
    bench is in it; and expanded
    uncertainties under "uncertainty"; percentiles of few I/Os under "thin_percentiles".

    Args:
        session: The session.
        other: Results that stand in place of the stored ones of some steps, by the
            number of the step.
    """
    other = other or {}
    rows = [dict(row) for row in session.report_table()]
    labels = {step.id: step.label for step in session.steps()}
    results = _results(session, labels, other)
    values = {
        label: {result.name: result.value for result in of_row}
        for label, of_row in results.items()
    }
    for step_id in other:
        _replace(rows, labels[step_id], values[labels[step_id]])
    beside = devices(session)
    background = background_step(session)
    _put_roles(rows, _roles(session), background)
    # Only now: which row is the idle one follows from the roles of all rows.
    idle = idle_row(rows)
    facts = economics_of(session).facts(number_of(idle, "power_w"))
    facts |= rest_of(results.get(str(idle.get("step")), []))
    thin = {
        label: {one.name for one in of_row if is_thin(one)}
        for label, of_row in results.items()
    }
    is_rest_thin = "power_w" in thin.get(str(idle.get("step")), ())
    quiet = values.get(background, {}) if background else {}
    for row in rows:
        label = str(row["step"])
        own = values.get(label, {})
        # What belongs to a part or to another device has its name behind a point.
        row.update({k: v for k, v in own.items() if k not in row and "." not in k})
        if row["step"] != background:
            row.update(_without(own, quiet))
        row.update(_of_others(own, beside))
        row[FACTS] = facts
        row.update(derived_of(row))
        own_thin = thin.get(label, set())
        further = thin_of(row, own_thin, is_rest_thin=is_rest_thin)
        if "noise_db" in own_thin | thin.get(background, set()):
            further += ["noise_net_db"] * (row.get("noise_net_db") is not None)
        row["thin"] = " ".join([*str(row["thin"] or "").split(), *further])
        row[THIN] = thin_percentiles(row)
        row[KEY] = expanded(results.get(label, []), row)
    return rows


def _results(
    session: Session, labels: Mapping[int, str], other: Mapping[int, Sequence[Result]]
) -> dict[str, list[Result]]:
    """Get the results of each row by its label, with others in place of stored ones."""
    results: dict[str, list[Result]] = {}
    for result in session.results():
        if result.step_id not in other:
            results.setdefault(labels[result.step_id], []).append(result)
    return results | {labels[step]: [*replaced] for step, replaced in other.items()}


def _put_roles(rows: list[Row], roles: Mapping[str, str], background: str) -> None:
    for row in rows:
        if role := roles.get(str(row["step"])):
            row["role"] = role
        elif row["step"] == background:
            row["role"] = str(Role.BACKGROUND)


def _of_others(
    own: Mapping[str, float | None], devices: Sequence[str]
) -> dict[str, float | None]:
    """Get the results of other devices, and sums with them where all are known."""
    values: dict[str, float | None] = {}
    for device in devices:
        for name in DEVICE_RESULTS:
            values[f"{device}.{name}"] = own.get(f"{device}.{name}")
        error = f"{device}.power_error_w"
        if own.get(error) is not None:
            values[error] = own[error]
    for name in SUMMED if devices else ():
        parts = [own.get(name), *(own.get(f"{device}.{name}") for device in devices)]
        known = [part for part in parts if part is not None]
        # A sum without one of its devices would read as the power of all.
        values[f"{WHOLE}.{name}"] = sum(known) if len(known) == len(parts) else None
    return values


def _replace(rows: list[Row], label: str, values: Mapping[str, float | None]) -> None:
    """Put other results into a row of report_table."""
    for row in rows:
        if row["step"] == label:
            stored = [name for name in row if name in BY_NAME or name in _BESIDE]
            row.update({name: values.get(name) for name in stored}, reason="")


def is_thin(result: Result) -> bool:
    """Tell whether a value is made of too few of the expected samples."""
    expected = result.n_expected or 0
    return (result.n_valid or 0) < PARTIAL * expected


def devices(session: Session) -> list[str]:
    """Name the devices beside the one under test that a power meter measures.

    What quotes a report has no meters: those whose power it prints.
    """
    if session.info.is_published:
        names = (one.name.rpartition(".") for one in session.results())
        return list(dict.fromkeys(name for name, _, of in names if name and of == _P))
    meters = (source for source in session.sources() if source.section == "power")
    return list(dict.fromkeys(s.measures for s in meters if s.measures != DUT))


def background_step(session: Session) -> str:
    """Get the step that is the background of the noise; "" for none.

    The first sound meter may name it, else it is the one with this role in the plan.
    """
    labels = [
        label for label, role in _roles(session).items() if role == Role.BACKGROUND
    ]
    for source in session.sources():
        if source.section == "noise" and source.measures == DUT:
            labels.append(str(source.keys.get("background", "")))
            return labels[-1] or labels[0]
    return ""


def _roles(session: Session) -> dict[str, str]:
    """Get what each row stands for by its label, where the plan says it."""
    plans = {step.label: stored_toml(step.plan) for step in session.steps()}
    return {label: str(plan["role"]) for label, plan in plans.items() if "role" in plan}


def _without(
    own: Mapping[str, float | None], background: Mapping[str, float | None]
) -> dict[str, object]:
    """Get the noise of a row without the background; nothing where either lacks."""
    level, quiet = own.get("noise_db"), background.get("noise_db")
    if level is None or quiet is None:
        return {}
    uncertainties = (own.get("noise_u_db") or 0.0, background.get("noise_u_db") or 0.0)
    net = without_background(level, quiet, *uncertainties)
    return {
        "noise_net_db": net.level,
        "noise_net_u_db": net.uncertainty,
        "noise_net_is_bound": net.is_bound,
    }
