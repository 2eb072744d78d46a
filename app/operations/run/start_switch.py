"""Switching a device for its start-up: what the bench allows, written down as done."""

from collections.abc import Callable

from app.bench.build import build_switch
from app.bench.model import Bench
from app.campaign.phases.startup import Switcher
from app.operations.bench.switching import act
from app.plan.campaign import Campaign
from app.plan.startup import check_startup
from app.record.recorder import Recorder
from instruments.errors import BadInput
from instruments.settings import did_you_mean
from instruments.switch.base import OFF, ON


def check_start_switches(campaign: Campaign, bench: Bench) -> None:
    """Check that the bench lets start-up steps switch; nothing is switched.

    Raises:
        BadInput: There is no such switch or source, or it may not be switched on and
            off.
    """
    starts = [
        (label, check_startup(step.options))
        for label, step in campaign.runs
        if step.engine == "startup"
    ]
    for _, start in starts:
        for action in (OFF, ON) if start.switch else ():
            build_switch(bench, start.switch).check(action)
    names = sorted({source.name for source in bench.sources})
    for label, start in starts:
        if start.ready and start.ready not in names:
            raise BadInput(
                f'there is no source "{start.ready}" that could report when it is '
                f"ready{did_you_mean(start.ready, names)}",
                where=f'step "{label}"',
                way_out=f"The bench has {', '.join(names) or 'none'}.",
            )


def start_switcher(bench: Bench, recorder: Recorder) -> Switcher:
    """Make what switches in a run, with the journal of its session."""

    def switch(
        name: str, action: str, place: str, confirm: Callable[[str], bool]
    ) -> str:
        done = act(bench, name, action, place, confirm=confirm, recorder=recorder)
        return done.answer

    return switch
