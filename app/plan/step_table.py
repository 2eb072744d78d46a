"""Reads a [[step]] of a campaign."""

import functools
from collections.abc import Callable, Mapping
from typing import TypeVar

from app.plan.limits import Limit, Rule, parse_limit
from app.plan.matrix import Matrix, check_label, parse_matrix
from app.plan.phases import PHASES
from app.plan.repeats import parse_repeats
from app.plan.rounds import parse_rounds
from app.plan.steady import parse_steady
from app.plan.step import DEVICES, EACH, ENGINES, Role, Step, roles_of
from app.plan.toml_table import TomlTable
from instruments.errors import OptionError
from instruments.settings import did_you_mean
from workloads.engines import LOADS, check_ramp

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
        steady=_own(
            table, "steady", functools.partial(parse_steady, engine=engine_name)
        ),
        repeats=_own(table, "repeats", parse_repeats),
        rounds=_own(table, "rounds", parse_rounds),
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
    if timed and step.runtime_s <= 0:
        table.fail("runtime", "runtime is 0", "Expected a runtime above 0 seconds.")
    _check_method(table, step)
    if step.limits and not step.is_measured:
        what = f"{engine_name} measures nothing, so it has no limits"
        table.fail("limits", what, "Put them with a step that measures.")
    _check_ramp(table, step)
    return step


_KEYS = (
    *("label", "engine", "runtime", "ramp", "rampdown", "repeat", "enabled"),
    *("limits", "sweep", "teardown", "devices", "steady", "repeats", "rounds"),
    *("needs", "role"),
)
"""Of a step, beside the table that is called as its engine."""

_Read = TypeVar("_Read")


def _own(
    table: TomlTable, key: str, parse: Callable[[TomlTable], _Read]
) -> _Read | None:
    """Read a table of the step's; None where it has none of this name."""
    return parse(table.table(key)) if key in table.values else None


def _check_ramp(table: TomlTable, step: Step) -> None:
    """Check that the engine would still measure after it; raises BadInput."""
    if step.engine == "fio" and step.ramp_s >= step.runtime_s:
        # fio 3.33 counts such a ramp as runtime and ends before it measures.
        table.fail(
            "ramp",
            "ramp is not shorter than runtime",
            "Expected a ramp below the runtime, fio would measure nothing.",
        )
    try:
        for _, run in step.runs:
            check_ramp(step.engine, run.options, step.ramp_s)
    except OptionError as error:
        table.fail("ramp", error.what, error.way_out)


def _check_method(table: TomlTable, step: Step) -> None:
    """Check what decides on the measured window and on repeats; raises BadInput."""
    if step.rampdown_s:
        _check_rampdown(table, step)
    if step.repeats is not None and step.repeat != 1:
        what = "the step has a fixed number of repeats, and [step.repeats], too"
        table.fail("repeat", what, "Remove one of the two.")
    if step.repeats is not None and not step.is_measured:
        what = f"{step.engine} measures nothing that could be repeated"
        table.fail("repeats", what, "Remove it.")
    if step.rounds is not None:
        _check_rounds(table, step)


def _check_rampdown(table: TomlTable, step: Step) -> None:
    if not step.is_measured:
        what = f"{step.engine} measures nothing, so nothing is cut off"
        table.fail("rampdown", what, "Remove it.")
    if step.steady is not None:
        what = "a step that ends when it is steady has no ramp-down"
        table.fail("rampdown", what, "Remove it: it is measured before its end.")
    if step.rampdown_s >= step.runtime_s:
        what = "rampdown is not shorter than runtime"
        table.fail("rampdown", what, "Leave something to be measured.")


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
    # A table by a wrong name leaves options out, which must not be what is told.
    table.expect(*_KEYS, engine)
    own = table.table(engine)
    options = {key: _option_text(own, key, value) for key, value in own.rest().items()}
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


def _option_text(table: TomlTable, key: str, value: object) -> str:
    """Write a value as engines take it: a flag is 1 or 0."""
    if not isinstance(value, str | int | float):
        table.fail(key, f"{key} has no single value", "Expected a text or a number.")
    return str(int(value) if isinstance(value, bool) else value)


def _refusal(engine: str, options: Mapping[str, str]) -> tuple[str, str, str] | None:
    """Tell which option cannot be taken, what is wrong, and what was expected."""
    check = LOADS[engine].check if engine in LOADS else PHASES[engine].check
    try:
        check(options)
    except OptionError as error:
        return error.option, error.what, error.way_out
    return None
