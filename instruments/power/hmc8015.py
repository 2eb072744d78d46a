"""The R&S HMC8015 power analyser: ten sets of values a second over SCPI.

No HMC8015 was at hand: what rests on inference is said where it is used. Short
forms are sent throughout, because sisters of this meter stumble over long ones.
"""

import math
import time
from collections.abc import Callable
from contextlib import suppress

from instruments.driver import Driver
from instruments.errors import BadInput, SourceError
from instruments.power.scpi_values import check_ranges, parse_value, split_values
from instruments.reading import SECOND, Channel, Identity, Reading, Status
from instruments.scpi import Scpi
from instruments.settings import Kind, Option, Settings
from instruments.transport import TIMEOUT_S, TransportFactory, VisaTransport

PERIOD_NS = SECOND // 10
WINDOW_NS = SECOND // 10
"""RMS values are formed over 100 ms."""

LATENCY_NS = SECOND // 10
"""Assumed: half the window, and half of the 100 ms for which a value is repeated."""

VOLTAGE_RANGES = (5.0, 15.0, 30.0, 60.0, 150.0, 300.0, 600.0)
CURRENT_RANGES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)

QUANTITIES = {
    "P": ("P", "W"),
    "S": ("S", "VA"),
    "Q": ("Q", "var"),
    "LAMB": ("lambda", ""),
    "URMS": ("U", "V"),
    "IRMS": ("I", "A"),
    "FU": ("f", "Hz"),
    "WH": ("Wh", "Wh"),
}
FUNCTIONS = (*QUANTITIES, "TIME")
"""The meter reads at most ten; TIME tells whether the integrator runs."""

_LONG_FORMS = {"LAMBDA": "LAMB", "EMPTY": "EMPT", "EMP": "EMPT"}
_VENDORS = ("HAMEG", "ROHDE&SCHWARZ")
_CELLS = 10
_SETTLE_TRIES = 30
_INTEGRATOR_STOPPED_NS = 2 * SECOND


class HMC8015:
    """One analyser as a source of section "power".

    Args:
        name: Name of the source.
        resource: VISA resource string.
        voltage_range: Range in V, one of `VOLTAGE_RANGES`; never changed by itself.
        current_range: Range in A, one of `CURRENT_RANGES`; an automatic change would
            leave gaps and break the integration of energy.
        transport: Opens the resource.
        clock: Gives monotonic nanoseconds.
        sleep: Waits for seconds.

    Raises:
        BadInput: The meter has no such range.
    """

    section = "power"
    driver = "hmc8015"
    period_s = PERIOD_NS / SECOND

    def __init__(
        self,
        name: str,
        resource: str,
        *,
        voltage_range: float = 300.0,
        current_range: float = 10.0,
        transport: TransportFactory = VisaTransport,
        clock: Callable[[], int] = time.monotonic_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        check_ranges("voltage_range", voltage_range, VOLTAGE_RANGES, "V", BadInput)
        check_ranges("current_range", current_range, CURRENT_RANGES, "A", BadInput)
        self.name = name
        self._resource = resource
        self._ranges = {
            "CHAN1:VOLT:RANG": float(voltage_range),
            "CHAN1:CURR:RANG": float(current_range),
        }
        self._factory = transport
        self._clock = clock
        self._sleep = sleep
        self._scpi: Scpi | None = None
        self._order: tuple[str, ...] = ()
        self._integrated = (math.nan, 0)
        self._channels = tuple(
            Channel(name, quantity, unit, "", PERIOD_NS, LATENCY_NS, WINDOW_NS)
            for quantity, unit in QUANTITIES.values()
        )

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get the eight channels."""
        return self._channels

    def open(self) -> Identity:
        """Connect, identify, fix ranges, choose functions, start the integrator.

        Raises:
            SourceError: Not reached, another instrument, or a setting not taken.
        """
        self.close()
        where = f"{self.name} ({self._resource})"
        try:
            link = self._factory(self._resource, TIMEOUT_S)
        except SourceError as error:
            error.where = where
            raise
        scpi = Scpi(link, where)
        try:
            identity = _identify(scpi, self._resource)
        except BaseException:
            scpi.close()  # no command of ours to an instrument that is another
            raise
        self._scpi = scpi
        try:
            # What an earlier user left in the error queue is not ours.
            scpi.set("INT:STOP", "*CLS", "SYST:REM", "CHAN1:MEAS:FORM ASC")
            for node, wanted in self._ranges.items():
                _fix_range(scpi, node, wanted)
            self._order = _choose_functions(scpi)
            _fill_page(scpi, self._order)
            # Whether INT:STAR needs INT:STAT ON is not known; TIME will tell.
            scpi.set("INT:MODE MAN", "INT:RES", "INT:STAR")
            scpi.check("starting the integrator")
            self._settle(scpi)
        except BaseException:
            self.close()
            raise
        return identity

    def read(self) -> Reading:
        """Take one set of values; see `Source.read`."""
        scpi = self._scpi
        if scpi is None:
            raise SourceError("the source is not open", where=self.name)
        start = self._clock()
        answer = scpi.ask("CHAN1:MEAS:DATA?")
        end = self._clock()
        tokens = dict(zip(self._order, self._tokens(scpi, answer), strict=True))
        parsed = {f: parse_value(tokens[f], scpi.where) for f in FUNCTIONS}
        if self._integrator_stopped(parsed["TIME"][0], end):
            parsed["WH"] = (math.nan, Status.STALE)
        values = [parsed[function] for function in QUANTITIES]
        return Reading(
            self._channels,
            start,
            end,
            tuple(value for value, _ in values),
            tuple(status for _, status in values),
            answer.encode(),
        )

    def close(self) -> None:
        """Stop the integrator, give the front panel back, let go; may be repeated."""
        scpi, self._scpi = self._scpi, None
        if scpi is None:
            return
        # Where the link is what failed, there is nothing left to be made safe.
        with suppress(SourceError):
            scpi.set("INT:STOP")
            scpi.write("SYST:LOC")
        scpi.close()

    def _settle(self, scpi: Scpi) -> None:
        """Wait for the first full set: new functions and ranges take up to 3 s.

        A value that stays away, such as one over range, does not keep it waiting.
        """
        answer = ""
        for _ in range(_SETTLE_TRIES):
            # Until the next refresh, values are those from before the settings.
            self._sleep(self.period_s)
            answer = scpi.ask("CHAN1:MEAS:DATA?")
            tokens = split_values(answer)
            if len(tokens) in (len(self._order), _CELLS) and not any(
                token.upper() == "NAN" for token in tokens[: len(self._order)]
            ):
                break
        self._tokens(scpi, answer)
        self._integrated = (math.nan, self._clock())

    def _tokens(self, scpi: Scpi, answer: str) -> list[str]:
        tokens = split_values(answer)
        expected = len(self._order)
        if len(tokens) == _CELLS and tokens[-1].upper() in ("NAN", "---", ""):
            tokens.pop()  # The empty tenth cell, where DATA? follows the page.
        if len(tokens) != expected:
            raise scpi.refuse(
                f"{len(tokens)} values came where {expected} were asked for "
                f'("{answer[:60]}")'
            )
        return tokens

    def _integrator_stopped(self, seconds: float, now: int) -> bool:
        """Whether its time has stood still, so that Wh is no longer measured."""
        before, since = self._integrated
        if not math.isnan(seconds) and seconds != before:
            self._integrated = (seconds, now)
            return False
        return now - since > _INTEGRATOR_STOPPED_NS


def _identify(scpi: Scpi, resource: str) -> Identity:
    answer = scpi.ask("*IDN?")
    fields = [field.strip() for field in answer.split(",")]
    if len(fields) not in (4, 5) or fields[0].upper() not in _VENDORS:
        raise scpi.refuse(f'"{answer[:60]}" answers there, no R&S power analyser')
    if fields[1].upper() != "HMC8015":
        raise scpi.refuse(f"the model {fields[1]} answers there, not an HMC8015")
    return Identity(
        maker=fields[0],
        model=fields[1],
        serial=fields[2],
        firmware=" ".join(reversed(fields[3:])),
        address=resource,
        simulated=fields[2].startswith("SIM"),
    )


def _fix_range(scpi: Scpi, node: str, wanted: float) -> None:
    # A fixed range is taken only while the automatic one is off.
    scpi.set(f"{node}:AUTO OFF", f"{node} {wanted:g}")
    automatic = scpi.ask(f"{node}:AUTO?")
    answer = scpi.ask(f"{node}?")
    scpi.check(f"setting {node} to {wanted:g}")
    taken, _ = parse_value(answer, scpi.where)
    if automatic.upper() not in ("0", "OFF") or not math.isclose(
        taken, wanted, rel_tol=1e-3
    ):
        raise scpi.refuse(
            f"{node} is {answer} (automatic: {automatic}) after it was set to "
            f"{wanted:g}"
        )


def _choose_functions(scpi: Scpi) -> tuple[str, ...]:
    """Set what DATA? answers; names are bound to the order that is read back."""
    scpi.set(f"CHAN1:MEAS:FUNC {','.join(FUNCTIONS)}")
    answer = scpi.ask("CHAN1:MEAS:FUNC?")
    scpi.check("choosing the functions")
    order = tuple(_short(token) for token in answer.split(","))
    if sorted(order) != sorted(FUNCTIONS):
        raise scpi.refuse(f"it measures {answer}, not {','.join(FUNCTIONS)}")
    return order


def _fill_page(scpi: Scpi, order: tuple[str, ...]) -> None:
    """Set the cells of page 1 too: sources differ on which of the two DATA? follows."""
    cells = (*order, *("EMPT",) * (_CELLS - len(order)))
    for view in ("VIEW:NUM", "VIEW:NORM"):  # NORM is firmware before 1.403
        scpi.set(f"{view}:PAGE1:SIZE {_CELLS}")
        if not scpi.errors():
            commands = (
                f"{view}:PAGE1:CELL{number}:FUNC {cell}"
                for number, cell in enumerate(cells, 1)
            )
            scpi.set(*commands)
            scpi.check("filling the page")
            return
    raise scpi.refuse("its firmware has neither VIEW:NUM nor VIEW:NORM")


def _short(token: str) -> str:
    name = token.strip().upper()
    return _LONG_FORMS.get(name, name)


def _build(settings: Settings) -> HMC8015:
    return HMC8015(
        settings.name,
        settings.text("resource"),
        voltage_range=settings.number("voltage_range"),
        current_range=settings.number("current_range"),
    )


DRIVER = Driver(
    "power",
    "hmc8015",
    "Rohde & Schwarz HMC8015",
    (
        Option(
            "resource",
            "VISA resource of the meter.",
            required=True,
            example="TCPIP::192.0.2.5::5025::SOCKET",
        ),
        Option(
            "voltage_range",
            "Fixed voltage range.",
            Kind.NUMBER,
            300.0,
            choices=VOLTAGE_RANGES,
            unit="V",
        ),
        Option(
            "current_range",
            "Fixed current range.",
            Kind.NUMBER,
            10.0,
            choices=CURRENT_RANGES,
            unit="A",
        ),
    ),
    _build,
)
