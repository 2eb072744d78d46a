"""The simulated Hioki PW3336: two channels, lists of values with names."""

import math
from collections.abc import Sequence

from instruments.simulated.meters.acquisition import Acquisition, Input
from instruments.simulated.meters.scpi_arguments import ScpiError, one
from instruments.simulated.meters.scpi_device import Numbers, ScpiDevice

IDENTITY = "HIOKI,PW3336,SIM000005,V1.20"
CHANNELS = (1, 2)
VOLTAGES = (15.0, 30.0, 60.0, 150.0, 300.0, 600.0, 1000.0)
CURRENTS = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
ITEMS = {
    "U": "URMS",
    "I": "IRMS",
    "P": "P",
    "S": "S",
    "Q": "Q",
    "PF": "LAMB",
    "FREQU": "FU",
    "WP": "WH",
    "WH": "WH",
}
"""Function of the acquisition by item; a real one answers WH under the name WP."""


class HiokiMeter(ScpiDevice):
    """One meter, whose channels see the same mains.

    Args:
        acquisition: What it measures.
    """

    terminator = "\r\n"

    def __init__(self, acquisition: Acquisition) -> None:
        super().__init__()
        self._acquisition = acquisition
        self._has_headers = False
        self._state = "RESET"
        self.command("*IDN", query=lambda _n, _a: IDENTITY)
        self.command("HEADer", setting=lambda _n, a: self._set_headers(a))
        self.command("MEASure", query=lambda _n, a: self._row(a))
        self.command(
            "INTEGrate:STATe",
            query=lambda _n, _a: self._said(":INTEGRATE:STATE", self._state),
            setting=lambda _n, a: self._integrate(one(a).upper()),
        )
        for kind in ("VOLTAGE", "CURRENT"):
            self._add_input(kind)
        self.reset()

    def reset(self) -> None:
        """Go back to the settings of the factory."""
        self._acquisition.reset()
        self._acquisition.voltage = Input(VOLTAGES, 300.0, automatic=True)
        self._acquisition.current = Input(CURRENTS, 0.2, automatic=True)
        self._has_headers = False
        self._state = "RESET"

    def _add_input(self, kind: str) -> None:
        def get() -> Input:
            acquisition = self._acquisition
            return acquisition.voltage if kind == "VOLTAGE" else acquisition.current

        def set_range(_numbers: Numbers, arguments: Sequence[str]) -> None:
            wanted = _float(one(arguments))
            # Ranges stay as they are while it integrates.
            if wanted not in get().ranges or self._state == "START":
                raise ScpiError(-221)
            get().automatic = False
            get().choose(wanted)

        name = f"{kind[:4]}{kind[4:].lower()}<n>"
        self.command(
            f"{name}:RANGe",
            query=lambda n, _a: self._said(f":{kind}{n[0]}:RANGE", f"{get().range:g}"),
            setting=set_range,
        )
        self.command(
            f"{name}:AUTO",
            query=lambda n, _a: self._said(
                f":{kind}{n[0]}:AUTO", "ON" if get().automatic else "OFF"
            ),
            setting=lambda _n, a: setattr(get(), "automatic", one(a).upper() == "ON"),
        )

    def _set_headers(self, arguments: Sequence[str]) -> None:
        self._has_headers = one(arguments).upper() == "ON"

    def _said(self, header: str, text: str) -> str:
        return f"{header} {text}" if self._has_headers else text

    def _integrate(self, wanted: str) -> None:
        """Change the state as the manual's table says; all else is an error."""
        allowed = {"START": ("RESET", "STOP"), "STOP": ("START",)}
        allowed["RESET"] = ("RESET", "STOP")
        if self._state not in allowed.get(wanted, ()):
            raise ScpiError(-221)
        integrator = self._acquisition.integrator
        integrator.running = wanted == "START"
        if wanted == "RESET":
            integrator.reset()
        self._state = wanted

    def _row(self, items: Sequence[str]) -> str:
        return ";".join(self._said(*self._item(item.strip().upper())) for item in items)

    def _item(self, item: str) -> tuple[str, str]:
        if item == "TIME":
            seconds = int(self._acquisition.values["TIME"])
            minutes, hours = seconds // 60, seconds // 3600
            return item, f"{hours:05d},{minutes % 60:02d},{seconds % 60:02d}"
        name = item.rstrip("0123456789")
        channel = item[len(name) :]
        if name not in ITEMS or not channel or int(channel) not in CHANNELS:
            raise ScpiError(-224)
        value = self._acquisition.values.get(ITEMS[name], math.nan)
        shown = f"WP{channel}" if name == "WH" else item
        return shown, number(value, 7 if name in ("WP", "WH") else 6)


def number(value: float, digits: int) -> str:
    """Write a value as "+230.14E+0", and what is none as the manual says."""
    # Integrated values have a digit more, and so have the codes in their place.
    nine = "9" if digits == 7 else ""
    if math.isinf(value):
        return f"+{nine}999.99E+9"
    if math.isnan(value):
        return f"+{'7' if digits == 7 else ''}777.77E+9"
    exponent = 0
    while abs(value) / 10.0**exponent >= 9999.0 and exponent < 6:
        exponent += 3
    mantissa = abs(value) / 10.0**exponent
    decimals = max(0, digits - 1 - len(f"{int(mantissa)}"))
    text = f"{mantissa:.{decimals}f}"[:digits]
    return f"{'-' if value < 0.0 else '+'}{text}E+{exponent}"


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ScpiError(-224) from None
