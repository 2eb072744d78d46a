"""Figures that compare sessions: over what was swept, against each other, boxes."""

import csv
import io
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.operations.sessions.figure import figure_csv, figure_of, write_figure
from app.operations.sessions.statistics import part_statistics
from app.record.store import Result, Session, Writer
from app.report.figures.by_sample import noise_figure
from app.report.figures.cases import (
    Case,
    cases_of,
    number_in,
    options_in,
    series_over,
    session_colours,
    title_of,
)
from app.report.figures.figure import Figure, Shape
from app.report.figures.kinds import ALL, Choice, first_kind, make_figure, usual_choice
from app.report.figures.svg import figure_svg
from instruments.errors import BadInput
from instruments.reading import SECOND, Channel, Identity
from tests.app.report.texts import overlapping
from tests.app.ui.sample import write_sample
from tests.session_info import session_info

SIZES = ("4k", "16k", "64k", "256k")
HOSTILE = "=1+2<b>&\n../x"


def write(
    path: Path,
    rates: tuple[float, ...],
    *,
    u_meter: float | None = None,
    of_depth: bool = False,
) -> Path:
    """Write a session with a sweep over the block size, and one of three repeats.

    It may be over the queue depth instead: 1, 4, 16, 64.
    """
    writer = Writer.create(path, session_info(name=HOSTILE, simulated=False))
    who = Identity("m", "m", "1", "f", "a")
    writer.add_source("mains", "power", "hmc8015", who, "")
    writer.add_channels([Channel("mains", "P", "W")])
    writer.add_step(0, "Idle", "idle", "")
    for number, (bs, rate) in enumerate(zip(SIZES, rates, strict=True), 1):
        plan = f'[fio]\nrw = "randread"\nbs = "{bs}"\n'
        if of_depth:
            plan = f'[fio]\nrw = "randread"\nbs = "4k"\niodepth = {4 ** (number - 1)}\n'
        step = writer.add_step(number, f"Read {bs}", "fio", plan)
        writer.update_step(step, outcome="DONE", verdict="PASS", start_ns=0, end_ns=1)
        power = Result(
            "power_w", 400 + rate, "W", 0, 1, 9, 9, u_meter=u_meter, u_scatter=0.1
        )
        writer.result(step, power)
        for name, value, unit in (
            ("bandwidth_mb_s", rate, "MB/s"),
            ("iops", rate * 10, "1/s"),
            ("latency_p50_ms", 1.0, "ms"),
            ("latency_p99_ms", 8.0, "ms"),
        ):
            writer.result(step, Result(name, value, unit, 0, 1, 1, 1))
        if of_depth:
            mean = 100 * 4 ** (number - 1) / rate
            writer.result(step, Result("latency_mean_ms", mean, "ms", 0, 1, 1, 1))
    for number, rate in enumerate((100.0, 120.0, 110.0), 1):
        plan = '[fio]\nrw = "randwrite"\nbs = "8k"\n'
        label = f"Again ({number}/3)"
        step = writer.add_step(9 + number, label, "fio", plan, series="Again")
        writer.update_step(step, outcome="DONE", verdict="PASS", start_ns=0, end_ns=1)
        writer.result(step, Result("iops", rate, "1/s", 0, 1, 1, 1))
    writer.set_session(verdict="PASS")
    writer.finish()
    return path


@pytest.fixture
def paths(tmp_path: Path) -> tuple[Path, Path]:
    return (
        write(tmp_path / "a.bayscope", (100, 200, 300, 400)),
        write(tmp_path / "b.bayscope", (50, 150, 350, 600)),
    )


@pytest.fixture
def cases(paths: tuple[Path, Path]) -> Iterator[list[Case]]:
    with ExitStack() as stack:
        yield cases_of([stack.enter_context(Session.open(path)) for path in paths])


def drawn(figure: Figure) -> ET.Element:
    return ET.fromstring(figure_svg(figure))


def test_sessions_of_one_name_are_told_apart_in_a_title(
    cases: list[Case],
) -> None:
    names = {case.session.info.name for case in cases}
    assert len(names) == 1
    assert title_of("IOPS", cases) == "IOPS: A a, B b"
    assert title_of("IOPS", cases[:1]) == f"IOPS: {names.pop()}"


def test_a_sweep_is_found_in_what_the_rows_ran(cases: list[Case]) -> None:
    assert options_in(cases) == ["bs"]
    [points] = series_over(cases[0], "bs").values()
    assert [x for x, _ in points] == [4096, 16384, 65536, 262144]
    assert first_kind(cases) == "swept"
    assert [number_in(text) for text in ("4k", "70", "30%", "read")] == [
        *(4096, 70, 30),
        None,
    ]


def test_iops_over_queue_depth_have_the_latency_below(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / "a.bayscope", (100, 200, 300, 400), of_depth=True),
        write(tmp_path / "b.bayscope", (50, 150, 350, 600), of_depth=True),
    ]
    both = figure_of(paths, Choice("swept"))
    assert both.x.title == "iodepth"
    assert both.below is not None
    assert both.y.title != both.below.y.title
    assert [len(one.series) for one in (both, both.below)] == [2, 2]
    assert "iops" in both.y.title.lower()
    assert "latency" in both.below.y.title.lower()
    assert both.marks
    # Which one is below can be said, and that there is none.
    assert figure_of(paths, Choice("swept", below="none")).below is None
    power = figure_of(paths, Choice("swept", below="power_w")).below
    assert power is not None
    assert "power" in power.y.title.lower()
    with pytest.raises(BadInput):
        figure_of(paths, Choice("swept", below="wishes"))
    heads = csv.reader(io.StringIO(figure_csv(both)))
    assert sum(line[0] == "series" for line in heads) == 2


def test_groups_of_a_session_have_its_colour_and_their_own_dashes_and_marks(
    tmp_path: Path,
) -> None:
    paths = [tmp_path / "a.bayscope", tmp_path / "b.bayscope"]
    for path in paths:
        writer = Writer.create(path, session_info())
        for number in range(4):
            plan = f'[fio]\nbs = "{4 << number % 2}k"\niodepth = {1 + number // 2}\n'
            step = writer.add_step(number, f"{number}", "fio", plan)
            writer.result(step, Result("iops", 100.0 + number, "1/s", 0, 1, 1, 1))
            writer.result(step, Result("power_w", 10.0 + number, "W", 0, 1, 1, 1))
        writer.finish()
    for choice in (
        Choice("swept", option="iodepth", below="power_w"),
        Choice("against", option="iodepth"),
    ):
        figure = figure_of(paths, choice)
        for level in figure.levels:
            looks = [(one.colour, one.group) for one in level.series]
            assert looks == [(0, 0), (0, 1), (1, 0), (1, 1)]
        lines = [
            (path.get("stroke-dasharray"), path.get("stroke"))
            for path in drawn(figure).iter("{http://www.w3.org/2000/svg}path")
            if path.get("stroke-width") == "1.5"
        ]
        assert len(set(lines[:4])) == 4
        legend = [
            one.get("d")
            for one in drawn(figure).iter("{http://www.w3.org/2000/svg}path")
            if "h7v7" in str(one.get("d")) and " 40.0m" in str(one.get("d"))
        ]
        assert len(legend) == 2


def test_a_line_of_a_sweep_goes_through_the_mean_of_repeats(tmp_path: Path) -> None:
    sizes = ("4k", "16k", "16k", "64k")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[__name__], "SIZES", sizes)
        paths = [
            write(tmp_path / f"{name}.bayscope", rates, u_meter=2.0)
            for name, rates in (("a", (100, 150, 250, 400)), ("b", (50, 400, 300, 600)))
        ]
    figure = figure_of(paths[:1], Choice("swept", up="power_w"))
    line, every = figure.series
    assert list(line.x) == [4096, 16384, 65536]
    assert list(line.y) == [500, 600, 800]
    assert (line.shape, every.shape) == (Shape.LINE, Shape.POINTS)
    assert list(every.y) == [500, 550, 650, 800]
    assert every.error is not None
    assert len(drawn(figure).findall(".//{*}circle")) >= 4
    # The means cross once, between the first two sizes.
    [mark] = figure_of(paths, Choice("swept", up="bandwidth_mb_s")).marks
    assert 4096 < mark.x < 16384
    assert mark.x == pytest.approx(4096 * 2 ** (2 * 50 / 200))


def test_one_line_a_session_over_the_logarithm_with_its_crossing(
    cases: list[Case],
) -> None:
    choice = usual_choice(cases, Choice("swept", up="bandwidth_mb_s"))
    figure = make_figure(cases, choice)
    assert choice.option == "bs"
    assert figure.x.is_log
    assert [name for _, name in figure.x.ticks] == [
        "4 KiB",
        "16 KiB",
        "64 KiB",
        "256 KiB",
    ]
    assert [list(one.y) for one in figure.series] == [
        [100, 200, 300, 400],
        [50, 150, 350, 600],
    ]
    [mark] = figure.marks
    # Half way between 16 and 64 KiB on the logarithm, where both have 250 MB/s.
    assert mark.x == pytest.approx(32768)
    assert (mark.low, mark.high) == (16384, 65536)


def test_the_band_of_a_crossing_is_of_the_uncertainties_where_they_are_known(
    tmp_path: Path,
) -> None:
    pair = (
        write(tmp_path / "a.bayscope", (100, 200, 300, 400), u_meter=2.0),
        write(tmp_path / "b.bayscope", (50, 150, 350, 600), u_meter=2.0),
    )
    figure = figure_of(pair, Choice("swept", up="power_w"))
    assert figure.series[0].error is not None
    [mark] = figure.marks
    assert mark.low is not None
    assert mark.high is not None
    assert 16384 < mark.low < mark.x < mark.high < 65536


def test_bars_boxes_and_points_have_every_row(cases: list[Case]) -> None:
    bars = make_figure(cases, Choice("bars", up="bandwidth_mb_s"))
    assert [name for _, name in bars.x.ticks] == [f"Read {bs}" for bs in SIZES]
    assert [one.shape for one in bars.series] == [Shape.BARS, Shape.BARS]
    boxes = make_figure(cases, Choice("boxes", up="iops"))
    cells = boxes.series[0].cells
    assert cells is not None
    place = [name for _, name in boxes.x.ticks].index("Again")
    row = int(np.flatnonzero(np.isfinite(cells[:, 0]))[place])
    assert list(cells[row]) == [100, 105, 110, 115, 120]
    power = make_figure(cases, Choice("power", across="bandwidth_mb_s", up="power_w"))
    points = [(one.x[0], one.y[0]) for one in power.series]
    assert (100.0, 500.0) in points
    assert {name for one in power.series for name in one.names} >= {"Read 4k"}
    joined = make_figure(
        cases, Choice("power", option="bs", across="iops", up="power_w")
    )
    assert [len(one.x) for one in joined.series] == [4, 4]


def test_percentiles_stand_over_the_share_of_the_ios(cases: list[Case]) -> None:
    figure = make_figure(cases, Choice("percentiles", labels=("Read 4k",)))
    assert [one.name for one in figure.series] == ["A Read 4k", "B Read 4k"]
    known = figure.series[0].y[np.isfinite(figure.series[0].y)]
    assert list(known) == [1.0, 8.0]


def test_percentiles_of_a_step_stay_where_another_begins_with_its_name(
    cases: list[Case],
) -> None:
    [case, _] = cases
    other = {**(case.row("Read 4k") or {}), "step": "Read 4k QD16"}
    both = [replace(case, rows=(*case.rows, other))]
    labels = ("Read 4k QD16", "Read 4k")
    figure = make_figure(both, Choice("percentiles", labels=labels))
    assert [one.name for one in figure.series] == [f"A {label}" for label in labels]


def test_noise_slots_and_fans_are_of_samples(tmp_path: Path) -> None:
    pair = [write_sample(tmp_path / f"{n}.bayscope", step_s=30, seed=n) for n in (1, 2)]
    noise = figure_of(pair, Choice("noise"))
    assert all(40 < level < 80 for one in noise.series for level in one.y)
    slots = figure_of(pair, Choice("slots", labels=("Random read 4k",)))
    [series] = slots.series
    assert series.cells is not None
    assert np.isfinite(series.cells).sum() == 120
    low, high = np.nanmin(series.cells), np.nanmax(series.cells)
    assert series.shades is not None
    assert series.shades.span == (low, high)
    assert f"C): {low:.3g} (faint) to {high:.3g} (strong)<" in figure_svg(slots)
    lacking = write(tmp_path / "none.bayscope", (1.0, 2.0, 3.0, 4.0))
    for kind in ("slots", "noise"):
        choice = Choice(kind, labels=("Random read 4k",))
        assert "C has no " in figure_of([*pair, lacking], choice).about
    with Session.open(pair[0]) as session:
        [step] = [s for s in session.steps() if s.label == "Random read 4k"]
        trace = session.trace("enclosure.temperature.slot00", None, None)
        inside = (trace.times >= (step.start_ns or 0)) & (
            trace.times < (step.end_ns or 0)
        )
        # The first bay of a 4 x 15 shelf: the mean of its samples in the step.
        assert f"{trace.mean[inside].mean():.1f}" in series.names


def test_noise_of_a_step_is_without_its_ramp(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "ramp.bayscope", session_info())
    channels = Channel("shelf", "fan", "1/min"), Channel("mic", "LAeq", "dB")
    times = np.arange(200, dtype=np.int64) * SECOND
    for channel, ramp, level in zip(channels, (3e3, 40.0), (6e3, 60.0), strict=True):
        values = np.where(times < 100 * SECOND, ramp, level)
        writer.append_trace((channel,), times, times, values.reshape(-1, 1))
    step = writer.add_step(1, "Load", "fio", "")
    # It was cut off: its window has no end of its own.
    writer.update_step(
        step, start_ns=0, window_start_ns=100 * SECOND, end_ns=200 * SECOND
    )
    writer.finish()
    with Session.open(writer.path) as session:
        figure = noise_figure(cases_of([session]), ["Load"])
    assert figure is not None
    assert figure.series[0].y == pytest.approx([60.0] * 10)
    assert part_statistics(writer.path, "Load")[0].startswith(
        "Load: 100.0 s to 200.0 s"
    )


@pytest.mark.parametrize("kind", [kind.key for kind in ALL])
def test_every_kind_is_drawn_or_says_what_lacks(
    kind: str, paths: tuple[Path, Path], tmp_path: Path
) -> None:
    choice = Choice(kind, labels=("Read 4k",))
    if kind in ("rise", "histogram", "heat", "noise", "slots", "latency-iops"):
        with pytest.raises(BadInput) as caught:
            figure_of(paths, choice)
        assert caught.value.way_out
        return
    figure = figure_of(paths, choice)
    text = ET.tostring(drawn(figure), encoding="unicode")
    assert "<b>" not in text
    [about] = drawn(figure).findall("{http://www.w3.org/2000/svg}desc")
    assert "sha256" in (about.text or "")
    assert not overlapping(figure_svg(figure, width=560, height=320))
    rows = list(csv.reader(io.StringIO(figure_csv(figure))))
    assert len(rows) > 1
    assert not any(cell.startswith("=") for row in rows for cell in row)
    for form in (".svg", ".csv"):
        write_figure(figure, tmp_path / f"one{form}")
        assert (tmp_path / f"one{form}").stat().st_size > 100


@pytest.mark.parametrize(
    "choice",
    [
        Choice("pie"),
        Choice("swept", option="depth"),
        Choice("bars", up="beauty"),
        Choice("power", across="beauty"),
    ],
)
def test_what_there_is_not_is_said_with_what_there_is(
    choice: Choice, paths: tuple[Path, Path]
) -> None:
    with pytest.raises(BadInput) as caught:
        figure_of(paths, choice)
    assert "iops" in caught.value.way_out or "bs" in caught.value.way_out


def test_a_figure_is_not_written_as_what_it_is_not(
    paths: tuple[Path, Path], tmp_path: Path
) -> None:
    figure = figure_of(paths, Choice("bars", up="iops"))
    with pytest.raises(BadInput):
        write_figure(figure, tmp_path / "one.docx")
    with pytest.raises(BadInput):
        write_figure(figure, paths[0] / "one.svg")


@pytest.mark.parametrize(
    ("places", "count", "colours"),
    [
        ([0, 1], 2, [0, 1]),
        ([1, 2, 3], 4, [1, 2, 3]),
        ([0, 0, 1, 1], 2, [0, 2, 1, 3]),
        ([1] * 3, 2, [1, 2, 3]),
        ([0] * 8, 1, list(range(8))),
        ([1] * 8, 8, [1, 0, 2, 3, 4, 5, 6, 7]),
    ],
)
def test_a_session_has_one_colour_whatever_others_lack(
    places: list[int], count: int, colours: list[int]
) -> None:
    assert session_colours(places, count) == colours
