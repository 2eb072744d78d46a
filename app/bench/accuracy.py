"""Files of accuracy: what a lab knows of the limits of error of its power analysers."""

from app.plan.toml_file import parse_toml
from app.plan.toml_table import TomlTable
from instruments.power.accuracy import Term, TermKind

FOLDER = "accuracy"
"""The folder of settings, and of what ships, with a file a driver."""

_BOUNDS = {
    TermKind.FREQUENCY: ("from", "to"),
    TermKind.TEMPERATURE: ("from", "to"),
    TermKind.AGE: ("to",),
}


def parse_accuracy(text: str, name: str) -> tuple[Term, ...]:
    """Read the terms of a meter from text that came from `name`.

    Raises:
        BadInput: Names the file, the line and the key, and what was expected.
    """
    top = parse_toml(text, name)
    top.expect("title", "term")
    top.text("title")
    terms = [_term(table) for table in top.tables("term")]
    kinds = [term.kind for term in terms]
    for kind in kinds:
        if kinds.count(kind) > 1:
            top.fail("term", f"{kind} stands twice", "Expected each term once.")
    top.finish()
    return tuple(terms)


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
