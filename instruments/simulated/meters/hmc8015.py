"""The simulated HMC8015: its command tree on top of the acquisition."""

import re
from collections.abc import Callable, Sequence

from instruments.simulated.meters.acquisition import (
    Acquisition,
    Input,
    Integrator,
    engineering,
)
from instruments.simulated.meters.scpi_arguments import (
    ScpiError,
    choice,
    number,
    one,
    switch,
)
from instruments.simulated.meters.scpi_device import Numbers, ScpiDevice

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


HMC8015 = "Rohde&Schwarz,HMC8015,SIM000001,HW00000000,SW01.403"
NPA101 = "Rohde&Schwarz,NPA101,SIM000007,HW00000000,SW01.000"
_PAGES = 4


class Meter(ScpiDevice):
    """One power analyser; not tied to a connection.

    Args:
        acquisition: What it measures.
        identity: `HMC8015` or `NPA101`, whose commands are the same.

    Attributes:
        tripped: Whether the over-current protection has opened the input.
    """

    def __init__(self, acquisition: Acquisition, identity: str = HMC8015) -> None:
        super().__init__()
        self._acquisition = acquisition
        self.tripped = False
        self._functions: list[str] = list(DEFAULT_FUNCTIONS)
        self._cells: dict[tuple[int, int], str] = {}
        self._sizes = dict.fromkeys(range(1, _PAGES + 1), 6)
        self._page = 1
        self._add_system(identity)
        self._add_inputs()
        self._add_measurement()
        self._add_view()
        self._add_integrator()

    def reset(self) -> None:
        """Go back to the settings of the factory."""
        self._acquisition.reset()
        self._functions = list(DEFAULT_FUNCTIONS)
        self._cells.clear()

    def _add_system(self, identity: str) -> None:
        self.command("*IDN", query=_constant(identity))
        for name in ("LOCal", "REMote", "RWLock"):
            self.command(f"SYSTem:{name}", setting=self._set_remote(name != "LOCal"))
        answers = {
            "VERSion": "1999.0",
            "DEVice": "HMC8015",
            "SOFTware": "01.403",
            "HARDware": "00000000",
            "SNUMber": "SIM000001",
        }
        for name, text in answers.items():
            self.command(f"SYSTem:{name}", query=_constant(text))
        self.command("SYSTem:BEEPer[:IMMediate]", setting=lambda _n, _a: None)

    def _set_remote(self, wanted: bool) -> Callable[[Numbers, Sequence[str]], None]:
        def set_remote(_numbers: Numbers, _arguments: Sequence[str]) -> None:
            self.remote = wanted

        return set_remote

    def _add_inputs(self) -> None:
        root = "CHANnel<n>[:ACQuisition]"
        self._add_input(f"{root}:VOLTage", lambda: self._acquisition.voltage)
        self._add_input(f"{root}:CURRent", lambda: self._acquisition.current)
        self.command(
            f"{root}:CURRent:PROTection", query=lambda _n, _a: str(int(self.tripped))
        )
        self.command(
            f"{root}:CURRent:PROTection:RESet",
            setting=lambda _n, _a: setattr(self, "tripped", False),
        )
        self.command(
            f"{root}:MODE",
            query=lambda _n, _a: "DC" if self._acquisition.direct else "AC",
            setting=lambda _n, a: setattr(
                self._acquisition, "direct", choice(a, ("AC", "DC")) == "DC"
            ),
        )

    def _add_input(self, header: str, get: Callable[[], Input]) -> None:
        def set_range(_numbers: Numbers, arguments: Sequence[str]) -> None:
            chosen = get()
            if chosen.automatic:  # so says the change log of R&S's CVI driver
                raise ScpiError(-221)
            wanted = number(arguments, chosen.ranges[0], chosen.ranges[-1])
            if wanted not in chosen.ranges:
                raise ScpiError(-224)
            chosen.choose(wanted)

        self.command(
            f"{header}:RANGe",
            query=lambda _n, _a: engineering(get().range),
            setting=set_range,
        )
        self.command(
            f"{header}:RANGe:AUTO",
            query=lambda _n, _a: str(int(get().automatic)),
            setting=lambda _n, a: setattr(get(), "automatic", switch(a)),
        )
        self.command(
            f"{header}:CFACtor",
            query=lambda _n, _a: str(get().crest_factor),
            setting=lambda _n, a: setattr(
                get(), "crest_factor", int(choice(a, ("3", "6")))
            ),
        )

    def _add_measurement(self) -> None:
        root = "CHANnel<n>:MEASurement"
        self.command(
            f"{root}:FUNCtions",
            query=lambda _n, _a: ",".join(self._functions),
            setting=lambda _n, a: self._choose_functions(a),
        )
        self.command(
            f"{root}:FUNCtions:COUNt", query=lambda _n, _a: str(len(self._functions))
        )
        self.command(
            f"{root}:FORMat",
            query=_constant("ASC"),
            setting=lambda _n, a: choice(a, ("ASC", "ASCII")),
        )
        self.command(f"{root}:DATA<n>", query=self._data)

    def _choose_functions(self, arguments: Sequence[str]) -> None:
        if not arguments:
            raise ScpiError(-109)
        if len(arguments) > MOST_FUNCTIONS:
            raise ScpiError(-108)
        chosen = [function_named(name) for name in arguments]
        if chosen != self._functions:
            self._functions = chosen
            self._acquisition.blank()  # the real one has no values for some seconds

    def _data(self, numbers: Numbers, arguments: Sequence[str]) -> str:
        values = [engineering(self._acquisition.values.get(f)) for f in self._functions]
        if not arguments and numbers[-1] == 1:
            return ",".join(values)
        wanted = number(arguments, 1, len(values)) if arguments else numbers[-1]
        if wanted > len(values):
            raise ScpiError(-222)
        return values[int(wanted) - 1]

    def _add_view(self) -> None:
        for name in ("NUMeric", "NORMal"):  # the older firmware says NORMal
            self.command(
                f"VIEW:{name}[:SHOW]",
                query=lambda _n, _a: str(self._page),
                setting=lambda _n, a: setattr(self, "_page", int(number(a, 1, _PAGES))),
            )
            self.command(
                f"VIEW:{name}:PAGE<n>:SIZE",
                query=lambda n, _a: str(self._sizes.get(n[0], 6)),
                setting=self._set_size,
            )
            self.command(
                f"VIEW:{name}:PAGE<n>:CELL<n>:FUNCtion",
                query=lambda n, _a: self._cells.get((n[0], n[1]), "EMPT"),
                setting=self._set_cell,
            )

        self.command(
            "VIEW:HARMonics:SCALing",
            query=_constant("ABS"),
            setting=lambda _n, a: choice(a, ("ABS",)),  # a share is not simulated
        )

    def _set_size(self, numbers: Numbers, arguments: Sequence[str]) -> None:
        self._sizes[numbers[0]] = int(choice(arguments, ("6", "10")))

    def _set_cell(self, numbers: Numbers, arguments: Sequence[str]) -> None:
        page, cell = numbers
        if page > _PAGES or cell > self._sizes[page]:
            raise ScpiError(-222)
        self._cells[page, cell] = function_named(one(arguments))

    def _add_integrator(self) -> None:
        def total() -> Integrator:
            return self._acquisition.integrator

        self.command(
            "INTegrator[:STATe]",
            query=lambda _n, _a: str(int(total().enabled)),
            setting=lambda _n, a: setattr(total(), "enabled", switch(a)),
        )
        self.command(
            "INTegrator:MODE",
            query=_constant("MAN"),
            setting=lambda _n, a: choice(a, ("MAN", "MANUAL")),
        )
        self.command("INTegrator:STARt", setting=lambda _n, _a: self._integrate(True))
        self.command("INTegrator:STOP", setting=lambda _n, _a: self._integrate(False))
        self.command("INTegrator:RESet", setting=lambda _n, _a: self._restart())

    def _integrate(self, running: bool) -> None:
        self._acquisition.integrator.running = running

    def _restart(self) -> None:
        if self._acquisition.integrator.running:
            raise ScpiError(-221)
        self._acquisition.integrator.reset()


def _constant(text: str) -> Callable[[Numbers, Sequence[str]], str]:
    return lambda _numbers, _arguments: text
