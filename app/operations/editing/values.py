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
    words = [
        _WORDS[key].format(written(value))
        if key in _WORDS
        else f"{key}={written(value)}"
        for key, value in _table(step, str(step.get("engine", ""))).items()
        if key not in _HIDDEN and (key, value) != ("numjobs", 1)
    ]
    words += [
        f"{key}: {', '.join(map(written, values))}"
        for key, values in _table(step, "sweep").items()
        if isinstance(values, list)
    ]
    words += [word for table, word in _TABLE_WORDS.items() if table in step]
    return "  ".join(words)


def _table(step: Mapping[str, object], name: str) -> dict[str, object]:
    table = step.get(name)
    return table if isinstance(table, dict) else {}
