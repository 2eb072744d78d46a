"""A plan's fio options, checked for what fio does not take or must not get."""

import re
from collections.abc import Mapping

from instruments.errors import OptionError
from instruments.settings import closest, did_you_mean
from instruments.sizes import parse_size
from workloads.fio_access import (
    ENGINES,
    OPTIONS,
    UNKNOWN,
    Kind,
    engine_trouble,
    ruling,
    value_trouble,
)
from workloads.fio_job import READS, direction

_NAME = re.compile("[a-z0-9_-]+")
_DIRECTIONS = (*READS, "write", "randwrite", "rw", "readwrite", "randrw")


def check_options(options: Mapping[str, str]) -> None:
    """Check a plan's fio options for what fio does not take or must not get.

    Raises:
        OptionError: Names the option and the way out.
    """
    for name, value in options.items():
        _check_option(name, value)
    _check_direction(options)
    engine = options.get("ioengine", "libaio")
    if trouble := engine_trouble(engine):
        raise OptionError(
            "ioengine",
            f'the I/O engine "{engine}" cannot be used in a step, {trouble}'
            f"{did_you_mean(engine, ENGINES)}",
            f"Expected one of {', '.join(ENGINES)}.",
        )
    if "bssplit" in options:
        check_bssplit(options["bssplit"])
    for name in ("bs", "blocksize", "ba", "blockalign", "bsrange"):
        _check_sizes(name, options.get(name, "4k"))
    for name in ("iodepth", "numjobs"):
        text = options.get(name, "1")
        if not text.isdecimal() or not int(text):
            raise OptionError(
                name, f'{name} is "{text}"', "Expected a whole number of at least 1."
            )


def _check_direction(options: Mapping[str, str]) -> None:
    if "rw" in options and "readwrite" in options:
        raise OptionError("rw", "rw and readwrite are one option", "Give one of them.")
    if (rw := direction(options)) not in _DIRECTIONS:
        raise OptionError(
            "rw",
            f'rw is "{rw}"{did_you_mean(rw, _DIRECTIONS)}' if rw else "rw is missing",
            f"Expected one of {', '.join(_DIRECTIONS)}.",
        )


def _check_option(name: str, value: str) -> None:
    rule = ruling(name)
    if rule.kind is Kind.OURS:
        raise OptionError(
            name, f"{name} is not an option of a step", f"Instead: {rule.reason}."
        )
    if rule.kind is Kind.CLOSED or not _NAME.fullmatch(name):
        hint = "Remove it."
        # Only what a plan may set is suggested.
        if rule is UNKNOWN:
            opened = sorted(k for k, each in OPTIONS.items() if each.kind is Kind.OPEN)
            close = closest(name.lower().replace("-", "_"), opened)
            hint = f'Did you mean "{close}"?' if close else hint
        why = f", {rule.reason}" if rule.reason else ""
        raise OptionError(
            name, f'the option "{name}" cannot be used in a step{why}', hint
        )
    if trouble := value_trouble(name, value):
        raise OptionError(name, trouble, "Remove it.")


def _check_sizes(name: str, text: str) -> None:
    """Check sizes for read, write and trim; fio finds a wrong one only when it runs."""
    for part in re.split("[,-]" if name == "bsrange" else ",", text):
        try:
            if part:
                parse_size(part)
        except ValueError:
            raise OptionError(
                name, f'{name} is "{text}"', "Expected sizes such as 4k or 1m."
            ) from None


def check_bssplit(text: str) -> None:
    """Check that the shares of a bssplit sum to 100, which fio does not.

    Raises:
        OptionError: They do not, or a part of it is no size with its share.
    """
    for part in text.split(","):
        total, open_shares = 0, 0
        for entry in part.split(":"):
            size, _, share = entry.partition("/")
            try:
                parse_size(size)
                total += int(share) if share else 0
            except ValueError:
                raise OptionError(
                    "bssplit",
                    f'bssplit has the part "{entry}"',
                    "Expected size/percent, such as 4k/20:64k/80.",
                ) from None
            open_shares += not share
        if total > 100 or (total != 100 and not open_shares):
            raise OptionError(
                "bssplit",
                f"the shares of bssplit sum to {total} %",
                "Expected shares that sum to 100.",
            )
