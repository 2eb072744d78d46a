"""Values of a step as text: for a field, from a field, and in a line of a table."""

from collections.abc import Mapping

from instruments.settings import Kind, Option, written

_TABLE_WORDS = {
    "steady": "until steady",
    "repeats": "until confident",
    "rounds": "in rounds",
}
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


def to_value(option: Option, text: str) -> object:
    """Make a TOML value of what was entered; None where that is nothing.

    What cannot be made a value of this kind stays a text: the campaign's own check
    says then what is wrong with it.
    """
    if not text.strip():
        return None
    if option.kind is Kind.LINES:
        return text
    return option.typed(text)


def summary(step: Mapping[str, object]) -> str:
    """Tell the options of a step in a line, such as "randread 4k QD32 2 jobs"."""
    own = step.get(str(step.get("engine", "")))
    options = dict(own) if isinstance(own, dict) else {}
    words = []
    for key, value in options.items():
        if key in _HIDDEN or (key, value) == ("numjobs", 1):
            continue
        text = written(value)
        words.append(_WORDS[key].format(text) if key in _WORDS else f"{key}={text}")
    sweep = step.get("sweep")
    if isinstance(sweep, dict):
        for key, value in sweep.items():
            if isinstance(value, list):
                words.append(f"{key}: {', '.join(map(written, value))}")
    words += [word for table, word in _TABLE_WORDS.items() if table in step]
    return "  ".join(words)
