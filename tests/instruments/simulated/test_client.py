"""The line client and its sources against peers that answer oddly."""

import math
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress

import pytest

from instruments.errors import SourceError
from instruments.noise.simulated import SOUND_METER
from instruments.reading import SECOND, Status
from instruments.simulated.bays import MODULES
from instruments.simulated.client import LineClient
from instruments.simulated.source import SimulatedSource
from instruments.thermal.simulated import ENCLOSURE

IDENTITY = "Bayscope,ENCLOSURE60,SIM000002,1.0"


@contextmanager
def peer(answers: Mapping[str, str]) -> Iterator[str]:
    """Answer the lines of one client from a table; give the address."""

    def serve() -> None:
        connection, _ = listening.accept()
        with (
            connection,
            connection.makefile("rb") as lines,
            suppress(ConnectionError),  # It hangs up with answers unread.
        ):
            for line in lines:
                answer = answers[line.decode().strip()]
                connection.sendall(answer.encode() + b"\n")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve)
        thread.start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        thread.join()


def test_a_value_keeps_its_status() -> None:
    answers = {"NOISE?": '{"LAeq": [61.5, "warn"], "LAFmax": [99.0, "overrange"]}'}
    with (
        peer({"*IDN?": IDENTITY, **answers}) as address,
        closing(
            SimulatedSource("noise", address, SOUND_METER, clock=lambda: 7)
        ) as noise,
    ):
        identity = noise.open()
        reading = noise.read()
    assert identity.simulated
    assert identity.address == address
    assert reading.values[0] == 61.5
    assert math.isnan(reading.values[1])
    assert reading.statuses == (Status.WARN, Status.OVERRANGE)
    assert (reading.start_ns, reading.end_ns) == (7, 7)
    assert reading.raw == answers["NOISE?"].encode()


def test_what_does_not_come_is_unsupported_and_not_zero() -> None:
    answers = {"TEMP?": '{"slot00": [30.5, "ok"], "attic": [1, "ok"]}'}
    answers |= {"FAN?": "{}", "STAT?": "{}"}
    with (
        peer({"*IDN?": IDENTITY, **answers}) as address,
        closing(SimulatedSource("enclosure", address, ENCLOSURE)) as enclosure,
    ):
        enclosure.open()
        reading = enclosure.read()
    assert reading.statuses[0] is Status.OK
    assert set(reading.statuses[1:]) == {Status.UNSUPPORTED}
    assert all(math.isnan(value) for value in reading.values[1:])


@pytest.mark.parametrize(
    "answer",
    [
        "nonsense",
        "[1, 2]",
        "{}x",
        '{"LAeq": 54}',
        '{"LAeq": [54]}',
        '{"LAeq": [54, "fine"]}',
        '{"LAeq": ["loud", "ok"]}',
    ],
)
def test_an_answer_that_is_not_understood_is_an_error(answer: str) -> None:
    with (
        peer({"*IDN?": IDENTITY, "NOISE?": answer}) as address,
        closing(SimulatedSource("noise", address, SOUND_METER)) as noise,
    ):
        noise.open()
        with pytest.raises(SourceError, match=r"noise .*as the answer to NOISE\?"):
            noise.read()


def test_a_refusal_is_quoted() -> None:
    with peer({"SIM:POW UP": "ERROR expected ON or OFF"}) as address:
        client = LineClient(address, "bench")
        with pytest.raises(SourceError, match='refused "SIM:POW UP": expected ON'):
            client.ask("SIM:POW UP")
        client.close()


def test_reading_before_opening_is_an_error() -> None:
    with pytest.raises(SourceError, match="not open"):
        SimulatedSource("enclosure", "127.0.0.1:1", ENCLOSURE).read()


def test_channels_of_the_enclosure() -> None:
    channels = SimulatedSource("ses", "", ENCLOSURE).channels
    assert len({channel.name for channel in channels}) == len(channels) == 72
    assert channels[7].name == "ses.temperature.slot07"
    assert (channels[60].location, channels[61].location) == ("inlet", "exhaust")
    assert channels[62].name == "ses.fan.fan1"
    assert [c.name for c in channels[68:]] == [f"ses.state.{one}" for one in MODULES]
    assert {channel.unit for channel in channels} == {"degC", "1/min", ""}
    assert {channel.period_ns for channel in channels} == {SECOND}


def test_channels_of_the_sound_meter_say_their_window() -> None:
    channels = SimulatedSource("noise", "", SOUND_METER).channels
    assert [channel.name for channel in channels] == ["noise.LAeq", "noise.LAFmax"]
    assert {(c.unit, c.window_ns) for c in channels} == {("dB", SECOND)}
