"""The template of SSS-PTS end to end in short form: real fio, rounds, figures."""

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.analysis.latency import histogram_of
from app.operations.run.run import run_campaign
from app.operations.sessions.export import export_sessions
from app.operations.sessions.figure import figure_of
from app.operations.sessions.histograms import (
    histograms_csv,
    histograms_json,
    histograms_text,
)
from app.operations.sessions.showing import show_json
from app.plan.axes import Axis
from app.plan.campaign import Campaign, parse_campaign
from app.plan.matrix import Matrix
from app.plan.shorten import shortened
from app.plan.writing import campaign_text
from app.record.store import Session
from app.report.figures.kinds import Choice
from app.report.figures.of_session import figure_choices
from app.report.figures.svg import figure_svg
from instruments.errors import BadInput
from instruments.metric import BOTH, PERCENTILES, READ, WRITE, percentile_name
from tests.app.operations.benches import bench
from tests.app.report.texts import overlapping
from tests.app.ui.sample import write_sample

# Whether a real disk is steady is no question while other tests load it.
pytestmark = [pytest.mark.serial, pytest.mark.slow]

TRACK = "0 % read 4k"
STEADY_IOPS = 100


def rehearsal() -> Campaign:
    """Take the matrix of IOPS and the saturation, with fewer points, at one rate."""
    text = (files("resources") / "campaigns" / "sss-pts.toml").read_text("utf-8")
    whole = shortened(parse_campaign(text, "sss-pts.toml"), 3600)
    matrix, saturation = (
        step
        for step in whole.steps
        if (step.rounds and step.rounds.track == TRACK) or step.role == "saturation"
    )
    axes = Axis("rwmixread", ("100", "0")), Axis("bs", ("4k",))
    slow = {"numjobs": "1", "iodepth": "4", "rate_iops": str(STEADY_IOPS)}
    steps = (
        replace(matrix, sweep=Matrix(axes), options={**matrix.options, **slow}),
        replace(saturation, options={**saturation.options, **slow}),
    )
    made = replace(whole, steps=steps, interlocks=(), text="")
    return parse_campaign(campaign_text(made), "made.toml")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rounds")
    plain = replace(bench(folder), sources=(), simulated=None)
    return run_campaign(rehearsal(), plain, folder / "out").session


@pytest.fixture
def session(recorded: Path) -> Iterator[Session]:
    with Session.open(recorded) as opened:
        yield opened


def test_a_steady_matrix_is_run_five_times(session: Session) -> None:
    steps = session.steps()
    assert {step.outcome for step in steps} == {"DONE"}
    points = ["100 % read 4k", TRACK]
    labels = [f"{p} (pass {n})" if n > 1 else p for n in range(1, 6) for p in points]
    assert [step.label for step in steps] == [*labels, "Write saturation 4k"]
    assert [step.pass_number for step in steps][-3:] == [5, 5, 1]
    messages = [one.message for one in session.events() if one.source == "steady"]
    assert "steady after 5 rounds" in messages[-1]


def test_what_is_reported_are_the_means_of_the_window(recorded: Path) -> None:
    told: dict[str, Any] = show_json(recorded)
    [found] = told["rounds"]
    rows = {row["step"]: row for row in told["steps"]}
    own = [rows[label]["iops"] for label in rows if str(label).startswith(TRACK)]
    assert (found["steady"], found["window"], found["values"]) == (True, [1, 5], own)
    assert found["mean"] == pytest.approx(np.mean(own))
    slope, start = np.polyfit(np.arange(5), own, 1)
    assert found["line"] == pytest.approx([start, start + 4 * slope])
    assert found["means"][TRACK]["iops"] == pytest.approx(np.mean(own))


def test_a_histogram_gives_the_percentiles_of_the_row(session: Session) -> None:
    for step in session.steps():
        found = histogram_of(session, step)
        assert found is not None
        stored = {one.name: one.value for one in session.results(step.id)}
        for percent, value in found.percentiles(BOTH, PERCENTILES).items():
            assert stored[percentile_name(BOTH, percent)] == value
        edges = found.edges_ms()
        grouped = sum(found.grouped(edges, way).sum() for way in found.ways)
        assert grouped == sum(found.bins(BOTH).values())
        seconds = ((step.window_end_ns or 0) - (step.window_start_ns or 0)) / 1e9
        assert grouped == pytest.approx((stored["iops"] or 0) * seconds, rel=0.05)


def test_latency_over_time_is_drawn_of_every_session(
    recorded: Path, tmp_path: Path
) -> None:
    other = write_sample(tmp_path / "other.bayscope", step_s=2)
    choice = Choice("heat", labels=(TRACK,))
    figure = figure_of([recorded, other, recorded], choice)
    above, below = figure.levels
    assert [one.series[0].name[0] for one in figure.levels] == ["A", "C"]
    assert above.y.span == below.y.span
    assert above.series[0].shades == below.series[0].shades
    assert "B has no histogram" in figure.about
    for level in figure.levels:
        cells = level.series[0].cells
        assert cells is not None
        assert np.nansum(cells, axis=0) == pytest.approx(100)  # percent of a column
    text = figure_svg(figure)
    assert all(f">{letter} {TRACK} (ms)<" in text for letter in "AC")
    assert "Share of I/Os (%)" in text
    assert {line[0] for line in figure.lines()} >= {f"A {TRACK}", f"C {TRACK}"}
    assert len(figure_of([recorded], choice).levels) == 1


def test_histograms_are_told_as_text_values_and_buckets(recorded: Path) -> None:
    assert "completion latency" in histograms_text(recorded, TRACK)
    told = histograms_json(recorded, "")
    assert len(told["steps"]) == 11
    json.dumps(told)
    track = told["steps"][TRACK]
    count = sum(one[f"{WRITE}s"] for one in track["buckets"])
    assert ("99.99" in track["thin_percentiles"][BOTH]) == (count < 100_000)
    lines = histograms_csv(recorded, TRACK).splitlines()
    writes = sum(int(line.split(",")[3]) for line in lines[1:])
    assert writes == sum(one[f"{WRITE}s"] for one in told["steps"][TRACK]["buckets"])
    assert {line.split(",")[2] for line in lines[1:]} == {"0"}  # no reads
    assert f"{READ}s" in lines[0]
    with pytest.raises(BadInput, match="no row"):
        histograms_text(recorded, "0 % read 4 k")


def test_its_figures_can_be_drawn_and_stand_in_the_report(
    recorded: Path, session: Session, tmp_path: Path
) -> None:
    choices = figure_choices(session)
    assert [one.title for one in choices][:2] == [
        f"Tracking variable: {TRACK}",
        "Saturation: Write saturation 4k",
    ]
    assert sum(one.is_latency for one in choices) == 11
    made = [figure for one in choices if (figure := one.make()) is not None]
    assert len(made) == len(choices)
    for figure in made:
        assert not overlapping(figure_svg(figure))
        assert not overlapping(figure_svg(figure, width=560, height=320))
        assert len(list(figure.lines())) > len(figure.series)
    [page] = export_sessions([recorded], ["html"], tmp_path)
    # That of the saturation; of single rounds a report has none.
    assert page.read_text("utf-8").count('aria-label="Latency: ') == 1


def test_the_course_of_a_saturation_ends_at_what_was_written(session: Session) -> None:
    choice = next(one for one in figure_choices(session) if "Saturation" in one.title)
    figure = choice.make()
    assert figure is not None
    [iops] = figure.series
    known = np.isfinite(iops.y)
    assert 0 < np.median(iops.y[known]) < 2 * STEADY_IOPS
    step = next(one for one in session.steps() if one.series.startswith("Write sat"))
    stored = {one.name: one.value for one in session.results(step.id)}
    seconds = ((step.window_end_ns or 0) - (step.window_start_ns or 0)) / 1e9
    written_gb = (stored["write_mb_s"] or 0.0) * seconds / 1e3
    # The middle of the last of three parts.
    assert iops.x.size == 3
    assert iops.x[-1] == pytest.approx(written_gb * 5 / 6, rel=0.15)
