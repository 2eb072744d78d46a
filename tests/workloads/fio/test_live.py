"""Documents of several devices: sums, ramps that end apart, a device that fails."""

import math
from typing import Any

import pytest

from instruments.reading import SECOND, Reading, Status
from workloads.fio.live import MOST_LIVE, FioLive

START = 100 * SECOND
DEVICES = ("dev01", "dev02")


def job(name: str, ios: int, ms: int, *, n: int | None = None, error: int = 0) -> Any:
    """One job of a document; n is how many latencies it counted."""
    count = ios if n is None else n
    side = {
        "total_ios": ios,
        "io_bytes": ios * 4096,
        "runtime": ms,
        "lat_ns": {"mean": 2000.0, "N": count},
        "clat_ns": {"bins": {"2000": count} if count else {}},
    }
    none = {**side, "runtime": 0, "total_ios": 0}
    return {"jobname": name, "error": error, "read": side, "write": none}


class Taken:
    """A live view with what it emitted."""

    def __init__(self, ramp_s: float = 0, devices: tuple[str, ...] = DEVICES) -> None:
        self.readings: list[Reading] = []
        ramp = round(ramp_s * SECOND)
        self.live = FioLive("fio", ("read",), ramp, self.readings.append, devices)

    def take(self, after_s: float, *jobs: Any) -> dict[str, float]:
        """Take a document; give what it told, by the names of channels."""
        self.readings.clear()
        self.live.take({"jobs": jobs}, START + round(after_s * SECOND))
        return {
            channel.name: value
            for reading in self.readings
            for channel, value in zip(reading.channels, reading.values, strict=True)
        }


def test_sums_and_devices_are_told_together() -> None:
    one = Taken()
    one.take(0.5, job("dev01", 50, 500), job("dev02", 100, 500))
    told = one.take(1.0, job("dev01", 150, 1000), job("dev02", 150, 1000))
    assert told["fio.read_iops"] == 300
    assert told["fio.read_iops.dev01"] == 200
    assert told["fio.read_iops.dev02"] == 100
    assert told["fio.read_lat.dev02"] == pytest.approx(2e-6)
    assert "fio.read_p99.dev02" not in told
    assert one.live.window() == (START, START + SECOND)


@pytest.mark.parametrize("documents", [3, 90])
def test_one_bad_stamp_does_not_move_the_window(documents: int) -> None:
    """The clock was set between the stamp of one document and its arrival."""
    one = Taken(devices=())
    for number in range(1, documents + 1):
        early = 1.3 if number == documents - 1 else 0.0
        one.take(0.5 * number - early, job("load", 50 * number, 500 * number))
    assert one.live.window() == (START, START + documents * SECOND // 2)


def test_a_device_that_failed_is_an_error_and_the_sum_goes_on() -> None:
    one = Taken()
    one.take(0.5, job("dev01", 50, 500), job("dev02", 50, 500))
    one.take(1.0, job("dev01", 100, 1000), job("dev02", 60, 600, error=5))
    told = one.take(1.5, job("dev01", 150, 1500), job("dev02", 60, 600, error=5))
    assert told["fio.read_iops"] == told["fio.read_iops.dev01"] == 100
    assert math.isnan(told["fio.read_iops.dev02"])
    assert one.readings[-1].statuses[3:] == (Status.ERROR,) * 3
    assert one.live.window() == (START, START + round(1.5 * SECOND))


def test_ramps_that_do_not_end_in_one_document_make_no_false_sum() -> None:
    one = Taken(ramp_s=1)
    one.take(0.5, job("dev01", 50, 500, n=0), job("dev02", 50, 500, n=0))
    mixed = one.take(1.2, job("dev01", 20, 200), job("dev02", 120, 1200, n=0))
    assert "fio.read_iops" not in mixed
    assert mixed["fio.read_iops.dev01"] == 100
    after = one.take(1.7, job("dev01", 70, 700), job("dev02", 60, 600))
    assert "fio.read_iops" not in after
    steady = one.take(2.2, job("dev01", 120, 1200), job("dev02", 110, 1100))
    assert steady["fio.read_iops"] == 200
    assert one.live.window() == (START + SECOND, START + round(2.2 * SECOND))


def test_a_device_that_fails_in_the_ramp_does_not_hold_the_others() -> None:
    one = Taken(ramp_s=1)
    bad = job("dev02", 10, 100, n=0, error=5)
    one.take(0.5, job("dev01", 50, 500, n=0), bad)
    told = one.take(1.5, job("dev01", 50, 500), bad)
    assert told["fio.read_iops"] == 100
    assert one.live.window() == (START + SECOND, START + round(1.5 * SECOND))


def test_more_devices_than_are_shown_are_in_the_sum() -> None:
    names = tuple(f"dev{number:03}" for number in range(1, 101))
    many = Taken(devices=names)
    assert len(many.live.channels) == 4 + 3 * MOST_LIVE
    many.take(0.5, *(job(name, 50, 500) for name in names))
    told = many.take(1.0, *(job(name, 100, 1000) for name in names))
    assert told["fio.read_iops"] == 100 * 100
    assert "fio.read_iops.dev100" not in told


def test_jobs_that_go_on_after_the_window_began_later() -> None:
    """A group tells the time of its longest job alone, and counts what all do."""
    one = Taken(devices=())
    one.take(0.5, job("load", 100, 500))
    one.take(1.0, job("load", 200, 1000))
    one.take(1.3, job("load", 220, 1000))
    assert one.live.apart_s() == 0  # It may all have been done before the window's end.
    one.take(2.5, job("load", 250, 1000))
    one.take(3.5, job("load", 300, 1000))
    one.take(4.0, job("load", 300, 1000))
    assert one.live.window() == (START, START + SECOND)
    assert one.live.apart_s() == pytest.approx(1.5)


def test_what_is_under_way_at_the_end_is_no_peak() -> None:
    one = Taken(devices=())
    one.take(0.5, job("load", 100, 500))
    assert one.take(1.0, job("load", 200, 1000))["fio.read_iops"] == 200
    # The runtime is over after 150 ms, what was queued took until now.
    told = one.take(2.5, job("load", 500, 1150))
    assert told["fio.read_iops"] == pytest.approx(200)
    assert told["fio.read_bw"] == pytest.approx(200 * 4096)
