"""What [step.vdbench] may say, and what of it VDBench would not take."""

import re
from collections.abc import Mapping

from instruments.errors import OptionError
from instruments.settings import Kind, Option, Settings, read_step
from instruments.sizes import describe_size, parse_size

OPTIONS = (
    Option("xfersize", "transfer size, or (4k,50,64k,50)", default="4k"),
    Option("rdpct", "share of reads in %", Kind.NUMBER, 100.0, low=0, high=100),
    Option(
        "seekpct", "share of random seeks in %", Kind.NUMBER, 100.0, low=0, high=100
    ),
    Option("threads", "I/Os at once", Kind.INTEGER, 8, low=1, high=1_000_000),
    Option("iorate", "I/Os a second, or max", default="max"),
    Option(
        "interval",
        "seconds between two lines of its report",
        Kind.INTEGER,
        1,
        low=1,
        high=3600,
    ),
    Option(
        "openflags",
        "how the file is opened",
        Kind.CHOICE,
        "o_direct",
        choices=("o_direct", "none", "o_sync", "o_dsync"),
    ),
    Option("jvms", "Java machines, 0 for its own", Kind.INTEGER, 0, low=0, high=64),
    Option(
        "mode",
        "raw: one file as a disk (sd); files: a tree of files (fsd)",
        Kind.CHOICE,
        "raw",
        choices=("raw", "files"),
    ),
    Option("depth", "levels of folders", Kind.INTEGER, 1, low=1, high=16),
    Option("width", "folders in each", Kind.INTEGER, 1, low=1, high=100_000),
    Option("files", "files in each", Kind.INTEGER, 16, low=1, high=10_000_000),
    Option("size", "size of each file", Kind.SIZE, "1m", low=1, high=2**50),
    Option(
        "fileio",
        "order within a file",
        Kind.CHOICE,
        "random",
        choices=("random", "sequential"),
    ),
    Option(
        "fileselect",
        "order of the files",
        Kind.CHOICE,
        "random",
        choices=("random", "sequential"),
    ),
)
"""What [step.vdbench] may say, spelled as VDBench does."""

_OURS = {
    "elapsed": "Set runtime of the step",
    "warmup": "Set ramp of the step",
    "lun": "Set target of [dut] in the bench",
    "anchor": "Set target of [dut] in the bench",
    "fwdrate": "Set iorate",
    "forxfersize": "Make a step of each",
    "forthreads": "Make a step of each",
    "startcmd": "No commands are run for a plan",
    "endcmd": "No commands are run for a plan",
    "format": "Bayscope lets it make its files",
}
_FILES_ONLY = ("depth", "width", "files", "size", "fileio", "fileselect")


def check(options: Mapping[str, str]) -> Settings:
    """Check the options of a step.

    Raises:
        OptionError: A key is unknown, or a value is none that VDBench takes.
    """
    found = read_step("vdbench", OPTIONS, options, _OURS)
    _check_sizes(found.text("xfersize"))
    rate = found.text("iorate")
    if rate != "max" and not re.fullmatch(r"[1-9]\d{0,8}", rate):
        raise OptionError("iorate", f"iorate is {rate}", "Expected max or a number.")
    if found.text("mode") == "raw":
        for key in _FILES_ONLY:
            if key in options:
                raise OptionError(
                    key, f"{key} is for a tree of files", 'Set mode = "files", too.'
                )
    elif "seekpct" in options:
        raise OptionError(
            "seekpct", "seekpct is for one file as a disk", "Set fileio instead."
        )
    return found


def _check_sizes(text: str) -> None:
    """Check a transfer size, or a list of sizes with shares that sum to 100 %."""
    parts = [part.strip() for part in text.strip("()").split(",")]
    try:
        if len(parts) == 1:
            _check_size(parts[0])
            return
        sizes, shares = parts[::2], [float(part) for part in parts[1::2]]
        for size in sizes:
            _check_size(size)
    except ValueError:
        raise OptionError(
            "xfersize", f"xfersize is {text}", "Expected 64k, or (4k,50,64k,50)."
        ) from None
    if len(sizes) != len(shares) or abs(sum(shares) - 100) > 1e-6:
        raise OptionError(
            "xfersize",
            f"the shares of {text} sum to {sum(shares):g} %",
            "Expected shares that sum to 100, as in (4k,50,64k,50).",
        )


def _check_size(text: str) -> None:
    size = parse_size(text)
    if size % 512:
        raise ValueError(f"not whole sectors: {describe_size(size)}")
