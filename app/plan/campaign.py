"""A campaign: a frozen plan of steps, read from and written to TOML."""

import functools
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

from app.plan.configurations import (
    Configuration,
    Configurations,
    parse_configurations,
)
from app.plan.gates import Gate, named_gates
from app.plan.interlocks import Interlock, parse_interlocks
from app.plan.limits import Rule
from app.plan.passes import ends_as_pass
from app.plan.step import Step
from app.plan.step_table import MOST_ROWS, parse_step
from app.plan.toml_file import check_kind, parse_toml
from app.plan.toml_table import TomlTable
from instruments.errors import BadInput, BenchError
from instruments.files.foreign_text import read_text
from instruments.settings import did_you_mean
from workloads.engines import LOADS

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
        body = _rows(step for step in self.steps if not step.teardown)
        last = _rows(step for step in self.steps if step.teardown)
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


def _rows(steps: Iterable[Step]) -> list[tuple[str, Step]]:
    return [row for step in steps if step.enabled for row in step.runs]


def load_campaign(path: Path) -> Campaign:
    """Read campaign.toml.

    Raises:
        BadInput: Names the file, the line and the key, and what was expected.
    """
    text = read_text(path)
    try:
        top = parse_toml(text, str(path))
    except BadInput as error:
        # Only now: nothing else that reads a plan takes what reads job files.
        from workloads.fio.paste.file import looks_like_jobs  # noqa: PLC0415

        if path.suffix == ".toml" or not looks_like_jobs(text):
            raise
        raise BadInput(
            "this is a fio job file, not a campaign",
            where=str(path),
            way_out=f"Import it: bayscope fio import {path} --to CAMPAIGN.",
        ) from error
    return _campaign(top, text, str(path))


def parse_campaign(text: str, name: str) -> Campaign:
    """Read a campaign from text that came from `name`; raises BadInput."""
    return _campaign(parse_toml(text, name), text, name)


@functools.lru_cache(8)
def stored_campaign(text: str) -> Campaign | None:
    """Read the campaign that a session keeps, once; None where it cannot be read."""
    try:
        return parse_campaign(text, "the campaign of the session")
    except BenchError:
        return None


def _campaign(top: TomlTable, text: str, file: str) -> Campaign:
    check_kind(top, "campaign", file)
    top.expect(*KEYS)
    campaign = Campaign(
        top.text("name"),
        top.text("description", ""),
        (),
        text,
        _ranging(top),
        parse_configurations(top),
        parse_interlocks(top),
        top.flag("loop", False),
        top.number("shortened", 1.0, low=1.0, high=1e6),
        Rule(top.choice("rule", tuple(Rule), Rule.SIMPLE)),
        named_gates(top),
    )
    steps: list[Step] = []
    labels: set[str] = set()  # that rows before may have
    rows: set[str] = set()  # that are run before
    for table in top.tables("step"):
        step = parse_step(table, campaign.rule)
        _check_labels(table, step, labels)
        _check_needs(table, step, rows)
        if campaign.loop:
            _check_in_loop(table, step)
        steps.append(step)
        if step.enabled:
            rows.update(label for label, _ in step.runs)
        _check_places(table, step, campaign.configurations)
    top.finish()
    _check_count(top, steps, campaign.configurations)
    return replace(campaign, steps=tuple(steps))


def _check_count(
    top: TomlTable, steps: Sequence[Step], configurations: Configurations | None
) -> None:
    """Refuse a campaign without a row, and one with more than a session takes."""
    count = sum(step.most_rows for step in steps if step.enabled)
    if configurations is not None:
        count *= configurations.size
    if count > MOST_ROWS:
        what = f"the campaign has {count} rows"
        top.fail("step", what, f"Expected at most {MOST_ROWS}.")
    if not any(step.enabled for step in steps):
        top.fail("", "there is no step to run", "Expected at least one [[step]].")


def _check_in_loop(table: TomlTable, step: Step) -> None:
    for key, again in (("repeats", step.repeats), ("rounds", step.rounds)):
        if again is not None:
            what = f"the campaign is a loop, and this step has its own {key}"
            table.fail(key, what, "Remove one of the two.")


def _labels(step: Step) -> list[str]:
    """Get the labels of the rows of a step, and its own where it is not swept."""
    is_own = step.sweep is None and step.label not in step.labels
    return [*step.labels, step.label] if is_own else list(step.labels)


def _check_labels(table: TomlTable, step: Step, labels: set[str]) -> None:
    """Refuse a label that a step before has, and add those of this one."""
    if ends_as_pass(step.label):
        what = f'the label "{step.label}" ends as a pass of a loop does'
        table.fail("label", what, 'Leave "(pass ...)" to Bayscope.')
    for label in _labels(step):
        if label in labels:
            table.fail(
                "label",
                f'the label "{label}" is used twice',
                "Give every step a label of its own, by which its rows are known.",
            )
        labels.add(label)


def _check_needs(table: TomlTable, step: Step, rows: Set[str]) -> None:
    for needed in step.needs:
        if needed not in rows:
            expected = "Expected the label of an enabled row before it"
            alike = [label for label in rows if label.startswith(f"{needed} (")]
            hint = "" if alike else did_you_mean(needed, sorted(rows))
            example = f', such as "{max(alike)}".' if alike else "."
            what = f'there is no row "{needed}" before it{hint}'
            table.fail("needs", what, f"{expected}{example}")


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
