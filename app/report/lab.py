"""The report table in the lab's own form: four columns, with the lab's blanks."""

from collections.abc import Mapping, Sequence

from app.record.store import Session
from app.report.table import LAB_COLUMNS, Cell, Table, name_of, number_of
from instruments.errors import BadInput
from instruments.files.foreign_text import parsed_toml
from workloads.fio.block_sizes import mean_block_size
from workloads.fio_job import direction

SMALL_BLOCK = 16 * 1024
"""Random loads up to this mean block are quoted in IOPS only (--lab)."""


def lab_table(session: Session, rows: Sequence[Mapping[str, object]]) -> Table:
    """Make the table with the lab's blanks, the other figures as rows below."""
    plans = {step.label: step.plan for step in session.steps()}
    out: list[tuple[Cell, ...]] = []
    for row in rows:
        if row.get("engine") in ("idle", "cooldown"):
            continue
        options = _options(plans.get(str(row["step"]), ""))
        iops, bandwidth = number_of(row, "iops"), number_of(row, "bandwidth_mb_s")
        random = direction(options).startswith("rand")
        if not random:
            iops = None
        elif "bssplit" not in options:
            block = mean_block_size(options)
            bandwidth = (
                None if block is not None and block <= SMALL_BLOCK else bandwidth
            )
        out.append((name_of(row), number_of(row, "power_w"), iops, bandwidth))
    out += [(name, value, None, None) for name, value in lab_figures(rows)]
    return Table(LAB_COLUMNS, tuple(out))


def lab_figures(rows: Sequence[Mapping[str, object]]) -> list[tuple[str, Cell]]:
    """Get the figures below the lab's table: idle, lambda, noise, temperatures.

    Idle power, lambda and noise are those of the first idle step, or of the first step
    that has them, which the row names; temperatures are the extremes of all steps but
    cool-downs, energy their sum: blank where one lacks.
    """
    idle = next((row for row in rows if row.get("engine") == "idle"), {})
    measured = [row for row in rows if row.get("engine") != "cooldown"]

    def each(key: str) -> list[float]:
        return [v for row in measured if (v := number_of(row, key)) is not None]

    ambient, energy = each("ambient_c"), each("energy_wh")
    coldest, hottest = each("drive_min_c"), each("drive_max_c")

    def first(name: str, key: str) -> tuple[str, float | None]:
        for row in (idle, *measured):
            if (value := number_of(row, key)) is not None:
                return f"{name} ({row['step']})", value
        return name, None

    figures: list[tuple[str, float | None, str]] = [
        ("Idle", number_of(idle, "power_w"), "{:.1f}"),
        (*first("Lambda", "lambda"), "{:.3f}"),
        (*first("Noise", "noise_db"), "{:.1f} dB(A)"),
        (
            "Temperature ambient",
            sum(ambient) / len(ambient) if ambient else None,
            "{:.1f} °C",
        ),
        ("Temperature HDD min.", min(coldest, default=None), "{:.1f} °C"),
        ("Temperature HDD max.", max(hottest, default=None), "{:.1f} °C"),
        ("Energy", sum(energy) if len(energy) == len(measured) else None, "{:.3f} Wh"),
    ]
    return [
        (name, None if value is None else form.format(value))
        for name, value, form in figures
    ]


def _options(plan: str) -> dict[str, str]:
    try:
        own = parsed_toml(plan, "").get("fio", {})
    except BadInput:
        return {}
    return {str(key): str(value) for key, value in own.items()}
