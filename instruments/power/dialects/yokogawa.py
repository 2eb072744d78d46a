"""Yokogawa WT310 and WT33x, GW Instek GPM-8213 and GPM-8310."""

from instruments.driver import Driver
from instruments.power.dialects.yokogawa_dialect import (
    CURRENT_RANGES,
    ELEMENTS,
    GW_INSTEK,
    LINE_END,
    RATES_S,
    VOLTAGE_RANGES,
    YOKOGAWA,
    Yokogawa,
)
from instruments.power.discovery import GW_INSTEK_ID, YOKOGAWA_ID, finder
from instruments.power.options import (
    RESOURCE,
    STALE_AFTER,
    current_range,
    elements,
    take_elements,
    voltage_range,
)
from instruments.power.points import Timing
from instruments.power.polled import PolledMeter
from instruments.power.step_ranges import STEP_RANGES, take_ranges
from instruments.settings import Kind, Option, Settings


def _build(settings: Settings) -> PolledMeter:
    rate_s = settings.number("rate")
    dialect = Yokogawa(
        take_ranges(settings, VOLTAGE_RANGES, CURRENT_RANGES),
        take_elements(settings),
        rate_s,
    )
    timing = Timing(rate_s, rate_s, rate_s)
    return PolledMeter(
        settings.name,
        "yokogawa",
        settings.text("resource"),
        dialect,
        timing,
        line_end=LINE_END,
        stale_after_s=settings.number("stale_after"),
    )


DRIVER = Driver(
    "power",
    "yokogawa",
    "Yokogawa WT310/WT33x, GW Instek GPM-8213/8310",
    (
        RESOURCE,
        voltage_range(300.0, VOLTAGE_RANGES),
        current_range(10.0, CURRENT_RANGES),
        STEP_RANGES,
        elements(ELEMENTS),
        Option(
            "rate",
            "Refresh of the meter, and of its averages.",
            Kind.NUMBER,
            0.25,
            choices=RATES_S,
            unit="s",
        ),
        STALE_AFTER,
    ),
    _build,
    finder((YOKOGAWA_ID, GW_INSTEK_ID), (YOKOGAWA, GW_INSTEK)),
)
