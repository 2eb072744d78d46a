"""Sweeps over a size in several sessions: where one device overtakes the other."""

import re
from collections.abc import Iterator, Mapping, Sequence

from app.analysis.crossing import SIZES, Crossing, crossings
from app.plan.campaign import parse_campaign
from app.plan.step import Step
from instruments.errors import BenchError
from workloads.sizes import describe_size, parse_size

_MOST_POINTS = 2
"""Courses that cross more often are taken for alike."""

Sweeps = Mapping[str, Mapping[int, str]]
"""Labels of rows by size in bytes, by the name of the sweep."""

Rows = Sequence[Mapping[str, object]]


def sweeps_over_sizes(campaign: str) -> Sweeps:
    """Find the sweeps over a size of a stored campaign; none where it has none.

    One that has further axes counts as one for each of their points.
    """
    try:
        steps = parse_campaign(campaign, "the campaign of the session").steps
    except BenchError:
        return {}
    found: dict[str, dict[int, str]] = {}
    for step in steps:
        for name, size, label in _points(step):
            found.setdefault(name, {})[size] = label
    return {name: labels for name, labels in found.items() if len(labels) > 1}


def _points(step: Step) -> Iterator[tuple[str, int, str]]:
    """Yield of each point its series, its size in bytes, and its row."""
    if not step.enabled or step.sweep is None or step.repeat != 1:
        return
    option = next((a.option for a in step.sweep.axes if a.option in SIZES), None)
    if option is None:
        return
    base = re.sub(r"\s+(?=,)", "", step.label.replace(f"{{{option}}}", "")).strip(" ,")
    for point in step.sweep.points(step.label):
        name = base
        for key, value in point.options.items():
            if key == option:
                continue
            place = f"{{{key}}}"
            given = place in name
            name = name.replace(place, value) if given else f"{name} {key} {value}"
        yield name.strip(), parse_size(point.options[option]), point.label


def crossing_sentences(sweeps: Sequence[Sweeps], tables: Sequence[Rows]) -> list[str]:
    """Say of each sweep that two sessions share which is the faster one at what size.

    The first session is compared with each of the others, by bandwidth; IOPS are that
    over the size, and cross at the same point.
    """
    values = [
        {
            str(row["step"]): float(rate)
            for row in table
            if isinstance(rate := row.get("bandwidth_mb_s"), int | float)
        }
        for table in tables
    ]
    found = []
    for number in range(1, len(sweeps)):
        letter = chr(ord("A") + number)
        for name, labels in sweeps[0].items():
            own = _course(labels, values[0])
            other = _course(sweeps[number].get(name, {}), values[number])
            shared = sorted(own.keys() & other.keys())
            if len(shared) > 1:
                told = _told(crossings(own, other), own, other, letter)
                found.append(f"{name}: {told}")
    return found


def _course(labels: Mapping[int, str], values: Mapping[str, float]) -> dict[int, float]:
    return {size: values[label] for size, label in labels.items() if label in values}


def _told(
    points: Sequence[Crossing],
    own: Mapping[int, float],
    other: Mapping[int, float],
    letter: str,
) -> str:
    if len(points) > _MOST_POINTS:
        first, last = describe_size(points[0].size), describe_size(points[-1].size)
        return (
            f"A and {letter} cross {len(points)} times from {first} to {last}, so "
            "neither is the faster one throughout"
        )
    if points:
        return "; ".join(
            f"A and {letter} are equally fast at about {describe_size(one.size)} "
            f"(between {describe_size(one.below)} and {describe_size(one.above)}), "
            f"above it {letter if one.second_leads else 'A'} is faster"
            for one in points
        )
    shared = sorted(own.keys() & other.keys())
    total = sum(other[size] - own[size] for size in shared)
    span = f"from {describe_size(shared[0])} to {describe_size(shared[-1])}"
    if total == 0:
        return f"A and {letter} are equally fast {span}"
    return f"{letter if total > 0 else 'A'} is faster at every size {span}"
