"""Forms of tables: which rows and columns, in which units, to how many digits."""

from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.resources import files
from pathlib import Path

import platformdirs

from app.plan.toml_file import parse_toml, read_toml
from app.plan.toml_table import TomlTable
from app.report.forms.records import CAPACITIES
from app.report.numbers import units_of
from instruments.errors import BadInput
from instruments.metric import BY_NAME
from instruments.settings import did_you_mean
from resources import read_text

FOLDER = "forms"
"""The folder of settings, and of what ships, with a file for each form."""


class Rows(StrEnum):
    """The rows of the session that a table is made of."""

    ALL = "all"
    LOADS = "loads"
    MEASURED = "measured"  # every row that has a power or a rate
    POWERED = "powered"  # every row that has a power


class Only(StrEnum):
    """The loads that a column has a value for; it is blank for the others."""

    ANY = "any"
    RANDOM = "random"  # IOPS of sequential loads are not quoted
    LARGE = "large"  # nor is the bandwidth of small random ones


class Show(StrEnum):
    """What a column shows of a result."""

    VALUE = "value"
    UNCERTAINTY = "uncertainty"  # expanded, k = 2
    COUNT = "count"  # samples that are values, of those that are expected
    TERMS = "terms"  # what it is at, such as tariff and PUE


class Take(StrEnum):
    """The row, or the rows together, that a line below a table is made of."""

    IDLE = "idle"  # the device at rest
    RESTING = "resting"  # it, or the first load that has the result
    OFF = "off"
    BACKGROUND = "background"
    STARTUP = "startup"
    MIN = "min"
    MAX = "max"
    MEAN = "mean"  # by time
    SUM = "sum"


@dataclass(frozen=True, slots=True)
class Shown:
    """A result, and how it is written.

    Attributes:
        of: Its name, as in `instruments.metric` or of the row.
        head: What it is called.
        unit: What it is shown in; "" for its own.
        decimals: Digits behind the point, None where `digits` counts.
        digits: Significant digits, None where `decimals` counts.
    """

    of: str
    head: str
    unit: str
    decimals: int | None
    digits: int | None


@dataclass(frozen=True, slots=True)
class FormColumn(Shown):
    """A column of figures.

    Attributes:
        only: The loads it has a value for.
        show: What it shows of the result.
        apart: Engines of which reads and writes stand apart, as in "450/450".
    """

    only: Only = Only.ANY
    show: Show = Show.VALUE
    apart: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FormLine(Shown):
    """A line with one figure below a table, or in a table of such lines.

    Attributes:
        take: Which rows it is made of.
        step: The row by its label, which goes before `take`.
    """

    take: Take = Take.IDLE
    step: str = ""


@dataclass(frozen=True, slots=True)
class FormTable:
    """One table of a form.

    Facts are what a row is by: "step", "workload" (without its configuration),
    "configuration", "system", an axis of configurations, an option of its engine, and
    "block_size", "read_share" and "object_size", as which engines spell them
    differently.

    Attributes:
        title: What stands above it, before the values of `each`; "" for these alone.
        rows: Which rows of the session.
        each: Facts that there is a table for each value of.
        down: Facts that make a line.
        across: Facts that make a group of columns.
        head: Head of the first column.
        columns: The columns of figures, once for each group.
        below: Lines below the others.
        turned: Whether lines and columns change places.
    """

    title: str
    rows: Rows
    each: tuple[str, ...]
    down: tuple[str, ...]
    across: tuple[str, ...]
    head: str
    columns: tuple[FormColumn, ...]
    below: tuple[FormLine, ...]
    turned: bool


@dataclass(frozen=True, slots=True)
class Form:
    """A named form: the tables that a lab prints.

    Attributes:
        name: Of its file.
        title: What people call it.
        about: When to take it, a sentence.
        tables: Its tables; those that nothing stands in are left out.
    """

    name: str
    title: str
    about: str
    tables: tuple[FormTable, ...]


def own_folder() -> Path:
    """Get the folder in which a lab keeps its forms; it need not exist."""
    return platformdirs.user_config_path("bayscope", appauthor=False) / FOLDER


def form_names() -> list[str]:
    """Name the forms there are; the lab's own go before those that ship."""
    shipped = (each.name for each in (files("resources") / FOLDER).iterdir())
    own = (path.name for path in own_folder().glob("*.toml"))
    names = {name.removesuffix(".toml") for name in (*shipped, *own)}
    return sorted(names, key=lambda name: (name != "lab", name))


def all_forms() -> list[Form]:
    """Read every form; one with a mistake has that for `about`, and no table."""
    return [_form_or_mistake(name) for name in form_names()]


def _form_or_mistake(name: str) -> Form:
    try:
        return load_form(name)
    except BadInput as error:
        return Form(name, name, str(error), ())


def load_form(name: str) -> Form:
    """Read a form.

    Raises:
        BadInput: There is none of the name, or it has a mistake.
    """
    names = form_names()
    if name not in names:
        raise BadInput(
            f'there is no form "{name}"{did_you_mean(name, names)}',
            where="--form",
            way_out=f"Use one of {', '.join(names)}, or put yours into {own_folder()}.",
        )
    own = own_folder() / f"{name}.toml"
    if own.is_file():
        return _form(read_toml(own)[1], name)
    return parse_form(read_text(FOLDER, f"{name}.toml"), name)


def parse_form(text: str, name: str) -> Form:
    """Read a form from text.

    Raises:
        BadInput: Names the line and the key, and what was expected.
    """
    return _form(parse_toml(text, f"{name}.toml"), name)


def _form(top: TomlTable, name: str) -> Form:
    top.expect("title", "about", "table")
    tables = tuple(_table(one) for one in top.tables("table"))
    if not tables:
        top.fail("table", "it has no table", "Expected at least one [[table]].")
    return Form(name, top.text("title"), top.text("about", ""), tables)


def _table(table: TomlTable) -> FormTable:
    columns = tuple(_column(one) for one in table.tables("column"))
    below = tuple(_line(one) for one in table.tables("below"))
    if not columns and not below:
        expected = "Expected [[table.column]] or [[table.below]]."
        table.fail("", "a table has neither columns nor lines", expected)
    made = FormTable(
        title=table.text("title", ""),
        rows=Rows(table.choice("rows", list(Rows), Rows.LOADS)),
        each=tuple(table.texts("each")),
        down=tuple(table.texts("down")) or ("step",),
        across=tuple(table.texts("across")),
        head=table.text("head", "Workload"),
        columns=columns,
        below=below,
        turned=table.flag("turned", False),
    )
    table.finish()
    return made


def _column(table: TomlTable) -> FormColumn:
    shown = _shown(table)
    show = Show(table.choice("show", list(Show), Show.VALUE))
    found = FormColumn(
        *_values(shown),
        Only(table.choice("only", list(Only), Only.ANY)),
        show,
        tuple(table.texts("apart")),
    )
    table.finish()
    if "head" in table.values or show not in _HEADS:
        return found
    return replace(found, head=_HEADS[show])


_HEADS = {Show.UNCERTAINTY: "± (k = 2)", Show.COUNT: "n of n", Show.TERMS: "Terms"}


def _line(table: TomlTable) -> FormLine:
    shown = _shown(table)
    take = Take(table.choice("take", list(Take), Take.IDLE))
    found = FormLine(*_values(shown), take, table.text("step", ""))
    table.finish()
    return found


def _values(shown: Shown) -> tuple[str, str, str, int | None, int | None]:
    return shown.of, shown.head, shown.unit, shown.decimals, shown.digits


def _shown(table: TomlTable) -> Shown:
    name = table.text("of")
    metric = BY_NAME.get(name)
    is_own = "." in name or name in CAPACITIES  # of another device, or the bench
    if metric is None and not is_own:
        hint = did_you_mean(name, BY_NAME)
        what = f'there is no result "{name}"{hint}'
        table.fail("of", what, "Expected a name of a result, such as power_w.")
    own = metric.unit if metric is not None else ""
    unit = table.choice("unit", units_of(own), own)
    head = metric.head if metric is not None else name
    head = table.text("head", head.replace(f"({own})", f"({unit})") if own else head)
    if "decimals" in table.values and "digits" in table.values:
        what = "both decimals and digits are given"
        table.fail("digits", what, "Expected one of the two.")
    digits = table.integer("digits", 0, low=0, high=15) or None
    usual = metric.decimals if metric is not None else 1
    decimals = table.integer("decimals", usual, low=0, high=12)
    return Shown(name, head, unit, None if digits else decimals, digits)
