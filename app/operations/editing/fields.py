"""What a form shows of a step: groups of fields by engine.

A key that is in no group here is shown all the same, as text below "More keys". So a
new key needs a line in this file only to get a help text and a proper editor.
"""

import functools
from collections.abc import Iterator, Mapping
from dataclasses import replace

from app.operations.editing.field import Field, Group, fields_of
from app.plan.edit import Path, value_at
from app.plan.phases import PHASES
from app.plan.rounds import LEAST, MOST
from app.plan.steady import ENGINES as STEADY_ENGINES
from app.plan.steady import METHODS
from app.plan.step import DEVICES, EACH, ENGINES, roles_of
from instruments.metric import RESULT_NAMES
from instruments.settings import Kind, Option
from workloads.engines import LOADS
from workloads.fio.options import COMMON, VERSION, find_option
from workloads.fio_access import ENGINES as IO_ENGINES
from workloads.fio_access import OPTIONS
from workloads.fio_access import Kind as Access

STEP = fields_of(
    (),
    Option("label", "What the row of the report is called"),
    Option("engine", "What is done", Kind.CHOICE, required=True, choices=ENGINES),
    Option("runtime", "Length of the measured window", Kind.DURATION),
    Option(
        "ramp",
        "Time before it, recorded and not measured",
        Kind.DURATION,
        default="0s",
    ),
    Option(
        "rampdown",
        "Time at the end of the runtime that is not measured",
        Kind.DURATION,
        default="0s",
    ),
    Option("repeat", "How many times the step is run", Kind.INTEGER, default=1),
    Option("enabled", "Runs as part of the campaign", Kind.FLAG, default=True),
    Option(
        "teardown",
        "Always run last, even after a failure",
        Kind.FLAG,
        default=False,
    ),
    Option(
        "devices",
        "With several targets: a job on each, or one job on all as an array",
        Kind.CHOICE,
        default=EACH,
        choices=DEVICES,
    ),
)
"""Keys of every step."""

_ROLE = Option(
    "role",
    "The role of its row for efficiency, yearly cost and noise",
    Kind.CHOICE,
)

_MEASURED = (*LOADS, *(name for name, kind in PHASES.items() if kind.measured))

ONLY: Mapping[str, tuple[str, ...]] = {
    "rampdown": _MEASURED,
    "devices": ("fio",),
    "ramp": (
        *(name for name, engine in LOADS.items() if engine.ramp),
        *(name for name, kind in PHASES.items() if kind.measured),
    ),
}
"""Keys of a step that only some engines have."""

_STEADY = Group(
    "Run until steady state",
    "steady",
    fields_of(
        ("steady",),
        Option(
            "method", "Which rule decides", Kind.CHOICE, required=True, choices=METHODS
        ),
        Option(
            "quantities",
            "What has to be steady: iops, power, temperature; by default all of them",
            Kind.TEXTS,
        ),
        Option(
            "round", "Length of a round; by default that of the method", Kind.DURATION
        ),
        Option(
            "measure",
            "Once steady, the step continues for this time, and only that is measured",
            Kind.DURATION,
            default="0s",
        ),
    ),
    {"method": METHODS[0]},
    "The step ends once it is steady; its runtime is the longest it may take",
)
_REPEATS = Group(
    "Repeat until confident",
    "repeats",
    fields_of(
        ("repeats",),
        Option(
            "of",
            "Whose mean is wanted",
            Kind.CHOICE,
            required=True,
            choices=RESULT_NAMES,
        ),
        Option("within", "Half the interval, of the mean", default="2%"),
        Option("level", "Of confidence", Kind.NUMBER, default=95.0, unit="%"),
        Option("least", "Fewest runs", Kind.INTEGER, default=5),
        Option("most", "Most runs", Kind.INTEGER, default=10),
    ),
    {"of": "power_w"},
    "The step is repeated until the mean of a result is certain enough",
)
_ROUNDS = Group(
    "Rounds until a row is steady",
    "rounds",
    fields_of(
        ("rounds",),
        Option("track", "Label of the row that has to be steady", required=True),
        Option(
            "of",
            "Result of it that is judged",
            Kind.CHOICE,
            default="iops",
            choices=RESULT_NAMES,
        ),
        Option("most", "Most rounds", Kind.INTEGER, default=MOST, low=LEAST, high=1000),
    ),
    {"track": "label of a row"},
    "All points together are a round; rounds repeat until one row is steady over "
    "five of them",
)

EXTRA: tuple[tuple[tuple[str, ...], Group], ...] = (
    (STEADY_ENGINES, _STEADY),
    (_MEASURED, _REPEATS),
    (_MEASURED, _ROUNDS),
)
"""Further tables of a step, such as [step.steady]: engines that have it, its group."""


@functools.cache
def groups(engine: str) -> tuple[Group, ...]:
    """Get what the form of a step shows for an engine, by its name."""
    step = [f for f in STEP if engine in ONLY.get(f.path[0], (engine,))]
    if roles := roles_of(engine):
        step += fields_of((), replace(_ROLE, choices=roles))
    groups = [Group("Step", "", tuple(step))]
    if engine == "fio":
        groups += fio_groups()
    elif (own := LOADS.get(engine) or PHASES.get(engine)) and own.options:
        groups.append(Group(engine, engine, fields_of((engine,), *own.options)))
    groups += [group for engines, group in EXTRA if engine in engines]
    return tuple(groups)


def other_keys(step: Mapping[str, object], engine: str) -> list[Path]:
    """List the keys of a step that no group has, and no editor of their own."""
    known = {f.path for group in groups(engine) for f in group.fields}
    tables = {group.table for group in groups(engine) if group.table}
    paths = []
    for path in _leaves(step):
        own = path[0] in ("limits", "sweep") or path[0] in tables
        if path not in known and not own:
            paths.append(path)
    return paths


def _leaves(values: Mapping[str, object]) -> Iterator[Path]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from ((key, *rest) for rest in _leaves(value))
        elif value_at(values, (key,)) is not None:
            yield (key,)


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
            choices=IO_ENGINES,
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
