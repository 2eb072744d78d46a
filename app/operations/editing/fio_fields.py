"""fio's options as fields of a form: its own types, ranges, words and help."""

import math
from collections.abc import Mapping
from dataclasses import replace

from app.operations.editing.field import Field, Group
from instruments.settings import Kind, Option
from workloads.fio.options.catalogue import COMMON, Catalogue, FioOption, ValueKind
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
        Option("direct", "Past the page cache", Kind.FLAG, default=True),
        Option("norandommap", "A block may be hit twice", Kind.FLAG, default=False),
        Option("randrepeat", "The same blocks every time", Kind.FLAG, default=True),
        Option(
            "random_distribution",
            "Which blocks are hit more often, such as zipf:1.2 or normal:20",
            default="random",
        ),
        Option("rate_iops", "At most so many I/Os a second a job", Kind.INTEGER),
    )
}
"""Options that Bayscope has a default of its own for, or plainer words than fio."""

_KINDS: Mapping[ValueKind, Kind] = {
    ValueKind.CHOICE: Kind.CHOICE,
    ValueKind.FLAG: Kind.FLAG,
    ValueKind.SWITCH: Kind.FLAG,
    ValueKind.INTEGER: Kind.INTEGER,
    ValueKind.SIZE: Kind.SIZE,
}


def fio_groups(catalogue: Catalogue | None = None) -> tuple[Group, ...]:
    """Get the groups of fio's options; the last one has all that no group has.

    Args:
        catalogue: What the fio here says of its options, None where it was not asked.
    """
    usual = [name for group in _OPEN for name in COMMON[group]]
    found = [Group("fio", _TABLE, tuple(_field(name, catalogue) for name in usual))]
    for title, names in COMMON.items():
        if title not in _OPEN:
            fields = tuple(_field(name, catalogue) for name in names)
            found.append(Group(title, _TABLE, fields, is_folded=True))
    known = {name for names in COMMON.values() for name in names}
    others = tuple(
        replace(_field(name, catalogue), shown=False)
        for name in sorted(_names(catalogue) - known)
    )
    return (*found, Group("Further options", _TABLE, others))


def _names(catalogue: Catalogue | None) -> set[str]:
    """Get every option that a step may have; aliases of the usual ones are left out."""
    if catalogue is None:
        return {name for name, one in OPTIONS.items() if one.kind is Access.OPEN}
    usual = [catalogue.find(name) for names in COMMON.values() for name in names]
    named = {option.name for option in usual if option is not None}
    return {option.name for option in catalogue.for_plan()} - named


def _field(name: str, catalogue: Catalogue | None) -> Field:
    own = _OWN.get(name)
    found = catalogue.find(name) if catalogue is not None else None
    if found is None:
        return Field((_TABLE,), own or Option(name, ""))
    option = own or _from(name, found)
    if option.kind is Kind.INTEGER:
        low = found.low if own is None or math.isinf(own.low) else own.low
        option = replace(
            option,
            low=-math.inf if low is None else low,
            high=math.inf if found.high is None else found.high,
        )
    helps = {choice.value: choice.help for choice in found.choices}
    words = tuple(helps.get(str(one), "") for one in option.choices)
    return Field((_TABLE,), replace(option, words=words))


def _from(name: str, option: FioOption) -> Option:
    kind = _KINDS.get(option.kind, Kind.TEXT)
    default = option.default == "1" if kind is Kind.FLAG else option.default
    choices = tuple(choice.value for choice in option.choices)
    return Option(name, option.help.strip(), kind, default, choices=choices)
