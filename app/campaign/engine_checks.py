"""Before the start: are the engines of a campaign there, and do they fit the target."""

from collections.abc import Callable, Mapping

from app.campaign.preflight import check_fio
from app.plan.campaign import Campaign
from instruments.errors import BenchError
from workloads import iozone, vdbench
from workloads.engines import LOADS

_PROGRAMS: Mapping[str, Callable[[], str]] = {
    "iozone": iozone.program,
    "vdbench": vdbench.program,
}


def check_engines(campaign: Campaign) -> dict[str, BenchError]:
    """Check that the program of every engine in a campaign is there.

    Returns:
        What is wrong, by engine: its steps will end with ERROR, the others can be
        measured.

    Raises:
        BadInput: fio refuses a job; names the step and fio's reason.
    """
    troubles: dict[str, BenchError] = {}
    trouble = check_fio(campaign)
    if trouble is not None:
        troubles["fio"] = trouble
    for engine in {step.engine for _, step in campaign.runs} & _PROGRAMS.keys():
        try:
            _PROGRAMS[engine]()
        except BenchError as error:
            troubles[engine] = error
    return troubles


def needs_target(campaign: Campaign, troubles: Mapping[str, BenchError]) -> bool:
    """Tell whether any step whose engine is there runs on the target."""
    engines = {step.engine for _, step in campaign.runs} - troubles.keys()
    return any(LOADS[name].on_target for name in engines & LOADS.keys())
