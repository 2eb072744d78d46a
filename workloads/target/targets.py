"""Several scratch files or disks that one load runs on, found by names and patterns."""

import glob
import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from instruments.errors import BadInput
from instruments.sizes import counted, describe_size
from workloads.guard.device import is_device
from workloads.target.scratch import Scratch, prepare
from workloads.target.scratch_check import check_room, check_target, held_by

MOST = 1024
"""Targets of one load."""

_WAY_OUT = (
    "Name each file or disk once in [dut] target, only scratch files or only disks, "
    f"at most {MOST}."
)
_MOST_NAMED = 10
"""Files that are named one by one where several cannot be used."""


def find_targets(names: Sequence[Path]) -> tuple[Path, ...]:
    """Resolve names and patterns such as "/scratch/dev*" to what is there.

    Matches are in natural order: dev2 comes before dev10.

    Raises:
        BadInput: A pattern matches nothing, two names are one file or disk, files and
            disks are mixed, or there are too many.
    """
    targets = [path for name in names for path in _matches(name)]

    def bad(what: str, name: object) -> BadInput:
        return BadInput(what, where=str(name or "[dut] target"), way_out=_WAY_OUT)

    check_once([(path, _identity(path)) for path in targets], bad)
    if len({is_device(path) for path in targets}) > 1:
        raise bad("files and disks stand side by side", "")
    return tuple(targets)


def check_once(
    targets: Sequence[tuple[object, object]], bad: Callable[[str, object], BadInput]
) -> None:
    """Check that each target is named once, and that they are not too many.

    Args:
        targets: The name of each, and what it is: names that lead to one file or disk
            have this in common.
        bad: Makes the error that is raised, of what is wrong and whose name.
    """
    if len(targets) > MOST:
        raise bad(f"{len(targets)} targets are more than {MOST}", "")
    first: dict[object, object] = {}
    for name, identity in targets:
        if identity in first:
            other = first[identity]
            same = "it is named twice" if other == name else f"it is {other} as well"
            raise bad(same, name)
        first[identity] = name


def _matches(name: Path) -> list[Path]:
    text = str(name)
    # A file whose own name has a bracket in it is meant as it stands.
    if not glob.has_magic(text) or name.exists():
        return [name]
    matches = sorted(glob.glob(text), key=_natural)  # noqa: PTH207  (absolute, too)
    if not matches:
        raise BadInput(
            "nothing matches this pattern",
            where=str(name),
            way_out="Name files or disks that are there, or new files one by one.",
        )
    return [Path(match) for match in matches]


def _natural(text: str) -> list[tuple[int, str]]:
    parts = re.findall(r"\d+|\D+", text)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def _identity(path: Path) -> object:
    try:
        status = path.stat()
    except OSError:
        return str(path.absolute())  # not made yet: only its name is known
    # Several names of one disk, as in by-id and by-path, have the disk's number alike.
    return status.st_rdev or (status.st_dev, status.st_ino)


def check_targets(paths: Sequence[Path], size: int, *, writes: bool) -> None:
    """Check scratch files without touching them, each and all together.

    Raises:
        BadInput: One of them cannot be used, or all of them do not fit.
    """
    _check_each(paths, size, writes=writes)
    by_system: dict[int, list[Path]] = {}
    for path in paths:
        folder = next(parent for parent in path.absolute().parents if parent.is_dir())
        by_system.setdefault(folder.stat().st_dev, []).append(path)
    for group in by_system.values():
        missing = sum(max(0, size - held_by(path)) for path in group)
        if len(group) > 1 and missing:
            what = f"{len(group)} files of {describe_size(size)} do not fit"
            check_room(group[0], missing, what)


def _check_each(paths: Sequence[Path], size: int, *, writes: bool) -> None:
    """Check each; all that cannot be used are named in one error."""
    refused: list[BadInput] = []
    for path in paths:
        try:
            check_target(path, size, writes=writes)
        except BadInput as error:
            refused.append(error)
    if len(refused) == 1:
        raise refused[0]
    if refused:
        first = refused[:_MOST_NAMED]
        more = len(refused) - len(first)
        raise BadInput(
            f"{len(refused)} of {counted(len(paths), 'file')} cannot be used: "
            + "; ".join(f"{error.where}: {error.what}" for error in first)
            + (f"; and {more} more" if more else ""),
            where="[dut] target",
            way_out=" ".join(dict.fromkeys(error.way_out for error in first)),
        )


def prepare_all(
    paths: Sequence[Path],
    size: int,
    stop: threading.Event,
    progress: Callable[[float], None],
) -> tuple[Scratch, ...]:
    """Make and fill scratch files, one after the other; see `prepare`.

    Raises:
        BenchError: One cannot be used; the others are released.
    """
    ready: list[Scratch] = []
    try:
        for number, path in enumerate(paths):

            def share(fraction: float, number: int = number) -> None:
                progress((number + fraction) / len(paths))

            ready.append(prepare(path, size, stop, share))
    except BaseException:  # whatever ends it, no lock may stay
        for scratch in ready:
            scratch.close()
        raise
    return tuple(ready)
