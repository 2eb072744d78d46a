"""fio's job options: the table is what the real fio says, and values are checked."""

import re
import subprocess

import pytest

from workloads.fio.checks import parse_only
from workloads.fio.options import (
    COMMON,
    VERSION,
    check,
    find_option,
    fio_options,
    names_beginning,
)
from workloads.fio_access import OPTIONS, Kind


def _told(*words: str) -> str:
    done = subprocess.run(["fio", *words], capture_output=True, text=True, check=False)
    return done.stdout


def test_every_option_of_fio_is_in_it() -> None:
    assert _told("--version").strip().replace("-", " ") == VERSION
    names = re.findall(r"^ *([\w-]+) *:", _told("--cmdhelp=all"), re.MULTILINE)
    assert len(names) > 200
    assert set(names) <= set(fio_options())


def test_types_ranges_and_words_are_fios_own() -> None:
    share, size = fio_options()["rwmixread"], fio_options()["bs"]
    assert (share.type, share.low, share.high) == ("integer", 0, 100)
    assert share.default == "50"
    assert "range: min=0, max=100" in _told("--cmdhelp=rwmixread")
    assert (size.alias, size.low, size.high) == ("blocksize", 1, float("inf"))
    assert find_option("blocksize") is size
    rw = fio_options()["rw"]
    assert rw.type == "choice"
    assert ("randread", "Random read") in zip(rw.choices, rw.words, strict=True)
    assert fio_options()["direct"].type == "flag"
    assert fio_options()["zero_buffers"].default is False
    assert fio_options()["runtime"].type == "duration"
    assert fio_options()["percentile_list"].type == "numbers"
    assert fio_options()["size"].type == "size"
    assert "rate_iops" in names_beginning("rate-i")


def test_options_of_an_engine_say_which() -> None:
    assert "io_uring" in fio_options()["fixedbufs"].engines
    assert "userspace_reap" in fio_options()
    assert fio_options()["bs"].engines == ()
    assert not fio_options()["exec_prerun"].is_open


def test_every_option_the_guard_allows_is_reachable() -> None:
    """Whatever this fio knows of the open options is in the table."""
    lost = []
    for name, found in OPTIONS.items():
        if found.kind not in (Kind.OPEN, Kind.ARMED) or find_option(name):
            continue
        told = _told(f"--cmdhelp={name}")
        known = "type:" in told and "closest match" not in told
        lost += [name] if known else []
    assert lost == []


def test_what_a_newer_fio_has_is_left_to_its_own_parser() -> None:
    assert check("thinkcycles", "5") == ""
    assert "thinkcycles" in parse_only({"rw": "read", "thinkcycles": "5"})


def test_every_common_option_is_there_and_open() -> None:
    for name in (name for group in COMMON.values() for name in group):
        option = find_option(name)
        assert option is not None, name
        assert option.is_open, name


def test_its_own_defaults_are_taken() -> None:
    given = {
        key: str(int(one.default)) if isinstance(one.default, bool) else one.default
        for key, one in fio_options().items()
        if one.is_open and one.default is not None
    }
    assert len(given) > 40
    wrong = {name: check(name, str(value)) for name, value in given.items()}
    assert {name: problem for name, problem in wrong.items() if problem} == {}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rw", "randread:8"),
        ("bs", "4k,64k"),
        ("bs", "4k,"),
        ("bsrange", "4k-64k,1m-2m"),
        ("bssplit", "4k/20:64k/80"),
        ("percentile_list", "50:99.9"),
        ("random_distribution", "zipf:1.2"),
        ("nice", "-20"),
        ("hipri", ""),
        ("blocksize", "8k"),
        ("max_open_zones", "4"),
        ("thinktime", "2ms"),
    ],
)
def test_what_fio_takes_is_taken(name: str, value: str) -> None:
    assert check(name, value) == ""


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("rwmixread", "170", "from 0 to 100"),
        ("rw", "rundread", "Expected one of"),
        ("direct", "2", "0 or 1"),
        ("iodepth", "0", "whole number of at least 1"),
        ("bs", "four", "sizes such as 4k"),
        ("bs", "1k,2k,3k,4k", "more than 3 parts"),
        ("bsrange", "4k", "range such as"),
        ("percentile_list", "50:x", "numbers such as"),
        ("percentile_list", "50:101", "101"),
        ("nice", "-30", "from -20 to 19"),
        ("bssplit", "4k/20:64k/50", "sum to 70 %"),
        ("rwmix", "90", 'Did you mean "rwmixread"?'),
        ("exec_prerun", "id", "runs a command"),
        ("filename", "/dev/sda", "target"),
        ("ioengine", "exec", "runs a program"),
        ("refill_buffers", "1;rw=write", "; in it"),
        ("rate", "", "needs a value"),
        ("fixedbufs", "2", "0 or 1"),
        ("latency_target", "5q", "a time such as"),
        ("rwmixread", "5x", "a whole number"),
        ("lat_percentiles", "maybe", "0 or 1"),
        ("cmdprio_class", "9", "from 1 to 3"),
    ],
)
def test_what_fio_or_the_guard_refuses_is_told(
    name: str, value: str, says: str
) -> None:
    assert says in check(name, value)
