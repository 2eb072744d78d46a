"""A fio job: what the plan may say of it, and the job file Bayscope writes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from instruments.errors import BadInput
from workloads.fio_access import LONGEST_LINE, Kind, ruling

STATUS_INTERVAL_MS = 500
"""fio prints a cumulative document at 2 Hz; faster costs nothing but bytes."""

READS = ("read", "randread")
"""Directions that never write."""

TARGET_NAME = "target"
"""What the job calls its file: a link beside the job file, in fio's own folder."""


LOG_NAME = "fine"
"""What the logs of a job are called, in fio's own folder."""


@dataclass(frozen=True, slots=True)
class FineLogs:
    """Logs that fio keeps beside its documents.

    Attributes:
        period_ms: The window of a row, 0 for a row for each I/O.
        kinds: Which of "bw", "iops" and "lat".
        name: What their files begin with, in fio's own folder.
        clock: Number of the clock of their times; 1 is CLOCK_MONOTONIC on Linux.
    """

    period_ms: int
    kinds: tuple[str, ...]
    name: str = LOG_NAME
    clock: int = 1


@dataclass(frozen=True, slots=True)
class FioJob:
    """One load on one scratch file or disk, or on several of them at a time.

    Attributes:
        label: What the step is called.
        targets: The scratch files or disks, at least one.
        size: Bytes of each that are used, 0 for all of a disk.
        runtime_s: Measured seconds.
        ramp_s: Seconds before they are measured.
        direct: Whether the page cache is bypassed (O_DIRECT).
        options: fio's own options as in the plan.
        together: Whether several are one array to one job, and not a job each.
        logs: The logs it writes, None for none.
    """

    label: str
    targets: tuple[Path, ...]
    size: int
    runtime_s: float
    ramp_s: float
    direct: bool
    options: Mapping[str, str]
    together: bool = False
    logs: FineLogs | None = None

    @property
    def devices(self) -> tuple[str, ...]:
        """The names of its targets where each has its own job, else ()."""
        if len(self.targets) == 1 or self.together:
            return ()
        width = max(2, len(str(len(self.targets))))
        return tuple(f"dev{n:0{width}}" for n in range(1, len(self.targets) + 1))

    def device_of(self, number: int) -> str:
        """Name the device of one of fio's jobs, from 1; "" where it has none."""
        place = (number - 1) // self._clones
        return self.devices[place] if 0 <= place < len(self.devices) else ""

    @property
    def jobs(self) -> int:
        """How many of fio's jobs run side by side: numjobs of each device."""
        return self._clones * max(1, len(self.devices))

    @property
    def _clones(self) -> int:
        return max(1, int(self.options.get("numjobs", "1")))

    @property
    def links(self) -> tuple[str, ...]:
        """What the job file calls its targets: links beside it."""
        return link_names(len(self.targets))

    @property
    def directions(self) -> tuple[str, ...]:
        """Which of "read" and "write" the job does."""
        rw = direction(self.options)
        if rw in READS:
            return ("read",)
        return ("write",) if rw in ("write", "randwrite") else ("read", "write")

    def text(self, names: Sequence[str] = (), *, engine: str = "libaio") -> str:
        """Write the job file.

        Args:
            names: The names of its targets in it, as fio reads them; `links` where
                there are none.
            engine: The I/O engine where its options name none.
        """
        named = tuple(names) or self.links
        lines = [
            "[global]",
            # Processes of a killed fio would outlive it, and go on writing.
            "thread=1",
            "group_reporting=1",
            "time_based=1",
            f"runtime={round(self.runtime_s * 1000)}ms",
            "allow_mounted_write=0",
        ]
        if self.ramp_s:
            lines.append(f"ramp_time={round(self.ramp_s * 1000)}ms")
        if self.logs is not None:
            lines += [f"write_{kind}_log={self.logs.name}" for kind in self.logs.kinds]
            lines.append(f"log_avg_msec={self.logs.period_ms}")
            # On the clock of all readings; fio's default counts from the job's start.
            lines.append("log_alternate_epoch=1")
            lines.append(f"log_alternate_epoch_clock_id={self.logs.clock}")
        chosen = {"ioengine": engine, **self.options}
        # The plan asks for O_DIRECT; whether the target takes it is known here.
        chosen.pop("direct", None)
        options = [f"{name}={value}" for name, value in chosen.items()]
        options.append(f"direct={int(self.direct)}")
        if not self.devices:
            # fio divides the size of a job by its files.
            lines += [*self._section("load", ":".join(named), len(named)), *options]
            return _joined(lines)
        lines += options
        for name, target in zip(self.devices, named, strict=True):
            # Groups keep the jobs of numjobs together, and devices apart.
            lines += [*self._section(name, target, 1), "new_group=1"]
        return _joined(lines)

    def _section(self, name: str, links: str, count: int) -> list[str]:
        size = [f"size={self.size * count}"] if self.size else []
        return [f"[{name}]", f"filename={links}", *size]


def link_names(count: int) -> tuple[str, ...]:
    """Name the links to the targets of a load."""
    if count == 1:
        return (TARGET_NAME,)
    return tuple(f"{TARGET_NAME}{n}" for n in range(1, count + 1))


def _joined(lines: Sequence[str]) -> str:
    """Make a job file of lines; raises BadInput where fio would break one in two."""
    for line in lines:
        if len(line.encode()) > LONGEST_LINE:
            raise BadInput(
                f"a line of fio's job would have more than {LONGEST_LINE} bytes",
                where=line.partition("=")[0],
                way_out="Give fewer targets, with shorter names, or shorter options.",
            )
    return "\n".join(lines) + "\n"


def direction(options: Mapping[str, str]) -> str:
    """Get the rw of a job without its file-offset suffix, such as "randread"."""
    value = options.get("rw", options.get("readwrite", ""))
    return value.split(":")[0].strip()


def destroys(options: Mapping[str, str]) -> bool:
    """Tell whether a job writes or erases; only a plain read does not."""
    armed = any(ruling(name).kind is Kind.ARMED for name in options)
    return armed or direction(options) not in READS
