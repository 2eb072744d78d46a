"""Axes of a sweep: an option of the engine, its values, and how a label names them."""

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from instruments.sizes import parse_size

_SIZES = ("bs", "blocksize", "size", "obj.size", "xfersize")
_WORDS: Mapping[str, Callable[[str], str]] = {
    "bs": str,
    "blocksize": str,
    "bssplit": str,
    "rw": str,
    "readwrite": str,
    "obj.size": str,
    "xfersize": str,
    "ioengine": str,
    "iodepth": "QD{}".format,
    "numjobs": "{} jobs".format,
    "threads": "{} threads".format,
    "rdpct": "{}% read".format,
    "rwmixread": "{}% read".format,
    "rwmixwrite": "{}% write".format,
}
"""How a value stands in a label; every other option stands as "option=value"."""

_MIXED = ("rw", "readwrite", "randrw")


class AxisError(ValueError):
    """A mistake in an axis: which key, what is wrong, and what was expected."""

    def __init__(self, key: str, what: str, expected: str) -> None:
        super().__init__(f"{key}: {what}. {expected}")
        self.key = key
        self.what = what
        self.expected = expected


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of a sweep.

    Attributes:
        option: The option, spelled as the engine spells it, such as "bs".
        values: Its values as text, in the order they were written.
    """

    option: str
    values: tuple[str, ...]

    def word(self, value: str) -> str:
        """Get what a label says of a value, such as "QD8"."""
        tell = _WORDS.get(self.option)
        return tell(value) if tell else f"{self.option}={value}"


def make_axis(option: str, values: object) -> Axis:
    """Make an axis from what stands in a file: a list of texts and numbers.

    Raises:
        AxisError: It is not a list, is empty, or has a value twice.
    """
    expected = 'Expected a list of texts or numbers, such as ["4k", "64k"].'
    if not isinstance(values, list):
        raise AxisError(option, f"{option} is not a list", expected)
    texts = tuple(_text(option, value, expected) for value in values)
    if not texts:
        raise AxisError(option, f"{option} is an empty list", expected)
    seen: dict[object, str] = {}
    for text in texts:
        meant = _meant(option, text)
        if meant in seen:
            earlier = seen[meant]
            again = (
                "twice" if earlier == text else f'and "{earlier}", which is the same'
            )
            raise AxisError(
                option, f'{option} has "{text}" {again}', "Remove one of them."
            )
        seen[meant] = text
    return Axis(option, texts)


def check_axes(axes: tuple[Axis, ...], options: Mapping[str, str]) -> None:
    """Check that every axis of a fio step changes something.

    Raises:
        AxisError: An axis would not change what fio does.
    """
    swept = {axis.option for axis in axes}
    for axis in axes:
        if axis.option in ("bs", "blocksize") and {"bssplit", "bsrange"} & (
            swept | set(options)
        ):
            raise AxisError(
                axis.option,
                f"{axis.option} has no effect beside bssplit or bsrange",
                "Remove one of the two.",
            )
        if axis.option not in ("rwmixread", "rwmixwrite"):
            continue
        if "rwmixread" in swept and "rwmixwrite" in swept:
            raise AxisError(
                axis.option,
                "rwmixread and rwmixwrite are the same share",
                "Remove one of the two.",
            )
        for direction in _directions(axes, options):
            if direction not in _MIXED:
                raise AxisError(
                    axis.option,
                    f'{axis.option} has no effect with rw = "{direction}"',
                    'Expected rw = "randrw" or "rw".',
                )


def _directions(axes: tuple[Axis, ...], options: Mapping[str, str]) -> tuple[str, ...]:
    for axis in axes:
        if axis.option in ("rw", "readwrite"):
            return tuple(value.split(":")[0] for value in axis.values)
    return (options.get("rw", options.get("readwrite", "")).split(":")[0],)


def _text(option: str, value: object, expected: str) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int | float):
        return f"{value:.12g}" if isinstance(value, float) else str(value)
    if isinstance(value, str) and value.strip():
        return value.strip()
    shown = "a list" if isinstance(value, list) else f'"{value}"'
    raise AxisError(option, f"{option} has {shown} in it", expected)


def _meant(option: str, text: str) -> object:
    """Get what a value comes to, so that "4k" and "4096" are found to be one."""
    if option in _SIZES:
        with contextlib.suppress(ValueError):
            return parse_size(text)
    with contextlib.suppress(ValueError):
        return float(text)
    return text
