"""The table of fio's options against the fio that is installed."""

import re
import subprocess

import pytest

from workloads.fio_access import (
    CLOSED_ENGINES,
    ENGINES,
    OPTIONS,
    UNKNOWN,
    Kind,
    engine_trouble,
    ruling,
    value_trouble,
)


def told(*argv: str) -> str:
    done = subprocess.run(
        ["fio", *argv], check=False, capture_output=True, text=True, timeout=60
    )
    return done.stdout


def names(text: str) -> set[str]:
    return {line.split(":")[0].strip() for line in text.splitlines() if ":" in line}


def test_every_job_option_of_the_installed_fio_is_in_the_table() -> None:
    found = names(told("--cmdhelp=all"))
    assert len(found) > 150
    assert {name for name in found if ruling(name) is UNKNOWN} == set()


def test_every_option_of_an_open_engine_is_in_the_table() -> None:
    found = {name for engine in ENGINES for name in names(told(f"--enghelp={engine}"))}
    assert {"hipri", "nowait"} <= found
    assert {name for name in found if ruling(name) is UNKNOWN} == set()


def test_every_option_of_the_program_itself_is_in_the_table() -> None:
    found = set(re.findall(r"^  --([a-z-]+)", told("--help"), re.MULTILINE))
    assert "trigger-file" in found
    assert {name for name in found if ruling(name) is UNKNOWN} == set()


def test_every_engine_of_the_installed_fio_is_open_or_closed_for_a_reason() -> None:
    found = {line.strip() for line in told("--enghelp").splitlines()[1:]}
    assert "libaio" in found
    assert found - {*ENGINES, *CLOSED_ENGINES} == set()


@pytest.mark.parametrize(
    "name",
    [
        "exec_prerun",
        "exec-postrun",
        "read_iolog",
        "replay_redirect",
        "write_iolog",
        "unlink",
        "cgroup",
        "ioscheduler",
        "verify_state_save",
        "profile",
        "trigger",
        "aux_path",
        "an_option_of_fio_4",
        "",
    ],
)
def test_what_runs_commands_or_reaches_elsewhere_is_closed(name: str) -> None:
    assert ruling(name).kind is Kind.CLOSED
    assert ruling(name).reason


def test_zones_and_trims_need_arming() -> None:
    for name in ("zonemode", "zone_reset_frequency", "trim_percentage"):
        assert ruling(name).kind is Kind.ARMED


@pytest.mark.parametrize(
    "engine",
    ["external:/tmp/x.so", "/tmp/x.so", "exec", "nbd", "http", "sg", "filedelete", ""],
)
def test_engines_that_reach_elsewhere_are_closed(engine: str) -> None:
    assert engine_trouble(engine)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mem", "mmap:/dev/sdb"),
        ("iomem", "mmapshared:x"),
        ("buffer_pattern", "'/etc/passwd'"),
        ("iodepth", "$ncpus*8"),
        ("bs", "${BLOCK}"),
        ("bs", "4k\nexec_prerun=reboot"),
        ("bs", "4k;filename=/dev/sdb"),
    ],
)
def test_values_that_reach_elsewhere_are_refused(name: str, value: str) -> None:
    assert name in value_trouble(name, value)


def test_harmless_values_are_taken() -> None:
    for name, value in (
        ("mem", "malloc"),
        ("buffer_pattern", "0xdeadbeef"),
        ("bs", "4k"),
    ):
        assert value_trouble(name, value) == ""
    assert all(one.reason for one in OPTIONS.values() if one.kind is not Kind.OPEN)
