"""Look up fio's options, for the terminal and for scripts."""

import math
from collections.abc import Iterator, Sequence

from instruments.errors import BadInput
from instruments.settings import closest, written
from workloads.fio.options import (
    VERSION,
    FioOption,
    find_option,
    fio_options,
    names_beginning,
)


def find_options(name: str = "", *, closed: bool = False) -> list[FioOption]:
    """Get the options that a step may have, or the one with a name.

    Raises:
        BadInput: fio has no option of that name.
    """
    if not name:
        return [
            fio_option
            for fio_option in fio_options().values()
            if closed or fio_option.is_open
        ]
    if option := find_option(name):
        return [option]
    meant = ", ".join(names_beginning(name)[:5]) or closest(name, fio_options())
    raise BadInput(
        f"{VERSION} has no option {name}",
        where="options",
        way_out=f"Did you mean {meant}?" if meant else "See fio options.",
    )


def option_json(option: FioOption) -> dict[str, object]:
    """Write an option as plain values."""
    return {
        "name": option.key,
        "type": option.type,
        "low": None if math.isinf(option.low) else option.low,
        "high": None if math.isinf(option.high) else option.high,
        "choices": list(option.choices),
        "default": _default(option) or None,
        "help": option.help,
        "alias": option.alias or None,
        "engines": list(option.engines),
        "use": str(option.ruling.kind),
        "reason": option.ruling.reason or None,
    }


def _default(option: FioOption) -> str:
    """Write the default as fio does, "" where there is none."""
    default = None if option.type == "switch" else option.default
    return str(int(default)) if isinstance(default, bool) else written(default)


def option_lines(options: Sequence[FioOption], *, whole: bool = False) -> list[str]:
    """Write options for the terminal, a line each or, where `whole`, all of them."""
    if whole:
        return [line for option in options for line in _all_of(option)]
    width = max((len(option.key) for option in options), default=0)
    return [f"{option.key:<{width}}  {_short(option)}" for option in options]


def _short(option: FioOption) -> str:
    kind = "|".join(map(str, option.choices[:8])) or option.type
    default_text = _default(option)
    default = f", default {default_text}" if default_text else ""
    closed = "" if option.is_open else f" [{option.ruling.kind}]"
    return f"{option.help} ({kind}{_range(option)}{default}){closed}"


def _range(option: FioOption) -> str:
    low = "" if math.isinf(option.low) else f" from {option.low:g}"
    return low + ("" if math.isinf(option.high) else f" to {option.high:g}")


def _all_of(option: FioOption) -> Iterator[str]:
    yield f"{option.key}: {option.help}"
    yield f"  type: {option.type}{_range(option)}"
    if default := _default(option):
        yield f"  default: {default}"
    if option.alias:
        yield f"  also: {option.alias}"
    if option.engines:
        yield f"  engines: {', '.join(option.engines)}"
    for choice, help_text in zip(option.choices, option.words, strict=True):
        yield f"  {choice}: {help_text}".rstrip(": ")
    reason = f", {option.ruling.reason}" if option.ruling.reason else ""
    yield f"  in a step: {option.ruling.kind}{reason}"
