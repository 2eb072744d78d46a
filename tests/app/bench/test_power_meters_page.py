"""The page on power meters names drivers with their keys, and a description's keys."""

from pathlib import Path

import pytest

from app.bench.drivers import drivers
from app.bench.meters import KEYS

PAGE = (Path(__file__).parents[3] / "docs" / "power-meters.md").read_text()


def row(name: str) -> str:
    return next(line for line in PAGE.splitlines() if line.startswith(f"| `{name}` |"))


@pytest.mark.parametrize("name", ["yokogawa", "hioki", "chroma", "lmg", "described"])
def test_every_meter_has_its_row_with_its_keys(name: str) -> None:
    for option in drivers()["power", name].options:
        assert f"`{option.key}`" in row(name), option.key


@pytest.mark.parametrize("name", ["hmc8015", "npa"])
def test_the_meters_with_more_keys_have_their_row(name: str) -> None:
    assert ("power", name) in drivers()
    assert row(name)


def test_every_key_of_a_description_is_named() -> None:
    for key in KEYS:
        assert f"`{key}`" in PAGE or f"`[[{key}]]`" in PAGE, key
