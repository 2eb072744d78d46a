"""Configuration axes: settings of the device that a person or a command changes."""

import itertools
import math
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.plan.order import order_values, ordered, parse_order
from app.plan.step import Step
from app.plan.toml_table import TomlTable
from instruments.settings import did_you_mean

MOST = 200
"""More configurations than this are taken for a mistake."""

_PLACE = re.compile(r"\{([A-Za-z0-9_-]+)\}")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class Setting:
    """One axis of configurations, such as layout = raidz2 | mirror.

    Attributes:
        name: What is set.
        values: What it is set to, in turn.
        prompt: What the operator is asked to do before a new value; "{layout}"
            stands for the value of the axis of that name, here and below.
        command: What is run instead, or before the operator is asked: a program and
            its arguments, never a line for a shell.
    """

    name: str
    values: tuple[str, ...]
    prompt: str = ""
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Configuration:
    """One combination of settings, and how to get there from the one before.

    Attributes:
        values: Value by name of the axis.
        changes: What differs from the configuration before, in the order of the axes,
            each with its one value, and with values in place of "{layout}".
    """

    values: Mapping[str, str]
    changes: tuple[Setting, ...]

    @property
    def rows(self) -> dict[str, list[tuple[str, Step]]]:
        """The steps that bring the device there: (label, step) by name of the axis."""
        every: dict[str, list[tuple[str, Step]]] = {}
        for change in self.changes:
            found = every.setdefault(change.name, [])
            name = self.label(f"set {change.name} to {change.values[0]}")
            if change.command:
                options = {"run": shlex.join(change.command)}
                found.append((name, Step(name, "command", 0.0, options=options)))
            if change.prompt:
                asked = f"{name} (operator)" if change.command else name
                options = {"text": change.prompt}
                found.append((asked, Step(asked, "prompt", 0.0, options=options)))
        return every

    def of(self, step: Step, brought: Sequence[str]) -> Step:
        """Derive a step that is run only where the device is in this configuration.

        In what it asks, or runs as a command, "{layout}" is the value of that axis.
        """
        own = [self.label(label) for label in step.needs]
        options = step.options
        if not step.is_load:
            options = {k: _filled(v, self.values) for k, v in options.items()}
        label = self.label(step.label)
        rounds = step.rounds
        if rounds is not None:
            rounds = replace(rounds, track=self.label(rounds.track))
        needs = (*brought, *own)
        return replace(step, label=label, needs=needs, options=options, rounds=rounds)

    @property
    def name(self) -> str:
        """Its values, such as "raidz2, cache on"."""
        return ", ".join(
            value if value not in _BARE else f"{name} {value}"
            for name, value in self.values.items()
        )

    def label(self, label: str) -> str:
        """Label a row of this configuration, such as "raidz2, cache on: Idle"."""
        return f"{self.name}: {label}" if self.name else label


_BARE = frozenset({"on", "off", "yes", "no", "true", "false", "0", "1"})
"""Values that say nothing without the name of their axis."""


@dataclass(frozen=True, slots=True)
class Configurations:
    """All axes of configurations and the order of their product.

    Attributes:
        settings: The last one varies quickest, so the dearest change stands first.
        order: "fixed", "reversed" or "shuffled".
        seed: Of the shuffle.
    """

    settings: tuple[Setting, ...]
    order: str = "fixed"
    seed: int = 1

    @property
    def size(self) -> int:
        """How many configurations there are."""
        return math.prod(len(setting.values) for setting in self.settings)

    def places_in(self, step: Step) -> list[str]:
        """Find the axes whose values a step's options name, such as "{layout}"."""
        names = {setting.name for setting in self.settings}
        text = " ".join(step.options.values())
        return [name for name in _PLACE.findall(text) if name in names]

    def all(self) -> tuple[Configuration, ...]:
        """Get every configuration in the order of the campaign."""
        product = list(
            itertools.product(*(setting.values for setting in self.settings))
        )
        configurations = []
        before: tuple[str, ...] | None = None
        for values in ordered(product, self.order, self.seed):
            configurations.append(self._configuration(values, before))
            before = values
        return tuple(configurations)

    def _configuration(
        self, values: tuple[str, ...], before: tuple[str, ...] | None
    ) -> Configuration:
        names = [setting.name for setting in self.settings]
        chosen = dict(zip(names, values, strict=True))
        changes = [
            Setting(
                setting.name,
                (value,),
                _filled(setting.prompt, chosen),
                tuple(_filled(part, chosen) for part in setting.command),
            )
            for number, (setting, value) in enumerate(
                zip(self.settings, values, strict=True)
            )
            if before is None or before[number] != value
        ]
        return Configuration(chosen, tuple(changes))


def parse_configurations(top: TomlTable) -> Configurations | None:
    """Read the tables [[configuration]] of a campaign, and [configurations].

    Raises:
        BadInput: Names the file, the line and the key, and what was expected.
    """
    tables = top.tables("configuration")
    whole = top.table("configurations")
    if not tables:
        if key := next(iter(whole.values), ""):
            what = f"{key} belongs to configurations, and there are none"
            whole.fail(key, what, "Add a [[configuration]], or remove it.")
        return None
    names = [str(table.values.get("name", "")) for table in tables]
    for number, table in enumerate(tables):
        if names[number] in names[:number]:
            table.fail("name", f'"{names[number]}" appears twice', "Join the two.")
    settings = [_setting(table, names) for table in tables]
    order, seed = parse_order(whole)
    whole.finish()
    found = Configurations(tuple(settings), order, seed)
    if found.size > MOST:
        what = f"there are {found.size} configurations"
        tables[0].fail("values", what, f"Expected at most {MOST}.")
    return found


def configuration_tables(whole: Configurations | None) -> dict[str, object]:
    """Get what stands in a campaign: [[configuration]] and [configurations]."""
    if whole is None:
        return {}
    tables = []
    for setting in whole.settings:
        table = {
            "name": setting.name,
            "values": list(setting.values),
            "prompt": setting.prompt,
            "command": list(setting.command),
        }
        tables.append({key: value for key, value in table.items() if value})
    tables_of: dict[str, object] = {"configuration": tables}
    if order := order_values(whole.order, whole.seed):
        tables_of["configurations"] = order
    return tables_of


def _setting(table: TomlTable, names: list[str]) -> Setting:
    name = table.text("name")
    if not _NAME.fullmatch(name):
        table.fail("name", f'name is "{name}"', "Expected letters, digits, - and _.")
    values = tuple(table.texts("values"))
    if not values or not all(value.strip() for value in values):
        table.fail("values", "values are missing", 'Expected such as ["on", "off"].')
    if len(set(values)) < len(values):
        table.fail("values", "a value appears twice", "Remove one of them.")
    setting = Setting(
        name, values, table.text("prompt", ""), tuple(table.texts("command"))
    )
    table.finish()
    if not (setting.prompt or setting.command):
        table.fail("", f"nothing sets {name}", "Expected a prompt or a command.")
    _check_places(table, setting, names)
    return setting


def _check_places(table: TomlTable, setting: Setting, names: Sequence[str]) -> None:
    """Refuse a place such as {cache} that is filled in by no configuration."""
    for key, texts in (("prompt", (setting.prompt,)), ("command", setting.command)):
        for place in _PLACE.findall(" ".join(texts)):
            if place not in names:
                expected = f"Expected one of {', '.join(names)}."
                hint = did_you_mean(place, names)
                what = f'"{{{place}}}" is not a configuration{hint}'
                table.fail(key, what, expected)


def _filled(text: str, chosen: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda match: chosen.get(match[1], match[0]), text)
