"""A VDBench step: the parameter file that Bayscope writes of its options.

The parameters are those of the Vdbench 5.04 user's guide, section "Parameter file".
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

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
    Option(
        "jvms",
        "Java machines; 0 for VDBench's own number",
        Kind.INTEGER,
        0,
        low=0,
        high=64,
    ),
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

# Parameters of VDBench that a plan may not set, with what to do instead.
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
    "format": "Bayscope has VDBench make its files",
}
_FILES_ONLY = ("depth", "width", "files", "size", "fileio", "fileselect")


def check(options: Mapping[str, str]) -> Settings:
    """Check the options of a step.

    Raises:
        OptionError: A key is unknown, or a value is not one that VDBench takes.
    """
    settings = read_step("vdbench", OPTIONS, options, _OURS)
    _check_sizes(settings.text("xfersize"))
    rate = settings.text("iorate")
    if rate != "max" and not re.fullmatch(r"[1-9]\d{0,8}", rate):
        raise OptionError("iorate", f"iorate is {rate}", "Expected max or a number.")
    if settings.text("mode") == "raw":
        for key in _FILES_ONLY:
            if key in options:
                raise OptionError(
                    key, f"{key} is for a tree of files", 'Set mode = "files", too.'
                )
    elif "seekpct" in options:
        raise OptionError(
            "seekpct", "seekpct is for one file as a disk", "Set fileio instead."
        )
    return settings


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
    if size % 512:  # the least that a disk addresses
        raise ValueError(f"not a multiple of 512 bytes: {describe_size(size)}")


RD = "rd1"
"""Name of the one run definition that is measured."""


@dataclass(frozen=True, slots=True)
class VdbenchJob:
    """One VDBench step on a scratch file, or on a tree of files beside it."""

    label: str
    target: Path
    size: int
    runtime_s: float
    ramp_s: float
    direct: bool
    options: Mapping[str, str]

    @property
    def checked(self) -> Settings:
        """Get its options with their defaults."""
        return check(self.options)

    @property
    def interval_s(self) -> int:
        """Seconds between two lines of its report."""
        return self.checked.integer("interval")

    @property
    def is_direct(self) -> bool:
        """Whether the page cache is bypassed."""
        return self.direct and self.checked.text("openflags") == "o_direct"

    @property
    def directions(self) -> tuple[str, ...]:
        """Which of "read" and "write" it has."""
        share = self.checked.number("rdpct")
        if share in (0, 100):
            return ("read",) if share else ("write",)
        return ("read", "write")

    @property
    def destroys(self) -> bool:
        """Whether it writes."""
        return self.checked.number("rdpct") < 100 or self.tree_bytes > 0

    @property
    def tree_bytes(self) -> int:
        """Bytes of the tree of files, 0 without one."""
        options = self.checked
        if options.text("mode") != "files":
            return 0
        folders = options.integer("width") ** options.integer("depth")
        return int(folders * options.integer("files") * options.integer("size"))

    def text(self, place: Path) -> str:
        """Write the parameter file.

        VDBench leaves its first interval out of its averages where there is no warmup,
        so that interval is added: what is measured is the runtime.

        Args:
            place: The file that is the disk, or the folder of the tree; no spaces,
                commas or brackets in its name.
        """
        options = self.checked
        interval = self.interval_s
        ramp = round(self.ramp_s / interval) * interval
        # VDBench wants two intervals at least.
        runtime = max(2 * interval, round(self.runtime_s / interval) * interval)
        times = f"elapsed={runtime if ramp else runtime + interval}"
        times += f",warmup={ramp}" if ramp else ""
        times += f",interval={interval}"
        flags = options.text("openflags")
        if flags == "o_direct" and not self.direct:
            flags = "none"
        opened = "" if flags == "none" else f",openflags={flags}"
        rate = options.text("iorate")
        share, threads = options.text("rdpct"), options.text("threads")
        lines = [f"* {self.label.encode('ascii', 'replace').decode()}"]
        if options.text("mode") == "raw":
            lines += [
                f"sd=sd1,lun={place},size={self.size}{opened},threads={threads}",
                f"wd=wd1,sd=sd1,xfersize={options.text('xfersize')},rdpct={share},"
                f"seekpct={options.text('seekpct')}",
                f"rd={RD},wd=wd1,iorate={rate},{times}",
            ]
        else:
            tree = ",".join(
                f"{key}={options.text(key)}" for key in ("depth", "width", "files")
            )
            lines += [
                f"fsd=fsd1,anchor={place},{tree},size={options.integer('size')}{opened}",
                f"fwd=fwd1,fsd=fsd1,rdpct={share},xfersize={options.text('xfersize')},"
                f"fileio={options.text('fileio')},"
                f"fileselect={options.text('fileselect')},threads={threads}",
                f"rd={RD},fwd=fwd1,fwdrate={rate},format=yes,{times}",
            ]
        return "\n".join(lines) + "\n"
