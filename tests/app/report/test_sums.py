"""How a peak and a latency of a part of a load are made of their samples."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.analysis.load_part import part_results
from app.analysis.results import step_results
from app.analysis.samples import samples_of
from app.operations.sessions.explaining import explain_text
from app.record.store import Result, Session, Writer
from app.report.explain import explain
from app.report.sums import sums_of
from instruments.reading import SECOND, Channel, Identity
from tests.session_info import session_info

START = 100 * SECOND
WINDOW = (START, START + 10 * SECOND)
TENTH = SECOND // 10


@pytest.mark.parametrize("name", ["power_peak_w", "startup_peak_500ms_w"])
def test_a_peak_shows_the_readings_it_is_the_mean_of(tmp_path: Path, name: str) -> None:
    path = pulsed(tmp_path)
    with Session.open(path) as session:
        found = explain(session, "Read", "power_peak_w")
        samples = [replace(one) for one in found.samples]
        [peak] = sums_of(session, name, samples, WINDOW)
    assert (peak.formula, peak.value) == ("(P1 + P2 + ... + P5) / n", 800)
    assert peak.figures == "(700 + 750 + ... + 900) / 5"
    assert found.value == 800
    assert f"= {peak.figures} = 800.0\n" in explain_text(path, "Read", "power_peak_w")


def pulsed(folder: Path) -> Path:
    """Record 300 W, and for half a second 700 to 900 W."""
    writer = Writer.create(folder / "s.bayscope", session_info())
    who = Identity("", "", "", "", "")
    writer.add_source("mains", "power", "hmc8015", who, "")
    step = writer.add_step(1, "Read", "idle", 'label = "Read"\n')
    writer.update_step(step, window_start_ns=WINDOW[0], window_end_ns=WINDOW[1])
    watts = np.full((104, 1), 300.0)
    watts[50:55, 0] = np.arange(700, 950, 50)
    power = Channel("mains", "P", "W", period_ns=TENTH)
    times = START + TENTH * np.arange(-1, 103)
    writer.append_trace((power,), times, times, watts)
    writer.commit()
    with Session.open(writer.path) as session:
        found = step_results(session, WINDOW)
    for result in (*found, Result("duration_s", 10.0, "s", *WINDOW, 1, 1)):
        writer.result(step, replace(result, formulas=4, u_scatter=None))
    writer.finish()
    return writer.path


def test_a_value_by_an_earlier_uncertainty_is_still_shown_with_its_sum(
    tmp_path: Path,
) -> None:
    with Session.open(pulsed(tmp_path)) as session:
        found = explain(session, "Read", "power_peak_w")
    assert found.sums[-1].value == found.value


@pytest.mark.parametrize("did", [("read",), ("read", "write")])
def test_a_latency_of_a_part_shows_its_documents(
    tmp_path: Path, did: tuple[str, ...]
) -> None:
    """Of reads 100, 200 ... a second that took 1, 2 ... ms, and so on of writes."""
    writer = Writer.create(tmp_path / "s.bayscope", session_info())
    writer.introduce_load("fio")
    half = SECOND // 2
    ends = START + half * np.arange(1, 21)
    for number, way in enumerate(did, 1):
        count = number * 100.0 * np.arange(1, 21)
        channels = tuple(
            Channel("fio", f"{way}_{what}", unit, period_ns=half)
            for what, unit in (("iops", "1/s"), ("lat", "s"))
        )
        values = np.column_stack((count, number * np.arange(1, 21) / 1000))
        writer.append_trace(channels, ends - half, ends, values)
    writer.commit()
    part = START + half, START + 10 * half
    told = [
        Result(name, 9.0, "", START, int(ends[-1]), 1, 1, "fio")
        for name in ("latency_mean_ms", *(f"{way}_iops" for way in did))
    ]
    with Session.open(writer.path) as session:
        whole = (START, int(ends[-1]))
        found = part_results(session, "fio", whole, part, told, outputs={})
        one = next(r for r in found if r.name == "latency_mean_ms")
        samples = [samples_of(session, c, part) for c in one.channels]
        sums = sums_of(session, one.name, samples, part)
    assert one.value is not None
    assert sums[-1].value == one.value
    assert len(sums) == (1 if len(did) == 1 else 3)
    assert sums[0].figures == "(100 x 2 ms + 150 x 3 ms + ... + 500 x 10 ms) / 2700"
    assert sums[0].formula == "(n1 x L1 + n2 x L2 + ... + n9 x L9) / n"
