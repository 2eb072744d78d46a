"""The page on enclosures and drives says what is so."""

import re
import tomllib
from pathlib import Path

from app.bench.drivers import drivers
from instruments.thermal.layout import names, read_layout
from instruments.tools.hosts import LocalHost

_PAGE = Path(__file__).parents[3] / "docs" / "enclosures-and-drives.md"
_TEXT = _PAGE.read_text(encoding="utf-8")
_BENCH, _LAYOUT = re.findall(r"```toml\n(.*?)```", _TEXT, re.DOTALL)


def test_its_bench_can_be_built() -> None:
    known = drivers()
    bench = tomllib.loads(_BENCH)
    built = []
    for section, tables in bench.items():
        for table in tables:
            driver = known[section, table.pop("driver")]
            name = table.pop("name")
            table.pop("host", None)
            built.append(driver.build(driver.settings(name, table, LocalHost())).name)
    assert built == ["head", "shelf", "smart", "drives", "raid", "sas"]


def test_its_layout_can_be_read_and_it_names_all_that_ship() -> None:
    assert len(read_layout(_LAYOUT, "example").slots) == 10
    assert all(f"`{name}`" in _TEXT for name in names())
