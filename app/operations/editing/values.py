"""Values of a step as text: for a field, from a field, and in a line of a table."""

import contextlib
from collections.abc import Mapping

from app.operations.editing.field import FieldKind

_TABLE_WORDS = {"steady": "until steady", "repeats": "until known"}
_HIDDEN = ("ioengine", "norandommap", "randrepeat", "direct", "erase")
_WORDS = {
    "rw": "{}",
    "bs": "{}",
    "bssplit": "{}",
    "iodepth": "QD{}",
    "numjobs": "{} jobs",
    "rwmixread": "{} % read",
    "xfersize": "{}",
    "rdpct": "{} % read",
    "threads": "{} threads",
    "operation": "{}",
    "obj.size": "{}",
    "text": "{}",
    "run": "{}",
}


def to_text(value: object) -> str:
    """Write a TOML value for a field: true, 8, 4k, one, two."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ", ".join(map(to_text, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def to_value(kind: FieldKind, text: str) -> object:
    """Make a TOML value of what was entered; None where that is nothing.

    What cannot be made a value of this kind stays a text: the campaign's own check
    says then what is wrong with it.
    """
    bare = text.strip()
    if not bare:
        return None
    match kind:
        case FieldKind.LINES:
            return text
        case FieldKind.FLAG if bare in ("true", "false"):
            return bare == "true"
        case FieldKind.TEXTS:
            return [part.strip() for part in bare.split(",") if part.strip()]
        case FieldKind.COUNT | FieldKind.NUMBER:
            return _number(bare)
    return bare


def summary(step: Mapping[str, object]) -> str:
    """Tell the options of a step in a line, such as "randread 4k QD32 2 jobs"."""
    own = step.get(str(step.get("engine", "")))
    options = dict(own) if isinstance(own, dict) else {}
    words = []
    for key, value in options.items():
        if key in _HIDDEN or (key, value) == ("numjobs", 1):
            continue
        text = to_text(value)
        words.append(_WORDS[key].format(text) if key in _WORDS else f"{key}={text}")
    sweep = step.get("sweep")
    if isinstance(sweep, dict):
        for key, value in sweep.items():
            if isinstance(value, list):
                words.append(f"{key}: {', '.join(map(to_text, value))}")
    words += [word for table, word in _TABLE_WORDS.items() if table in step]
    return "  ".join(words)


def _number(text: str) -> object:
    """Make a number of a text, or give it back as it is."""
    for make in (int, float):
        with contextlib.suppress(ValueError):
            return make(text)
    return text
