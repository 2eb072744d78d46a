"""Figures that follow from a row: of its values, and of facts of the bench.

What each is made of stands in the table of metrics as a formula: sums, products, powers
and quotients of names and numbers. Names are results of the row or facts of the bench.
"""

import ast
import math
import operator
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from functools import cache

from app.calc.energy import mean_of_year
from instruments.metric import METRICS

FACTS = "facts"
"""The key of a row under which the facts stand that its figures are made with."""

WHOLE = "whole bench"
"""What the sum of all devices is called."""

_SWITCHED_OFF = ("off", "background")
"""Roles of rows in which the device does not work, see `app.plan.step.Role`."""

RENAMED = {"whole_power_w": f"{WHOLE}.power_w", "power_factor": "lambda"}
"""What formulas cannot name: one is not a word, the other a keyword of Python."""

_TERMS = ("price_per_kwh", "co2_g_per_kwh", "pue")
"""What of a bench is assumed, and no fact of its device."""

_POWERS = ("power_w", "whole_power_w", "power_factor")

FORMULAS = {metric.name: metric.formula for metric in METRICS if metric.formula}


@dataclass(frozen=True, slots=True)
class Economics:
    """What a bench says of its device's size and of prices; None: it is not said."""

    # raw capacity in TB of 10^12 bytes, net of redundancy, and what of it is used
    capacity_tb: float | None = None
    net_capacity_tb: float | None = None
    usable_capacity_tb: float | None = None
    drives: float | None = None
    enclosure_w: float | None = None  # mean power without its drives
    price: float | None = None  # of the device, in `currency`
    price_per_kwh: float | None = None  # in `currency`
    co2_g_per_kwh: float | None = None
    currency: str = "EUR"  # such as "EUR"
    pue: float = 1.0  # power usage effectiveness of the data centre
    # share of the year under load, 0 to 1; the device idles in the rest
    duty: float = 1.0

    def facts(self, idle_w: float | None) -> dict[str, float]:
        """Get what formulas can name, with the power at rest where it is known."""
        known = {**asdict(self), "idle_w": idle_w}
        return {k: v for k, v in known.items() if isinstance(v, int | float)}


def inputs_of(row: Mapping[str, object]) -> dict[str, float]:
    """Get what formulas can name: numbers of a row, and its facts.

    Beside these are "whole_power_w"; "power_factor", which is lambda; and "mean_w", the
    mean power of a year. Nothing follows from the power of a cool-down, which has no
    level of its own, nor from that of a device that is off; and nothing is said of
    drives where all of it draws less than its enclosure.
    """
    found = _numbers(row)
    power, engine = found.get("power_w"), row.get("engine")
    is_level = engine != "cooldown" and row.get("role") not in _SWITCHED_OFF
    if power is None:
        return found if is_level else _without_power(found)
    if power < found.get("enclosure_w", 0.0):
        found.pop("enclosure_w", None)
    if not is_level or power < 0:
        return _without_power(found)
    mean = mean_of_year(power, found.get("idle_w"), duty_of(row))
    return found if mean is None else found | {"mean_w": mean}


def duty_of(row: Mapping[str, object]) -> float:
    """Get the share of a year in which a row's power is drawn, 0 to 1.

    It is all of it for a row at rest, and else what the bench says.
    """
    return 1.0 if row.get("engine") == "idle" else _numbers(row).get("duty", 1.0)


def _numbers(row: Mapping[str, object]) -> dict[str, float]:
    facts = row.get(FACTS)
    found = {k: float(v) for k, v in row.items() if isinstance(v, int | float)}
    found |= facts if isinstance(facts, Mapping) else {}
    return found | {name: found[own] for name, own in RENAMED.items() if own in found}


def _without_power(inputs: Mapping[str, float]) -> dict[str, float]:
    return {name: value for name, value in inputs.items() if name not in _POWERS}


def assumed_in(name: str, row: Mapping[str, object]) -> dict[str, float]:
    """Get what a figure of a row is at: tariff, CO2, PUE and duty, as far as in it."""
    names, known = FORMULAS.get(name, "").split(), _numbers(row)
    found = {term: known[term] for term in _TERMS if term in names and term in known}
    return found | ({"duty": duty_of(row)} if "mean_w" in names else {})


def derived_of(row: Mapping[str, object]) -> dict[str, float]:
    """Work out all figures that a row and its facts give."""
    inputs = inputs_of(row)
    found = {}
    for name, formula in FORMULAS.items():
        value = evaluated(formula, inputs)
        if value is not None:
            found[name] = value
    return found


def thin_of(
    row: Mapping[str, object], thin: Collection[str], *, is_rest_thin: bool
) -> list[str]:
    """Name the figures of a row that follow from values of too few samples.

    Args:
        row: With what follows from it.
        thin: Its results of too few samples, those of other devices among them.
        is_rest_thin: Whether power at rest is one, which a year has a share of.
    """
    names = {*thin, *(name for name, own in RENAMED.items() if own in thin)}
    if any(name == "power_w" or name.endswith(".power_w") for name in thin):
        names.add("whole_power_w")
    if "power_w" in thin or (is_rest_thin and duty_of(row) < 1.0):
        names.add("mean_w")
    return [
        name
        for name, formula in FORMULAS.items()
        if row.get(name) is not None and not names.isdisjoint(formula.split())
    ]


def evaluated(formula: str, inputs: Mapping[str, float]) -> float | None:
    """Work out a formula; None where a name is not known or it is not a number."""
    try:
        value: object = _value(_parsed(formula), inputs)
    except (KeyError, ArithmeticError):
        return None
    # The root of what is below nought is complex.
    return value if isinstance(value, float) and math.isfinite(value) else None


@cache
def _parsed(formula: str) -> ast.expr:
    return ast.parse(formula, mode="eval").body


_OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def _value(node: ast.expr, inputs: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.Name(id=name):
            return inputs[name]
        case ast.BinOp(left=left, op=how, right=right):
            return _OPERATORS[type(how)](_value(left, inputs), _value(right, inputs))
    raise ValueError(f"not a formula: {ast.dump(node)}")
