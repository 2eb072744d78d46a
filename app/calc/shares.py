"""What of a power the drives draw, and what of the apparent power is active."""

import math

from app.calc.calculator import Answer, Calculator, Output, wrong
from app.calc.energy import POWER
from instruments.settings import Kind, Option, Settings


def reactive_factor(power_factor: float) -> float:
    """Get Q/S of P/S: sqrt(1 - (P/S)^2), of sinusoidal quantities.

    1 - P/S, which reports print as the reactive share, is neither.
    """
    return math.sqrt(max(0.0, 1.0 - power_factor**2))


OPTIONS = (
    POWER,
    Option(
        "enclosure",
        "Power of the enclosure without its drives.",
        Kind.NUMBER,
        140.0,
        low=0.0,
        high=1e9,
        unit="W",
        name="Enclosure alone",
    ),
    Option("drives", "How many drives it has.", Kind.INTEGER, 60, low=1, high=100000),
    Option(
        "power_factor",
        "Power factor, lambda: P/S.",
        Kind.NUMBER,
        low=0.0,
        high=1.0,
        name="Power factor",
    ),
)

OUTPUTS = (
    Output("w_per_drive", "Power of a drive", "W", "(power - enclosure) / drives"),
    Output("w_per_slot", "Power of a slot", "W", "power / drives"),
    Output("enclosure_share", "Share of the enclosure", "%", "enclosure / power"),
    Output("drives_share", "Share of the drives", "%", "(power - enclosure) / power"),
    Output("apparent", "Apparent power S", "VA", "power / (P/S)"),
    Output("reactive", "Reactive power Q", "var", "sqrt(S^2 - P^2)"),
    Output("reactive_factor", "Reactive factor Q/S", "%", "sqrt(1 - (P/S)^2)"),
    Output("rest", "1 - P/S, which is not the reactive share", "%", "1 - P/S"),
)


def _work(settings: Settings) -> Answer:
    power, enclosure = settings.number("power"), settings.number("enclosure")
    drives = settings.integer("drives")
    if enclosure > power:
        raise wrong(
            "enclosure",
            f"the enclosure alone draws {enclosure:g} W of {power:g} W",
            "Expected no more than the power.",
        )
    values: dict[str, float | None] = {
        "w_per_drive": (power - enclosure) / drives,
        "w_per_slot": power / drives,
        "enclosure_share": 100 * enclosure / power if power else None,
        "drives_share": 100 * (1 - enclosure / power) if power else None,
    }
    factor = settings.optional("power_factor")
    if factor is not None:
        values["reactive_factor"] = 100 * reactive_factor(factor)
        values["rest"] = 100 * (1 - factor)
        if factor > 0:
            values["apparent"] = power / factor
            values["reactive"] = power / factor * reactive_factor(factor)
    return Answer(values)


SHARES = Calculator(
    "shares",
    "Shares of a power",
    "What a drive and the enclosure draw, and what of the power is reactive.",
    OPTIONS,
    OUTPUTS,
    _work,
    {
        "power": "power_w",
        "enclosure": "dut.enclosure_w",
        "drives": "dut.drives",
        "power_factor": "lambda",
    },
)
