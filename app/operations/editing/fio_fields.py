"""fio's options as fields of a form: its own types, ranges, words and help."""

from collections.abc import Mapping
from dataclasses import replace

from app.operations.editing.field import Field, Group
from instruments.settings import Kind, Option
from workloads.fio.options import COMMON, VERSION, find_option
from workloads.fio_access import ENGINES, OPTIONS
from workloads.fio_access import Kind as Access

_TABLE = "fio"
_OPEN = ("Access", "Depth")
_DIRECTIONS = ("read", "write", "randread", "randwrite", "rw", "randrw")

_OWN: Mapping[str, Option] = {
    option.key: option
    for option in (
        Option("rw", "Direction and order", Kind.CHOICE, choices=_DIRECTIONS),
        Option("bs", "Bytes of one I/O", Kind.SIZE, default="4k"),
        Option("bssplit", "Sizes with shares, such as 4k/20:64k/80"),
        Option("bsrange", "Any size between two, such as 4k-64k"),
        Option(
            "rwmixread", "Share of reads of rw and randrw", Kind.INTEGER, default=50
        ),
        Option(
            "iodepth", "I/Os that each job keeps under way", Kind.INTEGER, default=1
        ),
        Option("numjobs", "Jobs side by side", Kind.INTEGER, default=1, low=1),
        Option(
            "ioengine",
            "How fio speaks to the kernel",
            Kind.CHOICE,
            default="libaio",
            choices=ENGINES,
        ),
        Option("direct", "Bypass the page cache (O_DIRECT)", Kind.FLAG, default=True),
        Option("norandommap", "A block may be hit twice", Kind.FLAG, default=False),
        Option("randrepeat", "The same blocks every time", Kind.FLAG, default=True),
        Option(
            "random_distribution",
            "Which blocks are hit more often, such as zipf:1.2 or normal:20",
            default="random",
        ),
        Option("rate_iops", "Highest number of I/Os per second and job", Kind.INTEGER),
    )
}
"""Options that Bayscope has its own default for, or plainer words than fio."""


def fio_groups() -> tuple[Group, ...]:
    """Get the groups of fio's options; the last one has all that no group has."""
    usual = [name for group in _OPEN for name in COMMON[group]]
    groups = [Group("fio", _TABLE, tuple(map(_field, usual)))]
    for title, names in COMMON.items():
        if title not in _OPEN:
            fields = tuple(map(_field, names))
            groups.append(Group(title, _TABLE, fields, is_folded=True))
    others = tuple(replace(_field(name), shown=False) for name in _others())
    return (*groups, Group("Further options", _TABLE, others))


def _others() -> list[str]:
    """Name every other option that a step may have, each by one of its names."""
    usual = {find_option(name) for names in COMMON.values() for name in names}
    allowed = (Access.OPEN, Access.ARMED)
    named = [name for name, one in OPTIONS.items() if one.kind in allowed]
    found = {name: find_option(name) for name in named}
    return sorted(
        {
            name if one is None else one.key
            for name, one in found.items()
            if one is None or one not in usual
        }
    )


def _field(name: str) -> Field:
    own, found = _OWN.get(name), find_option(name)
    if found is None:
        return Field((_TABLE,), own or Option(name, f"Newer than {VERSION}"))
    if own is None:
        return Field((_TABLE,), replace(found, key=name))
    if own.kind is Kind.INTEGER:
        own = replace(own, low=max(own.low, found.low), high=found.high)
    helps = dict(zip(found.choices, found.words, strict=True))
    words = tuple(helps.get(choice, "") for choice in own.choices)
    return Field((_TABLE,), replace(own, words=words))
