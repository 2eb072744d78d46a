"""The second table of a report: what other devices on the bench drew."""

from collections.abc import Mapping, Sequence

from app.report.rows import DEVICE_RESULTS, WHOLE
from app.report.table import Cell, Column, Table, number_of

OTHERS = "Other devices"
"""The heading of the table."""

_COLUMNS = {
    "power_w": Column("Power (W)", "power_w", 1),
    "power_peak_w": Column("Peak (W)", "power_peak_w", 1),
    "lambda": Column("Lambda", "lambda", 3),
    "energy_wh": Column("Energy (Wh)", "energy_wh", 3),
}


def devices_table(
    rows: Sequence[Mapping[str, object]], devices: Sequence[str]
) -> Table | None:
    """Make the table of other devices; None where there is none.

    Args:
        rows: As `report_rows` makes them.
        devices: The devices.
    """
    if not devices:
        return None
    columns = (
        Column("Workload", "step"),
        Column("Device", "device"),
        *(_COLUMNS[name] for name in DEVICE_RESULTS),
    )
    out: list[tuple[Cell, ...]] = []
    for row in rows:
        for device in (*devices, WHOLE):
            cells = [number_of(row, f"{device}.{name}") for name in DEVICE_RESULTS]
            if device != WHOLE or any(cell is not None for cell in cells):
                out.append((str(row["step"]), device, *cells))
    return Table(columns, tuple(out))


def device_columns(devices: Sequence[str]) -> tuple[Column, ...]:
    """Make the columns that tell the same in one table, for programs."""
    return tuple(
        Column(f"{device} {column.head}", f"{device}.{name}", column.decimals)
        for device in ((*devices, WHOLE) if devices else ())
        for name, column in _COLUMNS.items()
        if device != WHOLE or name in ("power_w", "energy_wh")
    )
