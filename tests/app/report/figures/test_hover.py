"""What a figure says under the pointer, and two figures on one axis across."""

import numpy as np
import pytest

from app.report.figures.figure import Axis, Figure, Series, Shape
from app.report.figures.hover import spot_at
from app.report.figures.svg import figure_svg, levels_of

SIZE = (1000, 420)
X = np.array([1.0, 2.0, 4.0, 8.0])
LINE = Series(
    "A",
    X,
    np.array([10.0, 20.0, np.nan, 80.0]),
    Shape.MARKED,
    error=np.array([1.0, np.nan, np.nan, 2.0]),
    names=("first", "", "", "last"),
)


def figure(*series: Series, is_log: bool = False) -> Figure:
    x = Axis("Depth", is_log=is_log, ticks=((8.0, "eight"),))
    return Figure("T", "", x, Axis("IOPS"), series or (LINE,))


def pixel(of: Figure, x: float, y: float, level: int = 0) -> tuple[float, float]:
    one = levels_of(of, *SIZE)[level]
    across, up = one.across.at(np.array([x])), one.up.at(np.array([y]))
    return float(across[0]), float(up[0])


@pytest.mark.parametrize("is_log", [False, True])
def test_a_point_says_its_series_and_both_values(is_log: bool) -> None:
    shown = figure(is_log=is_log)
    x, y = pixel(shown, 8.0, 80.0)
    spot = spot_at(shown, SIZE, (x - 5, y + 6))
    assert spot is not None
    assert (spot.x, spot.y) == pytest.approx((x, y))
    assert spot.text.split("\n") == [
        "A",
        "last",
        "Depth: eight",
        "IOPS: 80 \N{PLUS-MINUS SIGN} 2",
    ]
    assert spot_at(shown, SIZE, (x, y + 150)) is None
    # What lacks is never said, however near the pointer is.
    missing = spot_at(shown, SIZE, pixel(shown, 4.0, 40.0))
    assert missing is None


def test_bars_boxes_steps_and_cells_are_found_where_they_are() -> None:
    bars = figure(Series("B", X, X * 10, Shape.BARS, width=0.6))
    x, _ = pixel(bars, 4.0, 40.0)
    _, foot = pixel(bars, 4.0, 5.0)
    spot = spot_at(bars, SIZE, (x, foot))
    assert spot is not None
    assert "IOPS: 40" in spot.text
    five = np.array([[1.0, 2.0, 3.0, 4.0, 5.0]])
    boxes = figure(Series("C", X[:1], np.array([3.0]), Shape.BOX, cells=five))
    spot = spot_at(boxes, SIZE, pixel(boxes, 1.0, 2.0))
    assert spot is not None
    assert "median 3" in spot.text
    steps = figure(Series("D", X, np.array([5.0, 6.0, 7.0]), Shape.STEPS))
    spot = spot_at(steps, SIZE, pixel(steps, 3.0, 2.0))
    assert spot is not None
    assert "2 to 4" in spot.text
    assert "IOPS: 6" in spot.text
    cells = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, np.nan]])
    edges = np.array([0.0, 10.0, 20.0])
    heat = figure(Series("E", X, edges, Shape.HEAT, cells=cells))
    spot = spot_at(heat, SIZE, pixel(heat, 3.0, 15.0))
    assert spot is not None
    assert spot.text.endswith("\n5")
    assert "10 to 20" in spot.text
    assert spot_at(heat, SIZE, pixel(heat, 6.0, 15.0)) is None
    assert spot_at(figure(), SIZE, (-5.0, -5.0)) is None


def test_a_figure_below_shares_the_axis_across() -> None:
    lower = Figure(
        "U", "", Axis("Depth"), Axis("ms"), (Series("A", X, X, Shape.MARKED),)
    )
    both = Figure("T", "", Axis("Depth"), Axis("IOPS"), (LINE,), below=lower)
    first, second = levels_of(both, *SIZE)
    assert first.across == second.across
    assert first.up.ends[0] < second.up.ends[1]
    spot = spot_at(both, SIZE, pixel(both, 4.0, 4.0, 1))
    assert spot is not None
    assert "ms: 4" in spot.text
    text = figure_svg(both)
    assert text.count(">Depth<") == 1
    assert ">ms<" in text
    assert len([*both.lines()]) == len([*LINE.x]) + len(X) + 2
