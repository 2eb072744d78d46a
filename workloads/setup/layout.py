"""How the disks of a pool stand together: "raidz2 10 x 6 log mirror 2 spare 1"."""

import re
from collections.abc import Sequence

from instruments.errors import OptionError

KINDS = {"mirror": 2, "raidz": 2, "raidz1": 2, "raidz2": 3, "raidz3": 4}
"""Kinds of groups, and how many disks each has at least (zpoolconcepts(7))."""

CLASSES = ("log", "spare", "cache", "special", "dedup")
"""What disks are for beside data; those after the word, up to the next one."""

_GROUP = re.compile(
    rf"\s*(?:(?P<use>{'|'.join(CLASSES)})\s+)?(?:(?P<kind>[a-z]\w*)\s+)?"
    r"(?P<each>\d+)(?:\s*x\s*(?P<groups>\d+))?(?=\s|$)"
)
_EXPECTED = (
    'Expected "raidz2 10 x 6" (kind, disks in a group, groups), "mirror 2 x 30" or '
    '"60" without redundancy, and after it "log mirror 2", "spare 1", "cache 1".'
)


def check_layout(text: str) -> int:
    """Check a layout; return how many disks it takes.

    Raises:
        OptionError: It is no layout.
    """
    return sum(each * groups for _, _, each, groups in _groups(text))


def vdevs(text: str, disks: Sequence[str]) -> list[str]:
    """Write the words for `zpool create`, with the disks in their order.

    Raises:
        OptionError: It is no layout, or does not take just these disks.
    """
    if check_layout(text) != len(disks):
        raise OptionError(
            "layout",
            f'"{text}" are {check_layout(text)} disks, and the bench has {len(disks)}',
            "Name as many disks in [dut] target as the layout takes.",
        )
    words: list[str] = []
    left = list(disks)
    for use, kind, each, groups in _groups(text):
        words += [use] if use else []
        for _ in range(groups):
            words += [kind] if kind else []
            words += left[:each]
            del left[:each]
    return words


def _groups(text: str) -> list[tuple[str, str, int, int]]:
    """Read a layout: what it is for, kind, disks in a group, number of groups."""
    found: list[tuple[str, str, int, int]] = []
    at = 0
    while match := _GROUP.match(text, at):
        use, kind = match["use"] or "", match["kind"] or ""
        each, groups = int(match["each"]), int(match["groups"] or 1)
        if kind and kind not in KINDS:
            raise OptionError("layout", f'"{kind}" is no kind of group', _EXPECTED)
        if each < KINDS.get(kind, 1) or not groups:
            what = f"a group of {kind} has {KINDS.get(kind, 1)} disks or more"
            raise OptionError("layout", f"{what}, not {each}", "Give larger groups.")
        if (use in ("spare", "cache") and kind) or (not use and found):
            raise OptionError("layout", f'layout is "{text}"', _EXPECTED)
        found.append((use, kind, each, groups))
        at = match.end()
    if not found or text[at:].strip() or found[0][0]:
        raise OptionError("layout", f'layout is "{text}"', _EXPECTED)
    return found
