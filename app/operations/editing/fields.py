"""What a form shows of a step: groups of fields by engine.

A key that is in no group here is shown all the same, as text below "More keys". So a
new key needs a line in this file only to get a help text and a proper editor.
"""

from collections.abc import Iterator, Mapping, Sequence

from app.operations.editing.field import Field, FieldKind, Group
from app.operations.editing.fio_fields import fio_groups
from app.plan.edit import Path, value_at
from app.plan.phases import PHASES
from app.plan.steady import ENGINES as STEADY_ENGINES
from app.plan.steady import METHODS
from app.plan.step import DEVICES, EACH, ENGINES
from instruments.metric import RESULT_NAMES
from workloads.copy import job as file_copy_job
from workloads.engines import LOADS
from workloads.fio.options.catalogue import Catalogue
from workloads.iozone import job as iozone_job
from workloads.options import EngineOption, OptionKind
from workloads.setup import options as setup_options
from workloads.vdbench import options as vdbench_options
from workloads.warp import job as warp_job

_K = FieldKind

PHASE_FIELDS: Mapping[str, tuple[Field, ...]] = {
    "prompt": (
        Field(("prompt", "text"), _K.LINES, "What the operator is asked to do"),
        Field(("prompt", "picture"), help="A picture beside the campaign's file"),
        Field(
            ("prompt", "check"),
            help="What has to hold when it is done; the run waits until it does",
        ),
        Field(
            ("prompt", "simulated"),
            help="What does it on a simulated bench, such as SIMulate:DRIVe 7,OUT",
        ),
    ),
    "command": (
        Field(("command", "run"), help="Program and arguments; no shell reads them"),
        Field(("command", "programs"), help="Further programs that it starts itself"),
    ),
    "cooldown": (
        Field(
            ("cooldown", "until"),
            _K.NUMBER,
            "It is over at this temperature; the runtime is its longest time",
            unit="\N{DEGREE SIGN}C",
        ),
        Field(
            ("cooldown", "slope"),
            _K.NUMBER,
            "It is over when the temperature changes by no more than this",
            unit="K/h",
        ),
        Field(("cooldown", "window"), _K.DURATION, "The slope is taken over it", "5m"),
        Field(("cooldown", "at_least"), _K.DURATION, "It lasts at least so long", "0s"),
        Field(
            ("cooldown", "channel"),
            help="The channel that is looked at; left out, the hottest drive",
        ),
    ),
    "align": (
        Field(("align", "bursts"), _K.COUNT, "Short loads of reads", "5"),
        Field(("align", "seed"), _K.COUNT, "Of the lengths of the bursts", "1"),
        Field(("align", "rate_iops"), _K.COUNT, "At most so many reads a second"),
    ),
    "startup": (
        Field(
            ("startup", "switch"),
            help="A [[switch]] of the bench; left out, the operator switches",
        ),
        Field(("startup", "outlet"), help="Which outlet of it"),
        Field(
            ("startup", "off_for"), _K.DURATION, "So long the device stays off", "10s"
        ),
        Field(
            ("startup", "ready"),
            help="The source that tells when it is ready; left out, settled power",
        ),
        Field(
            ("startup", "ask"),
            _K.FLAG,
            "The operator is asked before the switch takes power away",
            "true",
        ),
    ),
}
"""The fields of a phase by the name of its engine."""


STEP = (
    Field(("label",), help="What the row of the report is called"),
    Field(("engine",), _K.CHOICE, "What is done", choices=ENGINES),
    Field(("runtime",), _K.DURATION, "Length of the measured window"),
    Field(("ramp",), _K.DURATION, "Time before it, recorded and not measured", "0s"),
    Field(
        ("rampdown",),
        _K.DURATION,
        "Time at the end of the runtime that is not measured",
        "0s",
    ),
    Field(("repeat",), _K.COUNT, "How many times the step is run", "1"),
    Field(("enabled",), _K.FLAG, "Whether it is run at all", "true"),
    Field(
        ("teardown",),
        _K.FLAG,
        "Runs last, whatever happened",
        "false",
    ),
    Field(
        ("devices",),
        _K.CHOICE,
        "With several targets: a job on each, or one job on all as an array",
        EACH,
        DEVICES,
    ),
)
"""Keys of every step."""

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

_ENGINE_OPTIONS: Mapping[str, Sequence[EngineOption]] = {
    "copy": file_copy_job.OPTIONS,
    "iozone": iozone_job.OPTIONS,
    "vdbench": vdbench_options.OPTIONS,
    "warp": warp_job.OPTIONS,
    "mkfs": setup_options.MKFS,
    "zpool": setup_options.ZPOOL,
}

_STEADY = Group(
    "Until steady",
    "steady",
    (
        Field(("steady", "method"), _K.CHOICE, "Which rule decides", choices=METHODS),
        Field(
            ("steady", "quantities"),
            _K.TEXTS,
            "What has to be steady: iops, power, temperature; left out, what there is",
        ),
        Field(("steady", "round"), _K.DURATION, "Left out, that of the method"),
        Field(
            ("steady", "measure"),
            _K.DURATION,
            "It goes on so long once it is steady, and only that is measured",
            "0s",
        ),
    ),
    {"method": METHODS[0]},
    "The step ends when it is steady; its runtime is its longest time",
)
_REPEATS = Group(
    "Repeat until known",
    "repeats",
    (
        Field(
            ("repeats", "of"), _K.CHOICE, "Whose mean is wanted", choices=RESULT_NAMES
        ),
        Field(
            ("repeats", "within"), help="Half the interval, of the mean", default="2%"
        ),
        Field(("repeats", "level"), _K.NUMBER, "Of confidence", "95", unit="%"),
        Field(("repeats", "least"), _K.COUNT, "It is run so often at least", "3"),
        Field(("repeats", "most"), _K.COUNT, "It is run so often at most", "10"),
    ),
    {"of": "power_w"},
    "It is run again until the mean of a result is known well enough",
)

EXTRA: tuple[tuple[tuple[str, ...], Group], ...] = (
    (STEADY_ENGINES, _STEADY),
    (_MEASURED, _REPEATS),
)
"""Further tables of a step, such as [step.steady]: engines that have it, its group."""


def groups(engine: str, catalogue: Catalogue | None = None) -> tuple[Group, ...]:
    """Get what the form of a step shows for an engine.

    Args:
        engine: Name of the engine.
        catalogue: What the fio here says of its options, None where it was not asked.
    """
    step = [f for f in STEP if engine in ONLY.get(f.path[0], (engine,))]
    found = [Group("Step", "", tuple(step))]
    if engine == "fio":
        found += fio_groups(catalogue)
    elif engine in _ENGINE_OPTIONS:
        fields = tuple(_field(engine, one) for one in _ENGINE_OPTIONS[engine])
        found.append(Group(engine, engine, fields))
    elif engine in PHASE_FIELDS:
        found.append(Group(engine, engine, PHASE_FIELDS[engine]))
    found += [group for engines, group in EXTRA if engine in engines]
    return tuple(found)


def other_keys(step: Mapping[str, object], engine: str) -> list[Path]:
    """List the keys of a step that no group has, and no editor of their own."""
    known = {f.path for group in groups(engine) for f in group.fields}
    tables = {group.table for group in groups(engine) if group.table}
    found = []
    for path in _leaves(step):
        own = path[0] in ("limits", "sweep") or path[0] in tables
        if path not in known and not own:
            found.append(path)
    return found


def _field(engine: str, option: EngineOption) -> Field:
    kinds = {
        OptionKind.SIZE: _K.SIZE,
        OptionKind.COUNT: _K.COUNT,
        OptionKind.NUMBER: _K.NUMBER,
        OptionKind.FLAG: _K.FLAG,
        OptionKind.CHOICE: _K.CHOICE,
        OptionKind.TEXT: _K.TEXT,
    }
    kind = kinds[option.kind]
    default = option.default
    if kind is _K.FLAG:
        default = "true" if default in ("1", "true", "yes") else "false"
    return Field((engine, option.key), kind, option.help, default, option.choices)


def _leaves(values: Mapping[str, object]) -> Iterator[Path]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from ((key, *rest) for rest in _leaves(value))
        elif value_at(values, (key,)) is not None:
            yield (key,)
