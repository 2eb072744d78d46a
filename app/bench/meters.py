"""Descriptions of power meters: text files that ship, and those of the user."""

import math
import re
import warnings
from importlib.resources import files
from pathlib import Path

import platformdirs

from app.plan.toml_file import parse_toml, read_toml
from app.plan.toml_table import TomlTable
from instruments.errors import BadInput
from instruments.power.dialects.described import MOST_ANSWER, Description, Field
from instruments.power.points import UNITS, Point, Timing
from resources import read_text

ALLOWED_UNITS = ("W", "VA", "var", "V", "A", "Hz", "Wh", "Ah", "s", "%", "deg", "")
_LINE_ENDS = {"lf": "", "crlf": "\r"}
KEYS = (
    *("title", "idn", "terminator", "acknowledged", "period", "window", "latency"),
    *("setup", "check", "restart", "release", "separator", "nan", "overrange", "value"),
)
"""What a description may have at its top."""

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")

_MOST_TRIES = 5 * 10**7
"""So often an expression may begin again within one answer: some seconds' work."""

_ONE_CHARACTER = re.compile(r"\\[^1-9]|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)


def user_folder() -> Path:
    """Get the folder in which users put descriptions; it need not exist."""
    return platformdirs.user_config_path("bayscope", appauthor=False) / "meters"


def load_meters(folder: Path | None = None) -> dict[str, Description | BadInput]:
    """Read every description there is, by name; the user's go before those that ship.

    Args:
        folder: Where the user's are; None is where they belong.

    Returns:
        A description, or the mistake that its file has.
    """
    meters: dict[str, Description | BadInput] = {}
    for path in sorted((folder or user_folder()).glob("*.toml")):
        try:
            meters[path.stem] = _description(read_toml(path)[1])
        except BadInput as error:
            meters[path.stem] = error
    shipped = (files("resources") / "meters").iterdir()
    for name in sorted(each.name for each in shipped if each.name.endswith(".toml")):
        stem = name.removesuffix(".toml")
        if stem not in meters:
            meters[stem] = parse_meter(read_text("meters", name), name)
    return meters


def parse_meter(text: str, name: str) -> Description:
    """Read a description from text that came from `name`.

    Raises:
        BadInput: Names the file, the line and the key, and what was expected.
    """
    return _description(parse_toml(text, name))


def _description(top: TomlTable) -> Description:
    top.expect(*KEYS)
    title = top.text("title")
    idn = _expression(top, "idn")
    line_end = _LINE_ENDS[top.choice("terminator", list(_LINE_ENDS), "lf")]
    period = top.number("period", 0.5, low=0.05, high=3600.0)
    window = top.number("window", period, high=3600.0)
    timing = Timing(period, window, top.number("latency", window, high=3600.0))
    separator = top.values.get("separator", ",")
    if not (isinstance(separator, str) and separator):
        top.fail("separator", "separator is not a text", 'Expected such as "," or ";".')
    return Description(
        title,
        idn,
        timing,
        _fields(top),
        setup=_commands(top, "setup"),
        acknowledged=top.flag("acknowledged", False),
        checks=tuple(
            (_question(table, "ask"), _expression(table, "answer", is_last=True))
            for table in top.tables("check")
        ),
        restart=_commands(top, "restart"),
        release=_commands(top, "release"),
        line_end=line_end,
        separator=separator,
        nan=tuple(top.texts("nan")),
        overrange=tuple(top.texts("overrange")),
    )


def _fields(top: TomlTable) -> tuple[Field, ...]:
    fields: list[Field] = []
    for table in top.tables("value"):
        field = _field(table)
        if field.point[::2] in {other.point[::2] for other in fields}:
            table.fail(
                "quantity",
                f'the quantity "{field.point.quantity}" appears twice',
                "Give one of them its own location.",
            )
        alike = {bool(other.position) for other in fields if other.ask == field.ask}
        if alike - {bool(field.position)}:
            table.fail(
                "position" if field.position else "name",
                "one answer has values by position and by name",
                "Expected positions only, or names only.",
            )
        fields.append(field)
    if not fields:
        top.fail("value", "there is no [[value]]", "Expected at least one [[value]].")
    return tuple(fields)


def _field(table: TomlTable) -> Field:
    ask = _question(table, "ask")
    position = table.integer("position", 0, low=1) if "position" in table.values else 0
    name = table.text("name", "")
    if bool(position) == bool(name):
        what = "position and name are both given" if name else "position is missing"
        table.fail("position", what, "Expected a position, or a name in its place.")
    quantity = _word(table, "quantity")
    unit = _unit(table, quantity)
    location = _word(table, "location") if "location" in table.values else ""
    scale = table.number("scale", 1.0, low=-1e12, high=1e12)
    if scale == 0.0:
        table.fail("scale", "scale is 0", "Expected a number other than 0.")
    table.finish()
    return Field(ask, Point(quantity, unit, location), position, name, scale)


def _unit(table: TomlTable, quantity: str) -> str:
    allowed = [UNITS[quantity]] if quantity in UNITS else list(ALLOWED_UNITS)
    unit = table.text("unit", "")
    if unit not in allowed or ("unit" not in table.values and "" not in allowed):
        names = ", ".join(f'"{each}"' for each in allowed)
        what = f'unit is "{unit}"' if unit else "unit is missing"
        table.fail("unit", what, f"Expected one of {names} for {quantity}.")
    return unit


def _word(table: TomlTable, key: str) -> str:
    text = table.text(key)
    if not _WORD.fullmatch(text):
        table.fail(
            key, f'{key} is "{text}"', "Expected letters, digits, - and _, no spaces."
        )
    return text


def _question(table: TomlTable, key: str) -> str:
    text = table.text(key)
    if "?" not in text:
        table.fail(key, f'{key} is "{text}"', "Expected a question, with a ? in it.")
    return text


def _commands(table: TomlTable, key: str) -> tuple[str, ...]:
    commands = table.texts(key)
    for command in commands:
        if "?" in command or not command.strip():
            table.fail(
                key,
                f'{key} has "{command}"',
                "Expected commands, which are not answered; a question shifts answers.",
            )
    return tuple(commands)


def _expression(table: TomlTable, key: str, *, is_last: bool = False) -> str:
    text = table.text(key)
    try:
        with warnings.catch_warnings():  # of sets that a later Python may read again
            warnings.simplefilter("ignore", FutureWarning)
            re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        table.fail(
            key,
            f"{key} is not a regular expression ({error})",
            "Put a \\ before a character such as ( or + that is meant as it is.",
        )
    if not _is_quick(text):
        table.fail(
            key,
            f"{key} may take forever to match against an answer",
            "Repeat single characters only, such as .* or [0-9]+, and four of them at "
            "most; no group, no back reference.",
        )
    if is_last:
        table.finish()
    return text


def _is_quick(expression: str) -> bool:
    """Tell whether an expression is compared with any answer in bounded time.

    Python's goes back and tries again: each part that may repeat ends at any later
    character, each choice doubles that, and a repeated group multiplies it by itself.
    """
    plain = _ONE_CHARACTER.sub("x", expression).replace("(?:", "(")
    if re.search(r"\(\?|\\|\)[*+{]", plain):
        return False
    repeats = len(re.findall(r"[*+]|\{\d*,\d*\}", plain))
    choices = plain.count("|") + plain.count("?")
    ways = math.comb(MOST_ANSWER + repeats, repeats) * 2**choices
    return len(plain) <= MOST_ANSWER and ways <= _MOST_TRIES
