"""The real drivers against the simulated bench, over real sockets, with its faults."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from instruments.base import Source
from instruments.errors import BadInput, BenchError, SourceError
from instruments.noise.simulated import SOUND_METER
from instruments.power.hmc8015.config import Config
from instruments.power.hmc8015.driver import HMC8015
from instruments.reading import Reading, Status
from instruments.simulated.bench import BenchConfig
from instruments.simulated.client import LineClient
from instruments.simulated.server import SimulatedBench
from instruments.simulated.source import SimulatedSource
from instruments.thermal.simulated import ENCLOSURE
from tests.instruments.patience import ANSWER_S

Tell = Callable[[str], str]


def meter_of(bench: SimulatedBench, amps: float = 10) -> HMC8015:
    resource = f"TCPIP::127.0.0.1::{bench.meter_port}::SOCKET"
    return HMC8015("mains", resource, Config(current_range=amps))


def address_of(bench: SimulatedBench) -> str:
    return f"127.0.0.1:{bench.enclosure_port}"


@pytest.fixture
def meter(bench: SimulatedBench) -> Iterator[HMC8015]:
    with closing(meter_of(bench)) as made:
        yield made


@pytest.fixture
def enclosure(bench: SimulatedBench) -> Iterator[SimulatedSource]:
    with closing(SimulatedSource("enclosure", address_of(bench), ENCLOSURE)) as made:
        yield made


def values(source: Source) -> dict[str, float]:
    return named(source.read())


def named(reading: Reading) -> dict[str, float]:
    names = [f"{c.quantity}.{c.location}".rstrip(".") for c in reading.channels]
    return dict(zip(names, reading.values, strict=True))


def test_the_meter_reads_an_idle_enclosure(meter: HMC8015) -> None:
    identity = meter.open()
    assert identity.simulated
    assert identity.model == "HMC8015"
    reading = meter.read()
    assert set(reading.statuses) == {Status.OK}
    found = named(reading)
    assert 560 < found["P"] < 850  # whatever else this machine does counts as load
    assert found["lambda"] == pytest.approx(found["P"] / found["S"], rel=1e-3)
    assert found["S"] == pytest.approx(math.hypot(found["P"], found["Q"]), rel=1e-2)
    assert found["U"] == pytest.approx(230, abs=2)
    assert found["I"] == pytest.approx(found["S"] / found["U"], rel=1e-2)
    assert found["f"] == pytest.approx(50, abs=0.1)


def test_the_integrator_agrees_with_power_times_time(meter: HMC8015) -> None:
    meter.open()
    powers, energies, times = [], [], []
    for _ in range(12):
        reading = meter.read()
        found = named(reading)
        powers.append(found["P"])
        energies.append(found["Wh"])
        times.append(reading.end_ns / 1e9)
        time.sleep(0.1)
    expected = sum(powers) / len(powers) * (times[-1] - times[0]) / 3600
    # The meter refreshes every 100 ms, so both ends are uncertain by one refresh.
    assert energies[-1] - energies[0] == pytest.approx(expected, rel=0.25)


def test_ten_readings_a_second_are_ten_different_ones(meter: HMC8015) -> None:
    meter.open()
    begin = time.monotonic()
    seen: set[bytes | None] = set()
    while len(seen) < 8:
        seen.add(meter.read().raw)
        time.sleep(0.01)
    # More often than every 0.1 s nothing new comes.
    assert time.monotonic() - begin > 0.6


def test_a_range_that_is_too_small_is_a_gap(bench: SimulatedBench) -> None:
    with closing(meter_of(bench, amps=0.2)) as meter:
        meter.open()
        reading = meter.read()
    by_name = dict(
        zip((c.quantity for c in meter.channels), reading.statuses, strict=True)
    )
    assert by_name["I"] is Status.OVERRANGE
    assert by_name["P"] is Status.OVERRANGE
    assert by_name["U"] is Status.OK


def test_opening_twice_starts_the_energy_at_zero(meter: HMC8015) -> None:
    meter.open()
    time.sleep(0.5)
    before = values(meter)["Wh"]
    meter.open()
    assert values(meter)["Wh"] < before


def test_the_enclosure_reads_sixty_slots(enclosure: SimulatedSource) -> None:
    assert enclosure.open().simulated
    reading = enclosure.read()
    assert set(reading.statuses) == {Status.OK}
    found = values(enclosure)
    assert len(found) == 72
    slots = [found[f"temperature.slot{slot:02d}"] for slot in range(60)]
    assert 29 < min(slots) < max(slots) < 46
    assert found["temperature.inlet"] == pytest.approx(26)
    assert found["temperature.exhaust"] > 30
    assert found["state.iom2"] == 1
    assert found["fan.fan1"] == pytest.approx(2400, rel=0.1)


def test_a_slot_that_fails_is_a_gap(enclosure: SimulatedSource, tell: Tell) -> None:
    enclosure.open()
    assert tell("SIM:SLOT 7,absent") == "OK"
    reading = enclosure.read()
    assert reading.statuses[7] is Status.ABSENT
    assert math.isnan(reading.values[7])
    assert reading.statuses[8] is Status.OK


def test_the_sound_meter(bench: SimulatedBench) -> None:
    with closing(SimulatedSource("noise", address_of(bench), SOUND_METER)) as noise:
        assert noise.open().simulated
        found = values(noise)
    assert 52 < found["LAeq"] < 58
    assert found["LAeq"] <= found["LAFmax"] < found["LAeq"] + 3


def test_standby_is_quiet_and_cheap(
    meter: HMC8015, enclosure: SimulatedSource, tell: Tell
) -> None:
    meter.open()
    enclosure.open()
    assert tell("SIMulate:POWer OFF") == "OK"
    while (power := values(meter)["P"]) > 16.0:
        time.sleep(0.05)
    assert power == pytest.approx(15, abs=1)
    assert set(enclosure.read().statuses[:60]) == {Status.STANDBY}


CLOSED = "closed at the other end"
SILENT = f"no answer within {ANSWER_S:g} s"


@pytest.mark.parametrize(
    ("fault", "ports", "sentence"),
    [
        ("drop", "meter enclosure", CLOSED),
        ("silence", "meter enclosure", SILENT),
        ("half", "enclosure", SILENT),
        ("garbage", "meter enclosure", "bytes that are not text"),
    ],
)
def test_a_fault_is_said_and_over_after_opening_anew(
    bench: SimulatedBench, tell: Tell, fault: str, ports: str, sentence: str
) -> None:
    sources: dict[str, Source] = {
        "meter": meter_of(bench),
        "enclosure": SimulatedSource("enclosure", address_of(bench), ENCLOSURE),
    }
    for source in sources.values():
        source.open()
    assert tell(f"SIMulate:FAULt {fault}") == "OK"
    for port in ports.split():
        with pytest.raises(SourceError, match=sentence) as caught:
            sources[port].read()
        assert (caught.value.status is Status.TIMEOUT) is (sentence is SILENT)
    assert tell("SIM:FAUL NONE") == "OK"
    for source in sources.values():
        source.open()
        assert Status.OK in source.read().statuses
        source.close()


def test_opening_under_a_fault_fails_too(meter: HMC8015, tell: Tell) -> None:
    tell("SIM:FAUL drop")
    with pytest.raises(SourceError, match=CLOSED):
        meter.open()
    tell("SIM:FAUL NONE")
    meter.open()


def test_refusing_cuts_off_and_ends(meter: HMC8015, tell: Tell) -> None:
    meter.open()
    assert tell("SIM:FAULT refuse,4,meter") == "OK"
    time.sleep(0.25)
    with pytest.raises(SourceError, match="closed at the other end"):
        meter.read()
    with pytest.raises(SourceError, match="connection refused"):
        meter.open()
    deadline = time.monotonic() + 60
    while True:
        try:
            meter.open()
            break
        except SourceError:
            assert time.monotonic() < deadline
            time.sleep(0.1)
    assert Status.OK in meter.read().statuses


def test_a_fault_at_one_port_leaves_the_other_alone(
    meter: HMC8015, enclosure: SimulatedSource, tell: Tell
) -> None:
    meter.open()
    enclosure.open()
    tell("SIM:FAUL drop,60,enclosure")
    with pytest.raises(SourceError):
        enclosure.read()
    assert Status.OK in meter.read().statuses
    assert tell("SIM:FAUL?") == "meter=none,enclosure=drop"


def test_an_answer_in_pieces_is_read_whole(meter: HMC8015, tell: Tell) -> None:
    meter.open()
    tell("SIM:FAUL pieces")
    assert Status.OK in meter.read().statuses


def test_a_second_client_is_sent_away(
    bench: SimulatedBench, meter: HMC8015, tell: Tell
) -> None:
    meter.open()
    tell("SIM:FAUL single,60,meter")
    with closing(meter_of(bench)) as second, pytest.raises(SourceError):
        second.open()
    assert Status.OK in meter.read().statuses


def test_a_fault_from_the_start() -> None:
    config = BenchConfig(faults=("silence,60,meter",))
    silent = pytest.raises(SourceError, match=r"mains .*no answer within")
    with SimulatedBench(config) as bench, closing(meter_of(bench)) as meter, silent:
        meter.open()


def test_an_unknown_fault_is_named_with_those_there_are() -> None:
    with pytest.raises(BadInput, match="drop, reset, silence, late"):
        SimulatedBench(BenchConfig(faults=("explode",)))


def test_a_port_that_is_taken(bench: SimulatedBench) -> None:
    threads = threading.active_count()
    with pytest.raises(BenchError, match=r"port \d+: the meter port cannot be opened"):
        SimulatedBench(BenchConfig(), port=bench.meter_port)
    with pytest.raises(BenchError, match="the enclosure port cannot be opened"):
        SimulatedBench(BenchConfig(), enclosure_port=bench.meter_port)
    assert threading.active_count() == threads


def test_the_wrong_port_is_said(bench: SimulatedBench) -> None:
    meter = HMC8015("mains", f"TCPIP::127.0.0.1::{bench.enclosure_port}::SOCKET")
    with pytest.raises(SourceError, match=r"ENCLOSURE60.*expected R&S HMC8015"):
        meter.open()
    enclosure = SimulatedSource("enclosure", f"127.0.0.1:{bench.meter_port}", ENCLOSURE)
    with pytest.raises(SourceError, match="instead of a simulated enclosure"):
        enclosure.open()


@pytest.mark.parametrize("address", ["", "simulated", "127.0.0.1", "h:x", "h:99999"])
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(SourceError, match="Expected host and port"):
        LineClient(address)


def test_nothing_is_left_running_after_close() -> None:
    before = threading.active_count()
    bench = SimulatedBench(BenchConfig())
    client = LineClient(address_of(bench))
    client.identify()
    bench.close()
    bench.close()
    client.close()
    assert threading.active_count() == before
