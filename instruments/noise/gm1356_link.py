"""Sending requests to a GM1356 and waiting for its reports."""

from contextlib import suppress

from instruments.errors import SourceError
from instruments.noise import gm1356_protocol as protocol
from instruments.noise.gm1356_protocol import Report
from instruments.noise.hid_device import Hid
from instruments.reading import Status

TIMEOUT_MS = 500
_STALE_REPORTS = 32
_ACK_TRIES = 4


class Gm1356Link:
    """An opened meter.

    Args:
        device: The opened HID device; the link closes it.
        where: The source, for errors.
    """

    def __init__(self, device: Hid, where: str) -> None:
        self._device = device
        self._where = where

    def configure(self, weighting: str, level_range: str) -> None:
        """Set fast, no MAX hold, and these settings.

        Raises:
            SourceError: It did not acknowledge them, or is gone.
        """
        self._discard()
        self._send(protocol.configuration(weighting, level_range))
        for _ in range(_ACK_TRIES):
            if protocol.is_acknowledgement(self._receive()):
                return
        raise self.error("it does not acknowledge its settings")

    def ask(self) -> tuple[Report, bytes]:
        """Ask for a level; get it and the report as it came.

        Raises:
            SourceError: No answer, no level in it, or it is gone.
        """
        self._discard()
        self._send(protocol.read_request())
        answer = self._receive()
        report = protocol.parse_report(answer)
        if report is None:
            raise self.error(f"the bytes {answer.hex()} are no report of a GM1356")
        return report, answer

    def error(self, what: str, way_out: str = "Switch it off and on.") -> SourceError:
        """Make an error of this meter."""
        return SourceError(what, where=self._where, way_out=way_out)

    def close(self) -> None:
        """Let go of the device; may be called twice."""
        with suppress(OSError, ValueError):
            self._device.close()

    def _discard(self) -> None:
        """Throw away answers to questions of before; a late one is not the next."""
        for _ in range(_STALE_REPORTS):
            try:
                if not self._device.read(protocol.SIZE, 1):
                    return
            except (OSError, ValueError) as error:
                raise self._gone() from error

    def _send(self, report: bytes) -> None:
        try:
            sent = self._device.write(report)
        except (OSError, ValueError) as error:
            raise self._gone() from error
        if sent != len(report):
            raise self._gone()

    def _receive(self) -> bytes:
        try:
            answer = bytes(self._device.read(protocol.SIZE, TIMEOUT_MS))
        except (OSError, ValueError) as error:
            raise self._gone() from error
        if not answer:
            raise SourceError(
                f"no answer within {TIMEOUT_MS / 1000:g} s",
                where=self._where,
                way_out="Is it switched on, and does no other program use it?",
                status=Status.TIMEOUT,
            )
        return answer

    def _gone(self) -> SourceError:
        return SourceError(
            "the meter is gone from USB",
            where=self._where,
            way_out="Was it unplugged or switched off?",
            status=Status.ABSENT,
        )
