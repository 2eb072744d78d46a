"""ZES ZIMMER LMG95 and LMG600: their keys in bench.toml, and their source."""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from instruments.base import Linked
from instruments.bounds import within_bounds
from instruments.driver import Driver
from instruments.errors import BadInput, SourceError
from instruments.power.identity import Family, parse_family
from instruments.power.options import (
    current_range,
    elements,
    take_elements,
    voltage_range,
)
from instruments.power.points import Point, Timing, channels, points
from instruments.power.rows import Rows
from instruments.power.scpi_values import parse_value
from instruments.power.stream import SerialStream, SocketStream, Stream
from instruments.reading import SECOND, Identity, Judged, Reading, Status
from instruments.settings import Kind, Option, Settings
from instruments.timebase import monotonic_ns

FAMILY = Family(r"ZES.*", r"LMG\s?(95|6[147]\d).*", "ZES LMG95 or LMG600")
ANSWER_S = 1.5
"""Seconds that an answer may take."""

LMG95 = {
    "p": "P",
    "s": "S",
    "q": "Q",
    "pf": "lambda",
    "utrms": "U",
    "itrms": "I",
    "freq": "f",
}
"""Bayscope's quantity by the meter's name for it."""

LMG600 = {**{name: LMG95[name] for name in LMG95 if name != "freq"}, "fcyc": "f"}
_NEXT_RANGE = 3.0
"""A range may be up to this much greater than what was asked for."""

# Rows of an earlier user that may be on their way before the answer.
_MOST_ROWS_BEFORE = 50


class LmgLink:
    """One open meter.

    Args:
        stream: The way to it, which is closed with this.
        where: What is connected, for messages.
        clock: Gives monotonic nanoseconds.
    """

    def __init__(
        self, stream: Stream, where: str, clock: Callable[[], int] = monotonic_ns
    ) -> None:
        self._stream = stream
        self._rows = Rows(stream, where, clock)
        self._where = where

    def identify(self, address: str) -> Identity:
        """Identify the meter, among the rows that an earlier user may have left on.

        Raises:
            SourceError: No answer, or another instrument.
        """
        self._rows.drop()
        self._send("*idn?")
        for _ in range(_MOST_ROWS_BEFORE):
            answer = self._rows.next(ANSWER_S)
            if not _is_row(answer):
                return parse_family(answer, address, self._where, FAMILY)
        raise self.refuse("it sends rows of values and does not answer")

    def set_up(
        self,
        identity: Identity,
        ranges: Mapping[str, float],
        elements: Sequence[str],
        cycle_s: float,
    ) -> None:
        """Fix ranges and cycle, and let rows come.

        Args:
            identity: Who it is.
            ranges: Greatest voltage "u" in V and current "i" in A, RMS.
            elements: Channels, "1" to "7".
            cycle_s: Seconds of a cycle.

        Raises:
            SourceError: A setting was not taken.
        """
        is_small = "95" in identity.model
        if is_small and tuple(elements) != ("1",):
            raise self.refuse(f"the {identity.model} has one channel only")
        self._send("syst:lang short" if is_small else "*zlang short")
        self._send("cont off")
        self._settle()
        self._command(f"cycl {cycle_s:g}")
        suffixes = ("",) if is_small else tuple(elements)
        self._fix_ranges(suffixes, ranges, is_small=is_small)
        names = LMG95 if is_small else LMG600
        questions = [f"{name}{suffix}?" for suffix in suffixes for name in names]
        # First in each row, what differs from one cycle to the next: a row that comes
        # twice is known by it, though all its values may be the same.
        mark = "count?" if is_small else f"tsnorm{suffixes[0]}?"
        self._send(f"actn;{mark};{';'.join(questions)}")
        self._send("cont on")

    def newest(self, timeout_s: float) -> str:
        """Take the newest row, or wait for one; raises SourceError."""
        return self._rows.newest(timeout_s)

    def close(self) -> None:
        """End the rows, give the front panel back, and let go."""
        # Where the link is what failed, there is nothing left to be made safe.
        with suppress(SourceError):
            self._send("cont off")
            self._send("gtl")
        self._stream.close()

    def refuse(self, what: str) -> SourceError:
        """Make the error that says what is wrong with this instrument."""
        way_out = "Check the address, or restart the instrument."
        return SourceError(what, where=self._where, way_out=way_out)

    def _settle(self) -> None:
        """Wait until no row is on its way any more: the answer comes after them."""
        self._send("*opc?")
        for _ in range(_MOST_ROWS_BEFORE):
            if self._rows.next(ANSWER_S) == "1":
                return
        raise self.refuse("it does not stop sending rows of values")

    def _command(self, command: str) -> None:
        self._send(f"{command};*opc?")
        answer = self._rows.next(ANSWER_S)
        if answer != "1":
            raise self.refuse(f'"{answer[:60]}" came as the answer to {command};*opc?')

    def _fix_ranges(
        self, suffixes: Sequence[str], ranges: Mapping[str, float], *, is_small: bool
    ) -> None:
        for suffix in suffixes:
            for letter, wanted in ranges.items():
                manual = f"{letter}am manual" if is_small else f"{letter}auto{suffix} 0"
                self._command(manual)  # else the meter leaves the range again
                self._fix_range(f"{letter}rng{suffix}", wanted)

    def _fix_range(self, node: str, wanted: float) -> None:
        self._command(f"{node} {wanted:g}")
        self._send(f"{node}?")
        answer = self._rows.next(ANSWER_S)
        taken, _ = parse_value(answer, self._where)
        if not wanted * 0.999 <= taken <= wanted * _NEXT_RANGE:
            raise self.refuse(f"{node} is {answer} after it was set to {wanted:g}")

    def _send(self, line: str) -> None:
        self._stream.send(line.encode() + b"\r\n")


def _is_row(line: str) -> bool:
    """Whether a line is of values, or the end of such a line."""
    if ";" in line:
        return True
    try:
        float(line)
    except ValueError:
        return False
    return True


STALL_CYCLES = 3.0
"""Cycles without a row after which the stream has stalled."""


class Lmg(Linked[LmgLink]):
    """One meter as a source of section "power".

    Args:
        settings: Name and options.
        connect: Opens the stream; the argument is what to call it in messages. None
            opens what the settings name.
        clock: Gives monotonic nanoseconds.

    Raises:
        BadInput: It has both an address and a serial port, or neither.
    """

    section = "power"
    driver = "lmg"

    def __init__(
        self,
        settings: Settings,
        *,
        connect: Callable[[str], Stream] | None = None,
        clock: Callable[[], int] = monotonic_ns,
    ) -> None:
        address, device = settings.text("address"), settings.text("device")
        if bool(address) == bool(device):
            raise BadInput(
                "address and device are both given"
                if address
                else "address is missing",
                where="address",
                way_out='Expected one of them, such as address = "192.0.2.5:5025".',
            )
        self.name = settings.name
        self._address = address or device
        super().__init__(f"{self.name} ({self._address})")
        self.period_s = settings.number("cycle")
        self._settings = settings
        self._connect = connect or self._stream
        self._ranges = {
            "u": settings.number("voltage_range"),
            "i": settings.number("current_range"),
        }
        self._elements = take_elements(settings)
        self._clock = clock
        self._mark = ""
        self._read_ns = 0
        self._points: Sequence[Point] = points(tuple(LMG95.values()), self._elements)
        # A row is about the cycle that has just ended.
        timing = Timing(self.period_s, self.period_s, self.period_s / 2.0)
        self.channels = channels(self.name, self._points, timing)

    def open(self) -> Identity:
        """Connect, identify, fix ranges, and let rows come.

        Raises:
            SourceError: Not reached, another instrument, or a setting not taken.
        """
        self.close()
        stream = self._connect(self._where)
        link = LmgLink(stream, self._where, self._clock)
        try:
            identity = link.identify(self._address)
        except BaseException:
            stream.close()  # without a command: it may be another instrument
            raise
        self._mark = ""
        with self._opening(link):
            link.set_up(identity, self._ranges, self._elements, self.period_s)
            self._values(link, self._newest(link))
        self._read_ns = self._clock()
        return identity

    def read(self) -> Reading:
        """Take the newest row, or wait for the next one; see `Source.read`."""
        link = self._opened()
        row = self._newest(link)
        end = self._clock()
        # It has come since the last read, and no longer ago than a cycle.
        start = max(self._read_ns, end - round(self.period_s * SECOND))
        self._read_ns = end
        values = self._values(link, row)
        return within_bounds(
            Reading.of(self.channels, (start, end), values, row.encode())
        )

    def _stream(self, where: str) -> Stream:
        if address := self._settings.text("address"):
            return SocketStream(address, where, ANSWER_S)
        return SerialStream(self._address, where, self._settings.integer("baud"))

    def _newest(self, link: LmgLink) -> str:
        return link.newest(max(ANSWER_S, STALL_CYCLES * self.period_s))

    def _values(self, link: LmgLink, row: str) -> list[Judged]:
        mark, *tokens = row.split(";")
        if len(tokens) != len(self._points):
            raise link.refuse(
                f"{len(tokens)} values came where {len(self._points)} were asked for "
                f'("{row[:60]}")'
            )
        values = [parse_value(token, self._where) for token in tokens]
        if mark == self._mark:
            values = [(math.nan, Status.STALE)] * len(values)
        self._mark = mark
        return values


CHANNELS = ("1", "2", "3", "4", "5", "6", "7")


DRIVER = Driver(
    "power",
    "lmg",
    "ZES ZIMMER LMG95, LMG600",
    (
        Option(
            "address",
            "Host and port of the meter, or of the converter before it.",
            example="192.0.2.5:5025",
        ),
        Option(
            "device",
            "Serial port, where it is not on the network.",
            example="/dev/ttyUSB0",
        ),
        Option("baud", "Bits a second on the serial port.", Kind.INTEGER, 115_200),
        voltage_range(250.0),
        current_range(10.0),
        elements(CHANNELS),
        Option(
            "cycle",
            "Seconds over which the meter averages, then sends.",
            Kind.NUMBER,
            0.5,
            low=0.1,
            high=60.0,
            unit="s",
        ),
    ),
    Lmg,
)
