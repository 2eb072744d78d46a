"""A VDBench step: the parameter file that Bayscope writes of its options.

The parameters are those of the Vdbench 5.04 user's guide, section "Parameter file".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from instruments.settings import Settings
from workloads.vdbench.options import check

RD = "rd1"
"""Name of the one run definition that is measured."""


@dataclass(frozen=True, slots=True)
class VdbenchJob:
    """One VDBench step on a scratch file, or on a tree of files beside it.

    Attributes:
        label: What the step is called.
        target: The scratch file.
        size: Bytes of it that are used.
        runtime_s: Measured seconds.
        ramp_s: Seconds before they are measured.
        direct: Whether the target takes O_DIRECT.
        options: Its options as in the plan.
    """

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
