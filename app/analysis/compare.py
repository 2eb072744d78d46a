"""Two or more sessions side by side: rows matched by label, with differences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

METRICS = (
    ("power_w", "Power (W)", 1),
    ("iops", "IOPS", 0),
    ("bandwidth_mb_s", "Bandwidth (MB/s)", 1),
    ("lambda", "Lambda", 3),
    ("noise_db", "Noise (dB(A))", 1),
    ("ambient_c", "Ambient (°C)", 1),
    ("drive_min_c", "Drive min (°C)", 1),
    ("drive_max_c", "Drive max (°C)", 1),
    ("energy_wh", "Energy (Wh)", 3),
)
"""What is compared: (name in the rows of a report, head, decimals)."""

DERIVED = (
    ("iops_per_w", "IOPS/W", 2),
    ("mb_s_per_w", "MB/s/W", 3),
    ("w_per_tb", "W/TB", 3),
    ("cost_per_year", "Cost/year", 0),
)
"""What follows from these, and is compared, too."""

_NO_RATIO = frozenset(("noise_db", "ambient_c", "drive_min_c", "drive_max_c"))
"""Decibels and degrees Celsius: a difference means something, a percentage does not."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric of one row in every session.

    Attributes:
        metric: Name as in report_table.
        head: Head as in the report.
        decimals: Decimals it is shown with.
        values: One value a session, None where it was not measured.
        thin: For each session whether the value is made of too few samples.
    """

    metric: str
    head: str
    decimals: int
    values: tuple[float | None, ...]
    thin: tuple[bool, ...] = ()

    def against_first(self, index: int) -> float | None:
        """Get the difference of a session to the first one."""
        first, other = self.values[0], self.values[index]
        return None if first is None or other is None else other - first

    def percent(self, index: int) -> float | None:
        """Get the difference of a session to the first one in percent of it.

        None where a percentage means nothing.
        """
        if self.metric in _NO_RATIO:
            return None
        difference, first = self.against_first(index), self.values[0]
        return None if difference is None or not first else 100 * difference / first


@dataclass(frozen=True, slots=True)
class About:
    """What has to be known of one session before its values are compared.

    Attributes:
        verdict: Its verdict, or its state.
        warnings: Whether it was cut off, or changed after the run.
        notes: What is missing, thin or went wrong.
        dut: What was measured.
        bench: The bench it was measured on.
        meters: How many power meters there were at it.
    """

    verdict: str = ""
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    dut: str = ""
    bench: str = ""
    meters: int = 0


@dataclass(frozen=True, slots=True)
class Comparison:
    """Several sessions side by side.

    Attributes:
        names: One name a session, all different.
        simulated: For each session whether it is simulated.
        rows: (label, differences), in the order of the first session; rows that
            only others have come after.
        verdicts: Of each row the step's verdict or outcome in every session, "" where
            a session has no such row.
        about: What has to be known of each session.
        crossings: Sentences that say at which size which session is the faster one.
    """

    names: tuple[str, ...]
    simulated: tuple[bool, ...]
    rows: tuple[tuple[str, tuple[Difference, ...]], ...]
    verdicts: tuple[tuple[str, ...], ...] = ()
    about: tuple[About, ...] = ()
    crossings: tuple[str, ...] = ()


def setups_told(comparison: Comparison) -> str:
    """Say what was measured, and how, where that is not the same in all sessions.

    Differences between them are then no doing of the device alone.
    """
    about = comparison.about
    if len({(one.dut, one.bench, one.meters) for one in about}) < 2:
        return ""
    benches = len({one.bench for one in about}) > 1
    told = []
    for letter, one in zip(ascii_uppercase, about, strict=False):
        meters = f"{one.meters or 'no'} meter{'' if one.meters == 1 else 's'}"
        place = f"on {one.bench}" if benches and one.bench else ""
        device = " ".join(filter(None, (one.dut, place)))
        told.append(f"{letter}: {', '.join(filter(None, (device, meters)))}")
    return "; ".join(told)


def compare_tables(
    names: Sequence[str],
    tables: Sequence[Sequence[Mapping[str, object]]],
    about: Sequence[About] = (),
) -> Comparison:
    """Match the rows of report tables by their labels.

    Args:
        names: One name a session.
        tables: One report_table a session.
        about: What has to be known of each session.
    """
    by_label = [{str(row["step"]): row for row in table} for table in tables]
    labels = list(dict.fromkeys(label for rows in by_label for label in rows))
    rows = []
    for label in labels:
        differences = []
        for metric, head, decimals in (*METRICS, *DERIVED):
            values = tuple(_value(rows_of.get(label), metric) for rows_of in by_label)
            if any(value is not None for value in values):
                thin = tuple(
                    _is_thin(rows_of.get(label), metric) for rows_of in by_label
                )
                differences.append(Difference(metric, head, decimals, values, thin))
        rows.append((label, tuple(differences)))
    simulated = tuple(any(bool(r.get("simulated")) for r in t) for t in tables)
    verdicts = tuple(
        tuple(_verdict(rows_of.get(label)) for rows_of in by_label) for label in labels
    )
    return Comparison(tuple(names), simulated, tuple(rows), verdicts, tuple(about))


def _verdict(row: Mapping[str, object] | None) -> str:
    return str(row.get("verdict") or row.get("outcome") or "") if row else ""


def _is_thin(row: Mapping[str, object] | None, key: str) -> bool:
    return row is not None and key in str(row.get("thin") or "").split()


def _value(row: Mapping[str, object] | None, key: str) -> float | None:
    value = row.get(key) if row is not None else None
    return float(value) if isinstance(value, int | float) else None
