"""How a load on several hosts ended: of each of them, and as a whole."""

import json
from collections.abc import Mapping, Sequence

from workloads.base import (
    Artefact,
    End,
    LoadCause,
    LoadOutcome,
    LoadResult,
)
from workloads.hosts.clocks import EVIDENCE
from workloads.hosts.site import Site

_RANK = (
    LoadOutcome.DONE,
    LoadOutcome.FAILED,
    LoadOutcome.DEVICE_FAILED,
    LoadOutcome.STOPPED,
)
_COMMON = 0.9
"""Share of the longest window that all hosts should have in common."""


def judged(sites: Sequence[Site], results: Mapping[str, LoadResult]) -> End:
    """Judge a load by its hosts: the worst counts, and a host that was lost is a fault.

    The results of the others are kept, and the reason says whose they are.
    """
    ends = []
    for site in sites:
        if (result := results.get(site.name)) is None:
            what = f"{site.name} was lost: {site.trouble.rstrip('.')}"
            ends.append(End(LoadCause.HOST, what))
        elif result.cause:
            ends.append(End(result.cause, f"{site.name}: {result.reason}"))
    reasons = [end.reason for end in ends]
    if results and len(results) < len(sites):
        reasons.append(f"the results are those of {', '.join(results)} alone")
    worst = max(ends, key=lambda end: _RANK.index(end.cause.outcome), default=End())
    return End(worst.cause, "; ".join(reasons))


def common_window(results: Mapping[str, LoadResult]) -> tuple[int, int] | None:
    """Get the time in which all hosts that came to their end measured."""
    windows = [
        result.window for result in results.values() if result.window is not None
    ]
    if not windows:
        return None
    start = max(window[0] for window in windows)
    end = min(window[1] for window in windows)
    return (start, end) if end > start else None


def skew_warning(results: Mapping[str, LoadResult]) -> str:
    """Say that hosts began far apart, "" where nearly all of their time is common."""
    windows = [
        result.window for result in results.values() if result.window is not None
    ]
    common = common_window(results)
    longest = max((end - start for start, end in windows), default=0)
    length = common[1] - common[0] if common else 0
    if not windows or length >= _COMMON * longest:
        return ""
    starts = [start for start, _ in windows]
    apart = max(starts) - min(starts)
    return (
        f"the hosts began {apart / 1e9:.1f} s apart, so that only "
        f"{length / 1e9:.1f} of {longest / 1e9:.1f} s are common: give a ramp or a "
        "longer runtime"
    )


def evidence(sites: Sequence[Site], results: Mapping[str, LoadResult]) -> Artefact:
    """Make the artefact that tells of each host; call it after the last clock."""
    windows = {name: one.window for name, one in results.items() if one.window}
    first = min((window[0] for window in windows.values()), default=0)
    table = {}
    for site in sites:
        facts = site.facts()
        if window := windows.get(site.name):
            facts["window_ns"] = list(window)
            facts["started_after_the_first_ns"] = window[0] - first
        if site.lost_ns and first:
            facts["lost_after_s"] = round((site.lost_ns - first) / 1e9, 1)
        table[site.name] = facts
    return hosts_artefact(table)


def hosts_artefact(table: Mapping[str, Mapping[str, object]]) -> Artefact:
    """Make the artefact of what is known of each host, whatever the engine."""
    text = json.dumps(table, indent=1, ensure_ascii=False)
    return Artefact(EVIDENCE, "application/json", text.encode())
