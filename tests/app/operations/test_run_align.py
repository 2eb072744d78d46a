"""An alignment step in a real run: fio's bursts, and a meter that is late by design."""

from pathlib import Path

import pytest

from app.operations.run.run import run_campaign
from app.operations.sessions.showing import show_text
from app.plan.verdict import Verdict
from app.record.store import Session
from instruments.simulated.lag import Lags
from instruments.simulated.process import SimulatorProcess
from tests.app.operations.benches import bench_at, campaign

LAG_S = 0.7
OWN_S = 0.3
"""About what the simulated meter is late by itself: its tick and its averaging."""

TEXT = """
name = "Clap"
[[step]]
label = "Before"
engine = "idle"
runtime = "1s"
[[step]]
label = "Clap"
engine = "align"
[step.align]
bursts = 4
rate_iops = 900
"""


@pytest.mark.slow
@pytest.mark.serial
def test_a_late_meter_is_moved_and_slow_sources_are_refused_by_name(
    tmp_path: Path, own_disk: Path
) -> None:
    lags = Lags(power=LAG_S)
    with SimulatorProcess(speedup=50, target=own_disk, lags=lags) as running:
        ready = bench_at(running, own_disk)
        result = run_campaign(campaign(TEXT), ready, tmp_path / "out")
    with Session.open(result.session) as session:
        events = [e.message for e in session.events() if e.source == "alignment"]
        assert result.verdict is Verdict.PASS, events
        [row] = session.offsets()
        assert row.source == "mains"
        assert row.offset_ns == pytest.approx(-(LAG_S + OWN_S) * 1e9, abs=150e6)
        assert any(
            "enclosure has no offset: it has one value in 1 s" in e for e in events
        )
        assert any("noise" in event and "no offset" in event for event in events)
        clap = session.steps()[1]
        assert clap.reason.startswith("mains.P: -")
        [kept] = [a for a in session.artefacts() if a.name == "alignment.txt"]
        assert kept.step_id == clap.id
    text = show_text(result.session)
    assert "Time: readings of mains are moved by -" in text
    assert "Before came before the alignment step" in text
