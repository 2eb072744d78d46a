"""BMCs by ipmitool, against OpenIPMI's simulator on loopback."""

import math
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.bench.file import parse_bench
from instruments.errors import SourceError
from instruments.files.own_folder import sweep
from instruments.reading import Status
from instruments.thermal.ipmi.driver import (
    DRIVER,
    Ipmi,
    list_entities,
    list_units,
    read_values,
)
from instruments.tools.hosts import LocalHost
from tests.instruments.seen import seen
from tests.ipmi_sim import PASSWORD, READER, USER, IpmiSim, full_record
from tests.udp_babbler import Babbler


@pytest.fixture
def bmc(tmp_path: Path) -> Iterator[IpmiSim]:
    sim = IpmiSim(tmp_path)
    sim.start()
    yield sim
    sim.kill()


@pytest.fixture(autouse=True)
def _password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_BMC", PASSWORD)


def source(port: int, **keys: object) -> Ipmi:
    given = {"address": "127.0.0.1", "port": port, "user": USER}
    settings = DRIVER.settings("bmc", {**given, **keys}, LocalHost())
    built = DRIVER.build(settings)
    assert isinstance(built, Ipmi)
    return built


def read_until(ipmi: Ipmi, name: str, wanted: float) -> tuple[float, Status]:
    """Read until a changed value has come through; the simulator looks by time."""
    end = time.monotonic() + 60
    found = seen(ipmi.read())[name]
    while found[0] != pytest.approx(wanted) and time.monotonic() < end:
        found = seen(ipmi.read())[name]
    assert found[0] == pytest.approx(wanted)
    return found


def test_sensors_are_channels_with_unit_and_place(bmc: IpmiSim) -> None:
    ipmi = source(bmc.port)
    try:
        identity = ipmi.open()
        assert identity.address == f"127.0.0.1:{bmc.port}"
        assert identity.firmware == "9.08"
        found = seen(ipmi.read())
        assert found["bmc.temperature.inlet"] == (27.0, Status.OK)
        assert found["bmc.fan.fan1"] == (3000.0, Status.OK)
        assert found["bmc.power.psu1-input"] == (220.0, Status.OK)
        assert found["bmc.voltage.12v"][0] == pytest.approx(12.06)
        assert found["bmc.voltage.12v"][1] is Status.WARN
        units = {channel.name: channel.unit for channel in ipmi.channels}
        assert units["bmc.fan.fan1"] == "1/min"
        assert units["bmc.voltage.12v"] == "V"
    finally:
        ipmi.close()


def test_a_sensor_without_a_reading_is_a_gap(bmc: IpmiSim) -> None:
    ipmi = source(bmc.port)
    try:
        ipmi.open()
        reading = ipmi.read()
        value, status = seen(reading)["bmc.temperature.exhaust"]
        assert math.isnan(value)
        assert status is Status.ABSENT
        assert b"Inlet Temp,27,degrees C,ok" in reading.raw
        assert {c.unit for c in ipmi.channels if c.location == "exhaust"} == {"degC"}
    finally:
        ipmi.close()


def test_every_linearisation_and_every_unit_is_read_right(bmc: IpmiSim) -> None:
    """IPMI 2.0, section 36.3; one by a table that cannot be had is a gap of its own."""
    ipmi = source(bmc.port)
    try:
        ipmi.open()
        found = seen(ipmi.read())
    finally:
        ipmi.close()
    wanted = {
        "voltage.reciprocal": 1 / 4,
        "voltage.square": 9,
        "voltage.cube": 8,
        "voltage.exponential": math.exp(2),
        "voltage.power-of-two": 8,
        "voltage.logarithm": math.log(10),
        "voltage.root": 7,
        "temperature.board": 25,  # 77 degF
        "temperature.chip": 298 - 273.15,
        "percent.duty": 45,
        "temperature.signed": -10,
        "temperature.ones": -9,
        "voltage.falling": -10,
        "power.great": 100_000,
        "apparent_power.apparent": 200,
    }
    for name, value in wanted.items():
        assert found[f"bmc.{name}"][0] == pytest.approx(value, abs=0.0005), name
    assert found["bmc.temperature.by-a-table"][1] is Status.ABSENT
    assert not [name for name in found if name.endswith(("rate", "length"))]
    assert found["bmc.temperature.inlet"] == (27.0, Status.OK)


def test_a_cipher_that_the_bmc_does_not_know_is_followed_by_the_next(
    bmc: IpmiSim,
) -> None:
    """OpenIPMI's simulator has no SHA-256, as BMCs from before 2013."""
    with pytest.raises(SourceError, match=r"gets no session .*algorithm"):
        source(bmc.port, cipher=17).open()
    ipmi = source(bmc.port)
    ipmi.open()
    ipmi.close()


def test_an_account_that_may_only_read_is_asked_for_no_more(bmc: IpmiSim) -> None:
    ipmi = source(bmc.port, user=READER)
    try:
        ipmi.open()
        assert seen(ipmi.read())["bmc.fan.fan1"] == (3000.0, Status.OK)
    finally:
        ipmi.close()


@pytest.mark.parametrize("way", ["pyghmi", "ipmitool"])
def test_a_bench_of_an_older_version_is_read(bmc: IpmiSim, way: str) -> None:
    ipmi = source(bmc.port, way=way)
    ipmi.open()
    ipmi.close()
    bench = parse_bench(
        'name = "b"\n[dut]\nname = "d"\ntarget = "/tmp/d"\n'
        '[[thermal]]\nname = "bmc"\ndriver = "ipmi"\naddress = "192.0.2.20"\n'
        f'user = "reader"\nway = "{way}"\n',
        "bench.toml",
    )
    assert "way" not in bench.sources[0].keys


def test_records_of_sensors_are_read_as_far_as_they_go() -> None:
    """IPMI 2.0, table 43-1: full records, units in bytes 21 to 23."""
    full = full_record("Fan duty", (1, 4, 0, 1, 0))
    percent = full[:20] + b"\x01" + full[21:]
    rate = full[:20] + b"\x18\x04" + full[22:]
    discrete = full[:20] + b"\xc0\x01" + full[22:]
    compact = b"\x01\x00\x51\x02\x03abc"
    watts = full_record("In", (1, 4, 6, 1, 0))
    assert list_units(percent + compact + percent + watts + rate + discrete) == {
        "Fan duty": "percent",
        "Fan duty 2": "percent",
        "In": "Watts",
        "Fan duty 3": "",
        "Fan duty 4": "",
    }
    assert list_units(watts + percent[:30]) == {"In": "Watts"}
    assert list_units(b"") == {}


def test_a_sensor_that_the_list_leaves_out_is_an_error() -> None:
    units = {"Inlet": "degrees C", "Total": "Joules"}
    inlet, total = read_values("Total,7200,Joules,ok\n", units)[::-1]
    assert (inlet.quantity, inlet.status) == ("temperature", Status.ERROR)
    assert (total.quantity, total.value) == ("energy", 2.0)


def test_units_are_learned_and_a_rate_is_no_plain_unit() -> None:
    units = {"Watts a minute": ""}
    text = "Watts a minute,5,Watts,ok\nInlet,,,ns\n"
    assert read_values(text, units) == []
    [inlet] = read_values(text.replace("Inlet,,,ns", "Inlet,27,degrees C,ok"), units)
    assert (inlet.key, inlet.value) == ("Inlet", 27.0)
    [gone] = read_values(text, units)
    assert (gone.key, gone.unit, gone.status) == ("Inlet", "degC", Status.ABSENT)


@pytest.mark.parametrize(
    ("entity", "name", "place"),
    [
        (0x37, "Temp 1", "inlet"),
        (0x40, "MB Inlet", "inlet"),
        (0x27, "Room", "ambient"),
        (0x27, "Exhaust side", "exhaust"),
        (0x0A, "Inlet Temp", "inlet-temp"),  # of a supply
        (0x04, "Ambient", "part-ambient"),
        (0x0A, "Inlet 2", "part-inlet-2"),
        (0x0B, "Widget intake", "widget-intake"),
        (0x07, "Inlet Temp", "inlet"),
        (0x07, "PSU1 Inlet", "psu1-inlet"),  # all is a system board to many makers
        (0xD5, "Exhaust Temp", "exhaust"),
        (0x1D, "FAN 1", "fan1"),
    ],
)
def test_the_entity_of_a_sensor_tells_what_it_is_part_of(
    entity: int, name: str, place: str
) -> None:
    full = full_record(name, (1, 1, 1, 1, 0))
    records = full[:8] + bytes((entity,)) + full[9:]
    entities = list_entities(records)
    assert entities == {name: entity}
    [value] = read_values(f"{name},27,degrees C,ok\n", list_units(records), entities)
    assert value.location == place


def test_a_margin_is_no_temperature() -> None:
    [margin] = read_values("P1 Therm Margin,-58,degrees C,ok\n", {})
    assert (margin.quantity, margin.value) == ("temperature_margin", -58.0)


def test_values_change_and_thresholds_are_told(bmc: IpmiSim) -> None:
    ipmi = source(bmc.port)
    try:
        ipmi.open()
        bmc.set_raw(2, 100)
        assert read_until(ipmi, "bmc.fan.fan1", 4000.0)[1] is Status.OK
        bmc.set_raw(1, 125)
        assert read_until(ipmi, "bmc.temperature.inlet", 125.0)[1] is Status.CRIT
    finally:
        ipmi.close()


def test_a_killed_bmc_is_lost_in_time_and_comes_back(bmc: IpmiSim) -> None:
    ipmi = source(bmc.port)
    try:
        ipmi.open()
        before = ipmi.channels
        bmc.kill()
        with pytest.raises(SourceError) as lost:
            ipmi.read()
        assert lost.value.status is Status.TIMEOUT
        ipmi.close()
        bmc.start()
        ipmi.open()
        assert ipmi.channels is before
        assert seen(ipmi.read())["bmc.fan.fan1"][1] is Status.OK
    finally:
        ipmi.close()


def test_a_wrong_password_is_one_sentence_without_it(
    bmc: IpmiSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_BMC", "not-the-secret")
    with pytest.raises(SourceError) as refused:
        source(bmc.port).open()
    text = str(refused.value)
    assert "password" in text
    assert "not-the-secret" not in text
    assert f"bmc (127.0.0.1:{bmc.port})" in text


def test_the_password_is_in_the_environment_and_never_in_the_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "ipmitool"
    tool.write_text(
        "#!/bin/sh\n"
        f'echo "$@" >> {tmp_path}/arguments\n'
        f"printenv IPMI_PASSWORD >> {tmp_path}/passwords\n"
        'case "$*" in *"sdr list"*) echo "Inlet Temp,21,degrees C,ok" ;; esac\n'
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    ipmi = source(623)
    ipmi.open()
    reading = ipmi.read()
    ipmi.close()
    arguments = (tmp_path / "arguments").read_text().splitlines()
    passwords = (tmp_path / "passwords").read_text().splitlines()
    assert passwords == [PASSWORD] * len(arguments)
    assert not any(PASSWORD in line for line in arguments)
    assert PASSWORD.encode() not in reading.raw
    assert seen(reading)["bmc.temperature.inlet"] == (21.0, Status.OK)


def test_a_tool_that_hangs_is_stopped_and_one_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("instruments.thermal.ipmi.tool.READ_S", 0.3)
    tool = tmp_path / "ipmitool"
    tool.write_text("#!/bin/sh\nsleep 60\n")
    tool.chmod(0o755)
    for name in ("mktemp", "rm", "sleep"):
        (tmp_path / name).symlink_to(f"/bin/{name}")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SourceError, match=r"did not finish within 0\.3 s") as hung:
        source(623).open()
    assert hung.value.status is Status.TIMEOUT
    tool.unlink()
    with pytest.raises(SourceError, match="apt install ipmitool"):
        source(623).open()


HOLDS = """
import sys
from tests.instruments.thermal.ipmi.test_driver import source
ipmi = source(623)
ipmi.open()
print("open", flush=True)
sys.stdin.read()
"""


def test_the_records_of_a_killed_program_go_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool, folder = tmp_path / "ipmitool", tmp_path / "tmp"
    tool.write_text(
        "#!/bin/sh\n"
        'case "$*" in *"sdr list"*) echo "Inlet Temp,21,degrees C,ok" ;; '
        '*"sdr dump"*) for last; do :; done; echo x >"$last" ;; esac\n'
    )
    tool.chmod(0o755)
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("TMPDIR", str(folder))
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[4],
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
        [own] = folder.iterdir()
        assert sweep() == []
        process.kill()
    assert sweep() == [own]
    assert list(folder.iterdir()) == []


def test_a_missing_password_names_the_variable(
    bmc: IpmiSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BAYSCOPE_PASSWORD_BMC")
    with pytest.raises(SourceError, match="BAYSCOPE_PASSWORD_BMC"):
        source(bmc.port).open()


def test_silence_ends_by_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("instruments.thermal.ipmi.tool.READ_S", 0.5)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mute:
        mute.bind(("127.0.0.1", 0))
        with pytest.raises(SourceError, match=r"within 0\.5 s") as silent:
            source(mute.getsockname()[1]).open()
    assert silent.value.status is Status.TIMEOUT


@pytest.mark.parametrize("answer", [b"\x00", b"garbage" * 9, b"\x06\x00\xff\x07" * 8])
def test_garbage_is_no_answer(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("instruments.thermal.ipmi.tool.READ_S", 0.5)
    end = time.monotonic() + 60
    with Babbler(answer) as babbler:
        while not babbler.heard:  # a busy machine takes longer to start the tool
            assert time.monotonic() < end
            with pytest.raises(SourceError) as refused:
                source(babbler.port).open()
            assert "bmc (127.0.0.1" in str(refused.value)


def test_two_users_of_one_bmc_do_not_log_each_other_out(bmc: IpmiSim) -> None:
    first, second = source(bmc.port), source(bmc.port)
    trouble: list[Exception] = []

    def read_often(ipmi: Ipmi) -> None:
        try:
            for _ in range(5):
                ipmi.read()
        except SourceError as error:
            trouble.append(error)

    try:
        first.open()
        second.open()
        threads = [
            threading.Thread(target=read_often, args=(s,)) for s in (first, second)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not trouble
        second.close()
        assert seen(first.read())["bmc.fan.fan1"][1] is Status.OK
    finally:
        first.close()
        second.close()
