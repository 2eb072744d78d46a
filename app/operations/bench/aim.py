"""Choose what the loads of a bench run on: a disk, or a scratch file."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from app.bench.edit import put_dut
from app.bench.model import Bench
from instruments.errors import BadInput
from instruments.files.foreign_text import parsed_toml
from instruments.settings import Value
from instruments.sizes import format_size


@dataclass(frozen=True, slots=True)
class Aim:
    """What loads run on.

    Attributes:
        paths: Nodes of disks, or files that Bayscope makes; or patterns of them.
        size: Bytes of each that loads use; 0 for all of a disk.
    """

    paths: tuple[Path, ...]
    size: int

    @property
    def text(self) -> str:
        """The targets as they are typed, with commas between them."""
        return ", ".join(str(path) for path in self.paths)

    @property
    def size_text(self) -> str:
        """Its size as it is typed; "" for all of a disk."""
        return format_size(self.size) if self.size else ""


@dataclass(frozen=True, slots=True)
class FreeSpace:
    """What is free where a scratch file would be made.

    Attributes:
        folder: The folder that exists.
        free: Bytes that are free there for everybody.
        total: Bytes of that file system.
    """

    folder: Path
    free: int
    total: int


def aimed(bench: Bench, aim: Aim) -> Bench:
    """Derive the same bench with other targets; its comments stay.

    Raises:
        BadInput: The bench that would come of it has a mistake.
    """
    keys: dict[str, Value] = dict(parsed_toml(bench.text, "").get("dut", {}))
    names = tuple(str(path) for path in aim.paths)
    keys["target"] = names[0] if len(names) == 1 else names
    keys.pop("size", None)
    if aim.size:
        keys["size"] = format_size(aim.size)
    return put_dut(bench, bench.name, keys)


def free_space(target: Path) -> FreeSpace:
    """Find out what is free for a scratch file, made or not.

    Raises:
        BadInput: No part of its path can be looked at.
    """
    for folder in (target, *target.absolute().parents):
        try:
            usage = shutil.disk_usage(folder)
        except OSError:
            continue
        place = folder if folder.is_dir() else folder.parent
        return FreeSpace(place, usage.free, usage.total)
    raise BadInput("there is no such place", where=str(target))
