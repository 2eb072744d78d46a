"""Keys that several power meters have in common."""

from collections.abc import Sequence

from instruments.errors import BadInput
from instruments.power.unchanged import STALE_AFTER_S
from instruments.settings import Kind, Option, Settings

SUM = "SIGMA"
"""The element that is the sum of all."""

USUAL_PERCENT = 0.05
USUAL_SOURCE = (
    "0.05 % of reading and 0.05 % of range at 45 to 66 Hz, from the data sheet, "
    "unverified"
)
"""What a driver tells of its meter where the bench does not, an HMC8015's from memory:
see resources/accuracy/hmc8015.toml."""


def resource(example: str) -> Option:
    """Make the option for the address, with an example of this meter's port."""
    text = "VISA resource of the meter."
    return Option("resource", text, required=True, example=example)


RESOURCE = resource("TCPIP::192.0.2.5::5025::SOCKET")
STALE_AFTER = Option(
    "stale_after",
    "Values that stay the same to the last digit for so long are taken for frozen, and "
    "are gaps; 0 for never, such as for a meter with few digits.",
    Kind.NUMBER,
    STALE_AFTER_S,
    low=0.0,
    high=3600.0,
    unit="s",
)


def voltage_range(default: float, choices: Sequence[float] = ()) -> Option:
    """Make the option for the voltage range; any number where no choices are known."""
    return _range("voltage", default, choices, "V")


def current_range(default: float, choices: Sequence[float] = ()) -> Option:
    """Make the option for the current range; any number where no choices are known."""
    return _range("current", default, choices, "A")


def elements(choices: Sequence[str]) -> Option:
    """Make the option for the elements of a meter that are read."""
    return Option(
        "element",
        "Elements of the meter that are read, one or several.",
        Kind.TEXTS,
        (choices[0],),
        choices=tuple(choices),
    )


def take_elements(settings: Settings) -> tuple[str, ...]:
    """Get the elements that are read, each of them once.

    Raises:
        BadInput: There is no element, or one twice.
    """
    chosen = settings.texts("element")
    if SUM in chosen and len(chosen) > 1:
        raise BadInput(
            f"element has {SUM} beside others, which would count them twice",
            where="element",
            way_out=f'Expected single elements, or ["{SUM}"] alone.',
        )
    if not chosen or len(set(chosen)) < len(chosen):
        raise BadInput(
            "element names none, or one twice",
            where="element",
            way_out='Expected a list such as ["1", "2"].',
        )
    return chosen


def _range(what: str, default: float, choices: Sequence[float], unit: str) -> Option:
    key, text = f"{what}_range", f"Fixed {what} range"
    if not choices:
        text += "."
        return Option(key, text, Kind.NUMBER, default, low=1e-3, high=1e4, unit=unit)
    text += "; an automatic one would break the integration of energy."
    return Option(key, text, Kind.NUMBER, default, choices=tuple(choices), unit=unit)
