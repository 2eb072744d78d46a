"""Figures as SVG: whatever they are called, whatever their values are."""

import tomllib
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from app.report.figures.figure import Axis, Figure, Mark, Series, Shape
from app.report.figures.svg import figure_svg
from app.report.figures.svg_shapes import _ink_on
from resources import read_text
from tests.app.report.texts import overlapping

SVG = "{http://www.w3.org/2000/svg}"


def drawn(figure: Figure) -> ET.Element:
    return ET.fromstring(figure_svg(figure))


def figure(*series: Series, x: Axis = Axis("x"), y: Axis = Axis("y")) -> Figure:  # noqa: B008
    return Figure("Title", "About.", x, y, series)


def numbers(path: str) -> list[tuple[float, float]]:
    pairs = path.replace("M", " ").replace("L", " ").replace("Z", "").split()
    return list(zip(map(float, pairs[::2]), map(float, pairs[1::2]), strict=True))


def test_names_are_text() -> None:
    hostile = '<script>x</script> & "q" \u202e\n'
    one = Series(hostile, np.arange(3.0), np.arange(3.0))
    axes, marks = (Axis(hostile), Axis(hostile)), (Mark(1.0, hostile),)
    found = Figure(hostile, hostile, *axes, (one,), marks)
    root = drawn(found)
    assert not list(root.iter(f"{SVG}script"))
    texts = [text for one in root.iter(f"{SVG}text") if (text := one.text)]
    assert sum("<script>" in text for text in texts) == 5
    assert not any("\u202e" in text or "\n" in text for text in texts)


@pytest.mark.parametrize(
    "values",
    [
        [],
        [np.nan],
        [0.0],
        [5.0],
        [0.0, 0.0, 0.0],
        [-3.0, 4.0],
        [1e-12, 1e12],
        [np.nan, 1.0, np.nan, 2.0, 3.0],
        [np.inf, 1.0],
    ],
)
@pytest.mark.parametrize("shape", [Shape.LINE, Shape.POINTS, Shape.DASHES])
@pytest.mark.parametrize("is_log", [False, True])
def test_any_values_can_be_drawn(
    values: list[float], shape: Shape, *, is_log: bool
) -> None:
    x = np.arange(1.0, len(values) + 1)
    one = Series("one", x, np.array(values), shape)
    root = drawn(figure(one, y=Axis("y", is_log=is_log), x=Axis("x", is_log=is_log)))
    assert "nan" not in ET.tostring(root, "unicode")
    assert "inf" not in ET.tostring(root, "unicode")


def test_what_counted_once_stands_above_the_ground_and_nothing_below_it() -> None:
    steps = Series("n", np.array([1.0, 2, 3, 4]), np.array([1.0, 0, 100]), Shape.STEPS)
    root = drawn(figure(steps, y=Axis("I/Os", is_log=True)))
    path = next(p for p in root.iter(f"{SVG}path") if p.get("fill-opacity") == "0.22")
    heights = [y for _, y in numbers(str(path.get("d")))]
    ground = max(heights)
    once, none, many = heights[1], heights[3], heights[5]
    assert none == ground
    assert many < once < ground - 5


def test_a_line_breaks_where_a_value_lacks() -> None:
    one = Series("one", np.arange(5.0), np.array([1, 2, np.nan, 4, 5.0]))
    root = drawn(figure(one))
    path = next(p for p in root.iter(f"{SVG}path") if p.get("stroke-width") == "1.5")
    assert str(path.get("d")).count("M") == 2


def test_a_figure_without_series_is_drawn() -> None:
    assert drawn(figure()).tag == f"{SVG}svg"


def test_its_data_have_a_line_for_each_value() -> None:
    band = Series("band", np.arange(2.0), np.zeros(2), Shape.BAND, np.ones(2))
    steps = Series("steps", np.arange(3.0), np.array([7.0, np.nan]), Shape.STEPS)
    lines = list(figure(band, steps).lines())
    assert lines == [
        ("series", "x", "y", "up to"),
        ("band", "0", "0", "1"),
        ("band", "1", "0", "1"),
        ("steps", "0", "7", "1"),
        ("steps", "1", "", "2"),
    ]


def test_a_value_between_two_gaps_is_a_dot() -> None:
    values = np.array([1.0, np.nan, 2.0, np.nan, 3.0, 4.0])
    root = drawn(figure(Series("one", np.arange(6.0), values)))
    [path] = [one for one in root.iter(f"{SVG}path") if one.get("stroke-linejoin")]
    assert path.get("d", "").count("h0.01") == 2
    assert path.get("stroke-linecap") == "round"


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("size", [(1000, 420), (560, 320)])
def test_no_name_of_a_mark_lies_on_another_or_on_a_line(
    seed: int, size: tuple[int, int]
) -> None:
    rng = np.random.default_rng(seed)
    steps = Series("n", np.geomspace(0.01, 100, 40), rng.uniform(1, 9, 39), Shape.STEPS)
    close = 10 ** rng.uniform(-2 if seed % 2 else 1.5, 2, 1 + seed % 6)
    marks = tuple(Mark(x, f"99.{'9' * n} %: {x:.3g} ms") for n, x in enumerate(close))
    found = figure(steps, x=Axis("ms", is_log=True))
    svg = figure_svg(replace(found, marks=marks), width=size[0], height=size[1])
    assert all(one.name in svg for one in marks)
    assert not overlapping(svg)


def test_of_very_many_marks_only_those_with_room_are_named() -> None:
    one = Series("one", np.arange(9.0), np.arange(9.0))
    marks = tuple(Mark(4 + n / 50, f"A = B at {n} KiB") for n in range(30))
    svg = figure_svg(replace(figure(one), marks=marks), width=560, height=320)
    assert 3 < svg.count("A = B at") < 12
    assert svg.count('stroke-dasharray="2 3"') == 30
    assert not [pair for pair in overlapping(svg) if "line" not in pair[1]]


def test_texts_of_low_figures_below_each_other_have_room() -> None:
    one = Series("one", np.arange(5.0), np.geomspace(1, 1e4, 5))
    axis = Axis("A result with a long name (ms)", is_log=True)
    low = figure(one, y=axis)
    for _ in range(5):
        low = replace(figure(one, y=axis), below=low)
    low = replace(low, title="A title that is longer than its page is wide " * 3)
    assert not overlapping(figure_svg(low, width=560, height=320))


@pytest.mark.parametrize("share", [0.1, 0.3, 0.45, 0.6, 0.9])
@pytest.mark.parametrize("name", ["light", "dark"])
def test_a_value_in_a_cell_is_written_in_what_stands_out(
    name: str, share: float
) -> None:
    table = tomllib.loads(read_text("colours", f"{name}.toml"))
    inks, colour = (table["text"], table["surface"]), table["traces"][1]

    def channels(text: str) -> list[int]:
        return [int(text[at : at + 2], 16) for at in (1, 3, 5)]

    def light(parts: list[float]) -> float:
        weights = (0.2126, 0.7152, 0.0722)
        return float(
            sum(w * (p / 255) ** 2.2 for w, p in zip(weights, parts, strict=True))
        )

    pairs = zip(channels(colour), channels(inks[1]), strict=True)
    cell = light([share * over + (1 - share) * under for over, under in pairs])

    def contrast(ink: str) -> float:
        low, high = sorted((light([*map(float, channels(ink))]), cell))
        return (high + 0.05) / (low + 0.05)

    assert contrast(_ink_on(colour, share, inks)) == max(map(contrast, inks))
