"""How a ZES LMG95 or LMG600 is spoken to while its rows may be on their way.

No meter was at hand. From the public lmgtools and a driver of a test system: the short
language and how it is chosen, "actn;...?" and "cont on", the names of values, ranges
and cycle, "9.91e+37" for no value, ";" between values, CR LF (LMG95, behind a converter
at TCP port 2101) and LF at port 5025 (LMG600). Assumed: the maker's name in *IDN?, and
that a range is read back as it was taken, which is the next greater one there is.

Its commands for energy are in no source that was found, so there is no Wh. Each row
begins with the mark of its cycle; one that comes again means that it measures no more.
"""

from collections.abc import Mapping, Sequence

from instruments.errors import SourceError
from instruments.power.identity import Family, parse_family
from instruments.power.rows import Rows
from instruments.power.scpi_values import parse_value
from instruments.power.stream import Stream
from instruments.reading import Identity

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
"""Quantity of ours by name of the meter's."""

LMG600 = {**{name: LMG95[name] for name in LMG95 if name != "freq"}, "fcyc": "f"}
_NEXT_RANGE = 3.0
"""A range may be up to this much greater than what was asked for."""

_MOST_ROWS_BEFORE = 50


class LmgDialect:
    """One open meter.

    Args:
        stream: The way to it; closed by its owner.
        rows: What comes back on it.
        where: What is connected, for messages.
    """

    def __init__(self, stream: Stream, rows: Rows, where: str) -> None:
        self._stream = stream
        self._rows = rows
        self._where = where

    def identify(self, address: str) -> Identity:
        """Ask who is there, among the rows that an earlier user may have left on.

        Raises:
            SourceError: No answer, or another instrument.
        """
        self._rows.drop()
        self._send("*idn?")
        for _ in range(_MOST_ROWS_BEFORE):
            answer = self._rows.next(ANSWER_S)
            if not _is_row(answer):
                return parse_family(answer, address, self._where, FAMILY)
        raise self.refuse("it sends rows and does not answer")

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
        for suffix in suffixes:
            for letter, wanted in ranges.items():
                fixed = f"{letter}am manual" if is_small else f"{letter}auto{suffix} 0"
                self._command(fixed)
                self._fix_range(f"{letter}rng{suffix}", wanted)
        names = LMG95 if is_small else LMG600
        asked = [f"{name}{suffix}?" for suffix in suffixes for name in names]
        mark = "count?" if is_small else f"tsnorm{suffixes[0]}?"
        self._send(f"actn;{mark};{';'.join(asked)}")
        self._send("cont on")

    def release(self) -> None:
        """End the rows and give the front panel back; raises SourceError."""
        self._send("cont off")
        self._send("gtl")

    def refuse(self, what: str) -> SourceError:
        """Make the error that says what is wrong with this instrument."""
        way_out = "See the address, or restart the instrument."
        return SourceError(what, where=self._where, way_out=way_out)

    def _settle(self) -> None:
        """Wait until no row is on its way any more: an answer tells so."""
        self._send("*opc?")
        for _ in range(_MOST_ROWS_BEFORE):
            if self._rows.next(ANSWER_S) == "1":
                return
        raise self.refuse("its rows do not end")

    def _command(self, command: str) -> None:
        self._send(f"{command};*opc?")
        answer = self._rows.next(ANSWER_S)
        if answer != "1":
            raise self.refuse(f'"{answer[:60]}" came as the answer to {command};*opc?')

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
