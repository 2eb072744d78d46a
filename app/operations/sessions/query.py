"""What somebody types to find sessions: device:jbod verdict:pass power_w>500."""

import math
import re
from datetime import date, datetime, time, timedelta

import app.record.store  # noqa: F401 - first: its parts take its lock
from app.record.store.index import NUMBERS, SAID, Term
from app.record.store.looks import TEXTS
from instruments.durations import parse_duration
from instruments.errors import BadInput
from instruments.metric import BY_NAME
from instruments.settings import did_you_mean

_WORD = re.compile(r'(?P<without>-)?(?P<text>(?:[^\s"]|"[^"]*"?)+)')
_TERM = re.compile(
    r"(?P<field>[a-z_0-9]+)(?P<how>:|>=|<=|>|<|=)(?P<text>.*)", re.DOTALL
)
_DATE = re.compile(r"(\d{4})(?:-(\d\d?)(?:-(\d\d?))?)?")
_SCALES = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def fields() -> dict[str, str]:
    """Get every field with what it is, for help and completion."""
    metrics = {
        one.name: f"{one.about or one.head}{f', {one.unit}' if one.unit else ''}"
        for one in BY_NAME.values()
        if one.is_stored
    }
    texts = {name: field.about for name, field in TEXTS.items()}
    said = {name: about for name, (about, _) in (*SAID.items(), *NUMBERS.items())}
    return texts | said | metrics


def parse_query(text: str) -> list[Term]:
    """Read what is wanted of sessions; all of it has to hold.

    A word is looked for in every text, `field:text` in one; `-` before either means
    that it must not be there. Numbers are compared: power_w>500, iops:1k..2k. What has
    blanks, or a colon of its own, stands between double quotes.

    Raises:
        BadInput: A field is none, or a number, date or duration is none.
    """
    return [
        _term(word["text"], without=bool(word["without"]))
        for word in _WORD.finditer(text)
    ]


def _term(word: str, *, without: bool) -> Term:
    found = _TERM.fullmatch(word)
    if found is None:
        return Term("", _folded(word, word), without=without)
    field, how, value = found["field"], found["how"], found["text"].replace('"', "")
    known = fields()
    if field not in known:
        raise BadInput(
            f'there is no field "{field}" to search by{did_you_mean(field, known)}',
            where=word,
            way_out="Use one such as device, step, tag, date or power_w, or put the "
            "word in double quotes.",
        )
    if field in NUMBERS or field in BY_NAME:
        low, high = _bounds(field, how, value, word)
        return Term(field, low=low, high=high, without=without)
    if how not in (":", "="):
        raise BadInput(
            f'"{field}" is a text, which is not compared by {how}',
            where=word,
            way_out=f"Write {field}: and what it contains.",
        )
    return Term(field, _folded(value, word), without=without)


def _folded(text: str, word: str) -> str:
    found = text.replace('"', "").casefold()
    if not found:
        raise BadInput(
            "no search text is given",
            where=word,
            way_out="Write what to look for behind the colon.",
        )
    return found


def _bounds(field: str, how: str, value: str, word: str) -> tuple[float, float]:
    """Get the least and the greatest number that is meant."""
    first, dots, last = value.partition("..")
    if dots and how in (":", "="):
        return _span(field, first, word)[0], _span(field, last, word)[1]
    low, high = _span(field, value, word)
    return {
        ">": (math.nextafter(high, math.inf), math.inf),
        ">=": (low, math.inf),
        "<": (-math.inf, math.nextafter(low, -math.inf)),
        "<=": (-math.inf, high),
    }.get(how, (low, high))


def _span(field: str, text: str, word: str) -> tuple[float, float]:
    """Read a number, or a date, which is all of its day, month or year."""
    try:
        if field == "date":
            return _days(text)
        if field == "duration":
            seconds = parse_duration(text)
            return seconds, seconds
        scale = _SCALES.get(text[-1:], 1.0)
        number = float(text.rstrip("kMGT") if scale != 1 else text) * scale
        if math.isfinite(number):
            return number, number
    except (ValueError, OverflowError):
        pass
    expected = {"date": "2026, 2026-03 or 2026-03-21", "duration": "90s or 2h"}
    raise BadInput(
        f'"{text}" is no {field if field in expected else "number"}',
        where=word,
        way_out=f"Expected one such as {expected.get(field, '500, 1.5 or 20k')}.",
    )


def _days(text: str) -> tuple[float, float]:
    """Get the first and the last moment of a day, month or year, local time."""
    found = _DATE.fullmatch(text)
    if found is None:
        raise ValueError(text)
    year, month, day = (int(part or 0) for part in found.groups())
    begin = date(year, month or 1, day or 1)
    if day:
        end = begin + timedelta(days=1)
    else:
        months = 12 * year + (month if month else 12)
        end = date(months // 12, months % 12 + 1, 1)
    first, last = (datetime.combine(one, time()).timestamp() for one in (begin, end))
    return first, math.nextafter(last, -math.inf)
