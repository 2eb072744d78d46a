"""The rules: why a disk must not be written to, and what can be overruled."""

from collections.abc import Callable
from dataclasses import dataclass

from workloads.guard.disk import Findings


@dataclass(frozen=True, slots=True)
class Objection:
    """One reason not to write to a disk.

    Attributes:
        rule: Short name of the rule, for tables and tests.
        sentence: What is wrong, for a person.
        word: What has to be typed to overrule it, "" where nothing does.
    """

    rule: str
    sentence: str
    word: str = ""


def objections(found: Findings) -> list[Objection]:
    """Apply every rule to what was found on the machine that would write.

    An empty list is a safe target.
    """
    against = []
    for rule, judge in RULES.items():
        sentence = judge(found)
        if sentence:
            against.append(Objection(rule, sentence))
    if found.blind:  # What is certain comes first.
        why = ", and ".join(dict.fromkeys(found.blind))
        against.append(Objection("unseen", f"it cannot be judged: {why}"))
    for signature in found.signatures:
        label = f" ({signature.label})" if signature.label else ""
        sentence = f"there is {signature.type}{label} on {signature.device}"
        against.append(Objection("signature", sentence, word=signature.type))
    return against


def _twin(found: Findings) -> str:
    if found.multipath or not found.twins:
        return ""
    are = "is another path" if len(found.twins) == 1 else "are other paths"
    return (
        f"{_some(found.twins)} {are} to the same disk; set up multipath and name its "
        "device"
    )


def _alike(found: Findings) -> str:
    if found.multipath or found.twins or not found.alike:
        return ""
    names = tuple(f"{name} ({why})" for name, why in found.alike.items())
    return (
        f"it cannot be told from {_some(names)}: end that use, or make a "
        "partition table on one of them and check whether the other has it, too, or "
        "pull one and check whether both go"
    )


def _some(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:3])
    return shown + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _when(condition: object, sentence: str) -> str:
    return sentence if condition else ""


RULES: dict[str, Callable[[Findings], str]] = {
    "partition": lambda f: _when(
        not f.disk.is_whole, f"{f.disk.name} is a {f.disk.type} and no whole disk"
    ),
    "empty": lambda f: _when(f.disk.identity.size <= 0, "it has no capacity"),
    "read-only": lambda f: _when(f.disk.read_only, "it is read-only"),
    "system": lambda f: _when(f.is_system, "the running system stands on it"),
    "mounted": lambda f: _when(f.mounts, f"it is mounted at {_some(f.mounts)}"),
    "swap": lambda f: _when(f.swaps, f"{_some(f.swaps)} is swap space in use"),
    "zfs": lambda f: _when(
        f.pools, f"the ZFS pool {_some(f.pools)} is imported from it"
    ),
    "multipath": lambda f: _when(
        f.multipath,
        f"it is one path of the multipath device {f.multipath}; name that instead",
    ),
    "twin": _twin,
    "alike": _alike,
    "holder": lambda f: _when(f.holders, f"{_some(f.holders)} is built on it"),
    "open": lambda f: _when(f.writers, f"{_some(f.writers)} has it open for writing"),
    "busy": lambda f: _when(
        f.busy and not f.is_used, f"something else has it in use ({f.busy})"
    ),
}
"""Rules that nothing overrules, in the order in which they are said."""
