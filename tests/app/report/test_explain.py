"""What a cell was made of, where that is not what its column usually is."""

from pathlib import Path

import numpy as np
import pytest

from app.analysis.results import step_results
from app.operations.sessions.explaining import explain_text, explained
from app.record.store import Result, Session, Writer
from app.report.chart.plot import plots_of
from app.report.explain import explain
from instruments.reading import SECOND, Channel, Identity
from tests.session_info import session_info

START = 100 * SECOND
WINDOW = (START, START + 10 * SECOND)
TENTH = SECOND // 10


def recorded(folder: Path, measures: str, lacking: int) -> Path:
    """Record 360 W for 10 s, of which some readings lack, and the integrator's."""
    writer = Writer.create(folder / "s.bayscope", session_info())
    who = Identity("", "", "", "", "")
    writer.add_source("mains", "power", "hmc8015", who, "", measures=measures)
    step = writer.add_step(1, "Read", "idle", 'label = "Read"\n')
    writer.update_step(step, window_start_ns=WINDOW[0], window_end_ns=WINDOW[1])
    times = START + TENTH * np.arange(-1, 103)
    counted = (1 + np.arange(-1, 103) / 100).reshape(-1, 1)
    energy = Channel("mains", "Wh", "Wh", period_ns=TENTH)
    writer.append_trace((energy,), times, times, counted)
    watts = np.full((104, 1), 360.0)
    watts[40 : 40 + lacking] = np.nan
    power = Channel("mains", "P", "W", period_ns=TENTH)
    writer.append_trace((power,), times, times, watts)
    writer.commit()
    with Session.open(writer.path) as session:
        found = step_results(session, WINDOW)
    for result in (*found, Result("duration_s", 10.0, "s", *WINDOW, 1, 1)):
        writer.result(step, result)
    writer.finish()
    return writer.path


@pytest.mark.parametrize(
    ("measures", "name"), [("dut", "power_w"), ("switch", "switch.power_w")]
)
def test_power_that_is_energy_over_time_shows_its_energy(
    tmp_path: Path, measures: str, name: str
) -> None:
    path = recorded(tmp_path, measures, lacking=10)
    with Session.open(path) as session:
        found = explain(session, "Read", name)
    energy = name.replace("power_w", "energy_wh")
    assert found.formula == (energy, "x 3600 /", "duration_s")
    assert found.value == pytest.approx(found.figures[energy] * 360)
    assert [part.channel.name for part in found.samples] == ["mains.Wh", "mains.P"]
    assert f"{energy} x 3600 / duration_s" in explain_text(path, "Read", name)


def test_times_count_from_where_the_charts_begin(tmp_path: Path) -> None:
    path = recorded(tmp_path, "dut", lacking=0)  # its first sample came after 99.9 s
    assert "from 100.000 s to 110.000 s" in explain_text(path, "Read", "power_w")
    first = explained(path, "Read", "power_w").samples.splitlines()[0]
    assert float(first.split()[0]) == 100.0
    with Session.open(path) as session:
        [plot] = [one for one in plots_of(session, 100) if "Active" in one.title]
    assert plot.curves[0].line.x[0] == pytest.approx(99.9)


def test_power_that_was_read_is_of_its_readings(tmp_path: Path) -> None:
    path = recorded(tmp_path, "dut", lacking=0)
    with Session.open(path) as session:
        found = explain(session, "Read", "power_w")
    assert found.formula == ()
    assert [part.channel.name for part in found.samples] == ["mains.P"]
