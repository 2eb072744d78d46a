"""The simulated Tektronix PA1000, which Bayscope knows by a description only."""

import math

from instruments.simulated.meters.acquisition import Acquisition

IDENTITY = "TEKTRONIX,PA1000,SIM000008,2.001.000"
SELECTIONS = {
    "VLT": "URMS",
    "AMP": "IRMS",
    "WAT": "P",
    "VAS": "S",
    "VAR": "Q",
    "PWF": "LAMB",
    "FRQ": "FU",
    "WHR": "WH",
}
"""Function of the acquisition by selection."""

_OVERFLOW, _NO_VALUE = "9.9E37", "9.91E37"


class Pa1000Meter:
    """One meter: what is selected comes as a list, in the order of selection.

    Args:
        acquisition: What it measures.
    """

    terminator = "\n"

    def __init__(self, acquisition: Acquisition) -> None:
        self._acquisition = acquisition
        self._selected: list[str] = []
        self.power_on()

    def handle(self, message: str) -> str | None:
        """Answer one line; see `MeterModel`."""
        text = message.strip().upper()
        if text == "*IDN?":
            return IDENTITY
        if text == ":FRD?":
            return ",".join(self._value(name) for name in self._selected)
        if text in (":RNG:VLT:AUT?", ":RNG:AMP:AUT?"):
            return "1"
        if text.endswith("?"):
            return None  # what it does not know is not answered
        self._carry_out(text)
        return ""  # over Ethernet every command is acknowledged

    def unasked(self) -> list[str]:
        """Say nothing by itself; see `MeterModel`."""
        return []

    def power_on(self) -> None:
        """Begin as after switching on; see `MeterModel`."""
        self._acquisition.reset()
        self._acquisition.voltage.automatic = True
        self._acquisition.current.automatic = True
        self._selected.clear()

    def _carry_out(self, text: str) -> None:
        integrator = self._acquisition.integrator
        if text == ":SEL:CLR":
            self._selected.clear()
        elif text.startswith(":SEL:") and text[5:] in SELECTIONS:
            self._selected.append(SELECTIONS[text[5:]])
        elif text in (":INT:MAN:RUN", ":INT:MAN:STOP"):
            integrator.running = text.endswith("RUN")
        elif text == ":INT:RESET" and not integrator.running:
            integrator.reset()

    def _value(self, name: str) -> str:
        value = self._acquisition.values.get(name, math.nan)
        if math.isnan(value):
            return _NO_VALUE
        return _OVERFLOW if math.isinf(value) else f"{value:.6E}"
