"""The simulated Yokogawa WT310, and the GW Instek GPM-8213 that speaks alike."""

import re
from collections.abc import Callable, Sequence

from instruments.simulated.meters.acquisition import Acquisition, Input, engineering
from instruments.simulated.meters.scpi_arguments import ScpiError, one
from instruments.simulated.meters.scpi_device import Numbers, ScpiDevice

WT310 = "YOKOGAWA,WT310,SIM000003,F1.03"
GPM_8213 = "GWInstek,GPM-8213,SIM000004,V1.05"
MOST_ITEMS = 34
ELEMENTS = ("1", "2", "3", "SIGMA")
_RANGES = {
    "VOLT": (15.0, 30.0, 60.0, 150.0, 300.0, 600.0),
    "CURR": (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0),
}
_VALUES = {
    **{name: name for name in ("P", "S", "Q", "LAMB", "FU", "FI", "WH", "AH", "TIME")},
    **{"U": "URMS", "I": "IRMS", "PHI": "PHI"},
}
"""Function of the acquisition by item."""

_HEADERS = {"U": "Urms", "I": "Irms", "LAMB": "PF", "FU": "fU", "FI": "fI"}
_NUMBER = re.compile(r"(\d*\.?\d+(?:E[+-]?\d+)?)(M?)[VAS]*", re.IGNORECASE)


class YokogawaMeter(ScpiDevice):
    """One meter of the family; all its elements see the same mains.

    Args:
        acquisition: What it measures.
        identity: `WT310` or `GPM_8213`; the latter repeats headers and ends in CR LF.
    """

    def __init__(self, acquisition: Acquisition, identity: str = WT310) -> None:
        super().__init__()
        self._acquisition = acquisition
        self._identity = identity
        self._is_gw_instek = identity == GPM_8213
        self.terminator = "\r\n" if self._is_gw_instek else "\n"
        self._rate = "250.0E-03"
        self._items = ["U", "I", "P"]
        self._add_commands()
        self.reset()

    def reset(self) -> None:
        """Go back to the settings of the factory."""
        acquisition = self._acquisition
        acquisition.reset()
        acquisition.voltage = Input(_RANGES["VOLT"], 300.0)
        acquisition.current = Input(_RANGES["CURR"], 0.5, automatic=True)
        self._state = "RES"
        self._items = ["U", "I", "P"]

    def _add_commands(self) -> None:
        self.command("*IDN", query=lambda _n, _a: self._identity)
        self.command("COMMunicate:REMote", setting=lambda _n, a: self._set_remote(a))
        self._add_input("VOLTage", lambda: self._acquisition.voltage)
        self._add_input("CURRent", lambda: self._acquisition.current)
        self.command("[INPut:]CFACtor", query=self._say(":INP:CFAC", "3"), setting=_one)
        numeric = "NUMeric:NORMal"
        self.command(
            f"{numeric}:NUMBer",
            query=lambda _n, _a: self._said(":NUM:NORM:NUMB", str(len(self._items))),
            setting=lambda _n, a: self._set_count(_value(one(a))),
        )
        self.command(
            f"{numeric}:ITEM<n>",
            query=lambda n, _a: self._said(f":NUM:NORM:ITEM{n[0]}", self._item(n[0])),
            setting=self._set_item,
        )
        self.command(f"{numeric}:VALue", query=lambda _n, _a: self._row())
        integrate = "INTEGrate"
        self.command(
            f"{integrate}:STATe",
            query=lambda _n, _a: self._said(":INTEG:STAT", self._state),
        )
        self.command(f"{integrate}:MODE", setting=_one)
        self.command(f"{integrate}:TIMer", setting=lambda _n, _a: None)
        self.command(f"{integrate}:STARt", setting=lambda _n, _a: self._run(True))
        self.command(f"{integrate}:STOP", setting=lambda _n, _a: self._run(False))
        self.command(f"{integrate}:RESet", setting=lambda _n, _a: self._restart())
        if self._is_gw_instek:
            self.command(f"{numeric}:HEADer", query=lambda _n, _a: self._headers())
        else:
            self.command("NUMeric:FORMat", setting=_one)
            self.command("COMMunicate:HEADer", setting=_one)
            self.command("COMMunicate:VERBose", setting=_one)
            self.command("RATE", query=lambda _n, _a: self._rate, setting=self._pace)

    def _add_input(self, kind: str, get: Callable[[], Input]) -> None:
        short = kind[:4]

        def set_range(_numbers: Numbers, arguments: Sequence[str]) -> None:
            wanted = _value(one(arguments))
            if wanted not in get().ranges or self._acquisition.integrator.running:
                raise ScpiError(-221)
            get().automatic = False  # a range that is named is a fixed one
            get().choose(wanted)

        self.command(
            f"[INPut:]{kind}:RANGe",
            query=lambda _n, _a: self._said(f":{short}:RANG", engineering(get().range)),
            setting=set_range,
        )
        self.command(
            f"[INPut:]{kind}:AUTO",
            query=lambda _n, _a: self._said(
                f":{short}:AUTO", str(int(get().automatic))
            ),
            setting=lambda _n, a: setattr(
                get(), "automatic", one(a).upper() in ("1", "ON")
            ),
        )

    def _said(self, header: str, text: str) -> str:
        return f"{header} {text}" if self._is_gw_instek else text

    def _say(self, header: str, text: str) -> Callable[[Numbers, Sequence[str]], str]:
        return lambda _n, _a: self._said(header, text)

    def _set_remote(self, arguments: Sequence[str]) -> None:
        self.remote = one(arguments).upper() in ("1", "ON")

    def _pace(self, _numbers: Numbers, arguments: Sequence[str]) -> None:
        self._rate = engineering(_value(one(arguments)))

    def _set_count(self, count: float) -> None:
        if not 1 <= count <= MOST_ITEMS:
            raise ScpiError(-222)
        kept = self._items[: int(count)]
        self._items = kept + ["P"] * (int(count) - len(kept))

    def _item(self, number: int) -> str:
        if not 1 <= number <= len(self._items):
            raise ScpiError(-222)
        return self._items[number - 1]

    def _set_item(self, numbers: Numbers, arguments: Sequence[str]) -> None:
        name = arguments[0].upper().replace("LAMBDA", "LAMB") if arguments else ""
        known = name in _VALUES and all(a.upper() in ELEMENTS for a in arguments[1:])
        if not known or len(arguments) != (1 if self._is_gw_instek else 2):
            raise ScpiError(-224)
        self._item(numbers[0])
        self._items[numbers[0] - 1] = ",".join([name, *arguments[1:]])

    def _row(self) -> str:
        values = self._acquisition.values
        names = [item.partition(",")[0] for item in self._items]
        return ",".join(
            f"{int(values['TIME'])}"
            if name == "TIME"
            else engineering(values.get(_VALUES[name]))
            for name in names
        )

    def _headers(self) -> str:
        return ",".join(_HEADERS.get(item, item) for item in self._items)

    def _run(self, running: bool) -> None:
        # A command that changes nothing is an error, as with the real ones.
        if running == (self._state == "STAR"):
            raise ScpiError(-221)
        self._acquisition.integrator.running = running
        self._state = "STAR" if running else "STOP"

    def _restart(self) -> None:
        if self._state == "STAR":
            raise ScpiError(-221)
        self._acquisition.integrator.reset()
        self._state = "RES"


def _one(_numbers: Numbers, arguments: Sequence[str]) -> None:
    """Take a setting that changes nothing here."""
    one(arguments)


def _value(text: str) -> float:
    """Read "300V", "500MA", "250MS" or "0.5"."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        raise ScpiError(-224)
    return float(match[1]) * (0.001 if match[2] else 1.0)
