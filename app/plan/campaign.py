"""A campaign: a frozen plan of steps, read from and written to TOML."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import tomlkit
from tomlkit.items import Table

from app.plan.durations import format_duration
from app.plan.limits import Limit, parse_limit
from app.plan.matrix import Matrix, check_label, matrix_values, parse_matrix
from app.plan.toml_file import TomlTable, parse_toml, read_toml
from workloads.engines import LOADS, check_ramp
from workloads.fio_job import OptionError

ENGINES = (*LOADS, "idle", "cooldown")
"""Engines of this version; further ones of the design are refused by name."""

PLANNED_ENGINES = ("startup", "prompt")

RANGING_S = 10.0
"""Seconds of each try of a ranging pass, where the campaign does not say."""


@dataclass(frozen=True, slots=True)
class Step:
    """One row of the report table.

    Attributes:
        label: What the row is called.
        engine: One of ENGINES.
        runtime_s: Length of the measured window in seconds.
        ramp_s: Seconds before it that are recorded but not measured.
        repeat: How many times the step is run.
        enabled: Whether it is run at all.
        limits: Limits on its results.
        options: The engine's own options, spelled as the engine spells them.
        sweep: Options that take several values; each combination is a run.
    """

    label: str
    engine: str
    runtime_s: float
    ramp_s: float = 0.0
    repeat: int = 1
    enabled: bool = True
    limits: tuple[Limit, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    sweep: Matrix | None = None

    @property
    def duration_s(self) -> float:
        """Planned length of one run of the step in seconds."""
        return self.ramp_s + self.runtime_s

    @property
    def runs(self) -> tuple[tuple[str, "Step"], ...]:
        """The step with sweep and repeats written out: (label of the row, step)."""
        if self.sweep is not None:
            return tuple(
                (label, self._at(point.label, point.options))
                for label, point in self.sweep.runs(self.label, self.repeat)
            )
        if self.repeat == 1:
            return ((self.label, self),)
        return tuple(
            (f"{self.label} ({number}/{self.repeat})", self)
            for number in range(1, self.repeat + 1)
        )

    def _at(self, label: str, options: Mapping[str, str]) -> "Step":
        """Get the step at one point of its sweep."""
        merged = {**self.options, **options}
        return replace(self, label=label, repeat=1, options=merged, sweep=None)


@dataclass(frozen=True, slots=True)
class Campaign:
    """A named list of steps, with the text it was read from.

    Attributes:
        name: What sessions of it are called.
        description: For a person.
        steps: The steps, in order.
        text: What it was read from; "" where it was made.
        ranging_s: Seconds for which each load is tried beforehand, so that meters
            find ranges for it; 0 for no ranging pass.
    """

    name: str
    description: str
    steps: tuple[Step, ...]
    text: str = ""
    ranging_s: float = 0.0

    @property
    def runs(self) -> tuple[tuple[str, Step], ...]:
        """The enabled steps with all their runs: (label of the row, step)."""
        return tuple(row for step in self.steps if step.enabled for row in step.runs)

    @property
    def duration_s(self) -> float:
        """Planned length in seconds."""
        return sum(step.duration_s for _, step in self.runs)

    @property
    def writes(self) -> bool:
        """Whether any enabled step writes to the target."""
        loads = [step for _, step in self.runs if step.engine in LOADS]
        return any(LOADS[load.engine].writes(load.options) for load in loads)


def load_campaign(path: Path) -> Campaign:
    """Read campaign.toml.

    Raises:
        BadInput: Names the file, the line and the key, and what was expected.
    """
    text, top = read_toml(path)
    return _campaign(top, text)


def parse_campaign(text: str, name: str) -> Campaign:
    """Read a campaign from text that came from `name`; raises BadInput."""
    return _campaign(parse_toml(text, name), text)


def _campaign(top: TomlTable, text: str) -> Campaign:
    top.expect("name", "description", "ranging", "step")
    name = top.text("name")
    description = top.text("description", "")
    ranging_s = _ranging(top)
    steps: list[Step] = []
    labels: set[str] = set()
    for table in top.tables("step"):
        step = _step(table)
        own = [label for label, _ in step.runs]
        if step.sweep is None and step.label not in own:
            own.append(step.label)
        for label in own:
            if label in labels:
                table.fail(
                    "label",
                    f'the label "{label}" is used twice',
                    "Give every step a label of its own: rows are told apart by it.",
                )
            labels.add(label)
        steps.append(step)
    top.finish()
    if not any(step.enabled for step in steps):
        top.fail("", "there is no step to run", "Expected at least one [[step]].")
    return Campaign(name, description, tuple(steps), text, ranging_s)


def _ranging(top: TomlTable) -> float:
    """Read `ranging = true`, or [ranging] with its seconds."""
    if not isinstance(top.values.get("ranging", False), bool):
        table = top.table("ranging")
        seconds = table.number("seconds", RANGING_S, low=2.0, high=600.0)
        table.finish()
        return seconds
    return RANGING_S if top.flag("ranging", False) else 0.0


def _step(table: TomlTable) -> Step:
    engine = table.values.get("engine")
    if engine in PLANNED_ENGINES:
        table.fail(
            "engine",
            f'the engine "{engine}" is not part of this version',
            f"Use one of {', '.join(ENGINES)}.",
        )
    engine_name = table.choice("engine", ENGINES, None)
    options, sweep = _options(table, engine_name)
    step = Step(
        label=table.text("label"),
        engine=engine_name,
        runtime_s=table.duration("runtime"),
        ramp_s=table.duration("ramp", 0.0),
        repeat=table.integer("repeat", 1, low=1, high=1000),
        enabled=table.flag("enabled", True),
        limits=tuple(_limit(table, text) for text in table.texts("limits")),
        options=options,
        sweep=sweep,
    )
    check_label(table, step.label, sweep)
    table.finish()
    if step.runtime_s <= 0:
        table.fail("runtime", "runtime is 0", "Expected a runtime above 0 seconds.")
    if engine_name == "fio" and step.ramp_s >= step.runtime_s:
        # fio 3.33 counts such a ramp as runtime and ends before it measures.
        table.fail(
            "ramp",
            "ramp is not shorter than runtime",
            "Expected a ramp below the runtime, fio would measure nothing.",
        )
    try:
        for _, run in step.runs:
            check_ramp(engine_name, run.options, step.ramp_s)
    except OptionError as error:
        table.fail("ramp", error.what, error.way_out)
    return step


def _limit(table: TomlTable, text: str) -> Limit:
    try:
        return parse_limit(text)
    except ValueError as error:
        table.fail("limits", f'"{text}" is no limit', str(error))


def _options(table: TomlTable, engine: str) -> tuple[dict[str, str], Matrix | None]:
    for other in ENGINES:
        if other in table.values and other != engine:
            what = f"[step.{other}] stands with the engine {engine}"
            table.fail(other, what, f'Remove it, or set engine = "{other}".')
    own = table.table(engine)
    options: dict[str, str] = {}
    for key, value in own.rest().items():
        if isinstance(value, bool):
            options[key] = "1" if value else "0"
        elif isinstance(value, str | int | float):
            options[key] = str(value)
        else:
            own.fail(key, f"{key} has no single value", "Expected a text or a number.")
    if engine not in LOADS:
        if options:
            own.fail(next(iter(options)), f"{engine} takes no options", "Remove it.")
        if "sweep" in table.values:
            what = f"{engine} takes no options, so there is nothing to sweep"
            table.fail("sweep", what, "Remove [step.sweep].")
        return options, None
    if "sweep" in table.values:
        refusal = functools.partial(_refusal, engine)
        return options, parse_matrix(table.table("sweep"), options, refusal)
    mistake = _refusal(engine, options)
    if mistake is not None:
        own.fail(*mistake)
    return options, None


def _refusal(engine: str, options: Mapping[str, str]) -> tuple[str, str, str] | None:
    """Tell what of a job's options cannot be taken: option, what, what was expected."""
    try:
        LOADS[engine].check(options)
    except OptionError as error:
        return error.option, error.what, error.way_out
    return None


def campaign_text(campaign: Campaign) -> str:
    """Write a campaign as the TOML text that `parse_campaign` reads."""
    document = tomlkit.document()
    document["name"] = campaign.name
    if campaign.description:
        document["description"] = campaign.description
    if campaign.ranging_s:
        document["ranging"] = {"seconds": campaign.ranging_s}
    steps = tomlkit.aot()
    for step in campaign.steps:
        steps.append(_step_table(step))
    document["step"] = steps
    return tomlkit.dumps(document)


def step_text(step: Step) -> str:
    """Write one step as TOML, the way it is stored with its row."""
    return tomlkit.dumps(_step_table(step))


def _step_table(step: Step) -> Table:
    table = tomlkit.table()
    table["label"] = step.label
    table["engine"] = step.engine
    table["runtime"] = format_duration(step.runtime_s)
    if step.ramp_s:
        table["ramp"] = format_duration(step.ramp_s)
    if step.repeat != 1:
        table["repeat"] = step.repeat
    if not step.enabled:
        table["enabled"] = False
    if step.limits:
        table["limits"] = [str(limit) for limit in step.limits]
    if step.options:
        table[step.engine] = dict(step.options)
    if step.sweep is not None:
        table["sweep"] = matrix_values(step.sweep)
    return table
