"""A fio job: which options the plan may set, and the job file Bayscope writes."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workloads.sizes import parse_size

STATUS_INTERVAL_MS = 500
"""fio prints a cumulative document at 2 Hz; faster costs nothing but bytes."""

_OURS = {
    "runtime": "set runtime of the step",
    "ramp_time": "set ramp of the step",
    "time_based": "every step is time based",
    "timeout": "set runtime of the step",
    "startdelay": "set ramp of the step",
    "filename": "set target of [dut] in the bench",
    "directory": "set target of [dut] in the bench",
    "filename_format": "set target of [dut] in the bench",
    "opendir": "set target of [dut] in the bench",
    "thread": "Bayscope always runs fio with threads",
    "group_reporting": "Bayscope chooses it",
    "name": "set label of the step",
    "output": "Bayscope keeps the output in the session",
    "output_format": "Bayscope reads json+",
    "status_interval": "Bayscope reads at 2 Hz",
    "log_avg_msec": "Bayscope keeps the logs",
    "log_unix_epoch": "Bayscope keeps the logs",
    "log_alternate_epoch": "Bayscope keeps the logs",
    "log_alternate_epoch_clock_id": "Bayscope keeps the logs",
    "per_job_logs": "Bayscope keeps the logs",
    "idle_prof": "it burns CPU and so changes the power",
}
_REACH_ELSEWHERE = (
    "exec_prerun",
    "exec_postrun",
    "read_iolog",
    "write_iolog",
    "replay_redirect",
    "merge_blktrace_file",
    "allow_file_create",
    "allow_mounted_write",
    "verify_state_save",
    "ioscheduler",
    "cgroup",
    "include",
    "dump_status",
    "trigger",
    "trigger_file",
    "unlink",
    "unlink_each_loop",
    "pre_read",
    "hostname",
    "listen",
)
_ENGINES = (
    "libaio",
    "io_uring",
    "psync",
    "sync",
    "vsync",
    "pvsync",
    "pvsync2",
    "posixaio",
    "mmap",
    "null",
)
READS = ("read", "randread")
"""Directions that never write."""

_DIRECTIONS = (*READS, "write", "randwrite", "rw", "readwrite", "randrw")


class OptionError(ValueError):
    """An option of a job that Bayscope cannot take: which, why, and the way out."""

    def __init__(self, option: str, what: str, way_out: str) -> None:
        super().__init__(f"{option}: {what}. {way_out}")
        self.option = option
        self.what = what
        self.way_out = way_out


@dataclass(frozen=True, slots=True)
class FioJob:
    """One load on one scratch file.

    Attributes:
        label: What the step is called.
        target: The scratch file.
        size: Bytes of it that are used.
        runtime_s: Measured seconds.
        ramp_s: Seconds before they are measured.
        direct: Whether the page cache is bypassed (O_DIRECT).
        options: fio's own options as in the plan.
    """

    label: str
    target: Path
    size: int
    runtime_s: float
    ramp_s: float
    direct: bool
    options: Mapping[str, str]

    @property
    def directions(self) -> tuple[str, ...]:
        """Which of "read" and "write" the job does."""
        rw = direction(self.options)
        if rw in READS:
            return ("read",)
        return ("write",) if rw in ("write", "randwrite") else ("read", "write")

    def text(self) -> str:
        """Write the job file."""
        lines = [
            "[global]",
            "thread=1",
            "group_reporting=1",
            "time_based=1",
            f"runtime={round(self.runtime_s * 1000)}ms",
            f"filename={escape(str(self.target))}",
        ]
        if self.ramp_s:
            lines.append(f"ramp_time={round(self.ramp_s * 1000)}ms")
        own = {"size": str(self.size), "ioengine": "libaio", **self.options}
        own["direct"] = "1" if self.direct else "0"
        if own["ioengine"] in ("null",):
            lines.remove(f"filename={escape(str(self.target))}")
        lines.append("[load]")
        lines += [f"{name}={value}" for name, value in own.items()]
        return "\n".join(lines) + "\n"


def direction(options: Mapping[str, str]) -> str:
    """Get the rw of a job without its file-offset suffix, such as "randread"."""
    value = options.get("rw", options.get("readwrite", ""))
    return value.split(":")[0].strip()


def escape(path: str) -> str:
    """Escape a path for fio's filename, where ":" divides two files."""
    return path.replace("\\", "\\\\").replace(":", "\\:")


def check_options(options: Mapping[str, str]) -> None:
    """Check a plan's fio options for what fio would not, or must not, be told.

    Raises:
        OptionError: Names the option and the way out.
    """
    for name, value in options.items():
        key = name.lower().strip().replace("-", "_")
        if key in _OURS or key.startswith("write_"):
            raise OptionError(
                name,
                f"{name} is not an option of a step",
                f"Instead: {_OURS.get(key, 'Bayscope keeps the logs')}.",
            )
        if key in _REACH_ELSEWHERE:
            raise OptionError(
                name,
                f"{name} reaches beyond the target or runs commands and is closed",
                "Remove it.",
            )
        if any(mark in value for mark in ("\n", "\r", "\0")):
            raise OptionError(
                name, f"{name} has a line break in it", "Write it on one line."
            )
    if direction(options) not in _DIRECTIONS:
        raise OptionError(
            "rw",
            f'rw is "{direction(options)}"' if direction(options) else "rw is missing",
            f"Expected one of {', '.join(_DIRECTIONS)}.",
        )
    engine = options.get("ioengine", "libaio")
    if engine not in _ENGINES:
        raise OptionError(
            "ioengine",
            f'the I/O engine "{engine}" is not open to plans',
            f"Expected one of {', '.join(_ENGINES)}.",
        )
    if "bssplit" in options:
        _check_bssplit(options["bssplit"])


def _check_bssplit(text: str) -> None:
    """Check that the shares of a bssplit sum to 100, which fio does not."""
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


def mean_block_size(options: Mapping[str, str]) -> float:
    """Compute the mean bytes of one I/O of a job; fio's default is 4 KiB."""
    if "bssplit" not in options:
        sizes = options.get("bs", options.get("blocksize", "4k")).split(",")
        return float(parse_size(sizes[0]))
    total, share_sum = 0.0, 0.0
    for entry in options["bssplit"].split(",")[0].split(":"):
        size, _, share = entry.partition("/")
        total += parse_size(size) * float(share or 0)
        share_sum += float(share or 0)
    return total / share_sum if share_sum else 4096.0
