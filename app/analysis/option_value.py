"""What a value of an engine's option means, so that two spellings of one are alike."""

import re
from contextlib import suppress

from instruments.durations import parse_duration
from instruments.settings import Kind, Option, written
from instruments.sizes import parse_size
from workloads.engines import LOADS
from workloads.fio.fine import time_s
from workloads.fio.options import find_option

NOT_USED = "none"
"""Stands for an option that was not given."""

_SYNONYMS = {
    ("rw", "readwrite"): "rw",
    ("sync", "0"): "none",
    ("sync", "1"): "sync",
}
"""Words that fio has beside another one for a value of an option."""

_MICROSECONDS = (
    *("thinktime", "thinktime_spin", "thinktime_iotime"),
    *("latency_target", "latency_window"),
)
"""Times of fio's that are in us where they have no unit."""

_UNLIMITED = ("rate", "rate_iops", "rate_min", "rate_iops_min")
"""Options of fio's whose 0 is what they are when they are not given."""

_WAYS = 3
"""Reads, writes and trims: fio takes the last part that is given for the rest."""

_ON, _OFF = ("", "1", "true", "yes"), ("0", "false", "no", NOT_USED)


def meaning(engine: str, name: str, value: str) -> object:
    """Read a value so that those that ask for the same load are equal.

    Args:
        engine: The engine of the option.
        name: The option; of two names that fio has for one, that of `fio --cmdhelp`.
        value: As given, `NOT_USED` where it was not.
    """
    option, text = _option(engine, name), value.strip()
    if engine == "fio" and text == NOT_USED:
        text = _default(name, option) or NOT_USED
    kind = option.kind if option else Kind.TEXT
    if kind is Kind.FLAG and text.lower() in (*_ON, *_OFF):
        return text.lower() in _ON
    if engine != "fio":
        return _plain(kind, text)
    parts = text.split(",")
    parts += [parts[-1]] * (_WAYS - len(parts))
    return tuple(_part(name, part.strip() or _default(name, option)) for part in parts)


def _default(name: str, option: Option | None) -> str:
    return "0" if name in _UNLIMITED else written(option and option.default)


def _option(engine: str, name: str) -> Option | None:
    if engine == "fio":
        return find_option(name)
    known = LOADS[engine].options if engine in LOADS else ()
    return next((one for one in known if one.key == name), None)


def _plain(kind: Kind, text: str) -> object:
    """Read a value of an engine whose options say themselves what they are."""
    if kind is Kind.DURATION:
        with suppress(ValueError):
            return parse_duration(text)
    return tuple(_number(part.strip()) for part in re.split("[,:]", text))


def _part(name: str, part: str) -> object:
    """Read what an option of fio's says of one direction."""
    with suppress(ValueError):
        if name in _MICROSECONDS:
            return time_s(part)
        if name.startswith("steadystate_"):
            return parse_duration(f"{part}s" if part.isdigit() else part)
        if name == "bssplit":
            return _split(part)
    words = re.split("[-/:]", part)
    words[0] = _SYNONYMS.get((name, words[0]), words[0])
    return tuple(map(_number, words))


def _split(part: str) -> object:
    """Read block sizes with their shares in any order; ValueError where it is not one.

    Those without a share have what is left over, evenly.
    """
    pairs = [entry.partition("/") for entry in part.split(":")]
    left = 100 - sum(float(share) for _, _, share in pairs if share)
    blank = sum(not share for _, _, share in pairs)
    shares: dict[int, float] = {}
    for size, _, share in pairs:
        own = float(share) if share else left / blank
        shares[parse_size(size)] = shares.get(parse_size(size), 0.0) + own
    return frozenset(shares.items())


def _number(text: str) -> object:
    for read in (parse_size, float):
        with suppress(ValueError):
            return read(text)
    return text
