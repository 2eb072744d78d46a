"""The one table of metrics: what each result of a step is called, and where it shows.

A new column of the report is a row here. Report tables, their exports, comparisons, the
results that a limit or a repeat can name, and the forms' choices follow from it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

PERCENTILES = (50.0, 90.0, 95.0, 99.0, 99.9, 99.99)
"""Of latency. They are of single I/Os or of histograms: never averaged, never
interpolated, and blank where they were not measured."""

BOTH, READ, WRITE = "latency", "read", "write"
"""What names of latencies begin with: of all I/Os, of reads and of writes."""

CELSIUS = "\N{DEGREE SIGN}C"
DECIBEL = "dB(A)"
_RATES = ("1/s", "MB/s")  # units of what is done in a second
# Of a formula: what a meter has a part in.
_ELECTRIC = ("power_w", "mean_w", "power_factor")


class Group(StrEnum):
    """The table of the report that a metric is a column of."""

    MAIN = "main"
    LOAD = "reads and writes"
    OTHER = "other results"
    EFFICIENCY = "efficiency"
    DERIVED = "derived figures"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Metric:
    """One result of a step."""

    name: str  # as it is stored, in exports and limits
    head: str  # head of its column
    decimals: int = 0  # it is shown with this many
    unit: str = ""  # unit of its value, "" for a number
    about: str = ""  # what it is, for a tool tip
    group: Group = Group.NONE  # the table of the report that it is a column of
    short: str = ""  # head where the table says of what it is; "" for `head`
    more_is_better: bool = False  # whether a limit on it is a lower one, as a rule
    is_compared: bool = True  # whether sessions are compared by it
    # whether it is a stored result, which a limit or a repeat can name; else it is
    # computed when the report is made
    is_stored: bool = True
    # how it is made of other values of its row and of facts of the bench, see
    # `app.analysis.derived`; "" for what is measured
    formula: str = ""
    is_money: bool = False  # whether it is in the currency of the bench

    @property
    def has_ratio(self) -> bool:
        """Whether a percentage means something; of dB and degrees it does not."""
        return self.unit not in (CELSIUS, DECIBEL)

    @property
    def is_rate(self) -> bool:
        """Whether those of devices and hosts that work at once add up."""
        return self.unit in _RATES

    @property
    def is_counted(self) -> bool:
        """Whether a program counts or times it, so that no meter's error is in it."""
        return self.is_rate or self.unit in ("ms", "s") or self.group is Group.OTHER

    @property
    def is_metered(self) -> bool:
        """Whether it is electrical, or follows from what is."""
        is_electric = self.unit in ("W", "Wh", "VA") or self.name == "lambda"
        return is_electric or any(word in self.formula for word in _ELECTRIC)


def percentile_name(of: str, percent: float) -> str:
    """Name a percentile of BOTH, READ or WRITE, such as "read_p99_9_ms"."""
    return f"{of}_p{percent:g}_ms".replace(".", "_")


def mean_name(of: str) -> str:
    """Name the mean latency of BOTH, READ or WRITE."""
    return f"{of}_mean_ms" if of == BOTH else f"{of}_latency_ms"


def max_name(of: str) -> str:
    """Name the longest latency of BOTH, READ or WRITE."""
    return f"{of}_max_ms"


def completion_name(of: str, what: str) -> str:
    """Name the "mean" or "max" of latencies from submission to completion alone."""
    return f"{of}_completion_{what}_ms"


def _latencies(of: str) -> Iterator[Metric]:
    head = "Latency" if of == BOTH else of.capitalize()
    # The head of both together needs no "reads" or "writes" before it.
    mean = "Latency mean" if of == BOTH else f"{head} latency"
    what = "an I/O" if of == BOTH else f"a {of}"

    def one(name: str, title: str, short: str, about: str) -> Metric:
        titles = f"{title} (ms)", 3, "ms", about
        return Metric(name, *titles, Group.LOAD, f"{short} (ms)")

    about = f"Mean latency of {what}; of fio the total one (lat)"
    yield one(mean_name(of), mean, "Mean", about)
    for percent in PERCENTILES:
        text = f"{percent:g} %"
        about = (
            f"{text} of the latencies of {what} are at most that; of fio those from "
            "submission to completion (clat)"
        )
        yield one(percentile_name(of, percent), f"{head} {text}", text, about)
    yield one(
        max_name(of), f"{head} max", "Max", f"Longest latency of {what}; of fio total"
    )
    for word, about in (("mean", "Mean"), ("max", "Longest")):
        yield one(
            completion_name(of, word),
            f"{head} completion {word}",
            f"Completion {word}",
            f"{about} time of {what} from submission to completion (fio's clat)",
        )


def _share(of: str) -> Iterator[Metric]:
    done = "Read" if of == READ else "Written"
    rows = (
        (f"{of}_iops", "IOPS", 0, "1/s", f"{of.capitalize()}s a second"),
        (f"{of}_mb_s", "MB/s", 1, "MB/s", f"{done}, 10^6 bytes a second"),
    )
    for name, short, decimals, unit, about in rows:
        yield Metric(
            name,
            f"{of.capitalize()} ({short})",
            decimals,
            unit,
            about,
            Group.LOAD,
            short,
            more_is_better=True,
        )
    yield from _latencies(of)


_MOVED = "Read and written, 10^6 bytes a second"
# Name, head of the column, decimals, unit, what it is.
_MAIN = (
    ("power_w", "Power (W)", 1, "W", "Mean active power over the measured window"),
    ("iops", "IOPS", 0, "1/s", "Reads and writes a second"),
    ("bandwidth_mb_s", "Bandwidth (MB/s)", 1, "MB/s", _MOVED),
    ("lambda", "Lambda", 3, "", "Power factor P/S, 0 to 1"),
    ("noise_db", "Noise (dB(A))", 1, DECIBEL, "Energy mean of the sound level"),
    ("ambient_c", "Ambient (°C)", 1, CELSIUS, "Mean inlet temperature"),
    ("drive_min_c", "Drive min (°C)", 1, CELSIUS, "Coldest drive"),
    ("drive_max_c", "Drive max (°C)", 1, CELSIUS, "Hottest drive"),
    ("energy_wh", "Energy (Wh)", 3, "Wh", "Energy of the measured window"),
)
_SHORT = {"iops": "IOPS", "bandwidth_mb_s": "MB/s"}
_OTHER = (
    ("read_calls_mb_s", "In read calls (MB/s)", 1, "MB/s", "While it was reading"),
    ("write_calls_mb_s", "In write calls (MB/s)", 1, "MB/s", "While it was writing"),
    ("fsync_s", "fsync (s)", 3, "s", "Time in fsync"),
    ("files", "Files", 0, "", "Files that were copied"),
    ("errors", "Failed requests", 0, "", "Requests that failed"),
    ("longest_s", "Slowest disk (s)", 1, "s", "Time of the slowest disk"),
)
# Results with no column in the tables; limits and exports can name them.
_UNLISTED = (
    ("apparent_va", "Apparent power (VA)", 1, "VA", "Mean apparent power"),
    ("power_peak_w", "Peak (W)", 1, "W", "Highest mean over the meter's window"),
    ("startup_peak_500ms_w", "Start-up peak (W)", 1, "W", "Highest mean over 500 ms"),
    ("startup_steps", "Start-up steps", 0, "", "Rises of power in a start-up"),
    ("time_to_ready_s", "Time to ready (s)", 1, "s", "From power-on to ready"),
    ("energy_to_ready_wh", "Energy to ready (Wh)", 3, "Wh", "From power-on to ready"),
    ("foreign_percent", "Of others (%)", 1, "%", "Moved by others on the load's disk"),
)
# Name, head of the column, decimals, formula.
_EFFICIENCY = (
    ("iops_per_w", "IOPS/W", 2, "iops / power_w"),
    ("mb_s_per_w", "MB/s/W", 3, "bandwidth_mb_s / power_w"),
    ("w_per_tb", "W/TB", 3, "power_w / capacity_tb"),
    ("whole_w_per_tb", "W/TB, whole bench", 3, "whole_power_w / capacity_tb"),
    ("kwh_per_year", "kWh/year", 0, "mean_w * 8760 / 1000"),
    ("cost_per_year", "Cost/year", 0, "mean_w * 8760 / 1000 * price_per_kwh * pue"),
)
_DERIVED = (
    ("j_per_io", "J/IO", 3, "power_w / iops"),
    ("j_per_gb", "J/GB", 1, "1000 * power_w / bandwidth_mb_s"),
    ("kwh_per_pb", "kWh/PB moved", 1, "1000 * power_w / bandwidth_mb_s / 3.6"),
    ("w_per_net_tb", "W/TB, net", 3, "power_w / net_capacity_tb"),
    ("w_per_usable_tb", "W/TB, usable", 3, "power_w / usable_capacity_tb"),
    ("tb_per_w", "TB/W", 3, "capacity_tb / power_w"),
    ("w_per_drive", "W/drive", 2, "( power_w - enclosure_w ) / drives"),
    ("enclosure_percent", "Enclosure (%)", 1, "100 * enclosure_w / power_w"),
    ("drives_percent", "Drives (%)", 1, "100 * ( power_w - enclosure_w ) / power_w"),
    ("reactive_factor", "Q/S", 3, "( 1 - power_factor ** 2 ) ** 0.5"),
    ("rise_k", "Rise over inlet (K)", 1, "drive_max_c - ambient_c"),
    (
        "co2_kg_per_year",
        "CO2/year (kg)",
        0,
        "mean_w * 8760 / 1000 * pue * co2_g_per_kwh / 1000",
    ),
    ("price_per_tb", "Price/TB", 2, "price / capacity_tb"),
    ("price_per_iops", "Price/IOPS", 3, "price / iops"),
)
DERIVED_UNITS: Mapping[str, str] = {
    "iops_per_w": "IOPS/W",
    "mb_s_per_w": "MB/s/W",
    **dict.fromkeys(("w_per_tb", "whole_w_per_tb"), "W/TB"),
    **dict.fromkeys(("w_per_net_tb", "w_per_usable_tb"), "W/TB"),
    "kwh_per_year": "kWh/year",
    "cost_per_year": "{currency}/year",
    "j_per_io": "J/IO",
    "j_per_gb": "J/GB",
    "kwh_per_pb": "kWh/PB",
    "tb_per_w": "TB/W",
    "w_per_drive": "W",
    "enclosure_percent": "%",
    "drives_percent": "%",
    "reactive_factor": "",
    "rise_k": "K",
    "co2_kg_per_year": "kg/year",
    "price_per_tb": "{currency}/TB",
    "price_per_iops": "{currency}/IOPS",
}
"""Of figures with a formula, whose heads are units already; of each of them."""

_MONEY = ("cost_per_year", "price_per_tb", "price_per_iops")
_NOT_COMPARED = ("foreign_percent", "whole_w_per_tb", "kwh_per_year")


def _derived(group: Group, rows: Iterable[tuple[str, str, int, str]]) -> list[Metric]:
    is_shown = group is Group.EFFICIENCY
    return [
        Metric(
            name,
            head,
            decimals,
            about=f"{name} = {formula.replace('**', '^').replace('*', 'x')}",
            group=group,
            is_compared=is_shown and name not in _NOT_COMPARED,
            is_stored=False,
            formula=formula,
            is_money=name in _MONEY,
        )
        for name, head, decimals, formula in rows
    ]


def _rows(group: Group, rows: Iterable[tuple[Any, ...]]) -> Iterator[Metric]:
    for name, *more in rows:
        yield replace(
            Metric(name, *more),
            group=group,
            short=_SHORT.get(name, ""),
            more_is_better=name in _SHORT,
            is_compared=name not in _NOT_COMPARED,
        )


_TABLE = tuple(_rows(Group.MAIN, _MAIN))
IOPS, BANDWIDTH = (m for m in _TABLE if m.name in ("iops", "bandwidth_mb_s"))
BY_DIRECTION = {
    BOTH: (IOPS, BANDWIDTH, *_latencies(BOTH)),
    READ: tuple(_share(READ)),
    WRITE: tuple(_share(WRITE)),
}
"""What a load did as a whole, in reads and in writes: the same figures in one order."""

NET_NOISE = Metric(
    "noise_net_db",
    "Without background (dB(A))",
    1,
    DECIBEL,
    is_compared=False,
    is_stored=False,
)
METRICS = (
    *_TABLE,
    *_latencies(BOTH),
    *BY_DIRECTION[READ],
    *BY_DIRECTION[WRITE],
    *_rows(Group.OTHER, _OTHER),
    *_rows(Group.NONE, _UNLISTED),
    NET_NOISE,
    *_derived(Group.EFFICIENCY, _EFFICIENCY),
    *_derived(Group.DERIVED, _DERIVED),
)
"""All metrics, in the order of their columns."""

BY_NAME = {metric.name: metric for metric in METRICS}
_PLACES = {name: place for place, name in enumerate(BY_NAME)}


def head_of(name: str) -> str:
    """Get the head of a result's column; the name of what has none, in words."""
    metric = BY_NAME.get(name)
    return name.replace("_", " ") if metric is None else metric.head


def in_order(name: str) -> tuple[int, str]:
    """Sort results as their columns stand; what has none of its own comes last."""
    return _PLACES.get(name.rpartition(".")[2], len(_PLACES)), name


RESULT_NAMES = tuple(metric.name for metric in METRICS if metric.is_stored)
"""Results that a limit or a repeat can name."""


def of_group(group: Group) -> tuple[Metric, ...]:
    """Get the metrics of one table of the report."""
    return tuple(metric for metric in METRICS if metric.group is group)
