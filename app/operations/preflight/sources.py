"""Pre-flight of the sources: alive, calibrated, in range, and what the room says."""

import math
from collections.abc import Sequence

from app.analysis.ambient import AMBIENT_LOCATIONS, ambient_channels
from app.analysis.power import LEAST_FED_W
from app.analysis.results import DRIVE_LOCATIONS
from app.bench.model import Bench
from app.operations.bench.check import SourceCheck, twins
from app.operations.bench.switch_check import SwitchCheck
from app.operations.preflight.finding import Finding, Help, ok, stop, warn
from app.plan.campaign import Campaign
from app.plan.startup import check_startup
from instruments.base import DUT
from instruments.reading import Channel, Status
from instruments.sizes import counted

_PLACES = (*AMBIENT_LOCATIONS, *DRIVE_LOCATIONS)
_POWER = ("P",)
_NEEDED = {
    "power_w": _POWER,
    "power_peak_w": _POWER,
    "energy_wh": ("Wh", "P"),
    "apparent_va": ("S",),
    "lambda": ("S",),
    "noise_db": ("LAeq",),
    "drive_min_c": DRIVE_LOCATIONS,
    "drive_max_c": DRIVE_LOCATIONS,
}
"""What a source has to have for a result: quantities, or places of temperatures."""

ROOM_C = (18.0, 27.0)
"""Recommended inlet temperatures of ASHRAE TC 9.9 (2021), classes A1 to A4, in degC."""


def check_sources(
    checks: Sequence[SourceCheck], without: Sequence[str]
) -> list[Finding]:
    """Say which sources answer and which do not."""
    findings: list[Finding] = []
    alive = [check for check in checks if check.ok]
    for check in checks:
        if check.ok:
            continue
        if check.name in without:
            findings.append(warn("Sources", f"the run starts without {check.name}"))
        else:
            findings.append(stop("Sources", str(check.error), Help.BENCH, check.name))
    findings += [
        warn("Sources", f"{name}: {twin}", Help.BENCH, name)
        for name, twin in twins(checks).items()
    ]
    if alive:
        findings.insert(0, ok("Sources", f"{len(alive)} of {len(checks)} answer"))
    if not checks:
        findings.append(
            warn("Sources", "the bench has no source, only the load", Help.BENCH)
        )
    return findings


def check_ranges(checks: Sequence[SourceCheck], campaign: Campaign) -> list[Finding]:
    """Say whether a meter is over its range, hunts for one, or has power fed in."""
    found = [*_over_range(checks), *_negative(checks)]
    meters = [c for c in checks if c.section == "power" and c.ok]
    if meters and not found:
        if campaign.ranging_s:
            found.append(ok("Ranges", "a ranging pass finds them before the steps"))
        else:
            text = (
                "the campaign has no ranging pass; meters that choose ranges by "
                "themselves may blank readings when the load changes"
            )
            found.append(warn("Ranges", text, Help.CAMPAIGN))
    return found


def _over_range(checks: Sequence[SourceCheck]) -> list[Finding]:
    return [
        stop("Ranges", f"{channel.name} is over its range", Help.BENCH, check.name)
        for check in checks
        for channel, _, status in check.values
        if status is Status.OVERRANGE
    ]


def _negative(checks: Sequence[SourceCheck]) -> list[Finding]:
    return [
        warn(
            "Ranges",
            f"{channel.name} is negative ({value:.4g} W): is a current clamp the wrong "
            "way round, or is power fed in?",
            Help.BENCH,
            check.name,
        )
        for check in checks
        for channel, value, status in check.values
        if channel.quantity in _POWER and status.is_value and value < LEAST_FED_W
    ]


def check_calibration(checks: Sequence[SourceCheck]) -> list[Finding]:
    """Say whose calibration is old, or not known."""
    measuring = [
        check
        for check in checks
        if check.section in ("power", "noise")
        and not (check.identity is not None and check.identity.simulated)
    ]
    findings = []
    for check in measuring:
        if check.age_days is None:
            text = f"the bench does not say when {check.name} was calibrated"
            findings.append(warn("Calibration", text, Help.BENCH, check.name))
        elif check.overdue_days:
            ago = counted(check.age_days, "day")
            text = (
                f"{check.name} was calibrated {ago} ago, and is overdue by "
                f"{counted(check.overdue_days, 'day')}"
            )
            findings.append(warn("Calibration", text, Help.BENCH, check.name))
    if measuring and not findings:
        findings.append(ok("Calibration", "not due for any meter"))
    return findings


def check_background(bench: Bench, campaign: Campaign) -> list[Finding]:
    """Say whether sound levels can be told from what is there anyway."""
    labels = {step.label for step in campaign.steps if step.enabled}
    findings = []
    for source in bench.sources:
        if source.section != "noise":
            continue
        if source.background and source.background not in labels:
            text = (
                f'{source.name} takes "{source.background}" for its background, and '
                "the campaign has no such step"
            )
            findings.append(warn("Noise background", text, Help.CAMPAIGN))
        elif not source.background:
            text = (
                f"{source.name} has no step for its background, so its levels include "
                "the room"
            )
            findings.append(warn("Noise background", text, Help.BENCH, source.name))
    return findings


def check_limits(checks: Sequence[SourceCheck], campaign: Campaign) -> list[Finding]:
    """Say which limits nothing on the bench could judge.

    A source that does not answer now may do so later; it has a line of its own.
    """
    if not checks or not all(check.ok for check in checks):
        return []
    measured = _measured(checks)
    findings: dict[str, Finding] = {}
    for label, step in campaign.runs:
        for limit in step.limits:
            needed = _NEEDED.get(limit.result, ())
            if needed and not measured.intersection(needed):
                text = (
                    f'"{label}" has the limit {limit}, and no source of the bench '
                    f"measures that of the device"
                )
                findings.setdefault(str(limit), stop("Limits", text, Help.CAMPAIGN))
    return list(findings.values())


def _measured(checks: Sequence[SourceCheck]) -> set[str]:
    """Get the quantities that sources measure of the device."""
    return {
        _quantity(channel)
        for check in checks
        if check.measures == DUT
        for channel, _, _ in check.values
    }


def _quantity(channel: Channel) -> str:
    """Get what it measures; of a temperature the place, by which limits ask for it."""
    if channel.quantity != "temperature":
        return channel.quantity
    return next((p for p in _PLACES if channel.location.startswith(p)), "")


def check_room(
    checks: Sequence[SourceCheck], ambient: Sequence[str] = ()
) -> list[Finding]:
    """Say how warm the room is, by the sensors that the bench names, or by all."""
    seen = _values([check for check in checks if ambient or check.measures == DUT])
    sensors = ambient_channels(tuple(seen), ambient)
    silent = set(ambient) - {channel.name for channel in sensors}
    found = [
        stop("Room", f"ambient is {name}, and that has no value", Help.BENCH)
        for name in sorted(silent)
    ]
    if not sensors:
        return found
    mean = sum(seen[channel] for channel in sensors) / len(sensors)
    low, high = ROOM_C
    measured = f"{mean:.1f} °C at the inlet"
    if low <= mean <= high:
        return [*found, ok("Room", measured)]
    text = f"{measured}, recommended are {low:g} to {high:g} °C (ASHRAE TC 9.9)"
    return [*found, warn("Room", text)]


def _values(checks: Sequence[SourceCheck]) -> dict[Channel, float]:
    return {
        channel: value
        for check in checks
        for channel, value, status in check.values
        if status.is_value and math.isfinite(value)
    }


def check_switches_used(
    checks: Sequence[SwitchCheck], campaign: Campaign
) -> list[Finding]:
    """Say which switches answer; one that a step switches with has to."""
    used = {
        check_startup(step.options).switch: label
        for label, step in campaign.runs
        if step.engine == "startup"
    }
    findings: list[Finding] = []
    for check in checks:
        name = check.config.name
        if check.ok:
            findings.append(ok("Switches", f"{name} answers{_told(check)}"))
        elif name in used:
            text = f'"{used[name]}" switches by {name}: {check.error}'
            findings.append(stop("Switches", text, Help.BENCH, name))
        else:
            text = f"no step switches by it, but it does not answer: {check.error}"
            findings.append(warn("Switches", text, Help.BENCH, name))
    return findings


def _told(check: SwitchCheck) -> str:
    return f", {check.text}" if check.text else ""
