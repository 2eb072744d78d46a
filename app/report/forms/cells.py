"""What stands in a cell of a form: a result of a record, as the form has it."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from app.report.expanded import KEY as UNCERTAINTY
from app.report.forms.form import (
    FormColumn,
    Only,
    Show,
    Shown,
)
from app.report.forms.records import Record
from app.report.numbers import Figure, factor_to, places_of
from app.report.table import Cell, number_of
from instruments.metric import BY_NAME
from workloads.fio.block_sizes import mean_block_size
from workloads.fio_job import direction

PEAK = "startup_peak_500ms_w"
"""The result that a start-up is known by."""

SMALL_BLOCK = 16 * 1024
"""Random loads up to this mean block are quoted in IOPS only."""


def cell_of(record: Record | None, column: FormColumn) -> Cell:
    """Get what stands in a column for a record; None where nothing does."""
    if record is None or not _is_quoted(record, column.only):
        return None
    if column.show is Show.COUNT:
        counts = record.counts.get(column.of)
        return f"{counts[0]}/{counts[1]}" if counts else None
    if column.show is Show.UNCERTAINTY:
        return _uncertainty(record, column)
    if column.show is Show.TERMS:
        return "".join(terms_of_rows(column.of, [record])) or None
    return _both_ways(record, column) or value_of(record, column)


def _uncertainty(record: Record, column: FormColumn) -> Cell:
    uncertainties = record.row.get(UNCERTAINTY)
    if not isinstance(uncertainties, Mapping) or column.of not in uncertainties:
        return None
    # Two digits of an uncertainty, as the GUM has it (7.2.6).
    finer = column if column.digits else replace(column, decimals=None, digits=2)
    return figure_of(float(uncertainties[column.of]), finer)


def _both_ways(record: Record, column: FormColumn) -> str:
    """Write read and written bandwidth of engines that a form wants apart."""
    if record.row.get("engine") not in column.apart:
        return ""
    sides = [number_of(record.row, f"{way}_mb_s") for way in ("read", "write")]
    if None in sides:
        return ""
    return "/".join(figure_of(side or 0.0, column).text() for side in sides)


def value_of(record: Record, shown: Shown) -> Cell:
    """Get a result of a record as it is shown; what is printed as text stays text."""
    value = record.row.get(shown.of)
    if isinstance(value, str):
        return value
    number = number_of(record.row, shown.of)
    if number is None or not math.isfinite(number):
        return None
    sign = ">" if shown.of in record.over_range else ""
    if shown.of == "noise_net_db" and record.row.get("noise_net_is_bound"):
        sign = "<="
    source, held = (record.label, shown.of), record.held.get(shown.of)
    return figure_of(number, shown, sign=sign, source=source, held=held)


def figure_of(
    value: float,
    shown: Shown,
    *,
    sign: str = "",
    unit: str = "",
    source: tuple[str, str] = ("", ""),
    held: int | None = None,
) -> Figure:
    """Make a number in the unit and to the digits that are wanted.

    Args:
        value: In the unit of its metric.
        shown: How it is shown.
        sign: Before it, such as ">".
        unit: Behind it, where no head tells it.
        source: The row and the result it is.
        held: Digits behind the point that are known of what is quoted from print.
    """
    metric = BY_NAME.get(shown.of)
    factor = 1.0 if metric is None else factor_to(metric.unit, shown.unit)
    decimals = shown.decimals
    return Figure(
        value * factor,
        decimals=None if decimals is None else places_of(value * factor, decimals),
        digits=shown.digits,
        held=held if factor == 1.0 else None,
        sign=sign,
        unit=unit,
        source=source,
        factor=factor,
    )


def _is_quoted(record: Record, only: Only) -> bool:
    """Tell whether a lab quotes a figure of a load; what is not known is quoted."""
    way = direction(record.options)
    if only is Only.ANY or not way:
        return True
    is_random = way.startswith("rand")
    if only is Only.RANDOM:
        return is_random
    if not is_random or "bssplit" in record.options:
        return True
    block = mean_block_size(record.options)
    return block is None or block > SMALL_BLOCK


def terms_of_rows(name: str, records: Iterable[Record]) -> list[str]:
    """Get what a result of some rows is at: each that differs, none of no value."""
    found = (
        one.terms.get(name) for one in records if number_of(one.row, name) is not None
    )
    return list(dict.fromkeys(filter(None, found)))
