"""The pre-flight of interlocks, on checks made by hand: which would hold at once."""

from pathlib import Path

from app.bench.file import default_bench
from app.operations.bench.check import SourceCheck
from app.operations.preflight.finding import Level
from app.operations.preflight.preflight import check_cold_starts, check_interlocks
from app.plan.campaign import parse_campaign
from app.plan.interlocks import Interlock
from instruments.reading import Channel, Identity, Status

WHO = Identity("Bayscope", "ENCLOSURE60", "1", "", "")
HOT = Channel("enclosure", "temperature", "degC", "slot07")
ASLEEP = Channel("enclosure", "temperature", "degC", "slot08")
CHECK = SourceCheck(
    *("enclosure", "thermal", "simulated", "", WHO),
    ((HOT, 61.0, Status.OK), (ASLEEP, 99.0, Status.STANDBY)),
)


def told(one: Interlock) -> list[tuple[Level, str]]:
    found = check_interlocks([one], default_bench(), [CHECK], Path.cwd())
    return [(each.level, each.text) for each in found]


def test_an_interlock_that_is_beyond_its_threshold_stops() -> None:
    hot = Interlock("Hot", ("*.temperature.slot*",), above=60.0)
    why = (
        "Hot would pause the run at once: enclosure.temperature.slot07 is 61 °C, "
        "above 60"
    )
    assert told(hot) == [(Level.STOP, why)]


def test_an_interlock_on_a_full_disk_stops() -> None:
    [(level, why)] = told(Interlock("Room", disk_free=2**60))
    assert level is Level.STOP
    assert why.startswith("Room would pause the run at once: ")
    assert why.endswith(f" are free in {Path.cwd()}, below 1048576 TiB")


def test_interlocks_that_are_clear_are_counted() -> None:
    assert told(Interlock("Room", disk_free=1)) == [(Level.OK, "1 watch the run")]


def test_an_interlock_that_a_cold_start_trips_is_told() -> None:
    step = '[[step]]\nlabel = "Cold"\nengine = "startup"\nruntime = "5s"\n'
    cold = parse_campaign(f'name = "K"\n{step}', "k.toml")
    lost = Interlock("Shelf lost", lost=("enclosure",))
    slow = Interlock("Fans", ("*.fan.*",), below=500.0)
    fine = [
        Interlock("Meter lost", lost=("mains",)),
        Interlock("Hot", ("*.temperature.slot*",), above=60.0),
    ]
    found = check_cold_starts([lost, slow, *fine], default_bench(), cold)
    assert [one.text.partition(" with ")[0] for one in found] == [
        'Shelf lost may hold "Cold"',
        'Fans may hold "Cold"',
    ]
    assert {one.level for one in found} == {Level.WARN}
