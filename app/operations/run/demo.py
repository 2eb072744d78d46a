"""The demo: a real load on its own scratch file, on the simulated bench."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.bench.file import default_bench
from app.campaign.phases.steering import Steering
from app.campaign.run.progress import Progress
from app.operations.run.run import RunResult, run_campaign
from app.operations.sessions.export import export_sessions
from app.operations.sessions.place import make_folder
from app.plan.campaign import Campaign, parse_campaign
from instruments.files.own_folder import OwnFolder
from resources import read_text


@dataclass(frozen=True, slots=True)
class DemoResult:
    """What the demo leaves: the run, and the files made from it."""

    run: RunResult
    files: tuple[Path, ...]


def demo_campaign() -> Campaign:
    """Get the demo campaign that ships with Bayscope."""
    return parse_campaign(read_text("campaigns", "demo.toml"), "demo.toml")


def run_demo(
    out: Path,
    *,
    campaign: Campaign | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    steering: Steering | None = None,
) -> DemoResult:
    """Run the demo and export its table and charts beside the session.

    The scratch file lies in its own folder within and is removed afterwards.
    """
    make_folder(out)
    with OwnFolder("demo-", out) as own:
        result = run_campaign(
            campaign or demo_campaign(),
            default_bench().with_target(own / "scratch.dat"),
            out,
            progress=progress,
            steering=steering,
        )
    progress(Progress("drawing the report", result.session))
    files = export_sessions([result.session], ["html", "png", "csv"], out)
    return DemoResult(result, tuple(files))
