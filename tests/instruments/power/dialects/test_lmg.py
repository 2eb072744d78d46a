"""The ZES LMG on a stream that follows a script, and on streams that are real."""

import math
import os
import socket
import threading
import tty

import pytest

from instruments.errors import BadInput, SourceError
from instruments.power.dialects.lmg import DRIVER, Lmg
from instruments.power.rows import Rows
from instruments.power.stream import SerialStream, SocketStream
from instruments.reading import SECOND, Status
from instruments.tools.hosts import LocalHost
from tests import needs
from tests.instruments.given import given
from tests.instruments.power.dialect_bench import Clock

IDN = "ZES ZIMMER Electronic Systems GmbH,LMG95,12340001,3.120"
COUNTED = "{};22.97;46.46;40.38;0.4944;{};0.20434;49.9803"
ROW = COUNTED.format(10267, 234.835)
NEXT = COUNTED.format(10268, 234.904)
OK = [b"1\r\n"]


def answer(text: str) -> list[bytes]:
    return [text.encode() + b"\r\n"]


Exchange = tuple[str, list[bytes]]


class ScriptedStream:
    """Checks each line that is sent, and lets pieces come as written.

    Args:
        script: What is sent, and the pieces that come after it, one a call.
        clock: Moves on where nothing comes.
    """

    def __init__(self, script: list[Exchange], clock: Clock) -> None:
        self._left = list(script)
        self._clock = clock
        self.pieces: list[bytes] = []
        self.closed = False

    def send(self, line: bytes) -> None:
        assert self._left, f"{line!r} was sent after the end"
        sent, pieces = self._left.pop(0)
        assert line == sent.encode() + b"\r\n"
        self.pieces += pieces

    def receive(self, timeout_s: float) -> bytes:
        if self.pieces:
            return self.pieces.pop(0)
        self._clock.now += round(timeout_s * SECOND)
        return b""

    def close(self) -> None:
        self.closed = True

    def finish(self) -> None:
        assert not self._left, f"never sent: {self._left}"
        assert self.closed


def opening(first: list[bytes] | None = None) -> list[Exchange]:
    return [
        ("*idn?", answer(IDN)),
        *(("syst:lang short", []), ("cont off", []), ("*opc?", OK)),
        *(("cycl 0.5;*opc?", OK), ("uam manual;*opc?", OK)),
        *(("urng 250;*opc?", OK), ("urng?", answer("250.0"))),
        *(("iam manual;*opc?", OK), ("irng 10;*opc?", OK), ("irng?", answer("10.0"))),
        ("actn;count?;p?;s?;q?;pf?;utrms?;itrms?;freq?", []),
        ("cont on", answer(ROW) if first is None else first),
    ]


END: list[Exchange] = [("cont off", []), ("gtl", [])]


KEYS = {"address": "192.0.2.5:2101"}


def lmg(
    script: list[Exchange], elements: tuple[str, ...] = ("1",)
) -> tuple[Lmg, ScriptedStream, Clock]:
    clock = Clock()
    stream = ScriptedStream(script, clock)
    settings = given(DRIVER, "mains", **KEYS, element=elements)
    made = Lmg(settings, connect=lambda _: stream, clock=clock)
    return made, stream, clock


def test_a_session_sends_exactly_this() -> None:
    meter, stream, _ = lmg([*opening(), *END])
    identity = meter.open()
    stream.pieces += answer(NEXT)
    reading = meter.read()
    meter.close()
    meter.close()
    stream.finish()
    assert (identity.model, identity.serial) == ("LMG95", "12340001")
    assert reading.values == (22.97, 46.46, 40.38, 0.4944, 234.904, 0.20434, 49.9803)
    assert set(reading.statuses) == {Status.OK}
    assert reading.raw == NEXT.encode()
    assert reading.end_ns - reading.start_ns <= SECOND // 2
    assert meter.channels[0].latency_ns == SECOND // 4


def test_rows_of_an_earlier_user_are_passed_over() -> None:
    script = opening()
    script[0] = ("*idn?", [b";49.98\r\n49.98\r\n", *answer(ROW), *answer(IDN)])
    script[3] = ("*opc?", [*answer(ROW), *OK])
    meter, stream, _ = lmg([*script, *END])
    stream.pieces += [b"10266;22.9;4"]
    assert meter.open().model == "LMG95"
    meter.close()
    stream.finish()


def test_the_newest_complete_row_counts() -> None:
    meter, stream, _ = lmg([*opening(), *END])
    meter.open()
    stream.pieces += [*answer(COUNTED.format(1, 1.0)), *answer(NEXT), b"10269;22"]
    assert meter.read().values[4] == 234.904
    stream.pieces += [b".97;46.46;40.38;0.4944;2", b"35.5;0.2;49.98\r\n"]
    assert meter.read().values[4] == 235.5
    meter.close()
    stream.finish()


def test_a_stalled_stream_is_a_time_out() -> None:
    meter, stream, clock = lmg([*opening(), *END])
    meter.open()
    stream.pieces += [b"10268;22.97"]
    before = clock.now
    with pytest.raises(SourceError, match=r"no line of values within 1\.5 s") as caught:
        meter.read()
    assert caught.value.status is Status.TIMEOUT
    assert clock.now - before >= 1.5 * SECOND
    meter.close()
    stream.finish()


def test_a_cycle_that_comes_again_is_stale() -> None:
    meter, stream, _ = lmg([*opening(), *END])
    meter.open()
    stream.pieces += answer(ROW)
    reading = meter.read()
    meter.close()
    stream.finish()
    assert set(reading.statuses) == {Status.STALE}
    assert all(math.isnan(value) for value in reading.values)


@pytest.mark.parametrize(
    ("token", "status"),
    [
        ("9.91e+37", Status.NAN),
        ("9.91E37", Status.NAN),
        ("9.9E+37", Status.OVERRANGE),
        ("-9.9E+37", Status.OVERRANGE),
    ],
)
def test_what_is_no_value_is_a_gap(token: str, status: Status) -> None:
    meter, stream, _ = lmg([*opening(), *END])
    meter.open()
    stream.pieces += answer(NEXT.replace("0.4944", token))
    reading = meter.read()
    meter.close()
    stream.finish()
    assert reading.statuses[3] is status
    assert math.isnan(reading.values[3])
    assert reading.values[0] == 22.97


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (b"1;2;3\r\n", "2 values came where 7 were asked for"),
        (ROW.replace("46.46", "x").encode() + b"\r\n", "a number was expected"),
        (b"\xff\xfe;1\r\n", "bytes that are not text"),
        (b"1" * 70_000, "no end of line"),
    ],
)
def test_garbage_is_an_error_and_not_a_gap(row: bytes, sentence: str) -> None:
    meter, stream, _ = lmg([*opening(), *END])
    meter.open()
    stream.pieces += [row]
    with pytest.raises(SourceError, match=sentence) as caught:
        meter.read()
    assert caught.value.status is Status.ERROR
    meter.close()
    stream.finish()


def test_channels_of_an_lmg600_are_numbered() -> None:
    names = ("p", "s", "q", "pf", "utrms", "itrms", "fcyc")
    asked = ";".join(f"{name}{channel}?" for channel in "13" for name in names)
    fixed: list[Exchange] = [
        exchange
        for channel in "13"
        for letter, wanted in (("u", "250"), ("i", "10"))
        for exchange in (
            (f"{letter}auto{channel} 0;*opc?", OK),
            (f"{letter}rng{channel} {wanted};*opc?", OK),
            (f"{letter}rng{channel}?", answer(wanted)),
        )
    ]
    row = ";".join(["2026:01:20D12:00:00.5", *(f"{n / 100}" for n in range(14))])
    script: list[Exchange] = [
        ("*idn?", answer(IDN.replace("LMG95", "LMG671"))),
        *(("*zlang short", []), ("cont off", []), ("*opc?", OK)),
        *(("cycl 0.5;*opc?", OK), *fixed, (f"actn;tsnorm1?;{asked}", [])),
        *(("cont on", answer(row)), *END),
    ]
    meter, stream, _ = lmg(script, ("1", "3"))
    meter.open()
    stream.pieces += answer(row.replace("00.5", "01.0"))
    reading = meter.read()
    meter.close()
    stream.finish()
    assert reading.values == tuple(n / 100 for n in range(14))
    assert reading.channels[7].name == "mains.P.element3"


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        ("HIOKI,PW3335,1,V1", "expected ZES LMG95 or LMG600"),
        ("ZES,LMG450,1,1", "the model LMG450 answers there"),
        ("HTTP/1.1 400 Bad Request", "answers there instead of the expected ZES"),
    ],
)
def test_other_instruments_are_refused_and_left_alone(
    reply: str, sentence: str
) -> None:
    meter, stream, _ = lmg([("*idn?", answer(reply))])
    with pytest.raises(SourceError, match=sentence):
        meter.open()
    stream.finish()


def test_a_range_that_was_not_taken_is_refused() -> None:
    script = [*opening()[:7], ("urng?", answer("60.0")), *END]
    meter, stream, _ = lmg(script)
    with pytest.raises(SourceError, match=r"urng is 60\.0 after it was set to 250"):
        meter.open()
    stream.finish()


def test_half_a_row_and_then_the_end_is_known_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        stream = SocketStream(address, "mains", 1.0)
        peer, _ = listening.accept()
    rows = Rows(stream, "mains")
    peer.sendall(b"1;2\r\n3;4")
    assert rows.newest(1.0) == "1;2"
    peer.close()
    with pytest.raises(SourceError, match="closed at the other end"):
        rows.newest(60.0)  # else there would be no answer within this time
    stream.close()
    stream.close()


@pytest.mark.parametrize("address", ["", "nowhere", "127.0.0.1:0", "127.0.0.1:x"])
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(SourceError, match="the address is"):
        SocketStream(address, "mains", 1.0)


@needs.pseudo_terminals
def test_a_serial_port_serves_as_well() -> None:
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    stream = SerialStream(os.ttyname(theirs), "mains", 115_200)
    rows = Rows(stream, "mains")
    stream.send(b"*idn?\r\n")
    assert os.read(ours, 100) == b"*idn?\r\n"
    writer = threading.Timer(0.05, os.write, (ours, b"1;2\r\n3;"))
    writer.start()
    assert rows.newest(2.0) == "1;2"
    writer.join()
    with pytest.raises(SourceError, match="no line of values"):
        rows.newest(0.1)
    stream.close()
    for descriptor in (ours, theirs):
        os.close(descriptor)


def test_a_serial_port_that_there_is_not() -> None:
    with pytest.raises(SourceError, match="mains"):
        SerialStream("/dev/no-such-port", "mains", 9600)


@pytest.mark.parametrize(
    "given", [{}, {"address": "192.0.2.5:5025", "device": "/dev/ttyUSB0"}]
)
def test_one_way_to_it_is_needed_and_not_two(given: dict[str, object]) -> None:
    with pytest.raises(BadInput, match="address"):
        DRIVER.build(DRIVER.settings("mains", given, LocalHost()))
