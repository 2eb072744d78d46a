import re
import tomllib
from pathlib import Path

import pytest

from app.bench.drivers import drivers
from instruments.tools.hosts import LocalHost
from tests.instruments.noise.weighting_table import table_text

_PAGE = (Path(__file__).parents[3] / "docs" / "noise.md").read_text(encoding="utf-8")


def test_the_table_is_what_the_filters_do() -> None:
    wanted = table_text().splitlines()
    start = _PAGE.splitlines().index(wanted[0])
    written = _PAGE.splitlines()[start : start + len(wanted)]
    for line, measured in zip(written[2:], wanted[2:], strict=True):
        numbers = [float(n) for n in re.findall(r"[+-]?\d+\.?\d*", line)]
        expected = [float(n) for n in re.findall(r"[+-]?\d+\.?\d*", measured)]
        # The fit may end a little elsewhere with another scipy.
        assert numbers == pytest.approx(expected, abs=0.002)


def test_every_bench_on_the_page_is_one() -> None:
    host = LocalHost()
    known = drivers()
    sources = [
        source
        for block in re.findall(r"```toml\n(.*?)```", _PAGE, re.S)
        for source in tomllib.loads(block)["noise"]
    ]
    for keys in sources:
        name, driver = keys.pop("name"), known["noise", keys.pop("driver")]
        source = driver.build(driver.settings(name, keys, host))
        assert source.name == name
        assert f"| `{source.driver}` |" in _PAGE
    assert len(sources) == 5
