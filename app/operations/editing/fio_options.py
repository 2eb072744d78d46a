"""Look up fio's options, for the terminal and for scripts."""

from collections.abc import Iterator, Sequence

from instruments.errors import BadInput
from instruments.settings import closest
from workloads.fio.options.ask import load_catalogue
from workloads.fio.options.catalogue import FioOption


def find_options(name: str = "", *, closed: bool = False) -> list[FioOption]:
    """Get the options that a step may have, or the one with a name.

    Args:
        name: Name or alias; "" for all.
        closed: Whether those that a step may not have are wanted, too.

    Raises:
        BadInput: fio has no option of that name.
        BenchError: fio is not installed.
    """
    catalogue = load_catalogue()
    if name:
        option = catalogue.find(name)
        if option is not None:
            return [option]
        close = closest(name, catalogue.options)
        meant = ", ".join(catalogue.beginning(name)[:5]) or close
        raise BadInput(
            f"{catalogue.version} has no option {name}",
            where="options",
            way_out=f"Did you mean {meant}?" if meant else "See fio options.",
        )
    return [one for one in catalogue.options.values() if closed or one.is_open]


def option_json(option: FioOption) -> dict[str, object]:
    """Write an option as plain values."""
    return {
        "name": option.name,
        "type": str(option.kind),
        "low": option.low,
        "high": option.high,
        "choices": [choice.value for choice in option.choices],
        "default": option.default or None,
        "help": option.help,
        "alias": option.alias or None,
        "engines": list(option.engines),
        "use": str(option.ruling.kind),
        "reason": option.ruling.reason or None,
    }


def option_lines(options: Sequence[FioOption], *, whole: bool = False) -> list[str]:
    """Write options for the terminal, a line each or, where `whole`, all of them."""
    if whole:
        return [line for option in options for line in _all_of(option)]
    width = max((len(option.name) for option in options), default=0)
    return [f"{option.name:<{width}}  {_short(option)}" for option in options]


def _short(option: FioOption) -> str:
    kind = str(option.kind)
    if option.choices:
        kind = "|".join(choice.value for choice in option.choices[:8])
    kind += _range(option)
    default = f", default {option.default}" if option.default else ""
    closed = "" if option.is_open else f" [{option.ruling.kind}]"
    return f"{option.help} ({kind}{default}){closed}"


def _range(option: FioOption) -> str:
    if option.low is None and option.high is None:
        return ""
    low = "" if option.low is None else f" from {option.low:g}"
    return low + ("" if option.high is None else f" to {option.high:g}")


def _all_of(option: FioOption) -> Iterator[str]:
    yield f"{option.name}: {option.help}"
    yield f"  type: {option.kind}{_range(option)}"
    if option.default:
        yield f"  default: {option.default}"
    if option.alias:
        yield f"  also: {option.alias}"
    if option.engines:
        yield f"  engines: {', '.join(option.engines)}"
    for choice in option.choices:
        yield f"  {choice.value}: {choice.help}".rstrip(": ")
    reason = f", {option.ruling.reason}" if option.ruling.reason else ""
    yield f"  in a step: {option.ruling.kind}{reason}"
