"""What a simulated device takes as parameters, and the errors for all else."""

from collections.abc import Sequence

TEXTS = {
    -100: "Command error",
    -102: "Syntax error",
    -108: "Parameter not allowed",
    -109: "Missing parameter",
    -113: "Undefined header",
    -221: "Settings conflict",
    -222: "Data out of range",
    -224: "Illegal parameter value",
    -350: "Queue overflow",
    -410: "Query interrupted",
}


class ScpiError(Exception):
    """A command that the device does not take; its code goes into the error queue."""

    def __init__(self, code: int) -> None:
        super().__init__(TEXTS[code])
        self.code = code


def byte(arguments: Sequence[str]) -> int:
    """Read the one parameter of a register, 0 to 255."""
    return round(number(arguments, 0.0, 255.0))


def number(arguments: Sequence[str], low: float, high: float) -> float:
    """Read the one parameter of a number; raises ScpiError."""
    text = one(arguments).upper()
    if text in ("MIN", "MINIMUM"):
        return low
    if text in ("MAX", "MAXIMUM"):
        return high
    try:
        value = float(text)
    except ValueError:
        raise ScpiError(-224) from None
    if not low <= value <= high:
        raise ScpiError(-222)
    return value


def switch(arguments: Sequence[str]) -> bool:
    """Read the one parameter of a switch; raises ScpiError."""
    return choice(arguments, ("1", "ON", "0", "OFF")) in ("1", "ON")


def one(arguments: Sequence[str]) -> str:
    """Get the only parameter; raises ScpiError for none or more."""
    if not arguments:
        raise ScpiError(-109)
    if len(arguments) > 1:
        raise ScpiError(-108)
    return arguments[0]


def choice(arguments: Sequence[str], allowed: Sequence[str]) -> str:
    """Get the only parameter in capitals; raises ScpiError for a word not allowed."""
    text = one(arguments).upper()
    if text not in allowed:
        raise ScpiError(-224)
    return text
