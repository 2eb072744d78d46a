"""The load that a row of a report ran, and in what those of several sessions differ."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from glob import has_magic

from instruments.durations import parse_duration
from instruments.files.foreign_text import stored_table, stored_toml
from instruments.settings import Kind, Option, written
from instruments.sizes import parse_size
from workloads.engines import LOADS
from workloads.fio.fine import time_s
from workloads.fio.options import find_option
from workloads.fio_access import Kind as Access
from workloads.fio_access import ruling

Row = Mapping[str, object]

_TIMES = ("runtime", "ramp")
_CLOSE = 0.05
"""Times that differ by no more than this share of the longer one are alike: those of
an import were measured, not planned."""

_FIO = {"rw": "read", "bs": "4k", "iodepth": "1", "numjobs": "1", "rwmixread": "50"}
"""What fio takes where an option is not given."""

_REPORTED = (
    *("lat_percentiles", "clat_percentiles", "slat_percentiles", "percentile_list"),
    *("significant_figures", "direct"),
)
"""Options of what fio reports; whether it was direct is a result, not a wish."""

_MATTERS = frozenset(("size", "verify", "read_iolog"))
"""Options that a step cannot set, and that make another load of a foreign job."""

_OF_THE_PLACE = frozenset((*_TIMES, "size", "hosts", "targets", "direct", "ioengine"))
"""What is not known where nobody says it; any other option was then not used."""


@dataclass(frozen=True, slots=True)
class RowLoad:
    """What load a row ran."""

    engine: str  # the engine, or the phase that puts no load on anything
    # what it was given to do, by the names that the engine has for it
    options: Mapping[str, str] = field(default_factory=dict)
    # whether what is not among the options was not used either; where a foreign file
    # was imported that is known of fio alone
    is_whole: bool = True


def row_load(plan: str, row: Row, bench: str, *, imported: bool = False) -> RowLoad:
    """Tell the load of a row from what its session keeps."""
    whole, engine = stored_toml(plan), str(row.get("engine") or "")
    if engine not in LOADS:
        return RowLoad(engine)
    given = {str(k): written(v) for k, v in stored_table(plan, engine).items()}
    found = _fio(given) if engine == "fio" else given
    if not imported:
        found = _defaults(engine) | found | _place(stored_toml(bench), engine)
        found.setdefault("ramp", "0s")
        if engine == "fio":
            found.setdefault("ioengine", "libaio")
    if row.get("buffered") is not None:
        found["direct"] = "0" if row["buffered"] else "1"
    found |= {k: str(whole[k]) for k in (*_TIMES, "devices") if whole.get(k)}
    return RowLoad(engine, found, not imported or engine == "fio")


def _defaults(engine: str) -> dict[str, str]:
    """Get what an engine's options are where its plan says nothing."""
    defaults = {option.key: option.default for option in LOADS[engine].options}
    return {k: written(v) for k, v in defaults.items() if v is not None}


def _fio(given: Mapping[str, str]) -> dict[str, str]:
    """Give options one name each, and leave out what is not part of the load."""
    named = {_one_name(key): value for key, value in given.items()}
    found = _FIO | {k: v for k, v in named.items() if _is_load(k)}
    if "rwmixwrite" in found:
        share = found.pop("rwmixwrite")
        is_share = share.isdecimal() and len(share) < 4
        found["rwmixread"] = str(100 - int(share)) if is_share else share
    if found["rw"].partition(":")[0] not in ("rw", "readwrite", "randrw"):
        found.pop("rwmixread")
    if {"bssplit", "bsrange"} & found.keys() and "bs" not in named:
        found.pop("bs")
    return found


def _one_name(key: str) -> str:
    """Get that of two names that fio has for an option by which it is compared."""
    option = find_option(key)
    return option.key if option else key


def _is_load(name: str) -> bool:
    kind = ruling(name).kind
    is_free = kind in (Access.OPEN, Access.ARMED)
    return name in _MATTERS or (is_free and name not in _REPORTED)


def _place(bench: Mapping[str, object], engine: str) -> dict[str, str]:
    """Tell from how many hosts, and on how much of how many targets, it ran."""
    dut, load = bench.get("dut"), bench.get("load")
    found = {}
    if isinstance(dut, Mapping) and LOADS[engine].on_target:
        target = dut.get("target")
        names = [str(one) for one in (target if isinstance(target, list) else [target])]
        # How many a pattern stood for in that hour nobody can tell.
        if not any(map(has_magic, names)):
            found["targets"] = str(len(names))
        found["size"] = str(dut.get("size") or "all")
    hosts = load.get("hosts") if isinstance(load, Mapping) else None
    found["hosts"] = str(len(hosts) if isinstance(hosts, list) else 1)
    return found


@dataclass(frozen=True, slots=True)
class LoadDifference:
    """In what the loads of one row differ between sessions."""

    # what each session has of an option, by its name; None where a session has no
    # such row, or does not say
    options: Mapping[str, tuple[str | None, ...]]
    # for each session whether its load is that of the first one, for however long;
    # None where it does not say, or has no such row
    like: tuple[bool | None, ...]
    as_long: tuple[bool | None, ...]  # the same, and whether it ran for as long
    is_known: bool = True  # whether every session that has the row says its load

    @property
    def mark(self) -> str:
        """In a few words that the loads differ; "" where all ran the same load."""
        if not self.options:
            return "" if self.is_known else "not known whether this is the same load"
        # How long it ran does not change a load: its rates still compare.
        is_same = self.options.keys() <= {*_TIMES}
        return "same load for different times" if is_same else "not the same load"

    @property
    def told(self) -> str:
        """What is to be said of the row: its mark, and in what its loads differ."""
        differing = ", ".join(
            f"{name} {' / '.join(value or '-' for value in values)}"
            for name, values in self.options.items()
        )
        return f"{self.mark}: {differing}" if differing else self.mark


def load_difference(loads: Sequence[RowLoad | None]) -> LoadDifference:
    """Compare the loads that sessions ran under one label."""
    known = [load for load in loads if load is not None]
    names: dict[str, None] = {}
    like: list[bool | None] = []
    as_long: list[bool | None] = []
    for load in loads:
        own = _differing(known[0], load) if load is not None else []
        names |= dict.fromkeys(own)
        is_said = load is not None and _is_said(load) and _is_said(known[0])
        changed = [name for name in own if name not in _TIMES]
        like.append(not changed if own or is_said else None)
        as_long.append(not own if own or is_said else None)
    options = {n: tuple(_value(n, load) for load in loads) for n in _ordered(names)}
    is_known = len(known) < 2 or all(map(_is_said, known))
    return LoadDifference(options, tuple(like), tuple(as_long), is_known)


def _is_said(load: RowLoad) -> bool:
    return load.is_whole or bool(load.options.keys() - {*_TIMES})


def _differing(first: RowLoad, other: RowLoad) -> list[str]:
    """Name the options in which two loads differ; two engines have none in common."""
    if first.engine != other.engine:
        return ["engine"]
    return [
        name
        for name in {**first.options, **other.options}
        if not _alike(first.engine, name, _known(name, first), _known(name, other))
    ]


def _known(name: str, load: RowLoad) -> str | None:
    """Get an option; `_NOT_USED` where it was not, None where that is not known."""
    lacking = _NOT_USED if load.is_whole and name not in _OF_THE_PLACE else None
    return load.options.get(name, lacking)


def _value(name: str, load: RowLoad | None) -> str | None:
    if load is None:
        return None
    return load.engine if name == "engine" else _known(name, load)


def _alike(engine: str, name: str, one: str | None, other: str | None) -> bool:
    if one is None or other is None or one == other:
        return True
    if name in _TIMES:
        lengths = sorted((_seconds(one), _seconds(other)))
        return lengths[1] - lengths[0] <= _CLOSE * lengths[1]
    if name in _FIO and _NOT_USED in (one, other):
        return False  # Another option stands in its place.
    return _meaning(engine, name, one) == _meaning(engine, name, other)


def _seconds(text: str) -> float:
    try:
        return parse_duration(text)
    except ValueError:
        return 0.0


_FIRST = ("engine", "rw", "bs", "iodepth", "numjobs", "size", "rwmixread", "rate")
_LAST = (*_TIMES, "targets", "hosts")


def _ordered(names: Iterable[str]) -> list[str]:
    """Put what says most of a load before the rest, times and places at the end."""
    places = {name: number for number, name in enumerate(_FIRST, -len(_FIRST))}
    places |= {name: number for number, name in enumerate(_LAST, 1)}
    return sorted(names, key=lambda name: places.get(name, 0))


_NOT_USED = "none"
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

_ON, _OFF = ("", "1", "true", "yes"), ("0", "false", "no", _NOT_USED)


def _meaning(engine: str, name: str, value: str) -> object:
    """Read a value so that those that ask for the same load are equal.

    Args:
        engine: The engine of the option.
        name: The option; of two names that fio has for one, that of `fio --cmdhelp`.
        value: As given, `_NOT_USED` where it was not.
    """
    option, text = _option(engine, name), value.strip()
    if engine == "fio" and text == _NOT_USED:
        text = _default(name, option) or _NOT_USED
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
