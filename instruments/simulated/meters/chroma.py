"""The simulated Chroma 66204: one quantity a question, four channels."""

import math
from collections.abc import Sequence

from instruments.simulated.meters.acquisition import Acquisition, Input
from instruments.simulated.meters.scpi_arguments import ScpiError, choice
from instruments.simulated.meters.scpi_device import Numbers, ScpiDevice

IDENTITY = "Chroma ATE,66204,SIM000006,1.00,1.00,1.00"
CHANNELS = 4
VOLTAGES = (150.0, 300.0, 600.0)
CURRENTS = (0.01, 0.1, 0.2, 0.4, 2.0, 8.0, 20.0)
QUANTITIES = {
    "VOLTage:RMS": "URMS",
    "CURRent:RMS": "IRMS",
    "POWer:REAL": "P",
    "POWer:REACtive": "Q",
    "POWer:APParent": "S",
    "POWer:PFACtor": "LAMB",
    "POWer:ENERgy": "WH",
    "FREQuency": "FU",
}
"""Function of the acquisition by question."""

# What stands in place of a value, by Chroma's manual.
NOT_YET, OVER_RANGE = "-1", "-3"
JOULES_A_WH = 3600.0


class ChromaMeter(ScpiDevice):
    """One meter, whose channels see the same mains.

    Args:
        acquisition: What it measures.
    """

    terminator = "\n"

    def __init__(self, acquisition: Acquisition) -> None:
        super().__init__()
        self._acquisition = acquisition
        self._unit = "WHR"
        self._trigger = "NONE"
        self.command("*IDN", query=lambda _n, _a: IDENTITY)
        self.command("SYSTem:HEADer", setting=lambda _n, a: choice(a, ("ON", "OFF")))
        self.command("SYSTem:LOCal", setting=lambda _n, _a: self._go_local())
        self.command("CHANnel", setting=lambda _n, a: _channel(a))
        for header, name in QUANTITIES.items():
            self._add_question(header, name)
        self._add_input("VOLTage", "V")
        self._add_input("CURRent", "A")
        self.command(
            "ENERgy:MODE",
            query=lambda _n, _a: self._unit,
            setting=lambda _n, a: self._set_unit(a),
        )
        self.command(
            "TRIGger:MODE",
            query=lambda _n, _a: self._trigger,
            setting=lambda _n, a: self._set_mode(a),
        )
        self.command("TRIGger", query=self._running, setting=self._trigger_now)
        self.reset()

    def reset(self) -> None:
        """Go back to the settings of the factory."""
        self._acquisition.reset()
        self._acquisition.voltage = Input(VOLTAGES, 300.0)
        self._acquisition.current = Input(CURRENTS, 2.0)
        self._unit = "WHR"
        self._trigger = "NONE"

    def _add_question(self, header: str, name: str) -> None:
        def answer(_numbers: Numbers, arguments: Sequence[str]) -> str:
            count = CHANNELS if _channel(arguments) == 0 else 1
            return ",".join([self._value(name)] * count)

        self.command(f"FETCh:{header}", query=answer)

    def _value(self, name: str) -> str:
        value = self._acquisition.values.get(name, math.nan)
        if math.isnan(value):
            return NOT_YET
        if math.isinf(value):
            return OVER_RANGE
        if name == "WH" and self._unit == "JOULE":
            value *= JOULES_A_WH
        return f"{value:.6f}" if name == "WH" else f"{value:.5g}"

    def _add_input(self, kind: str, letter: str) -> None:
        def get() -> Input:
            acquisition = self._acquisition
            return acquisition.voltage if letter == "V" else acquisition.current

        def set_range(_numbers: Numbers, arguments: Sequence[str]) -> None:
            text = choice(arguments, [f"{letter}{each:g}" for each in get().ranges])
            get().choose(float(text[1:]))

        self.command(
            f"{kind}:RANGe",
            query=lambda _n, _a: f"{letter}{get().range:g}",
            setting=set_range,
        )

    def _go_local(self) -> None:
        self.remote = False

    def _set_unit(self, arguments: Sequence[str]) -> None:
        self._unit = choice(arguments, ("JOULE", "WHR"))

    def _set_mode(self, arguments: Sequence[str]) -> None:
        self._trigger = choice(arguments, ("NONE", "GONG", "INRUSH", "ENERGY"))

    def _running(self, _numbers: Numbers, arguments: Sequence[str]) -> str:
        state = "RUNNING" if self._acquisition.integrator.running else "STOP"
        return ",".join([state] * (CHANNELS if _channel(arguments) == 0 else 1))

    def _trigger_now(self, _numbers: Numbers, arguments: Sequence[str]) -> None:
        integrator = self._acquisition.integrator
        wanted = choice(arguments, ("ON", "OFF")) == "ON"
        if wanted and self._trigger != "ENERGY":
            raise ScpiError(-221)
        if wanted and not integrator.running:  # on again does not begin at zero
            integrator.reset()
        integrator.running = wanted


def _channel(arguments: Sequence[str]) -> int:
    """Read a channel; 0, and none at all, is every one."""
    text = arguments[0] if arguments else "0"
    if text not in [str(number) for number in range(CHANNELS + 1)]:
        raise ScpiError(-222)
    return int(text)
