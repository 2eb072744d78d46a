"""The NSRT mk3 and mk4 of Convergence Instruments on their virtual serial port.

Only the variants named Dev have the open protocol. No meter was at hand: the tests run
against a simulated one.
"""

import math
import struct
import time
from collections.abc import Callable

from instruments.driver import Driver, Found
from instruments.errors import SourceError
from instruments.link.serial_port import SerialPort, is_pseudo_terminal, usb_ports
from instruments.noise import nsrt_protocol
from instruments.noise.handheld import FAST_S, WEIGHTING, Handheld, serial_device
from instruments.noise.nsrt_protocol import NsrtLink
from instruments.reading import SECOND, Identity, Reading, Status
from instruments.settings import Settings
from instruments.timebase import monotonic_ns
from instruments.tools.hosts import Host

_VENDOR = 0x0A59
_BAUD = 115_200  # of no account: the port is USB all the way
# What the meter has for each weighting, by its protocol paper.
_CODES = {"C": 0, "A": 1}
# Eight times 100 ms and the answers: about a second from one mean to the next.
_POLLS = 8
_POLL_S = 0.1
_LOUDEST, _QUIETEST = 160.0, -20.0  # dB; no sound that a meter bears is beyond these
_LONGEST_NS = SECOND * 3 // 2


class Nsrt(Handheld[NsrtLink]):
    """One meter as a source of section "noise".

    The meter integrates its level from one question to the next, so each reading is
    the true mean since the reading before. The highest fast level is that of eight
    questions a second, and may miss the top of a short peak.

    Args:
        settings: Name and options.
        timeout_s: Seconds an answer may take.
        clock: Gives monotonic nanoseconds.
        sleep: Waits for seconds.
    """

    driver = "nsrt"

    def __init__(
        self,
        settings: Settings,
        *,
        timeout_s: float = nsrt_protocol.TIMEOUT_S,
        clock: Callable[[], int] = monotonic_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(settings, clock)
        self._timeout_s = timeout_s
        self._sleep = sleep
        self._since = 0

    def open(self) -> Identity:
        """Identify the meter and set weighting and time constant."""
        self.close()
        port = SerialPort(self._device, _BAUD, self._where)
        link = NsrtLink(port, self._where, timeout_s=self._timeout_s, clock=self._clock)
        with self._opening(link):
            port.discard()
            model = link.text(nsrt_protocol.MODEL)
            if "NSRT" not in model.upper():
                raise SourceError(
                    f'"{model}" answers there instead of an NSRT',
                    where=self._where,
                    way_out="See which serial port the meter has.",
                )
            identity = Identity(
                "Convergence Instruments",
                model,
                link.text(nsrt_protocol.SERIAL),
                link.text(nsrt_protocol.FIRMWARE),
                self._device,
                simulated=is_pseudo_terminal(self._device),
            )
            self._configure(link)
            link.number(nsrt_protocol.LEQ)  # begins the first second
        self._since = self._clock()
        return identity

    def read(self) -> Reading:
        """Poll the fast level and close the mean; see `Source.read`."""
        link = self._opened()
        if self._clock() - self._since > _LONGEST_NS:
            # After a pause the mean would be one over more than a second.
            link.number(nsrt_protocol.LEQ)
            self._since = self._clock()
        start, raw, fast = self._since, b"", []
        for _ in range(_POLLS):
            level, answer = link.number(nsrt_protocol.LEVEL)
            fast.append(level)
            raw += answer
            self._sleep(_POLL_S)
        mean, answer = link.number(nsrt_protocol.LEQ)
        self._since = end = self._clock()
        if link.byte(nsrt_protocol.WEIGHTING) != _CODES[self._weighting]:
            raise SourceError(
                "its weighting is no longer the one that was set",
                where=self._where,
                way_out="Does another program use the meter?",
            )
        # What is highest is not below the mean, though the questions may miss it.
        values, status = (mean, max(mean, *fast)), Status.OK
        if not all(_QUIETEST < value < _LOUDEST for value in values):
            values, status = (math.nan, math.nan), Status.ERROR
        elif self._is_stuck(mean):
            values, status = (math.nan, math.nan), Status.STALE
        raw = (raw + answer).hex().encode()
        return Reading(self.channels, start, end, values, (status, status), raw)

    def _configure(self, link: NsrtLink) -> None:
        wanted = _CODES[self._weighting]
        link.write(nsrt_protocol.WEIGHTING, bytes([wanted]))
        link.write(nsrt_protocol.TAU, struct.pack("<f", FAST_S))
        tau, _ = link.number(nsrt_protocol.TAU)
        is_set = math.isclose(tau, FAST_S, rel_tol=0.01)
        if not is_set or link.byte(nsrt_protocol.WEIGHTING) != wanted:
            raise SourceError(
                f"it did not take weighting {self._weighting} and {FAST_S:g} s",
                where=self._where,
                way_out="Unplug it and plug it in again.",
            )


def _discover(host: Host) -> list[Found]:
    if host.name:
        return []
    return [
        Found(label, {"device": device})
        for device, vendor, _, label in usb_ports()
        if vendor == _VENDOR or "NSRT" in label.upper()
    ]


DRIVER = Driver(
    "noise",
    "nsrt",
    "Convergence Instruments NSRT mk3, mk4 (Dev)",
    (serial_device("/dev/ttyACM0"), WEIGHTING),
    Nsrt,
    _discover,
)
