"""Arrangements of bays from small files."""

from pathlib import Path

import pytest

from instruments.errors import BadInput
from instruments.thermal.layout import names, parse_layout, read_layout


@pytest.mark.parametrize("name", names())
def test_what_ships_has_each_slot_once_from_zero(name: str) -> None:
    layout = parse_layout(name)
    rows, columns = (int(part) for part in name.split("x"))
    assert len(layout.rows) == rows
    assert {len(row) for row in layout.rows} == {columns}
    assert sorted(layout.slots) == list(range(rows * columns))
    assert layout.title


def test_a_size_is_numbered_row_by_row() -> None:
    assert parse_layout("2x3").rows == ((0, 1, 2), (3, 4, 5))


def test_a_file_may_run_backwards_and_leave_places_out(tmp_path: Path) -> None:
    path = tmp_path / "odd.toml"
    path.write_text('title = "Odd"\nrows = ["3-1 .", "4 . 7"]\n')
    layout = parse_layout(str(path))
    assert layout.title == "Odd"
    assert layout.rows == ((3, 2, 1, None), (4, None, 7))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rows = [", "not TOML"),
        ("title = 'x'", "rows are missing"),
        ("rows = []", "rows are missing"),
        ("rows = ['0-3']\ncolour = 'red'", "unknown key colour"),
        ("rows = ['0-3', '3-6']", "slot 3 appears twice"),
        ("rows = ['0-x']", '"0-x" is not a slot'),
        ("rows = ['0-99999']", "is not a slot"),
        ("rows = ['. .']", "no bay"),
    ],
)
def test_a_wrong_file_is_said(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said) as caught:
        read_layout(text, "shelf.toml")
    assert caught.value.where.startswith("shelf.toml")


@pytest.mark.parametrize("text", ["many", "0x5", "9x", "999x999", "nowhere.toml"])
def test_what_is_no_layout_is_said(text: str) -> None:
    with pytest.raises(BadInput, match=r"no layout|cannot be read"):
        parse_layout(text)


def test_a_layout_in_a_home_that_nobody_has_is_said() -> None:
    with pytest.raises(BadInput, match="unknown user"):
        parse_layout("~nobody-knows-me/x.toml")
