"""The list of drivers: found by words, and complete."""

from pathlib import Path

import pytest

from app.bench.drivers import drivers
from app.operations.bench.driver_list import (
    drivers_as_json,
    drivers_markdown,
    drivers_text,
    find_drivers,
)
from instruments.errors import BadInput

MANUAL = Path(__file__).parents[4] / "docs" / "drivers.md"


def test_a_driver_is_found_by_words_with_its_keys() -> None:
    [meter] = find_drivers(["power", "HMC"])
    text = drivers_text([meter])
    assert text.startswith('[[power]] driver = "hmc8015"  Rohde & Schwarz HMC8015')
    assert 'resource: VISA resource of the meter. A text in quotes such as "TCP' in text
    assert "600 V; 300 where left out." in text
    [plain] = drivers_as_json([meter])
    assert plain["driver"] == "hmc8015"
    keys = plain["keys"]
    assert isinstance(keys, list)
    assert {"resource", "voltage_range"} <= {key["key"] for key in keys}
    with pytest.raises(BadInput) as error:
        find_drivers(["no such"])
    assert "no such" in error.value.what


def test_every_driver_says_what_its_keys_are() -> None:
    assert [one.name for one in find_drivers()] == [name for _, name in drivers()]
    chapters = drivers_markdown()
    for driver in drivers().values():
        assert driver.title
        assert f"### `{driver.name}`: {driver.title}" in chapters
        for option in driver.options:
            assert option.help.endswith("."), f"{driver.name} {option.key}"


def test_the_manuals_chapter_is_made_from_the_drivers() -> None:
    assert MANUAL.read_text(encoding="utf-8") == drivers_markdown()
