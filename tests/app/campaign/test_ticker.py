import threading
from pathlib import Path

from app.campaign.progress import Progress
from app.campaign.ticker import Ticker
from app.plan.campaign import Campaign
from app.plan.step import Step
from app.record.clock import SystemClock

CAMPAIGN = Campaign(
    "x", "", (Step("a", "idle", runtime_s=10), Step("b", "idle", runtime_s=30))
)


def test_progress_counts_what_is_behind_and_ahead() -> None:
    seen: list[Progress] = []
    twice = threading.Event()

    def note(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) == 2:
            twice.set()

    with Ticker(CAMPAIGN, Path("x"), SystemClock(), note).step(1):
        assert twice.wait(10)
    for progress in seen:
        assert (progress.step, progress.steps, progress.label) == (2, 2, "b")
        assert 0.25 <= progress.fraction < 0.5
        assert 20 < progress.remaining_s <= 30
        assert progress.session == Path("x")
    assert seen[-1].t_ns > seen[0].t_ns
