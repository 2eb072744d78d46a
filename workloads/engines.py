"""Every engine of a step: what its options may say, and what it does to the target."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from instruments.errors import OptionError
from instruments.settings import Option
from workloads import fio_job
from workloads.base import LoadResult
from workloads.copy import job as file_copy_job
from workloads.fio.job_check import check_options
from workloads.iozone import job as iozone_job
from workloads.kept import COUNTS, Kept
from workloads.setup import options as setup_options
from workloads.vdbench import job as vdbench_job
from workloads.warp import job as warp_job

KeptResult = Callable[[Kept], LoadResult]


def _by(module: str) -> KeptResult:
    """Get what reads the outputs of an engine, which is imported where it is wanted."""

    def kept_result(kept: Kept) -> LoadResult:
        made = import_module(f"workloads.{module}").kept_result(kept)
        return cast("LoadResult", made)

    return kept_result


def _fio_kept(kept: Kept) -> LoadResult:
    # fio tells all that its result needs; counts are kept beside it of hosts only.
    return _by("hosts.kept" if COUNTS in kept.outputs else "fio.kept")(kept)


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine that puts a load on something.

    Attributes:
        name: As in the plan: `engine = "fio"`, with its options in [step.fio].
        options: All that its table may say; none for fio, which knows its own.
        check: Checks its options; raises OptionError.
        writes: Tells from its options whether it writes to the target.
        kept_result: Makes its values again from what was kept of it, without its
            window; raises ValueError where that is damaged.
        on_target: Whether it needs the scratch file of the device under test.
        ramp: Whether it can have a ramp before its measured window.
        sets_up: Whether it makes something of disks that stays, and is not a load that
            could be tried beforehand.
    """

    name: str
    options: tuple[Option, ...]
    check: Callable[[Mapping[str, str]], object]
    writes: Callable[[Mapping[str, str]], bool]
    kept_result: KeptResult
    on_target: bool = True
    ramp: bool = True
    sets_up: bool = False


def _vdbench_writes(options: Mapping[str, str]) -> bool:
    # A tree of files is made before anything is read from it.
    checked = vdbench_job.check(options)
    return checked.text("mode") == "files" or checked.number("rdpct") < 100


def _always(_: Mapping[str, str]) -> bool:
    return True


LOADS: Mapping[str, Engine] = {
    engine.name: engine
    for engine in (
        Engine("fio", (), check_options, fio_job.destroys, _fio_kept),
        Engine(
            "copy",
            file_copy_job.OPTIONS,
            file_copy_job.check,
            _always,
            _by("copy.load"),
        ),
        Engine(
            "iozone",
            iozone_job.OPTIONS,
            iozone_job.check,
            _always,
            _by("iozone.load"),
            ramp=False,
        ),
        Engine(
            "vdbench",
            vdbench_job.OPTIONS,
            vdbench_job.check,
            _vdbench_writes,
            _by("vdbench.values"),
        ),
        Engine(
            "warp",
            warp_job.OPTIONS,
            warp_job.check,
            lambda _: False,  # not to the target: to a bucket, which has its own check
            _by("warp.load"),
            on_target=False,
        ),
        Engine(
            "mkfs",
            setup_options.MKFS,
            setup_options.check_mkfs,
            _always,
            _by("setup.load"),
            ramp=False,
            sets_up=True,
        ),
        Engine(
            "zpool",
            setup_options.ZPOOL,
            setup_options.check_zpool,
            _always,
            _by("setup.load"),
            ramp=False,
            sets_up=True,
        ),
    )
}
"""Engines by their names in the plan."""


def check_ramp(engine: str, options: Mapping[str, str], ramp_s: float) -> None:
    """Check that a step can have its ramp.

    Raises:
        OptionError: Its engine has none.
    """
    if ramp_s <= 0 or engine not in LOADS:
        return
    if not LOADS[engine].ramp:
        raise OptionError(
            "ramp", f"{engine} has no ramp", "Remove it: all of each test counts."
        )
    if engine == "copy" and options.get("passes", "1") != "0":
        raise OptionError(
            "ramp", "a copy of all files has no ramp", "Remove it, or set passes = 0."
        )
