"""What checks found, as text for the terminal and as plain values for scripts."""

import math
from collections.abc import Sequence

from app.operations.bench.check import SourceCheck
from instruments.base import DUT
from instruments.errors import BenchError
from instruments.reading import Identity, Status
from instruments.sizes import counted

IDENTITY = ("maker", "model", "serial", "firmware", "address")
_SHOWN = 8
_RAW = 200


def checks_as_json(checks: Sequence[SourceCheck]) -> list[dict[str, object]]:
    """Write checks as plain values; a value that is none is null."""
    return [_as_json(check) for check in checks]


def _as_json(check: SourceCheck) -> dict[str, object]:
    who = check.identity
    return {
        "name": check.name,
        "section": check.section,
        "driver": check.driver,
        "address": check.address,
        "host": check.host or None,
        "measures": check.measures,
        "ok": check.ok,
        "simulated": bool(who and who.simulated),
        "identity": who and {name: getattr(who, name) for name in IDENTITY},
        "calibrated": str(check.calibrated) if check.calibrated else None,
        "calibration_age_days": check.age_days,
        "calibration_overdue_days": check.overdue_days,
        "password": check.password or None,
        "left_out": check.left_out or None,
        "values": _values_as_json(check),
        "lacking": {place: str(status) for place, status in check.lacking.items()},
        "places": len(check.places),
        "places_later": check.later,
        "trouble": check.trouble or None,
        "raw": check.raw,
        "poll_s": check.poll_s,
        "error": check.error and str(check.error),
        "where": (check.error and check.error.where) or None,
    }


def _values_as_json(check: SourceCheck) -> dict[str, object]:
    return {
        channel.name: {
            "value": None if math.isnan(value) else value,
            "unit": channel.unit,
            "status": str(status),
        }
        for channel, value, status in check.values
    }


def checks_text(checks: Sequence[SourceCheck]) -> str:
    """Write checks for the terminal: a paragraph a source."""
    return "\n".join(line for check in checks for line in _lines(check)) + "\n"


def _lines(check: SourceCheck) -> list[str]:
    place = f" on {check.host}" if check.host else ""
    address = f", {check.address}" if check.address else ""
    head = f"{check.name} ({check.driver}{address}{place}): "
    if check.error:
        return [f"{head}FAILED", f"  {_sentence(check, check.error)}", *_facts(check)]
    if check.section == "dut":
        return [f"{head}OK", *[f"  {check.trouble}"] * bool(check.trouble)]
    return [*_answer(check, head), *_values(check), *_raw(check)]


def _answer(check: SourceCheck, head: str) -> list[str]:
    """Say who answered and how fast, and what it did not tell."""
    part = ""
    if lacking := check.lacking:
        part = f", but {len(lacking)} of {len(check.places)} without a value"
    lines = [f"{head}OK{part}, read in {check.poll_s * 1000:.1f} ms"]
    if check.identity:
        lines.append(f"  {_identity(check.identity, check.driver)}")
    lines += _facts(check)
    if lacking:
        each = [f"{place} ({status})" for place, status in lacking.items()]
        lines.append(f"  without a value: {', '.join(each)}")
    return lines + [f"  {text}" for text in (check.turns, check.trouble) if text]


def _identity(who: Identity, driver: str) -> str:
    # A recording says what it is by its name.
    label = " (simulated)" if who.simulated and driver != "wav" else ""
    name = " ".join(part for part in (who.maker, who.model) if part)
    serial = f", serial {who.serial}" if who.serial else ""
    return f"{name or 'no name'}{serial}{label}"


def _raw(check: SourceCheck) -> list[str]:
    raw = " ".join(check.raw.split())
    cut = "..." if len(raw) > _RAW else ""
    return [f"  raw: {raw[:_RAW]}{cut}"] if raw else []


def _values(check: SourceCheck) -> list[str]:
    """List values, what warns first; all that warns is shown."""
    rank = {Status.CRIT: 0, Status.WARN: 1}
    ordered = sorted(check.values, key=lambda one: rank.get(one[2], 2))
    alarms = sum(status in rank for _, _, status in ordered)
    count = max(_SHOWN, alarms)
    lines = []
    for channel, value, status in ordered[:count]:
        shown = (
            status
            if math.isnan(value)
            else f"{value:.6g} {channel.printed_unit}".rstrip()
        )
        mark = "!" if status in rank else " "
        word = f" ({status})" if status in rank else ""
        lines.append(f"{mark} {channel.name} = {shown}{word}")
    if len(ordered) > count:
        lines.append(f"  and {len(ordered) - count} more")
    return lines


def _sentence(check: SourceCheck, error: BenchError) -> str:
    """Say what went wrong, without the name and address that the head has."""
    name, address = check.name, check.address
    own = ("", name, address, f"{name} ({address})", f"{name} {address}")
    return error.bare if error.where in own else str(error)


def _facts(check: SourceCheck) -> list[str]:
    lines = []
    if check.measures != DUT:
        lines.append(f"  measures {check.measures}")
    if check.calibrated is not None and check.age_days is not None:
        due = f", overdue by {counted(check.overdue_days, 'day')}"
        mark = "!" if check.overdue_days else " "
        lines.append(
            f"{mark} calibrated {check.calibrated}, {_age(check.age_days)}"
            f"{due if check.overdue_days else ''}"
        )
    if check.left_out:
        lines.append(f"  {check.left_out}")
    if check.password:
        known = "its" if check.password == "known" else "no"
        lines.append(f"  {known} password is known")
    return lines


def _age(days: int) -> str:
    if days < 0:
        return "which is in the future"
    return "today" if days == 0 else f"{counted(days, 'day')} ago"
