"""The keys of an HMC8015 in bench.toml, and what is made of them."""

import re

from instruments.driver import period
from instruments.errors import BadInput
from instruments.power.hmc8015.config import (
    CURRENT_RANGES,
    FASTEST_S,
    REFRESH_S,
    VOLTAGE_RANGES,
    Config,
    Mode,
    Ranges,
    usual,
)
from instruments.power.hmc8015.functions import find_functions
from instruments.power.scpi_values import check_ranges
from instruments.power.uncertainty import HMC8015 as FROM_MEMORY
from instruments.settings import Kind, Option, Settings

_STEP = re.compile(r"\s*(.+?)\s*=\s*([\d.]+)\s*V\s*,\s*([\d.]+)\s*A\s*")


def config_from(settings: Settings) -> Config:
    """Read what a bench says; raises BadInput, whose `where` is the key."""
    mode = Mode(settings.text("mode"))
    functions = usual(mode)
    if "functions" in settings.values:
        functions = find_functions(settings.texts("functions"), "functions")
    return Config(
        settings.number("voltage_range"),
        settings.number("current_range"),
        dict(_step_ranges(text) for text in settings.texts("step_ranges")),
        settings.integer("crest_factor"),
        mode,
        functions,
        find_functions(settings.texts("extra"), "extra"),
        settings.number("period"),
    )


def _step_ranges(text: str) -> tuple[str, Ranges]:
    found = _STEP.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        ranges = float(found[2]), float(found[3])
        check_ranges("the voltage range", ranges[0], VOLTAGE_RANGES, "V", BadInput)
        check_ranges("the current range", ranges[1], CURRENT_RANGES, "A", BadInput)
    except ValueError:
        raise BadInput(
            f'step_ranges has "{text}"',
            where="step_ranges",
            way_out='Expected a label and two ranges, such as "Off = 300 V, 0.2 A".',
        ) from None
    except BadInput as error:
        error.where = "step_ranges"
        raise
    return found[1], ranges


OPTIONS = (
    Option(
        "resource",
        "VISA resource of the meter.",
        required=True,
        example="TCPIP::192.0.2.5::5025::SOCKET",
    ),
    Option(
        "voltage_range",
        "Fixed voltage range; an automatic one would break the integration of energy.",
        Kind.NUMBER,
        300.0,
        choices=VOLTAGE_RANGES,
        unit="V",
    ),
    Option(
        "current_range",
        "Fixed current range; an automatic one would break the integration of energy.",
        Kind.NUMBER,
        10.0,
        choices=CURRENT_RANGES,
        unit="A",
    ),
    Option(
        "step_ranges",
        'Other ranges for some steps, such as "Standby = 300 V, 0.2 A".',
        Kind.TEXTS,
    ),
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
    Option(
        "accuracy_reading",
        "Limit of error as a share of the reading; the default is from memory.",
        Kind.NUMBER,
        FROM_MEMORY.reading * 100.0,
        low=0.0,
        high=10.0,
        unit="%",
    ),
    Option(
        "accuracy_range",
        "Limit of error as a share of the range; the default is from memory.",
        Kind.NUMBER,
        FROM_MEMORY.range * 100.0,
        low=0.0,
        high=10.0,
        unit="%",
    ),
    Option(
        "accuracy_source",
        "Where the two come from, such as the number of a calibration certificate.",
        default=FROM_MEMORY.source,
    ),
)
"""Every key of an HMC8015 in bench.toml."""
