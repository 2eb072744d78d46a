"""Checks of a fio job before it runs: those of fio, and those that it does not make."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from instruments.errors import BenchError, OptionError
from instruments.files.own_folder import OwnFolder
from instruments.sizes import counted, describe_size, parse_size
from instruments.tools.command import run
from workloads.fio.block_sizes import SYNCHRONOUS
from workloads.fio.job_check import check_options
from workloads.fio.paste.finding import Finding, Weight
from workloads.fio_job import FioJob, direction

_DEADLINE_S = 10.0
# The least that a Linux block device addresses, whatever its physical sectors.
_SECTOR = 512
_MIXED = ("rw", "readwrite", "randrw")
_MOST_SKEWED = 1.0
"""Per cent by which limits of reads and writes may miss the mix that is asked for."""


@dataclass(frozen=True, slots=True)
class Place:
    """What is known of where a job would run.

    Attributes:
        targets: Its scratch files or disks; a path that must exist where it is below
            /dev.
        size: Bytes of each that are used, 0 where that is not known.
        memory: Bytes of memory that are free, 0 where that is not known.
        block: Bytes of the smallest direct I/O.
    """

    targets: Sequence[Path] = ()
    size: int = 0
    memory: int = 0
    block: int = _SECTOR


def check_job(
    options: Mapping[str, str], place: Place | None = None, *, ask: bool = True
) -> list[Finding]:
    """Check the options of a step.

    Args:
        options: As in [step.fio].
        place: Where it would run; None excludes what depends on it.
        ask: Whether the real fio is asked, too, by --parse-only.

    Returns:
        What is wrong; `decide` where the job would fail or measure something else.
    """
    try:
        check_options(options)
    except OptionError as error:
        quote = f"{error.option}={options.get(error.option, '')}".rstrip("=")
        return [_trap(quote, f"{error.what}.", error.way_out, decide=True)]
    here = place or Place()
    findings = [*_queue(options), *_without_effect(options), *_mix(options)]
    findings += [*_blocks(options, here), *_memory(options, here), *_targets(here)]
    if ask and (refusal := parse_only(options)):
        message = f"fio refuses the job: {refusal}."
        # As in "rwmixread: max value ...".
        refused = _trap("", message, "Change what it names.", decide=True)
        findings.append(replace(refused, option=refusal.partition(":")[0].strip()))
    # A form marks the field of an option; one that is not given has no field.
    return [
        finding if finding.option in options else replace(finding, option="")
        for finding in findings
    ]


def free_memory() -> int:
    """Get the bytes of memory that programs may still have; 0 where not known."""
    try:
        text = Path("/proc/meminfo").read_text("ascii")
    except OSError:
        return 0
    for line in text.splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def logical_block(device: Path) -> int:
    """Get the bytes of the smallest I/O of a disk; 512 where it is not known."""
    try:
        name = device.resolve().name
        path = Path("/sys/class/block") / name / "queue" / "logical_block_size"
        return int(path.read_text("ascii"))
    except (OSError, ValueError):
        return _SECTOR


def parse_only(options: Mapping[str, str]) -> str:
    """Let the real fio parse a job without running it; "" where it takes it.

    Only options that a step may have reach fio, and no target does. "" also where
    fio is not installed: preflight says so.
    """
    return _parsed((_text(options),))


def all_parse(jobs: Sequence[Mapping[str, str]]) -> bool:
    """Tell whether the real fio takes all of these jobs, asking it once."""
    texts = tuple(dict.fromkeys(map(_text, jobs)))
    return not texts or not _parsed(texts)


def _text(options: Mapping[str, str]) -> str:
    job = FioJob("check", (Path("target"),), 1 << 20, 1.0, 0.0, True, dict(options))
    return job.text()


@functools.lru_cache(maxsize=512)
def _parsed(texts: tuple[str, ...]) -> str:
    with OwnFolder("bayscope-fio-") as folder:
        paths = [folder / f"job{number}.fio" for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, encoding="utf-8")
        try:
            done = run(["fio", "--parse-only", *map(str, paths)], _DEADLINE_S)
        except BenchError:
            return ""
    if done.code == 0:
        return ""
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    return (lines[0] if lines else f"exit code {done.code}").removeprefix("fio: ")


def _trap(quote: str, fio: str, made: str, *, decide: bool = False) -> Finding:
    option = quote.partition("=")[0]
    return Finding((), quote, fio, made, Weight.TRAP, decide, option)


def _number(options: Mapping[str, str], name: str, default: int = 1) -> int:
    text = options.get(name, "")
    return int(text) if text.isdecimal() else default


def _sizes(options: Mapping[str, str]) -> list[int]:
    """Get every block size that a job may use, in bytes."""
    if "bssplit" in options:
        entries = options["bssplit"].replace(",", ":").split(":")
        texts = [entry.split("/")[0] for entry in entries]
    elif "bsrange" in options:
        texts = options["bsrange"].replace(",", "-").split("-")
    else:
        texts = options.get("bs", options.get("blocksize", "4k")).split(",")
    return [parse_size(text) for text in texts if text.strip()] or [4096]


def _queue(options: Mapping[str, str]) -> Iterator[Finding]:
    """Find what keeps fewer I/Os in flight than the options seem to say."""
    engine = options.get("ioengine", "libaio")
    depth = _number(options, "iodepth")
    if engine == "null":
        yield _trap(
            "ioengine=null",
            "It moves no data: the figures are fio's own, and not the target's.",
            "Use libaio or io_uring to measure the target.",
        )
    if engine in SYNCHRONOUS and depth > 1:
        yield _trap(
            f"iodepth={depth}",
            f"{engine} waits for each I/O, so fio keeps one in flight.",
            "Use libaio or io_uring, or more numjobs.",
            decide=True,
        )
    if engine == "libaio" and options.get("direct") == "0" and depth > 1:
        yield _trap(
            f"iodepth={depth}",
            f"{engine} waits for each I/O where direct=0.",
            "Set direct=1.",
            decide=True,
        )


def _without_effect(options: Mapping[str, str]) -> Iterator[Finding]:
    rw, jobs = direction(options), _number(options, "numjobs")
    if not rw.startswith("rand") and jobs > 1:
        yield _trap(
            f"numjobs={jobs}",
            f"All {jobs} jobs begin at the start of the target and move the same data; "
            "a cache may answer most of it.",
            "Use one job with a greater iodepth for a sequential load.",
        )
    for name in ("rwmixread", "rwmixwrite"):
        if name in options and rw not in _MIXED:
            yield _trap(
                f"{name}={options[name]}",
                f"It has no effect with rw={rw}.",
                "Use rw=randrw or rw=rw, or leave it out.",
            )
    if {"bs", "blocksize"} & set(options) and {"bssplit", "bsrange"} & set(options):
        yield _trap("bs", "It has no effect beside bssplit or bsrange.", "Remove it.")


def _mix(options: Mapping[str, str]) -> Iterator[Finding]:
    """Find rates of reads and of writes that make another mix than was asked for."""
    asked = _asked_share(options)
    if asked is None or direction(options) not in _MIXED:
        return
    for name in ("rate_iops", "rate"):
        reads, writes = _rates(options.get(name, ""))
        if not reads and not writes:
            continue
        share = 100 * reads / (reads + writes)
        quote = f"{name}={options[name]}"
        if not reads or not writes:
            held, free = ("reads", "writes") if reads else ("writes", "reads")
            made = f"It holds {held} back and not {free}, of which there are then more."
        elif abs(share - asked) > _MOST_SKEWED:
            made = (
                "It limits reads and writes each: where the target keeps up, "
                f"{share:.3g} % are reads, and not {asked} %."
            )
        else:
            continue
        total = max(reads, writes)
        own = round(total * asked / 100)
        way_out = f"For {asked} % reads of {total} in all write {own},{total - own}."
        yield _trap(quote, made, way_out)


def _asked_share(options: Mapping[str, str]) -> int | None:
    """Get the percentage of reads that is asked for, None where none is."""
    for name in ("rwmixread", "rwmixwrite"):
        if (text := options.get(name, "")).isdecimal():
            return int(text) if name == "rwmixread" else 100 - int(text)
    return None


def _rates(text: str) -> tuple[int, int]:
    """Get the limits of reads and of writes, 0 for none; one alone is for both."""
    reads, *more = text.split(",")
    each = [reads, more[0] if more else reads]
    try:
        first, second = (parse_size(one) if one.strip() else 0 for one in each)
    except ValueError:  # fio says what is wrong with it.
        return 0, 0
    return first, second


def _blocks(options: Mapping[str, str], place: Place) -> Iterator[Finding]:
    sizes = _sizes(options)
    odd = [size for size in sizes if size % place.block]
    if odd and options.get("direct", "1") != "0":
        yield _trap(
            f"bs={odd[0]}",
            f"Direct I/O moves multiples of {place.block} bytes; fio ends with "
            '"Invalid argument".',
            f"Use a multiple of {place.block}, or direct=0.",
            decide=True,
        )
    if place.size and max(sizes) > place.size:
        yield _trap(
            f"bs={max(sizes)}",
            f"The block is larger than the {describe_size(place.size)} of the target.",
            "Use a smaller block, or a larger target.",
            decide=True,
        )


def _memory(options: Mapping[str, str], place: Place) -> Iterator[Finding]:
    """Compare fio's buffers, and the map of random blocks, with the free memory.

    A job has iodepth buffers of its largest block, and for a random load without
    norandommap one bit for each block of each file (fio 3.x, lib/axmap.c).
    """
    sizes = _sizes(options)
    jobs = _number(options, "numjobs") * max(1, len(place.targets))
    engine = options.get("ioengine", "libaio")
    depth = 1 if engine in SYNCHRONOUS else _number(options, "iodepth")
    buffers = jobs * depth * max(sizes)
    if place.memory and buffers > place.memory:
        yield _trap(
            f"iodepth={depth}, numjobs={_number(options, 'numjobs')}, "
            f"bs={describe_size(max(sizes))}",
            f"The buffers of {counted(jobs, 'job')} need "
            f"{describe_size(buffers)} of memory, and {describe_size(place.memory)} "
            "are free.",
            "Use less iodepth or numjobs.",
            decide=True,
        )
    mapped = (
        direction(options).startswith("rand")
        and options.get("norandommap", "0") == "0"
        and options.get("random_generator") != "lfsr"
    )
    bits = jobs * (place.size // min(sizes)) // 8
    if place.memory and mapped and bits > place.memory:
        yield _trap(
            "norandommap",
            f"fio remembers every block of the target, which needs "
            f"{describe_size(bits)} of memory, and {describe_size(place.memory)} are "
            "free.",
            "Set norandommap=1.",
            decide=True,
        )


def _targets(place: Place) -> Iterator[Finding]:
    for target in place.targets:
        if str(target).startswith("/dev/") and not target.exists():
            yield _trap(
                str(target),
                "There is no such device; fio reports that only when it runs.",
                "Connect it, or choose another target.",
                decide=True,
            )
