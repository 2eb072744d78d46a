"""What a form shows of a step: groups of fields by engine.

A key that is in no group here is shown all the same, as text below "More keys". So a
new key needs a line in this file only to get a help text and a proper editor.
"""

import functools
from collections.abc import Iterator, Mapping
from dataclasses import replace

from app.operations.editing.field import Group, fields_of
from app.operations.editing.fio_fields import fio_groups
from app.plan.edit import Path, value_at
from app.plan.phases import PHASES
from app.plan.rounds import LEAST, MOST
from app.plan.steady import ENGINES as STEADY_ENGINES
from app.plan.steady import METHODS
from app.plan.step import DEVICES, EACH, ENGINES, roles_of
from instruments.metric import RESULT_NAMES
from instruments.settings import Kind, Option
from workloads.engines import LOADS

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
