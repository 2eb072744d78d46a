"""The pre-flight as a whole: everything is looked at, nothing is written."""

import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from app.bench.build import build_host
from app.bench.model import Bench
from app.operations.bench.check import check_bench
from app.operations.bench.in_time import Job, in_time
from app.operations.bench.switch_check import check_switches
from app.operations.preflight.finding import Finding, Level, warn
from app.operations.preflight.fio_jobs import check_fio_jobs
from app.operations.preflight.hosts import check_load_hosts
from app.operations.preflight.interlocks import (
    check_cold_starts,
    check_interlocks,
)
from app.operations.preflight.machine import check_machine
from app.operations.preflight.phases import check_phases
from app.operations.preflight.plan import check_campaign, check_end
from app.operations.preflight.sources import (
    check_background,
    check_calibration,
    check_limits,
    check_ranges,
    check_room,
    check_sources,
)
from app.operations.preflight.switches import check_switches_used
from app.operations.preflight.target import (
    check_caches,
    check_foreign,
    check_space,
    existing,
)
from app.plan.campaign import Campaign
from instruments.errors import BenchError

MACHINE_S = 30.0
"""Longest look at one machine."""


def preflight(
    campaign: Campaign,
    bench: Bench,
    out: Path,
    *,
    without: Sequence[str] = (),
    erase: Sequence[str] = (),
    beside: Path | None = None,
    progress: Callable[[str], None] = lambda _: None,
    cancel: threading.Event | None = None,
) -> list[Finding]:
    """Look whether a campaign on this bench will give a valid result.

    Args:
        campaign: The plan.
        bench: What is connected; its simulator is started where it wants one.
        out: Folder of the session file.
        without: Names of sources the run may start without.
        erase: Buckets that were named to be erased.
        beside: Folder of the campaign's file, for its pictures; None looks for none.
        progress: Takes what is looked at.
        cancel: Set by the caller to look at less.

    Returns:
        One line a thing, the worst first.

    Raises:
        BenchError: The simulator did not start.
    """
    cancel = cancel or threading.Event()
    progress("the plan")
    found = check_campaign(campaign, bench, without, erase)
    progress("the fio jobs")
    found += check_fio_jobs(campaign, bench)
    found += check_end(campaign, datetime.now().astimezone())
    found += check_space(out, campaign)
    found += check_caches(bench, campaign)
    progress("the disk of the target")
    found += check_foreign(bench, cancel)
    found += check_load_hosts(campaign, bench, without)
    checks = check_bench(bench, progress)
    found += check_sources(checks, without)
    found += check_ranges(checks, campaign)
    found += check_calibration(checks)
    found += check_background(bench, campaign)
    found += check_limits(checks, campaign)
    found += check_phases(campaign, bench, checks, beside)
    found += check_switches_used(check_switches(bench, progress), campaign)
    found += check_room(checks, bench.dut.ambient)
    interlocks = (*bench.interlocks, *campaign.interlocks)
    found += check_interlocks(interlocks, bench, checks, existing(out))
    found += check_cold_starts(interlocks, bench, campaign)
    found += _machines(bench, progress, cancel)
    order = (Level.STOP, Level.WARN, Level.OK)
    return sorted(found, key=lambda one: order.index(one.level))


def _machines(
    bench: Bench, progress: Callable[[str], None], cancel: threading.Event
) -> list[Finding]:
    names = ["", *(s.name for s in bench.sources if s.driver.name == "ssh")]

    def job(name: str) -> Job[list[Finding]]:
        def act() -> list[Finding]:
            host = build_host(bench, name)
            try:
                return check_machine(host)
            finally:
                host.close()

        return Job(name or "this machine", act)

    jobs = [job(name) for name in names]
    found: list[Finding] = []
    looks = in_time(jobs, MACHINE_S, progress, cancel=cancel)
    for one, told in zip(jobs, looks, strict=True):
        if isinstance(told, BenchError):
            found.append(warn("Machines", f"{one.name}: {told}"))
        else:
            found += told
    return found
