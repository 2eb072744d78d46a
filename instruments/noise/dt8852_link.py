"""Listening to a DT-8852 and pressing its keys until it is set as wanted."""

from collections.abc import Callable, Mapping

from instruments.errors import SourceError
from instruments.link.serial_port import SerialPort
from instruments.noise.dt8852_stream import Dt8852Stream, Heard, Mode
from instruments.reading import SECOND, Status
from instruments.timebase import monotonic_ns

_BAUD = 9600

# Toggles, one byte each; that 77 switches between fast and slow is inferred.
_KEYS = {
    Mode.WEIGHTING: b"\x99",
    Mode.SPEED: b"\x77",
    Mode.RANGE: b"\x88",
    Mode.HOLD: b"\x11",
}
_LEARN_NS = 3 * SECOND
_TOGGLE_NS = SECOND // 2
_TRIES = 12
_SLICE_S = 0.1


class Dt8852Link:
    """A meter's stream, and its settings as it last told them.

    Args:
        device: Serial port.
        where: The source and its address, for errors.
        clock: Gives monotonic nanoseconds.

    Attributes:
        state: The last value of each setting.

    Raises:
        SourceError: The port does not open.
    """

    def __init__(
        self,
        device: str,
        where: str,
        clock: Callable[[], int] = monotonic_ns,
    ) -> None:
        self._where = where
        self._clock = clock
        self._port = SerialPort(device, _BAUD, where)
        self._stream = Dt8852Stream()
        self.state: dict[Mode, str] = {}

    def listen(self) -> Heard:
        """Take what came, or wait a tenth of a second for it.

        Raises:
            SourceError: The port is gone.
        """
        heard = self._stream.feed(self._port.read(4096, _SLICE_S))
        self.state.update(heard.modes)
        return heard

    def skip(self) -> None:
        """Forget what came until now.

        Raises:
            SourceError: The port is gone.
        """
        self._port.discard()
        self._stream = Dt8852Stream()

    def set_up(self, wanted: Mapping[Mode, str]) -> None:
        """Press keys until the settings are the wanted ones.

        The meter misses some presses and says nothing of them, so each is checked by
        what it tells next, and repeated.

        Raises:
            SourceError: It tells of no settings, or one cannot be set.
        """
        self.skip()
        self._learn(wanted)
        for mode, value in wanted.items():
            for _ in range(_TRIES):
                if self.state[mode] == value:
                    break
                self._press(mode)
            if self.state[mode] != value:
                raise SourceError(
                    f"its {mode} stays at {self.state[mode]}, not {value}",
                    where=self._where,
                    way_out="Set it on the meter by hand.",
                )

    def silent(self, heard: Heard) -> SourceError:
        """Say what it means that no level came in what was heard."""
        if heard.garbage:
            return SourceError(
                f"{heard.garbage} bytes came that are not those of a DT-8852",
                where=self._where,
                way_out="Is it the serial port of the meter that is meant?",
            )
        return SourceError(
            "the meter sends no level",
            where=self._where,
            way_out="Press SETUP on the meter, so that it sends.",
            status=Status.TIMEOUT,
        )

    def close(self) -> None:
        """Let go of the port; may be called twice."""
        self._port.close()

    def _learn(self, wanted: Mapping[Mode, str]) -> None:
        """Listen until the meter has told of every setting that matters."""
        end = self._clock() + _LEARN_NS
        heard = Heard()
        while not wanted.keys() <= self.state.keys():
            if self._clock() > end:
                raise self.silent(heard)
            heard.add(self.listen())

    def _press(self, mode: Mode) -> None:
        told = self.state[mode]
        self._port.write(_KEYS[mode])
        end = self._clock() + _TOGGLE_NS
        while self.state[mode] == told and self._clock() < end:
            self.listen()
