"""How far a report's values can be trusted: errors, background, calibration."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime

from app.calc.throughput import AGREES
from app.record.store import Session
from app.report.rows import background_step, devices
from app.report.table import Row, number_of
from instruments.files.foreign_text import stored_table
from instruments.reading import SECOND
from instruments.sizes import counted, listed
from workloads.fio.block_sizes import mean_block_size

_CALIBRATED = ("power", "noise")
_LAMBDA_SHOWN = 1.0005
"""From here lambda is shown as more than 1.000; less is the rounding of P and S."""

_READINGS = 10
"""A mean of fewer says too little of its row for the meter's error to be its own."""


def trust_notes(session: Session, rows: Sequence[Row]) -> list[str]:
    """Tell limits of error, noise without the background, and days of calibration."""
    return [
        *_impossible(rows),
        *_blocks(session, rows),
        *_errors(session, rows),
        *_noise(session, rows),
        *_calibrations(session),
    ]


def _impossible(rows: Sequence[Row]) -> list[str]:
    """Remark a lambda above 1: active power is never above apparent power."""
    pairs = [
        f"{row['step']} {value:.3f}"
        for row in rows
        if (value := number_of(row, "lambda")) is not None and value >= _LAMBDA_SHOWN
    ]
    if not pairs:
        return []
    return [
        f"Lambda is above 1, which is impossible: P would exceed S: "
        f"{', '.join(pairs)}. Check wiring, ranges and scaling of the meter, and in an "
        "imported log whether P and S are in the columns that its head names"
    ]


def _blocks(session: Session, rows: Sequence[Row]) -> list[str]:
    """Remark printed IOPS and MB/s that do not go with the block size of their load.

    What was run here was compared as it was measured, see `check_blocks`.
    """
    if not session.info.is_published:
        return []
    plans = {
        step.label: stored_table(step.plan, step.engine) for step in session.steps()
    }
    lines = []
    for row in rows:
        options = {k: str(v) for k, v in plans.get(str(row["step"]), {}).items()}
        rate, moved = number_of(row, "iops"), number_of(row, "bandwidth_mb_s")
        block = mean_block_size(options) if {"bs", "bssplit"} & options.keys() else None
        if not (rate and moved and block):
            continue
        own = rate * block / 1e6
        if abs(moved / own - 1) > AGREES / 100:
            lines.append(
                f"{row['step']}: {rate:.0f} IOPS of a mean block of "
                f"{block / 1e3:.1f} kB are {own:.0f} MB/s, printed are {moved:.0f}"
            )
    return lines


def _errors(session: Session, rows: Sequence[Row]) -> list[str]:
    """Tell limits of error of the device under test, and then of each other one."""
    notes = []
    labels = {step.id: step.label for step in session.steps()}
    for device in ("", *devices(session)):
        prefix, whose = (f"{device}.", f" of {device}") if device else ("", "")
        power, error = f"{prefix}power_w", f"{prefix}power_error_w"
        named = [r for r in session.results() if r.name in (power, error)]
        counts = {labels.get(r.step_id): r.n_valid for r in named if r.name == power}
        lines = list(_error_lines(rows, power, error, counts))
        if lines:
            sources = {result.note for result in named if result.name == error}
            notes.append(
                f"Power (W){whose}, limits of error of the meter: "
                f"{listed(lines)} "
                f"({'; '.join(sorted(sources))})"
            )
    return notes


def _error_lines(
    rows: Sequence[Row],
    power: str,
    error: str,
    counts: Mapping[str | None, int | None],
) -> Iterator[str]:
    """Write power and its limit of error of each row that has both."""
    for row in rows:
        value, limit = number_of(row, power), number_of(row, error)
        if value is None or limit is None:
            continue
        count = counts.get(str(row["step"]))
        if count is not None and count < _READINGS:
            within = f"from {counted(count, 'reading')} only"
        else:
            within = f"± {_two_digits(limit)}"
        yield f"{row['step']} {value:.1f} {within}"


def _noise(session: Session, rows: Sequence[Row]) -> list[str]:
    background = background_step(session)
    if not background:
        return []
    lines = []
    for row in rows:
        level = number_of(row, "noise_net_db")
        spread = number_of(row, "noise_net_u_db") or 0.0
        if level is not None and row.get("noise_net_is_bound"):
            lines.append(f"{row['step']} <= {level:.1f}")
        elif level is not None:
            lines.append(f"{row['step']} {level:.1f} ± {max(spread, 0.1):.1f}")
    if not lines:
        return [f'Noise: the background step "{background}" has no level']
    return [
        f'Noise (dB(A)) without the background of "{background}", by energy, with its '
        f"standard uncertainty but for the calibration's: {', '.join(lines)}"
    ]


def _calibrations(session: Session) -> list[str]:
    """Say when the meters were calibrated, as far as the bench says so."""
    began = datetime.fromtimestamp(session.info.realtime_ns / SECOND, UTC)
    today = began.astimezone().date()
    dates, silent = [], []
    for source in session.sources():
        if source.simulated or source.section not in _CALIBRATED:
            continue
        day = _day(source.keys.get("calibrated"))
        if day is None:
            silent.append(source.name)
        else:
            dates.append(
                f"{source.name} {day} ({counted((today - day).days, 'day')} before)"
            )
    notes = [f"Calibrated: {', '.join(dates)}"] if dates else []
    if silent:
        notes.append(f"No calibration date is known for {', '.join(silent)}")
    return notes


def _day(value: object) -> date | None:
    if type(value) is date:
        return value
    try:
        return date.fromisoformat(str(value)) if value else None
    except ValueError:
        return None


def _two_digits(value: float) -> str:
    """Write a limit with the two digits that mean something."""
    return f"{value:.1f}" if value >= 1 else f"{value:.2g}"
