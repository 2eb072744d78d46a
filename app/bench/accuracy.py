"""What a lab knows of the limits of error of its power analysers: files, and ranges."""

from collections.abc import Mapping
from fnmatch import fnmatchcase

from app.plan.toml_file import parse_toml
from app.plan.toml_table import TomlTable
from instruments.errors import BadInput
from instruments.power.accuracy import Term, TermKind
from instruments.power.step_ranges import STEP_RANGES, Ranges, take_ranges
from instruments.settings import Settings, complete

FOLDER = "accuracy"
"""The folder of settings, and of what ships, with a file a driver."""

_RECORDING = ("hmc8015", "npa")
"""Drivers that record the ranges: a session of theirs without any has unknown ones."""

_RANGES = ("voltage_range", "current_range", STEP_RANGES.key)
_BOUNDS = {
    TermKind.FREQUENCY: ("from", "to"),
    TermKind.TEMPERATURE: ("from", "to"),
    TermKind.AGE: ("to",),
}


def parse_accuracy(text: str, name: str, model: str | None = None) -> tuple[Term, ...]:
    """Read the terms of a meter from text that came from `name`.

    Args:
        text: The file.
        name: What it is called in messages.
        model: What the meter calls its model; there are no terms for one that the file
            does not name, where it names any. None for whatever model.

    Raises:
        BadInput: Names the file, the line and the key, and what was expected.
    """
    top = parse_toml(text, name)
    top.expect("title", "models", "term")
    top.text("title")
    models = top.texts("models")
    terms = [_term(table) for table in top.tables("term")]
    kinds = [term.kind for term in terms]
    for kind in kinds:
        if kinds.count(kind) > 1:
            top.fail("term", f"{kind} appears twice", "Expected each term once.")
    top.finish()
    is_named = any(fnmatchcase(model or "", pattern) for pattern in models)
    return tuple(terms) if model is None or is_named or not models else ()


def fixed_ranges(driver: str, keys: Mapping[str, object], label: str) -> Ranges | None:
    """Get the ranges that the bench fixes for a step on a meter that records none.

    Such a meter is read back, and refused where it took others.

    Args:
        driver: Of the meter.
        keys: What the bench says of it.
        label: Of the step, "" for none.

    Returns:
        None where the driver has no fixed ranges, or the keys are not such as it takes.
    """
    # Only of such a meter: a report of any other takes none of the drivers.
    from app.bench.drivers import drivers  # noqa: PLC0415

    found = None if driver in _RECORDING else drivers().get(("power", driver))
    options = {o.key: o for o in (found.options if found is not None else ())}
    if options.get(STEP_RANGES.key) is not STEP_RANGES:
        return None
    own = [options[key] for key in _RANGES]
    try:
        given = {key: keys[key] for key in _RANGES if key in keys}
        settings = Settings(driver, complete(own, given))
        ranges = take_ranges(settings, *([*map(float, o.choices)] for o in own[:2]))
    except BadInput:
        return None
    ranges.choose(label)
    return ranges.now


def _term(table: TomlTable) -> Term:
    kind = TermKind(table.choice("of", list(TermKind), None))
    bounds = {key: table.number(key, None) for key in _BOUNDS.get(kind, ())}
    term = Term(
        kind,
        table.number("amount", None, low=0.0, high=90.0),
        table.text("source"),
        table.flag("verified", False),
        bounds.get("from", 0.0),
        bounds.get("to", 0.0),
    )
    table.finish()
    return term
