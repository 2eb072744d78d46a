"""The functions of the simulated HMC8015: their names, short and long."""

import re

from instruments.simulated.meters.scpi_arguments import ScpiError

MOST_FUNCTIONS = 10
DEFAULT_FUNCTIONS = (
    *("URMS", "IRMS", "P", "FPLL", "URAN", "IRAN", "S", "Q", "LAMB", "PHI"),
)
_LONG = {
    "LAMBDA": "LAMB",
    "URANGE": "URAN",
    "IRANGE": "IRAN",
    "EMPTY": "EMPT",
    "EMP": "EMPT",
    "UPPEAK": "UPP",
    "UMPEAK": "UMP",
    "IPPEAK": "IPP",
    "IMPEAK": "IMP",
    "PPPEAK": "PPP",
    "PMPEAK": "PMP",
}
_FUNCTIONS = frozenset(
    [
        *("P", "S", "Q", "LAMB", "PHI", "FU", "FI", "FPLL", "TIME", "EMPT"),
        *("URMS", "UAVG", "UTHD", "URAN", "UPP", "UMP"),
        *("IRMS", "IAVG", "ITHD", "IRAN", "IPP", "IMP"),
        *("WH", "WHP", "WHM", "AH", "AHP", "AHM", "PPP", "PMP"),
    ]
)
_HARMONIC = re.compile(r"[UIP]K([1-9]|[1-4]\d|50)")


def function_named(name: str) -> str:
    """Get the short name of a function; raises ScpiError where there is none."""
    text = name.strip().upper()
    text = _LONG.get(text, text)
    if text not in _FUNCTIONS and not _HARMONIC.fullmatch(text):
        raise ScpiError(-224)
    return text
