"""Channels that the bench leaves out: a sensor that is broken for good."""

import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from app.analysis.results import silent_channels
from app.bench.build import build_source
from app.bench.file import parse_bench
from app.bench.model import Bench
from app.operations.bench.check import check_bench
from app.operations.bench.check_report import checks_as_json, checks_text
from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session
from app.report.document import build_document
from instruments.errors import BadInput, SourceError
from instruments.exclusion import excluding
from instruments.reading import SECOND, Channel, Identity, Reading, Status
from instruments.simulated.bench import BenchConfig
from instruments.simulated.server import SimulatedBench
from tests.faults import tools
from tests.faults.part import Machine
from tests.instruments.patience import wait_longer
from tests.instruments.rooted import write_tree
from tests.session_info import session_info

HEAD = 'name = "b"\n[dut]\nname = "d"\ntarget = "~/scratch.dat"\n'
CHIP = "/sys/devices/platform/nct6775.656/hwmon/hwmon0"


def of_chips(ignore: str) -> Bench:
    text = '[[thermal]]\nname = "chips"\ndriver = "hwmon"\nperiod = 0.5\n'
    return parse_bench(f"{HEAD}{text}{ignore}", "bench.toml")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Get a machine with one good sensor and one that never reads."""
    tools.hwmon(tmp_path)
    found = Machine(tmp_path / "machine")
    write_tree(
        found.root,
        {f"{CHIP}/temp2_input": "no number\n", f"{CHIP}/temp2_label": "AUXTIN\n"},
    )
    return found


def record(bench: Bench, machine: Machine, path: Path) -> None:
    clock = SystemClock()
    recorder = Recorder(path, session_info(simulated=False), clock=clock)
    recorder.start()
    try:
        [config] = bench.sources
        settings = config.driver.settings(config.name, config.keys, machine.host)
        source = excluding(config.driver.build(settings), config.ignore)
        recorder.watch(source)
        described = (source.name, source.section, source.driver, None, config.text)
        recorder.call(lambda w: w.add_source(*described))
        start = clock.monotonic_ns()
        while recorder.health()["chips"].last_ns < start + 1.2 * SECOND:
            time.sleep(0.02)
        names = {channel.name for channel in recorder.channels()}
        end = clock.monotonic_ns()
        recorder.call(lambda w: w.commit())
        with Session.open(path) as session:
            silent = silent_channels(session, (start, end), recorder.channels())
            expected = (
                []
                if bench.sources[0].ignore
                else ["chips.temperature.nct6775-656-auxtin"]
            )
            assert [channel.name for channel in silent] == expected
        assert len(names) == 2 - bool(bench.sources[0].ignore)
    finally:
        recorder.close()


def test_a_broken_sensor_is_loud_until_it_is_left_out(
    machine: Machine, tmp_path: Path
) -> None:
    record(of_chips(""), machine, tmp_path / "loud.bayscope")
    ignore = 'ignore = ["temperature.*-aux*", "fan.fan9"]\n'
    record(of_chips(ignore), machine, tmp_path / "quiet.bayscope")
    with Session.open(tmp_path / "quiet.bayscope") as session:
        [told] = [e.message for e in session.events() if "excluded" in e.message]
        [note] = build_document(session).notes
    assert told == (
        "excluded on the bench: temperature.nct6775-656-auxtin; "
        "nothing here is called fan.fan9"
    )
    assert note == (
        "chips: excluded on the bench: temperature.*-aux*, fan.fan9 "
        "(neither recorded nor judged)"
    )


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimulatedBench]:
    wait_longer(monkeypatch)
    bench = SimulatedBench(BenchConfig(speedup=50.0))
    yield bench
    bench.close()


def of_enclosure(simulated: SimulatedBench, ignore: str) -> Bench:
    address = f'address = "127.0.0.1:{simulated.enclosure_port}"'
    text = f'[[thermal]]\nname = "shelf"\ndriver = "simulated"\n{address}\n'
    return parse_bench(f"{HEAD}{text}ignore = [{ignore}]\n", "bench.toml")


def test_check_says_what_is_left_out(simulated: SimulatedBench) -> None:
    bench = of_enclosure(simulated, '"temperature.slot0*", "fan.fan3", "slot7"')
    [found] = checks = check_bench(bench)
    assert len(found.values) == 72 - 10 - 1
    [line] = [line for line in checks_text(checks).splitlines() if "excluded" in line]
    assert line.endswith(
        "temperature.slot08, temperature.slot09, fan.fan3; nothing here is called slot7"
    )
    [values] = checks_as_json(checks)
    assert str(values["left_out"]).startswith("excluded on the bench: temperature.")


def test_a_source_is_not_left_out_as_a_whole(simulated: SimulatedBench) -> None:
    bench = of_enclosure(simulated, '"*"')
    source = build_source(bench, bench.sources[0])
    with pytest.raises(
        SourceError, match="excludes everything that it measures"
    ) as caught:
        source.open()
    assert "ignore" in str(caught.value)


def test_an_analyser_says_which_functions_it_has() -> None:
    text = (
        '[[power]]\ndriver = "hmc8015"\nresource = "TCPIP::192.0.2.5::5025::SOCKET"\n'
        'ignore = ["lambda"]\n'
    )
    with pytest.raises(BadInput, match="excludes nothing") as caught:
        parse_bench(HEAD + text, "bench.toml")
    assert "functions" in str(caught.value)
    with pytest.raises(BadInput, match=r"ignore.*a list of texts"):
        of_chips("ignore = 7\n")


class Turns:
    """A source that reads its two halves in turn, and one thing after a step."""

    section, driver, period_s = "thermal", "turns", 1.0

    def __init__(self) -> None:
        self.name = "drives"
        self.channels = tuple(
            Channel(self.name, "temperature", "degC", f"slot{n}") for n in range(4)
        )
        self._halves = [self.channels[:2], self.channels[2:]]

    def open(self) -> Identity:
        return Identity("", "", "", "", "")

    def read(self) -> Reading:
        self._halves.reverse()
        return self._reading(self._halves[0])

    def begin_step(self, label: str, *, under_load: bool) -> None:
        self.told = (label, under_load)

    def end_step(self) -> Sequence[Reading]:
        return [self._reading(self.channels[:1]), self._reading(self.channels[3:])]

    def close(self) -> None:
        """Nothing is open."""

    @staticmethod
    def _reading(channels: tuple[Channel, ...]) -> Reading:
        values = tuple(float(channel.location[-1]) for channel in channels)
        return Reading(channels, 0, 1, values, (Status.OK,) * len(values), b"raw")


def test_readings_of_parts_keep_values_and_channels_together() -> None:
    inner = Turns()
    source = excluding(inner, ["*.slot2", "*.slot3"])
    source.open()
    assert [channel.location for channel in source.channels] == ["slot0", "slot1"]
    assert source.channels is source.channels
    empty, half, again = source.read(), source.read(), source.read()
    assert (empty.channels, empty.values, empty.raw) == ((), (), b"raw")
    assert half.values == (0.0, 1.0)
    assert not any(map(math.isnan, half.values))
    assert again.channels is empty.channels
    assert isinstance(source.channels[0], Channel)


def test_a_source_that_wants_to_know_of_steps_still_does() -> None:
    inner = Turns()
    source = excluding(inner, ["*.slot3"])
    source.begin_step("Idle", under_load=False)  # type: ignore[attr-defined]
    assert inner.told == ("Idle", False)
    [reading] = source.end_step()  # type: ignore[attr-defined]
    assert reading.values == (0.0,)
    assert excluding(inner, []) is inner
