"""fio's options as fields of a form: its own types, ranges, words and help."""

from collections.abc import Mapping
from dataclasses import replace

from app.operations.editing.field import Field, FieldKind, Group
from workloads.fio.options.catalogue import COMMON, Catalogue, FioOption, ValueKind
from workloads.fio_access import ENGINES, OPTIONS, Kind

_K = FieldKind
_TABLE = "fio"
_OPEN = ("Access", "Depth")
_DIRECTIONS = ("read", "write", "randread", "randwrite", "rw", "randrw")

_OWN: Mapping[str, Field] = {
    field.path[1]: field
    for field in (
        Field((_TABLE, "rw"), _K.CHOICE, "Direction and order", choices=_DIRECTIONS),
        Field((_TABLE, "bs"), _K.SIZE, "Bytes of one I/O", "4k"),
        Field((_TABLE, "bssplit"), help="Sizes with shares, such as 4k/20:64k/80"),
        Field((_TABLE, "bsrange"), help="Any size between two, such as 4k-64k"),
        Field((_TABLE, "rwmixread"), _K.COUNT, "Share of reads of rw and randrw", "50"),
        Field((_TABLE, "iodepth"), _K.COUNT, "I/Os that each job keeps under way", "1"),
        Field((_TABLE, "numjobs"), _K.COUNT, "Jobs side by side", "1", low=1),
        Field(
            (_TABLE, "ioengine"),
            _K.CHOICE,
            "How fio speaks to the kernel",
            "libaio",
            ENGINES,
        ),
        Field((_TABLE, "direct"), _K.FLAG, "Past the page cache", "true"),
        Field((_TABLE, "norandommap"), _K.FLAG, "A block may be hit twice", "false"),
        Field((_TABLE, "randrepeat"), _K.FLAG, "The same blocks every time", "true"),
        Field(
            (_TABLE, "random_distribution"),
            help="Which blocks are hit more often, such as zipf:1.2 or normal:20",
            default="random",
        ),
        Field((_TABLE, "rate_iops"), _K.COUNT, "At most so many I/Os a second a job"),
    )
}
"""Options that Bayscope has a default of its own for, or plainer words than fio."""

_KINDS: Mapping[ValueKind, FieldKind] = {
    ValueKind.CHOICE: _K.CHOICE,
    ValueKind.FLAG: _K.FLAG,
    ValueKind.SWITCH: _K.FLAG,
    ValueKind.INTEGER: _K.COUNT,
    ValueKind.SIZE: _K.SIZE,
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
        return {name for name, one in OPTIONS.items() if one.kind is Kind.OPEN}
    usual = [catalogue.find(name) for names in COMMON.values() for name in names]
    named = {option.name for option in usual if option is not None}
    return {option.name for option in catalogue.for_plan()} - named


def _field(name: str, catalogue: Catalogue | None) -> Field:
    own = _OWN.get(name)
    option = catalogue.find(name) if catalogue is not None else None
    if option is None:
        return own or Field((_TABLE, name))
    field = _from(name, option) if own is None else own
    if field.kind is _K.COUNT:
        low = option.low if field.low is None else field.low
        field = replace(field, low=low, high=option.high)
    helps = {choice.value: choice.help for choice in option.choices}
    return replace(field, words=tuple(helps.get(one, "") for one in field.choices))


def _from(name: str, option: FioOption) -> Field:
    kind = _KINDS.get(option.kind, _K.TEXT)
    default = option.default
    if kind is _K.FLAG:
        default = "true" if default == "1" else "false"
    choices = tuple(choice.value for choice in option.choices)
    text = option.help.strip().rstrip(".")
    return Field((_TABLE, name), kind, text, default, choices)
