"""What is shaded, hatched and drawn across a plot."""

import pytest

from app.ui.chart.plot_marks import _shaded
from app.ui.chart.spans import Span


@pytest.mark.parametrize(
    ("starts", "wanted"),
    [
        ({"A": (0, 20), "B": (5, 25)}, "AB"),
        ({"A": (0, 20), "B": (5, 25), "C": (0, 20)}, "A"),
        ({"A": (100, 120), "B": (105, 125), "C": (0, 20)}, "AC"),
        ({"A": (0, 20), "B": (10, 30), "C": (40, 60)}, "ABC"),
    ],
)
def test_windows_of_many_sessions_are_shaded_beside_but_not_on_one_another(
    starts: dict[str, tuple[int, ...]], wanted: str
) -> None:
    windows = [
        Span(start, start + 10, layer=name)
        for name, own in starts.items()
        for start in own
    ]
    shaded = [window.layer for window in _shaded(windows)]
    assert "".join(dict.fromkeys(shaded)) == wanted
    assert len(shaded) == 2 * len(wanted)
