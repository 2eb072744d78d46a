"""What [step.vdbench] may say, and what of it VDBench would not take."""

import re
from collections.abc import Mapping

from instruments.errors import OptionError
from workloads.options import EngineOption, OptionKind, Options
from workloads.sizes import describe_size, parse_size

OPTIONS = (
    EngineOption("xfersize", OptionKind.TEXT, "4k", "transfer size, or (4k,50,64k,50)"),
    EngineOption("rdpct", OptionKind.NUMBER, "100", "share of reads in %", high=100),
    EngineOption(
        "seekpct", OptionKind.NUMBER, "100", "share of random seeks in %", high=100
    ),
    EngineOption(
        "threads", OptionKind.COUNT, "8", "I/Os at once", low=1, high=1_000_000
    ),
    EngineOption("iorate", OptionKind.TEXT, "max", "I/Os a second, or max"),
    EngineOption(
        "interval",
        OptionKind.COUNT,
        "1",
        "seconds between two lines of its report",
        low=1,
        high=3600,
    ),
    EngineOption(
        "openflags",
        OptionKind.CHOICE,
        "o_direct",
        "how the file is opened",
        choices=("o_direct", "none", "o_sync", "o_dsync"),
    ),
    EngineOption(
        "jvms", OptionKind.COUNT, "0", "Java machines, 0 for its own", high=64
    ),
    EngineOption(
        "mode",
        OptionKind.CHOICE,
        "raw",
        "raw: one file as a disk (sd); files: a tree of files (fsd)",
        choices=("raw", "files"),
    ),
    EngineOption("depth", OptionKind.COUNT, "1", "levels of folders", low=1, high=16),
    EngineOption(
        "width", OptionKind.COUNT, "1", "folders in each", low=1, high=100_000
    ),
    EngineOption(
        "files", OptionKind.COUNT, "16", "files in each", low=1, high=10_000_000
    ),
    EngineOption("size", OptionKind.SIZE, "1m", "size of each file", 1, 2**50),
    EngineOption(
        "fileio",
        OptionKind.CHOICE,
        "random",
        "order within a file",
        choices=("random", "sequential"),
    ),
    EngineOption(
        "fileselect",
        OptionKind.CHOICE,
        "random",
        "order of the files",
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


def check(options: Mapping[str, str]) -> Options:
    """Check the options of a step.

    Raises:
        OptionError: A key is unknown, or a value is none that VDBench takes.
    """
    found = Options("vdbench", OPTIONS, options, _OURS)
    _check_sizes(found.text("xfersize"))
    rate = found.text("iorate")
    if rate != "max" and not re.fullmatch(r"[1-9]\d{0,8}", rate):
        raise OptionError("iorate", f"iorate is {rate}", "Expected max or a number.")
    if found.text("mode") == "raw":
        for key in _FILES_ONLY:
            if key in found:
                raise OptionError(
                    key, f"{key} is for a tree of files", 'Set mode = "files", too.'
                )
    elif "seekpct" in found:
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
