"""The keys of an HMC8015 in bench.toml, and what is made of them."""

from instruments.driver import period
from instruments.power.hmc8015.config import (
    CURRENT_RANGES,
    FASTEST_S,
    REFRESH_S,
    VOLTAGE_RANGES,
    Config,
    Mode,
    usual,
)
from instruments.power.hmc8015.functions import find_functions
from instruments.power.options import RESOURCE, current_range, voltage_range
from instruments.power.step_ranges import STEP_RANGES, parse_steps
from instruments.settings import Kind, Option, Settings

READING_PERCENT = RANGE_PERCENT = 0.05
"""Of an HMC8015, from memory of its data sheet: see resources/accuracy/hmc8015.toml."""

FROM_MEMORY = (
    "0.05 % of reading and 0.05 % of range at 45 to 66 Hz, from the data sheet, "
    "unverified"
)


def config_from(settings: Settings) -> Config:
    """Read what a bench says; raises BadInput, whose `where` is the key."""
    mode = Mode(settings.text("mode"))
    functions = usual(mode)
    if "functions" in settings.values:
        functions = find_functions(settings.texts("functions"), "functions")
    return Config(
        settings.number("voltage_range"),
        settings.number("current_range"),
        parse_steps(settings, VOLTAGE_RANGES, CURRENT_RANGES),
        settings.integer("crest_factor"),
        mode,
        functions,
        find_functions(settings.texts("extra"), "extra"),
        settings.number("period"),
    )


def _accuracy(of: str, known: float) -> Option:
    text = f"Limit of error as a share of the {of}; the default is unverified."
    return Option(
        f"accuracy_{of}", text, Kind.NUMBER, known, low=0.0, high=10.0, unit="%"
    )


OPTIONS = (
    RESOURCE,
    voltage_range(300.0, VOLTAGE_RANGES),
    current_range(10.0, CURRENT_RANGES),
    STEP_RANGES,
    Option(
        "crest_factor",
        "The greatest peak that is not clipped, as a multiple of the range.",
        Kind.INTEGER,
        3,
        choices=(3, 6),
    ),
    Option(
        "mode",
        "Alternating current, or direct current such as a drive's rail.",
        Kind.CHOICE,
        "ac",
        choices=("ac", "dc"),
    ),
    Option(
        "functions",
        "Measured in every reading besides P, S, lambda, U, I and Wh; room for three.",
        Kind.TEXTS,
        example="U_peak_max",
    ),
    Option(
        "extra",
        "Measured once after each step, harmonics too: values stay away meanwhile.",
        Kind.TEXTS,
        example="U_thd",
    ),
    period(REFRESH_S, FASTEST_S),
    _accuracy("reading", READING_PERCENT),
    _accuracy("range", RANGE_PERCENT),
    Option(
        "accuracy_source",
        "Where the two come from, such as the number of a calibration certificate.",
        default=FROM_MEMORY,
    ),
)
"""Every key of an HMC8015 in bench.toml."""
