"""What an HMC8015 can measure: its functions, and the quantities they become."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from instruments.errors import BadInput
from instruments.settings import closest

HIGHEST_HARMONIC = 50


class Group(StrEnum):
    """How functions are laid out for a person."""

    POWER = "power"
    ENERGY = "energy"
    QUALITY = "quality"
    PEAKS = "peaks"
    HARMONICS = "harmonics"


@dataclass(frozen=True, slots=True)
class Function:
    """One function of the meter.

    Attributes:
        token: Its name in SCPI, the short form.
        quantity: What the channel is called, and the name in bench.toml.
        unit: Unit of the value; energies and angles as the meter writes them.
        group: Where it stands in a list.
        title: What it is, for a person.
        long: Its long form in SCPI, where there is one.
    """

    token: str
    quantity: str
    unit: str
    group: Group
    title: str
    long: str = ""


def _rows(
    group: Group, *rows: tuple[str, str, str, str] | tuple[str, str, str, str, str]
) -> list[Function]:
    return [Function(row[0], row[1], row[2], group, row[3], *row[4:]) for row in rows]


def _harmonics() -> list[Function]:
    kinds = (("UK", "U", "V"), ("IK", "I", "A"), ("PK", "P", "W"))
    return [
        Function(
            f"{token}{order}",
            f"{name}_h{order}",
            unit,
            Group.HARMONICS,
            f"Harmonic {order} of {name}",
        )
        for token, name, unit in kinds
        for order in range(1, HIGHEST_HARMONIC + 1)
    ]


FUNCTIONS: tuple[Function, ...] = (
    *_rows(
        Group.POWER,
        ("P", "P", "W", "Active power"),
        ("S", "S", "VA", "Apparent power"),
        ("Q", "Q", "var", "Reactive power"),
        ("LAMB", "lambda", "", "Power factor P/S", "LAMBDA"),
        ("PHI", "phi", "deg", "Phase angle"),
        ("URMS", "U", "V", "Voltage, RMS"),
        ("IRMS", "I", "A", "Current, RMS"),
        ("UAVG", "U_avg", "V", "Voltage, mean"),
        ("IAVG", "I_avg", "A", "Current, mean"),
    ),
    *_rows(
        Group.ENERGY,
        ("WH", "Wh", "Wh", "Energy"),
        ("WHP", "Wh_pos", "Wh", "Energy taken"),
        ("WHM", "Wh_neg", "Wh", "Energy given back"),
        ("AH", "Ah", "Ah", "Charge"),
        ("AHP", "Ah_pos", "Ah", "Charge taken"),
        ("AHM", "Ah_neg", "Ah", "Charge given back"),
        ("TIME", "integration_time", "s", "Time the integrator has run"),
    ),
    *_rows(
        Group.QUALITY,
        ("FU", "f", "Hz", "Frequency of the voltage"),
        ("FI", "f_I", "Hz", "Frequency of the current"),
        ("FPLL", "f_pll", "Hz", "Frequency of the synchronisation"),
        ("UTHD", "U_thd", "%", "Total distortion of the voltage"),
        ("ITHD", "I_thd", "%", "Total distortion of the current"),
    ),
    *_rows(
        Group.PEAKS,
        ("UPP", "U_peak_max", "V", "Highest voltage", "UPPEAK"),
        ("UMP", "U_peak_min", "V", "Lowest voltage", "UMPEAK"),
        ("IPP", "I_peak_max", "A", "Highest current", "IPPEAK"),
        ("IMP", "I_peak_min", "A", "Lowest current", "IMPEAK"),
        ("PPP", "P_peak_max", "W", "Highest power", "PPPEAK"),
        ("PMP", "P_peak_min", "W", "Lowest power", "PMPEAK"),
    ),
    *_harmonics(),
)
"""All functions with a unit of ours; limits, digital and analogue inputs are excluded.

Sources: R&S CVI driver rshmc8015 1.0.3, the examples of R&S, and logs of users. The
long forms PPPEAK and PMPEAK are inferred from those of the other peaks.
"""

SETTINGS = {"URAN": "URANGE", "IRAN": "IRANGE", "EMPT": "EMPTY"}
"""Functions that are not measurement: the two ranges, and the empty cell."""

_BY_TOKEN = {function.token: function for function in FUNCTIONS}
_SHORT = {
    **{function.long: function.token for function in FUNCTIONS if function.long},
    **{long: short for short, long in SETTINGS.items()},
    "EMP": "EMPT",  # as R&S's own CVI driver spells it
}
_BY_NAME = {function.quantity.lower(): function for function in FUNCTIONS}


def short_form(token: str) -> str:
    """Get the short form of a function, as sent and as compared."""
    name = token.strip().upper()
    return _SHORT.get(name, name)


def by_token(token: str) -> Function:
    """Get a function by its name in SCPI, short or long; raises KeyError."""
    return _BY_TOKEN[short_form(token)]


def find_function(name: str, key: str = "functions") -> Function:
    """Get a function by its quantity, such as "U_thd", or its name in SCPI.

    Args:
        name: As somebody wrote it; case does not matter.
        key: The key of bench.toml it was written under.

    Raises:
        BadInput: The meter has no such function.
    """
    text = name.strip()
    function = _BY_NAME.get(text.lower()) or _BY_TOKEN.get(short_form(text))
    if function is not None:
        return function
    close = closest(text.lower(), _BY_NAME)
    hint = f' (did you mean "{_BY_NAME[close].quantity}"?)' if close else ""
    names = ", ".join(f.quantity for f in FUNCTIONS if f.group is not Group.HARMONICS)
    raise BadInput(
        f'there is no function "{name}"{hint}',
        where=key,
        way_out=f"Expected some of {names}, or U_h1 to U_h{HIGHEST_HARMONIC}, "
        f"I_h1 ..., P_h1 ... for harmonics.",
    )


def find_functions(names: Iterable[str], key: str) -> tuple[Function, ...]:
    """Get several functions, each once, in the order given; raises BadInput."""
    return tuple(dict.fromkeys(find_function(name, key) for name in names))
