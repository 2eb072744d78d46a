"""PDUs and probes, against snmpsim on loopback."""

import math
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from instruments.errors import BadInput, SourceError
from instruments.reading import Reading, Status
from instruments.settings import Value
from instruments.thermal.snmp.agent import Answer
from instruments.thermal.snmp.driver import DRIVER, POWER
from instruments.thermal.snmp.points import own_points
from instruments.thermal.snmp.profile import load_profile, profile_names
from instruments.thermal.snmp.source import Snmp
from instruments.tools.hosts import LocalHost
from tests.instruments.seen import Seen, seen
from tests.snmp_agent import PRIVACY, SECRET, USER, SnmpAgentSim, eaton_records
from tests.udp_babbler import Babbler

RARITAN = """
1.3.6.1.4.1.13742.6.3.2.1.1.3.1|4|PX2-5475
1.3.6.1.4.1.13742.6.3.2.1.1.4.1|4|QFC3950619
1.3.6.1.4.1.13742.6.3.3.4.1.7.1.1.5|66|0
1.3.6.1.4.1.13742.6.5.2.3.1.4.1.1.5|66|412
1.3.6.1.4.1.13742.6.3.5.4.1.7.1.1.1|66|3
1.3.6.1.4.1.13742.6.3.5.4.1.7.1.1.5|66|1
1.3.6.1.4.1.13742.6.3.5.4.1.7.1.2.1|66|3
1.3.6.1.4.1.13742.6.3.5.4.1.7.1.2.5|66|1
1.3.6.1.4.1.13742.6.5.4.3.1.4.1.1.1|66|1234
1.3.6.1.4.1.13742.6.5.4.3.1.4.1.1.5|66|2715
1.3.6.1.4.1.13742.6.5.4.3.1.4.1.2.1|66|10
1.3.6.1.4.1.13742.6.5.4.3.1.4.1.2.5|66|5
1.3.6.1.4.1.13742.6.3.6.3.1.2.1.1|2|10
1.3.6.1.4.1.13742.6.3.6.3.1.2.1.2|2|11
1.3.6.1.4.1.13742.6.3.6.3.1.2.1.3|2|10
1.3.6.1.4.1.13742.6.3.6.3.1.4.1.1|4|Cold aisle
1.3.6.1.4.1.13742.6.3.6.3.1.4.1.2|4|Cold aisle
1.3.6.1.4.1.13742.6.3.6.3.1.4.1.3|4|Hot aisle
1.3.6.1.4.1.13742.6.3.6.3.1.17.1.1|66|1
1.3.6.1.4.1.13742.6.3.6.3.1.17.1.2|66|0
1.3.6.1.4.1.13742.6.3.6.3.1.17.1.3|66|1
1.3.6.1.4.1.13742.6.5.5.3.1.3.1.1|2|4
1.3.6.1.4.1.13742.6.5.5.3.1.3.1.2|2|5
1.3.6.1.4.1.13742.6.5.5.3.1.3.1.3|2|-1
1.3.6.1.4.1.13742.6.5.5.3.1.4.1.1|2|231
1.3.6.1.4.1.13742.6.5.5.3.1.4.1.2|2|61
1.3.6.1.4.1.13742.6.5.5.3.1.4.1.3|2|0
"""
ENTITY = """
1.3.6.1.2.1.1.1.0|4|A switch
1.3.6.1.2.1.47.1.1.1.1.7.11|4|Inlet Temp
1.3.6.1.2.1.47.1.1.1.1.7.12|4|PSU 1 Input
1.3.6.1.2.1.47.1.1.1.1.2.13|4|Fan 2
1.3.6.1.2.1.47.1.1.1.1.7.14|4|Broken
1.3.6.1.2.1.99.1.1.1.1.11|2|8
1.3.6.1.2.1.99.1.1.1.1.12|2|3
1.3.6.1.2.1.99.1.1.1.1.13|2|10
1.3.6.1.2.1.99.1.1.1.1.14|2|8
1.3.6.1.2.1.99.1.1.1.1.15|2|12
1.3.6.1.2.1.99.1.1.1.2.11|2|9
1.3.6.1.2.1.99.1.1.1.2.12|2|8
1.3.6.1.2.1.99.1.1.1.2.13|2|9
1.3.6.1.2.1.99.1.1.1.2.14|2|9
1.3.6.1.2.1.99.1.1.1.3.11|2|1
1.3.6.1.2.1.99.1.1.1.3.12|2|0
1.3.6.1.2.1.99.1.1.1.3.13|2|0
1.3.6.1.2.1.99.1.1.1.3.14|2|0
1.3.6.1.2.1.99.1.1.1.4.11|2|235
1.3.6.1.2.1.99.1.1.1.4.12|2|229500
1.3.6.1.2.1.99.1.1.1.4.13|2|4200
1.3.6.1.2.1.99.1.1.1.4.14|2|0
1.3.6.1.2.1.99.1.1.1.4.15|2|1
1.3.6.1.2.1.99.1.1.1.5.11|2|1
1.3.6.1.2.1.99.1.1.1.5.12|2|1
1.3.6.1.2.1.99.1.1.1.5.13|2|1
1.3.6.1.2.1.99.1.1.1.5.14|2|3
1.3.6.1.4.1.9.9.1.0|4|23.5
"""


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnmpAgentSim]:
    records = {"ups": eaton_records(), "pdu": RARITAN, "switch": ENTITY}
    sim = SnmpAgentSim(tmp_path_factory.mktemp("snmp"), records)
    sim.start()
    yield sim
    sim.kill()


def source(
    agent: SnmpAgentSim | int, *, section: str = "thermal", **keys: Value | list[str]
) -> Snmp:
    driver = DRIVER if section == "thermal" else POWER
    port = agent if isinstance(agent, int) else agent.port
    given = {"address": "127.0.0.1", "port": port, **keys}
    built = driver.build(driver.settings("rack", given, LocalHost()))
    assert isinstance(built, Snmp)
    return built


def read_once(snmp: Snmp) -> Seen:
    try:
        snmp.open()
        return seen(snmp.read())
    finally:
        snmp.close()


def test_a_recorded_ups_is_read_in_its_units(
    agent: SnmpAgentSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_RACK", "ups")
    snmp = source(agent, profile="eaton-ups", scopes=["device", "phase", "probe"])
    try:
        identity = snmp.open()
        assert identity.model == "Eaton 9PX 2200i RT 3U"
        reading = snmp.read()
    finally:
        snmp.close()
    found = seen(reading)
    assert found["rack.temperature.ambient"] == (24.0, Status.OK)
    assert found["rack.voltage.input1"] == (243.0, Status.OK)
    assert found["rack.voltage"] == (231.0, Status.OK)
    assert found["rack.power"] == (50.0, Status.OK)
    assert found["rack.frequency"] == (50.0, Status.OK)
    assert b"1.3.6.1.4.1.534.1.6.1.0 = 24" in reading.raw


def test_one_outlet_is_a_meter_with_decimals_of_its_own(
    agent: SnmpAgentSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_RACK", "pdu")
    snmp = source(agent, section="power", profile="raritan-px2", outlets=["1"])
    found = read_once(snmp)
    assert found["rack.P"][0] == pytest.approx(271.5)
    assert found["rack.I"][0] == pytest.approx(1.234)
    assert {channel.unit for channel in snmp.channels} == {"W", "A"}


def test_two_outlets_are_two_feeds(
    agent: SnmpAgentSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_RACK", "pdu")
    snmp = source(agent, section="power", profile="raritan-px2", outlets=["1", "2"])
    found = read_once(snmp)
    assert found["rack.P.outlet1"][0] == pytest.approx(271.5)
    assert found["rack.P.outlet2"][0] == pytest.approx(0.5)
    assert "rack.P" not in found


def test_a_whole_pdu_has_no_outlets_that_would_count_twice(
    agent: SnmpAgentSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_RACK", "pdu")
    found = read_once(source(agent, section="power", profile="raritan-px2"))
    assert found == {"rack.P": (412.0, Status.OK)}


def test_an_outlet_that_is_not_there_is_named_with_those_that_are(
    agent: SnmpAgentSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_RACK", "pdu")
    snmp = source(agent, section="power", profile="raritan-px2", outlets=["33"])
    with pytest.raises(SourceError, match=r"no outlet 33 .* Available there: 1, 2\."):
        snmp.open()


def test_probes_have_names_kinds_and_states(
    agent: SnmpAgentSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_RACK", "pdu")
    found = read_once(source(agent, profile="raritan-px2"))
    assert found["rack.temperature.cold-aisle"][0] == pytest.approx(23.1)
    assert found["rack.humidity.cold-aisle"] == (61.0, Status.WARN)
    value, status = found["rack.temperature.hot-aisle"]
    assert math.isnan(value)
    assert status is Status.ABSENT


def test_entity_sensors_apply_scale_and_precision(
    agent: SnmpAgentSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_RACK", "switch")
    found = read_once(source(agent, profile="entity-sensor"))
    assert found["rack.temperature.inlet"][0] == pytest.approx(23.5)
    assert found["rack.voltage.psu1-input"][0] == pytest.approx(229.5)
    assert found["rack.fan.fan2"] == (4200.0, Status.OK)
    assert math.isnan(found["rack.temperature.broken"][0])
    assert found["rack.temperature.broken"][1] is Status.ERROR
    assert len(found) == 4


def test_own_identifiers_texts_that_are_numbers_and_what_is_not_there(
    agent: SnmpAgentSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_RACK", "switch")
    lines = [
        "temperature.rack = 1.3.6.1.4.1.9.9.1.0 degC",
        "fan.twice = .1.3.6.1.2.1.99.1.1.1.4.13 1/min * 2",
        "voltage.none = 1.3.6.1.4.1.9.9.2.0 V",
    ]
    found = read_once(source(agent, oids=lines))
    assert found["rack.temperature.rack"] == (23.5, Status.OK)
    assert found["rack.fan.twice"] == (8400.0, Status.OK)
    assert found["rack.voltage.none"][1] is Status.ABSENT


def test_a_counter_is_differenced_over_its_wrap_and_not_over_a_reset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_RACK", "switch")
    octets = "1.3.6.1.2.1.2.2.1.10.1|65|{}"
    sim = SnmpAgentSim(tmp_path, {"switch": octets.format(4_294_967_000)})
    snmp = source(sim, oids=["octets.in = 1.3.6.1.2.1.2.2.1.10.1 B/s rate"])
    told: list[tuple[Reading, float, Status]] = []
    try:
        for count in (4_294_967_000, 100, 50):
            sim.write("switch", octets.format(count))
            sim.start()
            if not told:
                snmp.open()
            reading = snmp.read()
            told.append((reading, *seen(reading)["rack.octets.in"]))
            sim.kill()
    finally:
        snmp.close()
        sim.kill()
    (first, _, began), (second, rate, wrapped), (_, _, reset) = told
    assert (began, wrapped, reset) == (Status.STALE, Status.OK, Status.STALE)
    middles = [(r.start_ns + r.end_ns) // 2 for r in (first, second)]
    seconds = (middles[1] - middles[0]) / 1e9
    assert rate == pytest.approx(396 / seconds)


def test_version_3_with_authentication_and_privacy(
    agent: SnmpAgentSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_RACK", SECRET)
    monkeypatch.setenv("BAYSCOPE_PASSWORD_RACK_PRIVACY", PRIVACY)
    snmp = source(agent, profile="eaton-ups", version="3", user=USER, context="ups")
    found = read_once(snmp)
    assert found["rack.temperature.ambient"] == (24.0, Status.OK)


def test_a_wrong_version_3_password_is_one_sentence(
    agent: SnmpAgentSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_RACK", "wrong-secret")
    snmp = source(agent, profile="eaton-ups", version="3", user=USER)
    with pytest.raises(SourceError, match="refuses access") as refused:
        snmp.open()
    assert "wrong-secret" not in str(refused.value)


def test_silence_is_a_timeout_that_names_the_community(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("instruments.thermal.snmp.session.WAIT_S", 0.2)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mute:
        mute.bind(("127.0.0.1", 0))
        with pytest.raises(SourceError, match="community") as silent:
            source(mute.getsockname()[1], profile="ups-mib").open()
    assert silent.value.status is Status.TIMEOUT


@pytest.mark.parametrize("answer", [b"\x00", b"garbage" * 9, b"\x30\x82\xff\xff\x02"])
def test_garbage_is_no_answer(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("instruments.thermal.snmp.session.WAIT_S", 0.1)
    with Babbler(answer) as babbler:
        with pytest.raises(SourceError) as refused:
            source(babbler.port, profile="ups-mib").open()
        assert babbler.heard
    assert "rack (127.0.0.1" in str(refused.value)


def test_an_agent_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_RACK", "ups")
    sim = SnmpAgentSim(tmp_path, {"ups": eaton_records()})
    sim.start()
    snmp = source(sim, profile="eaton-ups")
    try:
        snmp.open()
        before = snmp.channels
        sim.kill()
        with pytest.raises(SourceError):
            snmp.read()
        snmp.close()
        sim.start()
        snmp.open()
        assert snmp.channels is before
        assert seen(snmp.read())["rack.temperature.ambient"] == (24.0, Status.OK)
    finally:
        snmp.close()
        sim.kill()


@pytest.mark.parametrize(
    "line",
    [
        "temperature 1.2.3",
        "t = abc",
        "t = 1.3.6.1 furlongs",
        "t = 1.3 V * x",
        "t = 1.3 - x",
    ],
)
def test_a_wrong_identifier_is_refused(line: str) -> None:
    with pytest.raises(BadInput, match="oids has"):
        source(161, oids=[line])


def test_a_profile_or_identifiers_are_needed() -> None:
    with pytest.raises(BadInput, match="neither a profile nor oids"):
        source(161)


@pytest.mark.parametrize("name", profile_names())
def test_every_profile_that_ships_can_be_used(name: str) -> None:
    profile = load_profile(name)
    assert profile.title
    assert profile.values or profile.entity


def test_a_profile_of_the_user_counts_too(home: Path) -> None:
    folder = home / ".config" / "bayscope" / "snmp"
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text(
        'title = "Mine"\n[[value]]\nscope = "probe"\nquantity = "temperature"\n'
        'unit = "degC"\noid = "1.3.6.1.4.1.9.9.1.0"\n'
    )
    assert "mine" in profile_names()
    assert load_profile("mine").values[0].unit == "degC"
    (folder / "mine.toml").write_text('title = "Mine"\n[[value]]\nscope = "room"\n')
    with pytest.raises(BadInput, match=r"snmp/mine\.toml: the profile cannot be used"):
        load_profile("mine")


@pytest.mark.parametrize(
    ("line", "raw", "value"),
    [
        ("temperature.a = 1.3.6 K * 0.1", 2981.5, 25.0),
        ("temperature.a = 1.3.6 degC * 0.1 - 40", 650, 25.0),
        ("temperature.a = 1.3.6 degC * 0.1 + 5.5 missing -1,65535", 195, 25.0),
        ("temperature.a = 1.3.6 degC * 0.1 missing -1,65535", 65535, None),
        ("temperature.a = 1.3.6 missing -1", -1, None),
        ("fan = 1.3.6 1/min", 25, 25.0),
    ],
)
def test_a_value_may_have_an_offset_kelvins_and_numbers_that_are_none(
    line: str, raw: float, value: float | None
) -> None:
    [point] = own_points([line])
    assert point.unit != "K"
    found, status = point.value({"1.3.6": Answer(number=raw)})
    if value is None:
        assert status is Status.ABSENT
    else:
        assert found == pytest.approx(value)
        assert status is Status.OK
