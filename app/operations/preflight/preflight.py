"""The pre-flight as a whole: everything is looked at, nothing is written."""

import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from app.bench.build import build_host
from app.bench.load_places import ENGINES
from app.bench.model import Bench
from app.campaign.checks import check_engines, check_plan
from app.campaign.phases.command import lacking_of_commands
from app.operations.bench.check import SourceCheck, check_bench
from app.operations.bench.in_time import Job, in_time
from app.operations.bench.load_hosts import tell_hosts
from app.operations.bench.switch_check import check_switches
from app.operations.editing.fio_check import StepFinding, find_in_steps
from app.operations.preflight.finding import Finding, Help, Level, ok, stop, warn
from app.operations.preflight.machine import check_machine
from app.operations.preflight.phases import check_phases
from app.operations.preflight.sources import (
    check_background,
    check_calibration,
    check_limits,
    check_ranges,
    check_room,
    check_sources,
    check_switches_used,
)
from app.operations.preflight.target import (
    check_arming,
    check_caches,
    check_foreign,
    check_space,
    existing,
)
from app.plan.campaign import Campaign
from app.plan.interlocks import Interlock
from instruments.durations import clock_text
from instruments.errors import BadInput, BenchError
from instruments.sizes import counted, describe_size
from workloads.engines import LOADS


def check_campaign(
    campaign: Campaign, bench: Bench, without: Sequence[str], erase: Sequence[str]
) -> list[Finding]:
    """Say what keeps the campaign from starting, and which programs are missing."""
    if lacking := lacking_of_commands(campaign, bench):
        return [stop("Plan", str(error), Help.CAMPAIGN) for error in lacking]
    try:
        check_plan(campaign, bench, without)
        troubles = check_engines(campaign, erase, is_use=False)
    except BenchError as error:
        return [stop("Plan", str(error), Help.CAMPAIGN)]
    missing = [str(error) for error in troubles.values()]
    if missing:
        return [stop("Plan", text, Help.CAMPAIGN) for text in missing]
    return [ok("Plan", f"{counted(len(campaign.runs), 'step')}, all programs found")]


def check_end(campaign: Campaign, now: datetime) -> list[Finding]:
    """Say when the campaign will have ended."""
    end = now + timedelta(seconds=campaign.duration_s)
    day = "" if end.date() == now.date() else f" on {end:%A, %d %B}"
    end_text = f"about {end:%H:%M}{day}, in {clock_text(campaign.duration_s)}"
    asking = [label for label, step in campaign.runs if step.asks]
    if asking:
        text = f"{end_text}, and the time to answer {counted(len(asking), 'prompt')}"
        return [ok("Estimated end", text)]
    return [ok("Estimated end", end_text)]


IDLE_ONLY = ("smart",)
"""Drivers that by default leave drives alone while a load runs."""


def check_interlocks(
    interlocks: Sequence[Interlock],
    bench: Bench,
    checks: Sequence[SourceCheck],
    folder: Path,
) -> list[Finding]:
    """Say which interlocks watch nothing, nothing under load, or trip as it is now."""
    found = [
        stop(
            "Interlocks",
            f"{interlock.name} would pause the run at once: {why}",
            Help.CAMPAIGN,
        )
        for interlock in interlocks
        for why in _tripped(interlock, checks, folder)
    ]
    for interlock in interlocks:
        found += _blind(interlock, bench, checks)
    if interlocks and not found:
        found.append(ok("Interlocks", f"{len(interlocks)} watch the run"))
    if not interlocks:
        text = "none: nothing pauses the run when drives get hot or a meter is lost"
        found.append(warn("Interlocks", text, Help.CAMPAIGN))
    return found


def _blind(
    interlock: Interlock, bench: Bench, checks: Sequence[SourceCheck]
) -> Iterator[Finding]:
    """Say where an interlock watches nothing, or nothing while a load runs."""
    channels = [channel for check in checks for channel, _, _ in check.values]
    sources = [c.source for c in channels if interlock.watches(c.name)]
    needed = map(interlock.needs, (source.name for source in bench.sources))
    if (interlock.lost and not any(needed)) or (interlock.channels and not sources):
        watched = ", ".join(interlock.lost or interlock.channels)
        text = f"{interlock.name} watches {watched}, which is not there"
        yield stop("Interlocks", text, Help.CAMPAIGN)
    if sources and _idle_only(bench).issuperset(sources):
        text = (
            f"{interlock.name} is blind while a load runs: {sources[0]} does "
            "not read drives then; add a source that does, such as drives or hwmon"
        )
        yield stop("Interlocks", text, Help.BENCH, sources[0])


def _idle_only(bench: Bench) -> set[str]:
    return {
        source.name
        for source in bench.sources
        if source.driver.name in IDLE_ONLY and not source.keys.get("under_load")
    }


def check_cold_starts(
    interlocks: Sequence[Interlock], bench: Bench, campaign: Campaign
) -> list[Finding]:
    """Say which interlocks a cold start would trip by taking the power away.

    What is lost or low because the device is off does not come back by itself: the
    step would be held, with the device off, until the interlock gives up.
    """
    starts = [label for label, step in campaign.runs if step.engine == "startup"]
    if not starts:
        return []
    findings = []
    for interlock in interlocks:
        if not (what := _lost_with_power(interlock, bench)):
            continue
        text = (
            f'{interlock.name} may hold "{starts[0]}" with the device off: {what} '
            "while it has no power; watch the meter, or values that are too high"
        )
        findings.append(warn("Interlocks", text, Help.CAMPAIGN))
    return findings


def _lost_with_power(interlock: Interlock, bench: Bench) -> str:
    """Say what trips an interlock once the device has no power; "" for nothing."""
    for source in bench.sources:
        if source.section == "thermal" and interlock.needs(source.name):
            return f"{source.name} is lost"
    return "" if interlock.below is None else f"values are {interlock.limit}"


def _tripped(
    one: Interlock, checks: Sequence[SourceCheck], folder: Path
) -> Iterator[str]:
    """Say what is beyond an interlock's threshold already."""
    bad = [
        (channel, value)
        for check in checks
        for channel, value, status in check.values
        if status.is_value and one.watches(channel.name) and one.trips_at(value)
    ]
    if bad:
        (channel, value), more = bad[0], len(bad) - 1
        also = f" (and {more} more)" if more else ""
        unit = channel.unit.replace("degC", "°C")
        yield f"{channel.name} is {value:.4g} {unit}, {one.limit}{also}"
    if one.disk_free:
        free = shutil.disk_usage(folder).free
        if free < one.disk_free:
            wanted = describe_size(one.disk_free)
            yield f"{describe_size(free)} are free in {folder}, below {wanted}"


_TOPIC = "Load hosts"


def check_load_hosts(
    campaign: Campaign, bench: Bench, without: Sequence[str]
) -> list[Finding]:
    """Say which load host cannot be used, and which steps do not run on any."""
    if bench.load is None:
        return []
    found = [
        stop(_TOPIC, f"{label}: {step.engine} does not run on them", Help.CAMPAIGN)
        for label, step in campaign.runs
        if step.engine in LOADS and step.engine not in ENGINES
    ]
    try:
        lines = tell_hosts(bench.without_hosts(without)).splitlines()
    except BenchError as error:
        return [*found, stop(_TOPIC, str(error), Help.BENCH)]
    return [*found, ok(_TOPIC, f"{len(lines)} answer: {'; '.join(lines)}")]


TOPIC = "fio jobs"


def check_fio_jobs(campaign: Campaign, bench: Bench) -> list[Finding]:
    """Say what of the fio jobs would fail, measure something else, or do nothing.

    Returns:
        One line a thing, whichever steps have it; nothing without a fio step.
    """
    jobs = [row for row, step in campaign.runs if step.engine == "fio"]
    if not jobs:
        return []
    try:
        found = find_in_steps(campaign, bench)
    except BadInput as error:
        return [stop(TOPIC, str(error), Help.TARGET)]
    rows = counted(len(jobs), "step")
    return _by_sentence(found) or [ok(TOPIC, f"{rows}, fio takes every job")]


def _by_sentence(found: Sequence[StepFinding]) -> list[Finding]:
    """Say what steps have in common once, with the first of them."""
    labels_of: dict[tuple[str, bool], dict[str, None]] = {}
    for one in found:
        quote = f"{one.finding.quote}: " if one.finding.quote else ""
        key = (f"{quote}{one.sentence}", one.finding.decide)
        labels_of.setdefault(key, {})[one.label] = None
    lines = []
    for (sentence, decide), labels in labels_of.items():
        more = f" and {len(labels) - 1} more" if len(labels) > 1 else ""
        text = f"{next(iter(labels))}{more}: {sentence}"
        lines.append((stop if decide else warn)(TOPIC, text, Help.CAMPAIGN))
    return lines


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
    found += check_arming(bench, campaign)
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
    findings: list[Finding] = []
    looks = in_time(jobs, MACHINE_S, progress, cancel=cancel)
    for one, look in zip(jobs, looks, strict=True):
        if isinstance(look, BenchError):
            findings.append(warn("Machines", f"{one.name}: {look}"))
        else:
            findings += look
    return findings
