"""What `fio --cmdhelp` and `fio --enghelp` print, read into options."""

import re
from collections.abc import Iterator

from workloads.fio.options.catalogue import Choice, FioOption, ValueKind

_LISTED = re.compile(r"^(?P<indent> *)(?P<name>[\w-]+) *: (?P<help>.*)$")
_FIELD = re.compile(r"^ *(?P<key>[\w -]*?): ?(?P<value>.*)$")
_RANGE = re.compile(r"min=(?P<low>-?[\d.]+)(?:, max=(?P<high>-?[\d.]+))?")

_KINDS = (
    ("empty or boolean", ValueKind.SWITCH),
    ("boolean", ValueKind.FLAG),
    ("integer", ValueKind.INTEGER),
    ("list of floating", ValueKind.NUMBERS),
    ("one to three ranges", ValueKind.RANGE),
    ("string with possible", ValueKind.SIZE),
    ("string with time", ValueKind.DURATION),
    # fio 3.33 has no words for sizes that may be a share ("50%") or zones ("3z").
    ("(null)", ValueKind.SIZE),
    ("no argument", ValueKind.SWITCH),
)


def listed(text: str) -> Iterator[tuple[str, str, str]]:
    """Read a list such as `--cmdhelp=all`: (name, option it belongs to, help)."""
    parent = ""
    for line in text.splitlines():
        match = _LISTED.match(line)
        if match is None:
            continue
        if not match["indent"]:
            parent = match["name"]
        yield match["name"], parent if match["indent"] else "", match["help"].strip()


def described(
    text: str, parent: str = "", engines: tuple[str, ...] = ()
) -> FioOption | None:
    """Read what `--cmdhelp=NAME` prints; None where it describes no option.

    Args:
        text: What fio printed.
        parent: The option that it belongs to.
        engines: The I/O engines that have it.
    """
    lines = text.splitlines()
    head = _FIELD.match(lines[0]) if lines else None
    if head is None or len(lines) < 2:
        return None
    fields: dict[str, str] = {}
    choices: list[Choice] = []
    for line in lines[1:]:
        match = _FIELD.match(line)
        if match is None:
            continue
        key = match["key"].strip()
        if key in ("valid values", ""):
            value, _, told = match["value"].strip().partition(" ")
            choices.append(Choice(value, told.strip()))
        else:
            fields.setdefault(key, match["value"].strip())
    if "type" not in fields:
        return None
    low, high = _limits(fields.get("range", ""))
    default = fields.get("default", "")
    return FioOption(
        name=head["key"].strip(),
        kind=ValueKind.CHOICE if choices else _kind(fields["type"]),
        low=low,
        high=high,
        choices=tuple(choices),
        default="" if default == "no default" else default,
        help=head["value"].strip(),
        alias=fields.get("alias", ""),
        parent=parent,
        engines=engines,
    )


def _kind(text: str) -> ValueKind:
    for start, kind in _KINDS:
        if text.startswith(start):
            return kind
    return ValueKind.TEXT


def _limits(text: str) -> tuple[float | None, float | None]:
    """Read "min=1, max=-1"; fio writes -1 for a limit that is not there."""
    match = _RANGE.search(text)
    if match is None:
        return None, None
    low = float(match["low"])
    high = float(match["high"]) if match["high"] else None
    return low, None if high is not None and high < low else high
