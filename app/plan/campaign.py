"""A campaign: a frozen plan of steps, read from and written to TOML."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.plan.configurations import (
    Configuration,
    Configurations,
    parse_configurations,
)
from app.plan.gates import Gate, named_gates
from app.plan.interlocks import Interlock, parse_interlocks
from app.plan.limits import Limit, Rule, parse_limit
from app.plan.matrix import Matrix, check_label, parse_matrix
from app.plan.passes import ends_as_pass
from app.plan.phases import PHASES
from app.plan.repeats import parse_repeats
from app.plan.rounds import parse_rounds
from app.plan.steady import parse_steady
from app.plan.step import DEVICES, EACH, ENGINES, Role, Step, roles_of
from app.plan.toml_file import parse_toml
from app.plan.toml_table import TomlTable
from instruments.errors import BadInput, BenchError, OptionError
from instruments.files.foreign_text import read_text
from instruments.settings import did_you_mean
from workloads.engines import LOADS, check_ramp
from workloads.fio.paste.file import looks_like_jobs

MOST_ROWS = 10_000
"""A campaign of more rows is taken for a mistake."""


def parse_step(table: TomlTable, rule: Rule = Rule.SIMPLE) -> Step:
    """Read one [[step]], with limits that are judged by a rule.

    Raises:
        BadInput: Names the file, the line and the key, and what was expected.
    """
    engine_name = table.choice("engine", ENGINES, None)
    options, sweep = _options(table, engine_name)
    timed = engine_name in LOADS or PHASES[engine_name].timed
    step = Step(
        label=table.text("label"),
        engine=engine_name,
        runtime_s=table.duration("runtime", None if timed else 0.0),
        ramp_s=table.duration("ramp", 0.0),
        repeat=table.integer("repeat", 1, low=1, high=1000),
        enabled=table.flag("enabled", True),
        limits=tuple(_limit(table, text, rule) for text in table.texts("limits")),
        options=options,
        sweep=sweep,
        teardown=table.flag("teardown", False),
        devices=_devices(table, engine_name),
        rampdown_s=table.duration("rampdown", 0.0),
        steady=(
            parse_steady(table.table("steady"), engine_name)
            if "steady" in table.values
            else None
        ),
        repeats=(
            parse_repeats(table.table("repeats")) if "repeats" in table.values else None
        ),
        rounds=(
            parse_rounds(table.table("rounds")) if "rounds" in table.values else None
        ),
        needs=tuple(table.texts("needs")),
        role=_role(table, engine_name),
    )
    check_label(table, step.label, sweep)
    if step.most_rows > MOST_ROWS:
        table.fail(
            "repeat",
            f"sweep and repeats make {step.most_rows} rows",
            f"Expected at most {MOST_ROWS}.",
        )
    table.finish()
    if timed and step.runtime_s <= 0:
        table.fail("runtime", "runtime is 0", "Expected a runtime above 0 seconds.")
    _check_method(table, step)
    if step.limits and not step.is_measured:
        what = f"{engine_name} measures nothing, so it has no limits"
        table.fail("limits", what, "Put them with a step that measures.")
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


def _check_method(table: TomlTable, step: Step) -> None:
    """Check what decides on the measured window and on repeats; raises BadInput."""
    if step.rampdown_s and not step.is_measured:
        what = f"{step.engine} measures nothing, so nothing is cut off"
        table.fail("rampdown", what, "Remove it.")
    if step.rampdown_s and step.steady is not None:
        what = "a step that ends when it is steady has no ramp-down"
        table.fail("rampdown", what, "Remove it: it is measured before its end.")
    if step.rampdown_s and step.rampdown_s >= step.runtime_s:
        what = "rampdown is not shorter than runtime"
        table.fail("rampdown", what, "Leave something to be measured.")
    if step.repeats is not None and step.repeat != 1:
        what = "the step has a fixed number of repeats, and [step.repeats], too"
        table.fail("repeat", what, "Remove one of the two.")
    if step.repeats is not None and not step.is_measured:
        what = f"{step.engine} measures nothing that could be repeated"
        table.fail("repeats", what, "Remove it.")
    if step.rounds is not None:
        _check_rounds(table, step)


def _check_rounds(table: TomlTable, step: Step) -> None:
    """Check a step whose sweep comes again until a row of it is steady."""
    others = {"repeats": step.repeats, "steady": step.steady, "repeat": step.repeat > 1}
    for key, is_there in others.items():
        if is_there:
            what = f"the step has {key}, and [step.rounds], too"
            table.fail(key, what, "Remove one of the two.")
    if not step.is_measured:
        what = f"{step.engine} measures nothing that could be steady"
        table.fail("rounds", what, "Remove it.")
    labels = list(dict.fromkeys(one.label for _, one in step.runs))
    if step.rounds is not None and step.rounds.track not in labels:
        what = f'track names "{step.rounds.track}", and there is no such row'
        hint = did_you_mean(step.rounds.track, labels)
        way_out = f'Expected the label of a row, such as "{labels[-1]}".'
        table.fail("rounds", f"{what}{hint}", way_out)


def _role(table: TomlTable, engine: str) -> Role | None:
    if "role" not in table.values:
        return None
    known = roles_of(engine)
    if not known:
        table.fail("role", f"{engine} has no role", "Remove it.")
    return Role(table.choice("role", known, None))


def _devices(table: TomlTable, engine: str) -> str:
    if engine != "fio" and "devices" in table.values:
        what = (
            f"devices does not apply to the engine {engine}, which runs on one target"
        )
        table.fail("devices", what, 'Remove it, or set engine = "fio".')
    return table.choice("devices", DEVICES, EACH)


def _limit(table: TomlTable, text: str, rule: Rule) -> Limit:
    try:
        return parse_limit(text, rule)
    except ValueError as error:
        table.fail("limits", f'"{text}" is not a limit', str(error))


def _options(table: TomlTable, engine: str) -> tuple[dict[str, str], Matrix | None]:
    for other in ENGINES:
        if other in table.values and other != engine:
            what = f"[step.{other}] does not belong to the engine {engine}"
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
    refusal = functools.partial(_refusal, engine)
    if "sweep" in table.values:
        if engine not in LOADS:
            what = f"{engine} is not a load, so there is nothing to sweep"
            table.fail("sweep", what, "Remove [step.sweep].")
        return options, parse_matrix(table.table("sweep"), own, options, refusal)
    mistake = refusal(options)
    if mistake is not None:
        own.fail(*mistake)
    return options, None


def _refusal(engine: str, options: Mapping[str, str]) -> tuple[str, str, str] | None:
    """Tell which option cannot be taken, what is wrong, and what was expected."""
    check = LOADS[engine].check if engine in LOADS else PHASES[engine].check
    try:
        check(options)
    except OptionError as error:
        return error.option, error.what, error.way_out
    return None


KEYS = (
    "name",
    "description",
    "ranging",
    "loop",
    "rule",
    "gates",
    "shortened",
    "configuration",
    "configurations",
    "interlock",
    "step",
)

RANGING_S = 10.0
"""Seconds of each try of a ranging pass, where the campaign does not say."""


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
        configurations: Settings of the device in each of which all steps are run.
        interlocks: What must hold the run.
        loop: Whether all steps but those that tear down are run again and again,
            until the operator stops the run.
        shortened: By how much its times were divided, for a rehearsal; 1 where they
            are the plan's own.
        rule: How limits are compared with values that have an error.
        gates: What each measured row has to pass, else it is an ERROR.
    """

    name: str
    description: str
    steps: tuple[Step, ...]
    text: str = ""
    ranging_s: float = 0.0
    configurations: Configurations | None = None
    interlocks: tuple[Interlock, ...] = ()
    loop: bool = False
    shortened: float = 1.0
    rule: Rule = Rule.SIMPLE
    gates: tuple[Gate, ...] = ()

    @property
    def runs(self) -> tuple[tuple[str, Step], ...]:
        """The rows in order: (label, step).

        All enabled steps with their sweeps and repeats, in each configuration after
        what brings the device there; what tears down comes last, once. Of a loop it
        is the first pass.
        """
        steps = [step for step in self.steps if step.enabled]
        body = [row for step in steps if not step.teardown for row in step.runs]
        last = [row for step in steps if step.teardown for row in step.runs]
        if self.configurations is None:
            return (*body, *last)
        found: list[tuple[str, Step]] = []
        brought: dict[str, list[str]] = {}
        for one in self.configurations.all():
            for setting, rows in one.rows.items():
                found += rows
                brought[setting] = [label for label, _ in rows]
            needs = [label for labels in brought.values() for label in labels]
            found += [(one.label(label), one.of(step, needs)) for label, step in body]
        return (*found, *last)

    @property
    def configured(self) -> dict[str, tuple[Configuration, str]]:
        """By the series of a row, its configuration and its series without it."""
        if self.configurations is None:
            return {}
        steps = [step for step in self.steps if step.enabled and not step.teardown]
        series = [own.label for step in steps for _, own in step.runs]
        return {
            one.label(own): (one, own)
            for one in self.configurations.all()
            for own in series
        }

    @property
    def duration_s(self) -> float:
        """Planned length in seconds, of a loop that of one pass."""
        return sum(step.least_s for _, step in self.runs)

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
    text = read_text(path)
    try:
        top = parse_toml(text, str(path))
    except BadInput as error:
        if path.suffix == ".toml" or not looks_like_jobs(text):
            raise
        raise BadInput(
            "this is a fio job file, not a campaign",
            where=str(path),
            way_out=f"Import it: bayscope fio import {path} --to CAMPAIGN.",
        ) from error
    return _campaign(top, text)


def parse_campaign(text: str, name: str) -> Campaign:
    """Read a campaign from text that came from `name`; raises BadInput."""
    return _campaign(parse_toml(text, name), text)


@functools.lru_cache(8)
def stored_campaign(text: str) -> Campaign | None:
    """Read the campaign that a session keeps, once; None where it cannot be read."""
    try:
        return parse_campaign(text, "the campaign of the session")
    except BenchError:
        return None


def _campaign(top: TomlTable, text: str) -> Campaign:
    top.expect(*KEYS)
    name = top.text("name")
    description = top.text("description", "")
    ranging_s = _ranging(top)
    configurations = parse_configurations(top)
    interlocks = parse_interlocks(top)
    loop = top.flag("loop", False)
    shortened = top.number("shortened", 1.0, low=1.0, high=1e6)
    rule = Rule(top.choice("rule", tuple(Rule), Rule.SIMPLE))
    gates = named_gates(top)
    steps: list[Step] = []
    labels: set[str] = set()
    rows: set[str] = set()
    for table in top.tables("step"):
        step = parse_step(table, rule)
        if ends_as_pass(step.label):
            what = f'the label "{step.label}" ends as a pass of a loop does'
            table.fail("label", what, 'Leave "(pass ...)" to Bayscope.')
        own = list(step.labels)
        if step.sweep is None and step.label not in own:
            own.append(step.label)
        for label in own:
            if label in labels:
                table.fail(
                    "label",
                    f'the label "{label}" is used twice',
                    "Give every step its own label, which tells rows apart.",
                )
            labels.add(label)
        for needed in step.needs:
            if needed not in rows:
                expected = "Expected the label of an enabled row before it"
                alike = [label for label in rows if label.startswith(f"{needed} (")]
                told = f', such as "{max(alike)}".' if alike else "."
                what = f'there is no row "{needed}" before it'
                table.fail("needs", what, f"{expected}{told}")
        for key, again in (("repeats", step.repeats), ("rounds", step.rounds)):
            if loop and again is not None:
                what = f"the campaign is a loop, and this step has its own {key}"
                table.fail(key, what, "Remove one of the two.")
        rows |= {label for label, _ in step.runs} if step.enabled else set()
        steps.append(step)
        _check_places(table, step, configurations)
    top.finish()
    count = sum(step.most_rows for step in steps if step.enabled)
    count *= configurations.size if configurations is not None else 1
    if count > MOST_ROWS:
        what = f"the campaign has {count} rows"
        top.fail("step", what, f"Expected at most {MOST_ROWS}.")
    if not any(step.enabled for step in steps):
        top.fail("", "there is no step to run", "Expected at least one [[step]].")
    return Campaign(
        name,
        description,
        tuple(steps),
        text,
        ranging_s,
        configurations,
        interlocks,
        loop,
        shortened,
        rule,
        gates,
    )


def _check_places(
    table: TomlTable, step: Step, configurations: Configurations | None
) -> None:
    """Refuse a value of a configuration where the step is in none of them."""
    if configurations is None or step.is_load or not step.teardown:
        return
    for name in configurations.places_in(step):
        table.fail(
            step.engine,
            f'"{{{name}}}" has no value here, for a teardown is run once, at the end',
            "Take everything away whatever the configuration was.",
        )


def _ranging(top: TomlTable) -> float:
    """Read `ranging = true`, or [ranging] with its seconds."""
    wanted = top.values.get("ranging", False)
    if not isinstance(wanted, bool):
        if not isinstance(wanted, dict):
            what = f'ranging is "{wanted}"'
            top.fail("ranging", what, "Expected true, false or a table [ranging].")
        table = top.table("ranging")
        seconds = table.number("seconds", RANGING_S, low=2.0, high=600.0)
        table.finish()
        return seconds
    return RANGING_S if top.flag("ranging", False) else 0.0


def rehearsal_warning(divisor: float) -> str:
    """Say that a run was shortened, and what its values are worth."""
    return (
        f"Shortened 1:{divisor:g} for a rehearsal: its values cannot be compared with "
        "those of a whole run."
    )
