"""Height that is shared by what parts have to show."""

import pytest

from app.ui.kit.shared_height import share


@pytest.mark.parametrize(
    ("room", "wanted", "found"),
    [
        (600, [100, 50, 30], [100, 50, 450]),
        (600, [1000, 50, 30], [520, 50, 30]),
        (600, [1000, 1000, 30], [342, 228, 30]),
        (600, [1000, 0, 1000], [450, 0, 150]),
        (0, [10, 10], [0, 0]),
        (600, [], []),
    ],
)
def test_who_wants_little_gets_it(
    room: int, wanted: list[int], found: list[int]
) -> None:
    assert share(room, wanted, (3, 2, 1)[: len(wanted)]) == found
