"""The health of SAS links and paths: what it is now, and what changed in between."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from instruments.errors import BenchError
from instruments.sizes import counted
from instruments.tools.hosts import Host

_PHYS = "/sys/class/sas_phy"
_TIMEOUT_S = 10.0
COUNTERS = {
    "invalid_dword_count": "invalid dwords",
    "running_disparity_error_count": "disparity errors",
    "loss_of_dword_sync_count": "losses of sync",
    "phy_reset_problem_count": "reset problems",
}
"""The kernel's files of a phy that count errors, and what they count."""

# Files of a phy; what they say is such as "12.0 Gbit", or "Unknown".
_RATES = ("negotiated_linkrate", "maximum_linkrate")
_RATE = re.compile(r"(\d+(?:\.\d+)?) Gbit")
# A line of dmsetup status, and in it each path: its numbers, A (active) or F (failed),
# and how often it failed (kernel, dm-multipath).
_DM_LINE = re.compile(r"(\S+): \d+ \d+ multipath (.*)")
_DM_PATH = re.compile(r"\b\d+:\d+ ([AF]) \d+")


@dataclass(frozen=True, slots=True)
class Phy:
    """One end of a link.

    Attributes:
        rate: Negotiated rate in Gbit/s; None where the link is down.
        maximum: The most this phy can do, in Gbit/s; None where not known.
        errors: Counts since the phy was reset, by the kernel's name; one that cannot
            be read is excluded.
    """

    rate: float | None
    maximum: float | None
    errors: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_slow(self) -> bool:
        """Whether the link is up, but slower than this end could."""
        return bool(self.rate and self.maximum and self.rate < self.maximum)


@dataclass(frozen=True, slots=True)
class Paths:
    """The paths of one multipath device."""

    active: int
    failed: int


@dataclass(frozen=True, slots=True)
class SasHealth:
    """What links and paths look like at one moment.

    Attributes:
        phys: By the kernel's name, such as "phy-0:3", or "phy-0:1:12" of an expander.
        paths: By the name of the multipath device.
    """

    phys: Mapping[str, Phy] = field(default_factory=dict)
    paths: Mapping[str, Paths] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """Write it down, a line for each phy and device, for the record of a step."""
        lines = []
        for name, phy in self.phys.items():
            rate = (
                f"{phy.rate:g} of {_shown(phy.maximum)} Gbit/s" if phy.rate else "down"
            )
            errors = (f"{COUNTERS[key]} {count}" for key, count in phy.errors.items())
            lines.append(", ".join((f"{name}: {rate}", *errors)))
        for name, paths in self.paths.items():
            lines.append(
                f"{name}: {counted(paths.active, 'path')} active, {paths.failed} failed"
            )
        return lines


def read_sas_health(host: Host) -> SasHealth:
    """Look at all phys and multipath devices of a machine.

    Multipath devices need root; without it, or without any, there are none.

    Raises:
        BenchError: The host cannot be reached.
    """
    names = sorted(host.list_folder(_PHYS), key=_numbers)
    files = (*_RATES, *COUNTERS)
    asked = [f"{_PHYS}/{name}/{file}" for name in names for file in files]
    texts = host.read_many(asked, _TIMEOUT_S) if asked else {}
    phys = {
        name: _phy({file: texts[f"{_PHYS}/{name}/{file}"] or "" for file in files})
        for name in names
        # One that went away meanwhile is not a link that is down.
        if texts[f"{_PHYS}/{name}/{_RATES[0]}"] is not None
    }
    return SasHealth(phys, _read_paths(host))


def _phy(texts: Mapping[str, str]) -> Phy:
    errors = {key: int(texts[key]) for key in COUNTERS if texts[key].strip().isdigit()}
    negotiated, maximum = (_gigabits(texts[file]) for file in _RATES)
    return Phy(negotiated, maximum, errors)


def compare(before: SasHealth, after: SasHealth) -> list[str]:
    """Say what got worse, or just different, between two looks; empty for nothing.

    A counter that fell was reset meanwhile; its count since then is given.
    """
    lines: list[str] = []
    for name in sorted(before.phys.keys() | after.phys.keys(), key=_numbers):
        lines += _compare_phys(name, before.phys.get(name), after.phys.get(name))
    for name in sorted(before.paths.keys() | after.paths.keys()):
        old = before.paths.get(name, Paths(0, 0))
        new = after.paths.get(name, Paths(0, 0))
        if old != new:
            lines.append(
                f"{name}: active paths {old.active} before, {new.active} after; "
                f"failed {old.failed} before, {new.failed} after"
            )
    return lines


def _compare_phys(name: str, old: Phy | None, new: Phy | None) -> list[str]:
    if old is None or new is None:
        return [f"{name}: {'appeared' if old is None else 'is gone'}"]
    lines = []
    if old.rate != new.rate:
        lines.append(
            f"{name}: link {_shown(old.rate)} before, {_shown(new.rate)} after"
        )
    for key, count in new.errors.items():
        if key not in old.errors:
            continue
        growth = count - old.errors[key]
        if growth > 0:
            lines.append(f"{name}: {growth} {COUNTERS[key]}")
        elif growth < 0:
            lines.append(f"{name}: {COUNTERS[key]} reset, {count} since")
    return lines


def _read_paths(host: Host) -> dict[str, Paths]:
    words: Sequence[str] = ("dmsetup", "status", "--target", "multipath")
    try:
        done = host.run(words, _TIMEOUT_S)
    except BenchError:
        return {}  # no device mapper, so no multipath device
    paths = {}
    for line in done.stdout.splitlines() if done.code == 0 else ():
        if device := _DM_LINE.match(line):
            states = _DM_PATH.findall(device[2])
            paths[device[1]] = Paths(states.count("A"), states.count("F"))
    return paths


def _gigabits(text: str) -> float | None:
    """Read a rate such as "12.0 Gbit"; others say that the link is down."""
    rate = _RATE.match(text.strip())
    return float(rate[1]) if rate else None


def _shown(rate: float | None) -> str:
    return "down" if rate is None else f"{rate:g}"


def _numbers(name: str) -> list[tuple[int, str]]:
    """Sort "phy-0:10" after "phy-0:9"."""
    parts = re.findall(r"\d{1,18}|\D+", name)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]
