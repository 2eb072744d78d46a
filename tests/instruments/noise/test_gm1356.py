from collections.abc import Sequence
from pathlib import Path

import pytest

from instruments.errors import SourceError
from instruments.noise.gm1356 import DRIVER, PRODUCT, VENDOR, Gm1356
from instruments.noise.gm1356_protocol import (
    configuration,
    parse_report,
    read_request,
)
from instruments.noise.handheld import STUCK_NS
from instruments.reading import Status
from instruments.tools.hosts import LocalHost
from tests.instruments.given import given

_ACK = bytes.fromhex("c400000000000000")


class FakeMeter:
    """A GM1356 without the cable: takes requests, answers reports.

    HID cannot be plugged in where this is tested, so the handle is injected.
    """

    def __init__(self, level: float = 46.5) -> None:
        self.level = level
        self.flags = 0x74
        self.obeys = True
        self.answers: list[bytes] = []
        self.written: list[bytes] = []
        self.reply: bytes | None = None
        self.gone = False
        self.closed = False

    def write(self, data: bytes) -> int:
        if self.gone:
            return -1
        self.written.append(data)
        if data[0] == 0x56:
            if self.obeys:
                self.flags = data[1]
            self.answers.append(_ACK)
        else:
            report = round(self.level * 10).to_bytes(2, "big") + bytes([self.flags])
            full = report + bytes.fromhex("9b90ddc0ff")
            self.answers.append(full if self.reply is None else self.reply)
        return len(data)

    def read(self, max_length: int, timeout_ms: int) -> Sequence[int]:
        if self.gone:
            raise OSError("read error")
        return list(self.answers.pop(0))[:max_length] if self.answers else []

    def close(self) -> None:
        self.closed = True


class Clock:
    def __init__(self) -> None:
        self.now = 1_000

    def __call__(self) -> int:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += round(seconds * 1e9)


def _source(meter: FakeMeter, clock: Clock | None = None, **options: str) -> Gm1356:
    clock = clock or Clock()
    return Gm1356(
        given(DRIVER, "gm", **options),
        opener=lambda *_: (meter, "HA1303162"),
        clock=clock,
        sleep=clock.sleep,
    )


def test_the_published_report_is_read_as_published() -> None:
    report = parse_report(bytes.fromhex("0292749b90ddc0ff"))
    assert report is not None
    assert (report.level, report.weighting) == (65.8, "C")
    assert (report.is_fast, report.is_held, report.range_number) == (True, True, 4)
    assert report.status is Status.UNDERRANGE  # 65.8 dB in the range 80-130


@pytest.mark.parametrize(
    "data", ["", "0292", "ffff409b90ddc0ff", "0292459b90ddc0ff", "0292c09b90ddc0ff"]
)
def test_what_is_no_report_is_none(data: str) -> None:
    assert parse_report(bytes.fromhex(data)) is None


def test_requests_are_as_published_and_random_where_they_must_be() -> None:
    assert configuration("A", "30-130").hex() == "5640000000000000"
    assert configuration("C", "30-60").hex() == "5651000000000000"
    requests = {read_request() for _ in range(20)}
    assert len(requests) == 20
    assert {(request[0], request[4:]) for request in requests} == {(0xB3, bytes(4))}


def test_it_is_set_and_read_four_times_a_second() -> None:
    meter, clock = FakeMeter(), Clock()
    meter.answers.append(bytes.fromhex("0292749b90ddc0ff"))  # late, of before
    source = _source(meter, clock)
    identity = source.open()
    assert identity.serial == "HA1303162"
    assert meter.flags == 0x40
    reading = source.read()
    assert reading.values == pytest.approx((46.5, 46.5))
    assert reading.statuses == (Status.OK, Status.OK)
    assert reading.raw.decode() == "01d1409b90ddc0ff" * 4
    assert reading.end_ns - reading.start_ns == 600_000_000
    source.close()
    assert meter.closed


@pytest.mark.parametrize(
    ("level", "level_range", "status"),
    [
        (130.0, "30-130", Status.OVERRANGE),
        (30.0, "30-130", Status.UNDERRANGE),
        (49.0, "50-100", Status.UNDERRANGE),
        # One source lets this range end at 80 dB, the other at 60 dB.
        (65.0, "30-60", Status.OVERRANGE),
        (59.0, "30-60", Status.OK),
    ],
)
def test_a_level_at_the_end_of_its_range_is_a_gap(
    level: float, level_range: str, status: Status
) -> None:
    source = _source(FakeMeter(level), range=level_range)
    source.open()
    assert source.read().statuses == (status, status)


def test_a_held_or_changed_meter_is_lost_and_set_again() -> None:
    meter = FakeMeter()
    source = _source(meter)
    source.open()
    for flags, reason in [(0x60, "holds the highest"), (0x50, "changed by hand")]:
        meter.flags = flags
        with pytest.raises(SourceError, match=reason):
            source.read()
        source.open()
        assert source.read().statuses == (Status.OK, Status.OK)


def test_a_meter_that_does_not_obey_is_refused() -> None:
    meter = FakeMeter()
    meter.obeys = False
    with pytest.raises(SourceError, match="changed by hand"):
        _source(meter).open()
    assert meter.closed


def test_unplugged_silent_and_garbage_have_their_reasons() -> None:
    meter = FakeMeter()
    source = _source(meter)
    source.open()
    meter.reply = b""
    with pytest.raises(SourceError, match=r"no answer within 0\.5 s") as caught:
        source.read()
    assert caught.value.status is Status.TIMEOUT
    meter.reply = bytes.fromhex("ffffffffffffffff")
    with pytest.raises(SourceError, match="ffffffffffffffff are not a report"):
        source.read()
    meter.reply = bytes.fromhex("0292")  # cut in mid report
    with pytest.raises(SourceError, match="0292 are not a report"):
        source.read()
    meter.gone = True
    with pytest.raises(SourceError, match="no longer on USB") as caught:
        source.read()
    assert caught.value.status is Status.ABSENT
    source.close()
    meter.gone, meter.reply = False, None
    source.open()
    assert source.read().statuses == (Status.OK, Status.OK)


def test_a_late_answer_is_not_taken_for_the_next() -> None:
    meter = FakeMeter(46.5)
    source = _source(meter)
    source.open()
    meter.answers.append(bytes.fromhex("0320409b90ddc0ff"))  # 80.0 dB, of long ago
    assert source.read().values == pytest.approx((46.5, 46.5))


def test_a_level_that_never_changes_is_stale() -> None:
    meter, clock = FakeMeter(), Clock()
    source = _source(meter, clock)
    source.open()
    source.read()
    clock.now += STUCK_NS
    assert source.read().statuses == (Status.STALE, Status.STALE)
    meter.level = 46.6
    assert source.read().statuses == (Status.OK, Status.OK)


def test_without_a_meter_the_driver_says_so() -> None:
    host = LocalHost()
    source = DRIVER.build(DRIVER.settings("gm", {"device": "no such number"}, host))
    with pytest.raises(SourceError, match="no meter with serial number no such") as e:
        source.open()
    assert e.value.status is Status.ABSENT
    assert DRIVER.discover(host) == []


def test_the_udev_rule_is_for_this_meter() -> None:
    folder = Path(__file__).parents[3] / "packaging" / "udev"
    rules = (folder / "70-bayscope.rules").read_text(encoding="utf-8")
    lines = [line for line in rules.splitlines() if line.startswith("SUBSYSTEM")]
    assert len(lines) == 2
    for line in lines:
        assert f'{{idVendor}}=="{VENDOR:04x}"' in line
        assert f'{{idProduct}}=="{PRODUCT:04x}"' in line
