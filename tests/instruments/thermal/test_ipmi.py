"""BMCs by both ways, against OpenIPMI's simulator on loopback."""

import contextlib
import math
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyghmi.ipmi.private.session import Session  # type: ignore[import-untyped]

from instruments.errors import SourceError
from instruments.hosts import LocalHost
from instruments.reading import Reading, Status
from instruments.thermal.ipmi import DRIVER, Ipmi
from tests.ipmi_sim import PASSWORD, USER, IpmiSim
from tests.udp_babbler import Babbler

WAYS = ("pyghmi", "ipmitool")


@pytest.fixture
def bmc(tmp_path: Path) -> Iterator[IpmiSim]:
    sim = IpmiSim(tmp_path)
    sim.start()
    yield sim
    sim.kill()


@pytest.fixture(autouse=True)
def _password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_BMC", PASSWORD)


def source(port: int, way: str, **keys: object) -> Ipmi:
    given = {"address": "127.0.0.1", "port": port, "user": USER, "way": way}
    settings = DRIVER.settings("bmc", {**given, "cipher": 3, **keys}, LocalHost())
    built = DRIVER.build(settings)
    assert isinstance(built, Ipmi)
    return built


def shown(reading: Reading) -> dict[str, tuple[float, Status]]:
    return {
        channel.name: (value, status)
        for channel, value, status in zip(
            reading.channels, reading.values, reading.statuses, strict=True
        )
    }


def read_until(ipmi: Ipmi, name: str, wanted: float) -> tuple[float, Status]:
    """Read until a changed value has come through; the simulator looks by time."""
    end = time.monotonic() + 60
    found = shown(ipmi.read())[name]
    while found[0] != pytest.approx(wanted) and time.monotonic() < end:
        found = shown(ipmi.read())[name]
    assert found[0] == pytest.approx(wanted)
    return found


@pytest.mark.parametrize("way", WAYS)
def test_sensors_are_channels_with_unit_and_place(bmc: IpmiSim, way: str) -> None:
    ipmi = source(bmc.port, way)
    try:
        identity = ipmi.open()
        assert identity.address == f"127.0.0.1:{bmc.port}"
        assert identity.firmware in ("9.08", "9.8")
        found = shown(ipmi.read())
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
    ipmi = source(bmc.port, "pyghmi")
    try:
        ipmi.open()
        reading = ipmi.read()
        value, status = shown(reading)["bmc.temperature.exhaust"]
        assert math.isnan(value)
        assert status is Status.ABSENT
        assert b"Inlet Temp: 1b" in reading.raw
    finally:
        ipmi.close()


@pytest.mark.parametrize("way", WAYS)
def test_values_change_and_thresholds_are_told(bmc: IpmiSim, way: str) -> None:
    ipmi = source(bmc.port, way)
    try:
        ipmi.open()
        bmc.set_raw(2, 100)
        assert read_until(ipmi, "bmc.fan.fan1", 4000.0)[1] is Status.OK
        bmc.set_raw(1, 215)
        assert read_until(ipmi, "bmc.temperature.inlet", 215.0)[1] is Status.CRIT
    finally:
        ipmi.close()


def test_a_killed_bmc_is_lost_in_time_and_comes_back(
    bmc: IpmiSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("instruments.thermal.ipmi_session.COMMAND_S", 1.0)
    ipmi = source(bmc.port, "pyghmi")
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
        assert shown(ipmi.read())["bmc.fan.fan1"][1] is Status.OK
    finally:
        ipmi.close()


@pytest.mark.parametrize("way", WAYS)
def test_a_wrong_password_is_one_sentence_without_it(
    bmc: IpmiSim, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_BMC", "not-the-secret")
    with pytest.raises(SourceError) as refused:
        source(bmc.port, way).open()
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
    ipmi = source(623, "ipmitool")
    ipmi.open()
    reading = ipmi.read()
    ipmi.close()
    arguments = (tmp_path / "arguments").read_text().splitlines()
    passwords = (tmp_path / "passwords").read_text().splitlines()
    assert passwords == [PASSWORD] * len(arguments)
    assert not any(PASSWORD in line for line in arguments)
    assert PASSWORD.encode() not in reading.raw
    assert shown(reading)["bmc.temperature.inlet"] == (21.0, Status.OK)


def test_a_tool_that_hangs_is_stopped_and_one_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("instruments.thermal.ipmi_tool.LIST_S", 0.3)
    tool = tmp_path / "ipmitool"
    tool.write_text("#!/bin/sh\nsleep 60\n")
    tool.chmod(0o755)
    for name in ("mktemp", "rm", "sleep"):
        (tmp_path / name).symlink_to(f"/bin/{name}")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SourceError, match=r"did not finish within 0\.3 s") as hung:
        source(623, "ipmitool").open()
    assert hung.value.status is Status.TIMEOUT
    tool.unlink()
    with pytest.raises(SourceError, match="apt install ipmitool"):
        source(623, "ipmitool").open()


def test_a_missing_password_names_the_variable(
    bmc: IpmiSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BAYSCOPE_PASSWORD_BMC")
    with pytest.raises(SourceError, match="BAYSCOPE_PASSWORD_BMC"):
        source(bmc.port, "pyghmi").open()


def test_silence_ends_by_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("instruments.thermal.ipmi_session.LOGIN_S", 0.5)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mute:
        mute.bind(("127.0.0.1", 0))
        with pytest.raises(SourceError, match=r"no answer within 0\.5 s") as silent:
            source(mute.getsockname()[1], "pyghmi").open()
    assert silent.value.status is Status.TIMEOUT


def test_a_bmc_that_answers_each_command_just_in_time_is_given_up(
    bmc: IpmiSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    ipmi = source(bmc.port, "pyghmi")
    try:
        ipmi.open()
        monkeypatch.setattr("instruments.thermal.ipmi_lan.READ_S", -1.0)
        with pytest.raises(SourceError, match="no answer within"):
            ipmi.read()
    finally:
        ipmi.close()


@pytest.mark.parametrize("answer", [b"\x00", b"garbage" * 9, b"\x06\x00\xff\x07" * 8])
def test_garbage_is_no_answer(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("instruments.thermal.ipmi_session.LOGIN_S", 0.5)
    with Babbler(answer) as babbler:
        with pytest.raises(SourceError) as refused:
            source(babbler.port, "pyghmi").open()
        assert babbler.heard
    assert "bmc (127.0.0.1" in str(refused.value)


def test_two_users_of_one_bmc_do_not_log_each_other_out(bmc: IpmiSim) -> None:
    first, second = source(bmc.port, "pyghmi"), source(bmc.port, "pyghmi")
    trouble: list[Exception] = []

    def read_often(ipmi: Ipmi) -> None:
        try:
            for _ in range(20):
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
        assert shown(first.read())["bmc.fan.fan1"][1] is Status.OK
    finally:
        first.close()
        second.close()


def test_a_dead_bmc_does_not_hold_up_another_one(
    bmc: IpmiSim,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("instruments.thermal.ipmi_session.COMMAND_S", 3.0)
    other = IpmiSim(tmp_path_factory.mktemp("other"))
    other.start()
    dead, living = source(bmc.port, "pyghmi"), source(other.port, "pyghmi")
    ended = threading.Event()

    def wait_for_the_dead() -> None:
        with contextlib.suppress(SourceError):
            dead.read()
        ended.set()

    try:
        dead.open()
        living.open()
        bmc.kill()
        waiting = threading.Thread(target=wait_for_the_dead)
        waiting.start()
        reads = 0
        while not ended.is_set():
            living.read()
            reads += 1
        waiting.join()
        assert reads > 3
    finally:
        dead.close()
        living.close()
        other.kill()


def test_a_slow_beat_holds_no_session(bmc: IpmiSim) -> None:
    ipmi = source(bmc.port, "pyghmi", period=60.0)
    ipmi.open()
    for _ in range(3):
        assert shown(ipmi.read())["bmc.temperature.inlet"] == (27.0, Status.OK)
    ipmi.close()


def test_reads_wait_in_short_turns_of_our_own(
    bmc: IpmiSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pyghmi's own waiting took 0.8 s for one command in ten."""
    wait, waits = Session.wait_for_rsp, list[float | None]()
    here = threading.get_ident()

    def counted(timeout: float | None = None, callout: bool = True) -> object:
        if threading.get_ident() == here:
            waits.append(timeout)
        return wait(timeout, callout)

    ipmi = source(bmc.port, "pyghmi")
    try:
        ipmi.open()
        monkeypatch.setattr(Session, "wait_for_rsp", counted)
        asked = sum(len(ipmi.read().channels) for _ in range(5))
    finally:
        ipmi.close()
    assert len(waits) >= asked > 0
    assert max(math.inf if one is None else one for one in waits) <= 0.02
