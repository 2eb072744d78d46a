"""The page on BMCs, PDUs and switches says what is so."""

import re
import tomllib
from pathlib import Path

import pytest

from app.bench.build import build_sources, build_switch
from app.bench.drivers import switch_drivers
from app.bench.file import parse_bench
from app.operations.bench.switching import journal_file
from instruments.thermal.snmp.profile import parse_profile, profile_names

_PAGE = Path(__file__).parents[3] / "docs" / "bmcs-pdus-and-switches.md"
_TEXT = _PAGE.read_text(encoding="utf-8")
_BENCH, _PROFILE = re.findall(r"```toml\n(.*?)```", _TEXT, re.DOTALL)
_HEAD = 'name = "Lab"\n[dut]\nname = "JBOD"\ntarget = "/tmp/x"\nsize = "64m"\n'


def test_its_bench_can_be_built() -> None:
    bench = parse_bench(_HEAD + _BENCH, "example.toml")
    names = [source.name for source in build_sources(bench)]
    assert names == ["outlet", "bmc", "server", "rack"]
    for switch in bench.switches:
        assert build_switch(bench, switch.name).allow == switch.allow


def test_its_profile_can_be_used_and_it_names_all_that_ship() -> None:
    profile = parse_profile("example", tomllib.loads(_PROFILE))
    assert profile.values[0].factor == 0.1
    assert profile.switch is not None
    assert all(f"`{name}`" in _TEXT for name in profile_names())


@pytest.mark.parametrize("name", switch_drivers())
def test_its_table_has_every_word_that_may_be_allowed(name: str) -> None:
    rows = [line for line in _TEXT.splitlines() if line.startswith("| `")]
    row = next(line for line in rows[-4:] if f"`{name}`" in line)
    words = switch_drivers()[name].permissions
    assert re.findall(r"`([a-z]+)`", row.split("|")[2]) == list(words)


def test_it_says_where_actions_are_written_down(home: Path) -> None:
    place = journal_file().relative_to(home)
    assert f"`~/{place.parent}`" in _TEXT
    assert f"`{place.name}`" in _TEXT
