"""PDUs and UPS by their profiles, against snmpsim: units, chains, states, no values."""

import math
from collections.abc import Iterator, Sequence

import pytest
from pysnmp.proto import rfc1902  # type: ignore[import-untyped]

from instruments.errors import SourceError
from instruments.reading import Reading, Status
from instruments.settings import Value
from instruments.thermal.snmp import session as snmp_session
from instruments.thermal.snmp.agent import Answer, SnmpAgent
from instruments.thermal.snmp.driver import DRIVER, POWER
from instruments.thermal.snmp.points import find_points, own_points
from instruments.thermal.snmp.profile import parse_profile
from instruments.thermal.snmp.session import SnmpSession, answer_of
from instruments.thermal.snmp.source import find_entity_sensors
from instruments.tools.hosts import LocalHost
from tests.snmp_agent import SnmpAgentSim
from tests.snmp_misfit import Misfit

INTEGER, TEXT = 2, 4
GAP = "gap"

EATON = "1.3.6.1.4.1.534.6.6.7"
SENTRY = "1.3.6.1.4.1.1718.4.1"
RARITAN = "1.3.6.1.4.1.13742.6"
APC = "1.3.6.1.4.1.318.1.1.26"
UPS = "1.3.6.1.2.1.33.1"


def records(base: str, rows: dict[str, int | str]) -> str:
    """Write records of snmpsim: numbers as integers, the rest as texts."""
    lines = [
        f"{base}.{oid}|{INTEGER if isinstance(value, int) else TEXT}|{value}"
        for oid, value in rows.items()
    ]
    return "\n".join(lines) + "\n"


# Two units of a chain: the first one set to Fahrenheit, the other one to Celsius.
EATON_CHAIN = records(
    EATON,
    {
        **{"1.2.1.2.0": "EMAH28", "1.2.1.9.0": 1, "1.2.1.9.3": 0},
        **{"7.1.1.2.0.1": "Cold aisle", "7.1.1.2.0.2": "", "7.1.1.2.3.1": "Room"},
        **{"7.1.1.3.0.1": 1, "7.1.1.3.0.2": 0, "7.1.1.3.3.1": 1},
        **{"7.1.1.4.0.1": 752, "7.1.1.4.0.2": 0, "7.1.1.4.3.1": 240},
        **{"7.1.1.5.0.1": 3, "7.1.1.5.0.2": 0, "7.1.1.5.3.1": 0},
        # The probe of humidity is there where that of temperature is not.
        **{"7.2.1.3.0.1": 0, "7.2.1.3.0.2": 1, "7.2.1.3.3.1": -1},
        **{"7.2.1.4.0.1": 0, "7.2.1.4.0.2": 455, "7.2.1.4.3.1": 0},
        **{"7.2.1.5.0.1": 0, "7.2.1.5.0.2": 2, "7.2.1.5.3.1": 0},
        **{"3.5.1.4.0.1": 350, "3.5.1.4.3.1": 180},
        **{"6.5.1.3.0.1": 20, "6.5.1.3.0.7": -1, "6.5.1.3.3.1": 30},
    },
)
# A real device has its only probes on its fifth unit.
SENTRY_CHAIN = records(
    SENTRY,
    {
        **{"2.2.1.4.1": "ABCD0001", "2.2.1.5.1": "C2S24VS", "2.2.1.7.1": 0},
        **{"1.1.3.0": "Version 8.0m", "9.1.10.0": 0},
        **{"9.2.1.3.1.1": "Temp_Sensor_A1", "9.2.1.3.5.1": "Rack inlet"},
        **{"9.2.1.3.5.2": "Temp_Sensor_E2", "9.2.1.3.5.3": "Temp_Sensor_E3"},
        **{"9.3.1.1.1.1": -410, "9.3.1.1.5.1": 235, "9.3.1.1.5.2": 512},
        **{"9.3.1.1.5.3": 231},
        **{"9.3.1.2.1.1": 0, "9.3.1.2.5.1": 0, "9.3.1.2.5.2": 17, "9.3.1.2.5.3": 8},
        **{"10.2.1.3.5.1": "Rack inlet", "10.2.1.3.5.2": "Humid_Sensor_E2"},
        **{"10.3.1.1.5.1": 41, "10.3.1.1.5.2": -1},
        **{"10.3.1.2.5.1": 0, "10.3.1.2.5.2": 7},
        **{"8.3.1.2.1.1.1": 0, "8.3.1.2.1.2.1": 0, "8.3.1.2.2.1.1": 10},
        **{"8.3.1.7.1.1.1": 110, "8.3.1.7.1.2.1": 120, "8.3.1.7.2.1.1": 130},
    },
)
SENTRY_IN_F = records(
    SENTRY,
    {
        **{"9.1.10.0": 1, "9.2.1.3.1.1": "A", "9.2.1.3.1.2": "B"},
        **{"9.3.1.1.1.1": 770, "9.3.1.1.1.2": -410, "9.3.1.2.1.1": 0},
    },
)
RARITAN_IN_F = records(
    RARITAN,
    {
        **{"3.6.3.1.2.1.1": 10, "3.6.3.1.2.1.2": 10, "3.6.3.1.2.1.3": 10},
        **{"3.6.3.1.2.1.4": 10, "3.6.3.1.2.2.1": 10, "3.6.3.1.2.1.5": 11},
        **{"3.6.3.1.4.1.1": "R03 Inlet Temperature", "3.6.3.1.4.1.2": "Hot aisle"},
        **{"3.6.3.1.4.1.3": "No digits", "3.6.3.1.4.1.4": "Strange unit"},
        **{"3.6.3.1.4.2.1": "Second unit", "3.6.3.1.4.1.5": "R03 Inlet Humidity"},
        **{"3.6.3.1.16.1.1": 14, "3.6.3.1.16.1.2": 7, "3.6.3.1.16.1.3": 7},
        **{"3.6.3.1.16.1.4": 0, "3.6.3.1.16.2.1": 14, "3.6.3.1.16.1.5": 9},
        **{"3.6.3.1.17.1.1": 1, "3.6.3.1.17.1.2": 2, "3.6.3.1.17.1.4": 1},
        **{"3.6.3.1.17.2.1": 0, "3.6.3.1.17.1.5": 0},
        **{"5.5.3.1.3.1.1": 4, "5.5.3.1.3.1.2": 6, "5.5.3.1.3.1.3": 4},
        **{"5.5.3.1.3.1.4": 4, "5.5.3.1.3.2.1": 4, "5.5.3.1.3.1.5": 14},
        **{"5.5.3.1.4.1.1": 734, "5.5.3.1.4.1.2": 4125, "5.5.3.1.4.1.3": 231},
        **{"5.5.3.1.4.1.4": 231, "5.5.3.1.4.2.1": 68, "5.5.3.1.4.1.5": 33},
        **{"3.3.4.1.7.1.1.5": 0, "5.2.3.1.4.1.1.5": 412, "5.2.3.1.3.1.1.5": -1},
        **{"3.3.4.1.7.2.1.5": 0, "5.2.3.1.4.2.1.5": 300, "5.2.3.1.3.2.1.5": 4},
    },
)
APC_PROBES = records(
    APC,
    {
        **{"10.2.2.1.3.1": "Temp 1", "10.2.2.1.3.2": "Rack intake", "10.2.2.1.3.3": ""},
        **{"10.2.2.1.6.1": 2, "10.2.2.1.6.2": 2, "10.2.2.1.6.3": 3},
        **{"10.2.2.1.7.1": 743, "10.2.2.1.7.2": 780, "10.2.2.1.7.3": 743},
        **{"10.2.2.1.8.1": 235, "10.2.2.1.8.2": 256, "10.2.2.1.8.3": 235},
        **{"10.2.2.1.9.1": 4, "10.2.2.1.9.2": 5, "10.2.2.1.9.3": 4},
        **{"10.2.2.1.10.1": -1, "10.2.2.1.10.2": 18, "10.2.2.1.10.3": 40},
        **{"10.2.2.1.11.1": 1, "10.2.2.1.11.2": 2, "10.2.2.1.11.3": 4},
    },
)
# Of 24 outlets each; tables count on, and columns tell unit and number.
APC_CHAIN = records(
    APC,
    {
        **{"4.3.1.5.1": 41, "4.3.1.5.2": 122},
        **{"6.3.1.2.1": 1, "6.3.1.3.1": 1, "6.3.1.5.1": 18, "6.3.1.6.1": 230},
        **{"6.3.1.2.2": 2, "6.3.1.3.2": 1, "6.3.1.5.2": 55, "6.3.1.6.2": 231},
        **{"9.4.3.1.2.3": 1, "9.4.3.1.4.3": 3, "9.4.3.1.7.3": 310},
        **{"9.4.3.1.2.27": 2, "9.4.3.1.4.27": 3, "9.4.3.1.7.27": 930},
        "9.4.3.1.7.28": 5,
        **{"10.2.2.1.2.9": 2, "10.2.2.1.3.9": "", "10.2.2.1.4.9": 1},
        **{"10.2.2.1.6.9": 2, "10.2.2.1.8.9": 235, "10.2.2.1.9.9": 4},
    },
)
UPS_WITHOUT = records(UPS, {"2.7.0": 0, "4.4.1.4.1": -1, "4.2.0": 500})
UPS_COLD = records(UPS, {"2.7.0": -273, "4.4.1.4.1": 2**31 - 1})

COMMUNITIES = {
    "eaton": EATON_CHAIN,
    "sentry": SENTRY_CHAIN,
    "sentry-f": SENTRY_IN_F,
    "raritan": RARITAN_IN_F,
    "apc": APC_PROBES,
    "apc-chain": APC_CHAIN,
    "ups": UPS_WITHOUT,
    "cold": UPS_COLD,
}
PROFILES = {
    "eaton": "eaton-epdu",
    "sentry": "servertech-sentry4",
    "sentry-f": "servertech-sentry4",
    "raritan": "raritan-px2",
    "apc": "apc-rpdu2",
    "apc-chain": "apc-rpdu2",
    "ups": "ups-mib",
    "cold": "ups-mib",
}

Found = dict[str, tuple[float | str, Status]]


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnmpAgentSim]:
    sim = SnmpAgentSim(tmp_path_factory.mktemp("snmp"), COMMUNITIES)
    sim.start()
    yield sim
    sim.kill()


@pytest.fixture
def ask(agent: SnmpAgentSim, monkeypatch: pytest.MonkeyPatch) -> "Asking":
    return Asking(agent.port, monkeypatch)


class Asking:
    """Reads devices once, and tells what they said."""

    def __init__(self, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.port = port
        self.monkeypatch = monkeypatch
        self.reading: Reading | None = None

    def __call__(
        self, community: str, *, power: bool = False, **keys: Value | list[str]
    ) -> Found:
        self.monkeypatch.setenv("BAYSCOPE_PASSWORD_RACK", community)
        driver = POWER if power else DRIVER
        given = {"address": "127.0.0.1", "port": self.port, **keys}
        given["profile"] = PROFILES[community]
        snmp = driver.build(driver.settings("rack", given, LocalHost()))
        try:
            self.identity = snmp.open()
            self.reading = snmp.read()
        finally:
            snmp.close()
        return {
            channel.name.removeprefix("rack."): (
                GAP if math.isnan(value) else round(value, 6),
                status,
            )
            for channel, value, status in zip(
                self.reading.channels,
                self.reading.values,
                self.reading.statuses,
                strict=True,
            )
        }


def test_eaton_tells_its_scale_and_each_probe_its_own_state(ask: Asking) -> None:
    assert ask("eaton") == {
        "temperature.probe1": (24.0, Status.WARN),  # 75.2 degF, above its limit
        "temperature.probe2": (GAP, Status.ABSENT),
        "temperature.unit3-probe1": (24.0, Status.OK),
        "humidity.probe1": (GAP, Status.ABSENT),
        "humidity.probe2": (45.5, Status.CRIT),
        "humidity.unit3-probe1": (GAP, Status.ERROR),
    }


def test_the_power_of_a_chain_is_that_of_the_units_that_are_named(ask: Asking) -> None:
    assert ask("eaton", power=True, units=["0", "3"]) == {
        "P.device1": (350.0, Status.OK),
        "P.unit3-device1": (180.0, Status.OK),
    }
    assert ask("eaton", power=True, units=["3"]) == {"P": (180.0, Status.OK)}
    assert ask("eaton", power=True, outlets=["unit3-1"]) == {"P": (30.0, Status.OK)}
    outlets = ask("eaton", scopes=["outlet"])
    assert outlets["power.outlet7"] == (GAP, Status.ABSENT)


@pytest.mark.parametrize(
    ("community", "scopes", "chain"),
    [
        ("eaton", ["device", "phase"], "0, 3"),
        ("raritan", ["device"], "1, 2"),
        ("sentry", ["outlet"], "1, 2"),
        ("apc-chain", ["device", "phase"], "1, 2"),
        ("apc-chain", ["phase"], "1, 2"),
        ("apc-chain", ["outlet"], "1, 2"),
    ],
)
def test_what_a_chain_draws_is_not_added_up_unless_its_units_are_named(
    ask: Asking, community: str, scopes: list[str], chain: str
) -> None:
    with pytest.raises(SourceError, match=rf"a chain of units \({chain}\).*units = "):
        ask(community, power=True, scopes=scopes)


@pytest.mark.parametrize(
    ("community", "units"), [("eaton", ["0", "9"]), ("ups", ["1"]), ("cold", ["2"])]
)
def test_a_unit_that_is_not_there_is_no_sum_of_the_others(
    ask: Asking, community: str, units: list[str]
) -> None:
    with pytest.raises(SourceError, match=f"no unit {units[-1]} "):
        ask(community, power=True, units=units)


def test_a_part_is_not_added_to_its_whole(ask: Asking) -> None:
    with pytest.raises(SourceError, match="twice, by device and by outlet"):
        ask("eaton", power=True, units=["0"], scopes=["device", "outlet"])


def test_apc_tells_the_unit_and_the_number_of_each_row_in_columns(ask: Asking) -> None:
    assert ask("apc-chain", power=True, units=["2"]) == {
        "P": (1220.0, Status.OK),
        "I.unit2-phase1": (5.5, Status.OK),
        "U.unit2-phase1": (231.0, Status.OK),
    }
    assert ask("apc-chain", power=True, outlets=["unit2-3"]) == {
        "P": (930.0, Status.OK)
    }
    assert ask("apc-chain", scopes=["outlet"]) == {
        "power.outlet3": (310.0, Status.OK),
        "power.unit2-outlet3": (930.0, Status.OK),
        "power.outlet28": (5.0, Status.OK),  # of an older firmware, say
    }
    assert ask("apc-chain") == {
        "temperature.unit2-probe1": (23.5, Status.OK),
    }


def test_sentry_reads_every_unit_and_cord_with_its_states(ask: Asking) -> None:
    assert ask("sentry") == {
        "temperature.temp-sensor-a1": (GAP, Status.ABSENT),
        "temperature.inlet": (23.5, Status.OK),
        "temperature.temp-sensor-e2": (51.2, Status.CRIT),
        "temperature.temp-sensor-e3": (GAP, Status.ERROR),
        "humidity.inlet": (41.0, Status.OK),
        "humidity.humid-sensor-e2": (GAP, Status.ABSENT),
    }
    assert (ask.identity.serial, ask.identity.firmware) == ("ABCD0001", "Version 8.0m")
    assert ask("sentry", scopes=["outlet"]) == {
        "power.outlet1": (110.0, Status.OK),
        "power.cord2-outlet1": (120.0, Status.OK),
        "power.unit2-outlet1": (GAP, Status.ERROR),
    }


def test_sentry_in_fahrenheit_is_converted_and_no_value_stays_none(ask: Asking) -> None:
    assert ask("sentry-f") == {
        "temperature.a": (25.0, Status.OK),
        "temperature.b": (GAP, Status.ABSENT),
    }


def test_raritan_tells_unit_and_decimals_of_each_sensor(ask: Asking) -> None:
    assert ask("raritan") == {
        "temperature.inlet": (23.0, Status.OK),
        "temperature.hot-aisle": (41.25, Status.CRIT),
        "temperature.no-digits": (GAP, Status.NAN),
        "temperature.strange-unit": (GAP, Status.UNSUPPORTED),
        "temperature.second-unit": (20.0, Status.OK),
        "humidity.inlet": (GAP, Status.ERROR),
    }
    assert ask("raritan", power=True, units=["1", "2"]) == {
        "P.device1": (GAP, Status.ABSENT),
        "P.unit2-device1": (300.0, Status.OK),
    }


def test_apc_judges_each_probe_by_its_columns(ask: Asking) -> None:
    assert ask("apc") == {
        "temperature.probe1": (23.5, Status.OK),
        "temperature.inlet": (25.6, Status.WARN),
        "temperature.probe3": (GAP, Status.ERROR),
        "humidity.probe1": (GAP, Status.ABSENT),
        "humidity.inlet": (18.0, Status.CRIT),
        "humidity.probe3": (GAP, Status.ERROR),
    }


def test_a_ups_without_a_sensor_has_no_temperature(ask: Asking) -> None:
    assert ask("ups") == {"temperature.battery": (GAP, Status.ABSENT)}
    assert ask("cold") == {"temperature.battery": (GAP, Status.ABSENT)}
    assert ask.reading is not None
    assert "says -273 °C" in ask.reading.trouble
    assert ask("ups", scopes=["device"]) == {
        "power": (GAP, Status.ABSENT),
        "frequency": (50.0, Status.OK),
    }
    assert ask("cold", scopes=["device"]) == {"power": (GAP, Status.ABSENT)}


class _Table:
    """An agent that has what it is told."""

    def __init__(self, rows: dict[str, Answer]) -> None:
        self.rows = rows

    def get(self, oids: Sequence[str]) -> dict[str, Answer]:
        return {oid: self.rows.get(oid, Answer(missing=True)) for oid in oids}

    def walk(self, column: str) -> dict[str, Answer]:
        return {o: a for o, a in self.rows.items() if o.startswith(f"{column}.")}


@pytest.mark.parametrize(
    ("digits", "expected"),
    [(1.0, 25.0), (-1.0, 2500.0), (2.0**31 - 1, None), (math.nan, None), (None, None)],
)
def test_decimals_that_make_no_sense_make_no_value(
    digits: float | None, expected: float | None
) -> None:
    value = {"scope": "probe", "quantity": "x", "unit": "V", "oid": "1.3.1.{}"}
    profile = parse_profile(
        "p", {"title": "P", "value": [{**value, "digits": "1.3.2.{}"}]}
    )
    rows = {"1.3.1.7": Answer(250.0)}
    if digits is not None:
        rows["1.3.2.7"] = Answer(digits)
    [point] = find_points(_Table(rows), profile, ["probe"])
    number, status = point.value(rows)
    assert point.location == "probe7"
    assert status is (Status.NAN if expected is None else Status.OK)
    assert expected is None or number == pytest.approx(expected)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (Answer(2.0), Status.CRIT),
        (Answer(-3.0), Status.ERROR),
        (Answer(math.nan, "nan"), Status.OK),
        (Answer(text="normal"), Status.OK),
        (Answer(missing=True), Status.OK),
    ],
)
def test_a_state_may_be_negative_or_none(told: Answer, expected: Status) -> None:
    value = {"scope": "probe", "quantity": "x", "unit": "V", "oid": "1.3.1.{}"}
    states = {"-3": "error", "2": "crit"}
    table = {**value, "state": "1.3.2.{}", "states": states}
    profile = parse_profile("p", {"title": "P", "value": [table]})
    rows = {"1.3.1.7": Answer(25.0), "1.3.2.7": told}
    [point] = find_points(_Table(rows), profile, ["probe"])
    assert point.value(rows)[1] is expected


@pytest.mark.parametrize(
    ("scale", "precision", "told", "volts"),
    [
        (1, -8, 25.0, 25e-16),  # yocto
        (5, 0, 25.0, 25e-12),
        (8, 3, 229_500.0, 0.2295),
        (9, 9, 229_500.0, 229_500e-9),
        (9, -2, 2.0, 200.0),
        (10, 6, 229_500.0, 229.5),
        (14, 9, 25.0, 25e9),  # exa, which RFC 3433 has before peta
        (15, 9, 25.0, 25e6),
        (17, 9, 25.0, 25e15),  # yotta
        (0, 0, 25.0, None),
        (9, 10, 25.0, None),
        (math.nan, 0, 25.0, 25.0),
    ],
)
def test_every_scale_and_precision_of_a_sensor_counts(
    scale: float, precision: float, told: float, volts: float | None
) -> None:
    base = "1.3.6.1.2.1.99.1.1.1"
    columns = {1: 3.0, 2: scale, 3: precision, 4: told, 5: 1.0}
    rows = {f"{base}.{n}.7": Answer(number) for n, number in columns.items()}
    found = [p.value(rows)[0] for p in find_entity_sensors(_Table(rows))]
    assert found == ([] if volts is None else [pytest.approx(volts, rel=1e-9, abs=0)])


@pytest.mark.parametrize(
    ("kinds", "place"),
    [
        ((5, 6), "part-inlet"),  # in a container of a supply
        ((8, 12), "part-inlet"),
        ((5, 3), "inlet"),
        ((9, 3), "inlet"),
        ((), "inlet"),
    ],
)
def test_a_sensor_within_a_part_tells_no_inlet_of_the_device(
    kinds: tuple[int, ...], place: str
) -> None:
    base, tree = "1.3.6.1.2.1.99.1.1.1", "1.3.6.1.2.1.47.1.1.1.1"
    rows = {f"{base}.{n}.7": Answer(v) for n, v in ((1, 8.0), (4, 25.0), (5, 1.0))}
    rows[f"{tree}.7.7"] = Answer(text="Inlet")
    above = 7
    for number, kind in enumerate(kinds, 100):
        rows[f"{tree}.4.{above}"] = Answer(float(number))
        rows[f"{tree}.5.{number}"] = Answer(float(kind))
        above = number
    rows[f"{tree}.4.{above}"] = Answer(float(above))  # round and round
    [point] = find_entity_sensors(_Table(rows))
    assert point.location == place


def test_the_units_of_temperature_all_become_celsius() -> None:
    lines = ["t.a = 1.3.1 degF * 0.1", "t.b = 1.3.2 K", "t.c = 1.3.3 degF - 4"]
    points = own_points(lines)
    rows = {"1.3.1": Answer(770.0), "1.3.2": Answer(300.0), "1.3.3": Answer(81.0)}
    assert {point.unit for point in points} == {"degC"}
    found = [point.value(rows)[0] for point in points]
    assert found == pytest.approx([25.0, 26.85, 25.0])


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        # Round and round, as some firmware does behind the last row.
        ((("1.3.9.1", 10), ("1.3.9.2", 20), ("1.3.9.5", 50)), (10, 20, 50)),
        ((("1.3.9.4", 40),), (40,)),
        # Not in their order, and then another column.
        ((("1.3.9.7", 70), ("1.3.9.2", 20), ("1.3.10.1", 1)), (70, 20)),
        # One identifier begins like the column and is not below it.
        ((("1.3.90.1", 1), ("1.3.9.1", 10)), ()),
    ],
)
def test_a_walk_ends_whatever_the_agent_answers(
    rows: tuple[tuple[str, int], ...], found: tuple[int, ...]
) -> None:
    with Misfit(rows) as agent:
        session = SnmpSession(SnmpAgent("127.0.0.1", agent.port), "rack")
        try:
            walked = session.walk("1.3.9")
        finally:
            session.close()
        assert agent.questions <= len(rows) + 1
    assert [answer.number for answer in walked.values()] == list(found)


def test_a_read_that_does_not_end_is_left_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each answer comes in time, and there is always one more to be asked for."""
    monkeypatch.setattr(snmp_session, "_LONGEST_S", 0.2)
    wanted = [f"1.3.9.{n}" for n in range(5000)]
    with Misfit([("1.3.9.1", 1)]) as agent:
        session = SnmpSession(SnmpAgent("127.0.0.1", agent.port), "rack")
        try:
            with pytest.raises(SourceError, match=r"its 5000 values.*0\.2 s") as late:
                session.get(wanted)
        finally:
            session.close()
        assert agent.questions < len(wanted) / 24
    assert late.value.status is Status.TIMEOUT


def test_a_text_is_cut_at_what_a_name_can_be() -> None:
    assert len(answer_of(rfc1902.OctetString(b"x" * 60_000)).text) == 1024
