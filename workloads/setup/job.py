"""What a set-up step makes: file systems on disks one by one, or a pool of all."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workloads.setup.options import (
    check_mkfs,
    check_zpool,
    mkfs_words,
    properties_of,
    vdevs,
)


@dataclass(frozen=True, slots=True)
class MkfsJob:
    """File systems on disks."""

    label: str
    deadline_s: float
    options: Mapping[str, str]

    engine = "mkfs"

    @property
    def keep(self) -> bool:
        """Whether what it made stays mounted after the run."""
        return check_mkfs(self.options).flag("keep")

    def on_disk(self, number: int) -> "FileSystem":
        """Get what is to be made on the disk of this number, counted from 1."""
        options = check_mkfs(self.options)
        place = options.text("mount").replace("{n}", str(number))
        return FileSystem(options.text("type"), options.text("options"), place)


@dataclass(frozen=True, slots=True)
class FileSystem:
    """One file system to be made.

    Attributes:
        kind: "xfs" or "ext4".
        options: Options as mkfs takes them.
        place: Where it is mounted, "" where it is not.
    """

    kind: str
    options: str = ""
    place: str = ""

    def argv(
        self, program: str, device: str, given: uuid.UUID, force: bool
    ) -> list[str]:
        """Write the command line."""
        words = mkfs_words(self.kind, self.options)
        # Without force mkfs.xfs refuses a disk with data, too.
        if self.kind == "xfs":
            forced = ["-f"] if force else []
            return [program, *forced, *words, "-m", f"uuid={given}", device]
        forced = ["-F"] if force else []
        return [program, "-q", *forced, *words, "-U", str(given), device]


@dataclass(frozen=True, slots=True)
class ZpoolJob:
    """A pool of disks."""

    label: str
    deadline_s: float
    options: Mapping[str, str]

    engine = "zpool"

    @property
    def name(self) -> str:
        """Get the pool's name."""
        return check_zpool(self.options).text("name")

    @property
    def place(self) -> str:
        """Where it is mounted, "" where it is not."""
        return check_zpool(self.options).text("mount")

    @property
    def keep(self) -> bool:
        """Whether the pool stays imported after the run."""
        return check_zpool(self.options).flag("keep")

    def argv(self, program: str, disks: Sequence[str], force: bool) -> list[str]:
        """Write the command line.

        Raises:
            OptionError: The layout takes more or fewer disks.
        """
        options = check_zpool(self.options)
        place = self.place or "none"
        forced = ["-f"] if force else []
        return [
            # What a member of the pool could be made to hold must not act as root.
            *(program, "create", *forced, "-O", "setuid=off", "-O", "devices=off"),
            *properties_of(options),
            *("-m", place, options.text("name"), *vdevs(options.text("layout"), disks)),
        ]


SetupJob = MkfsJob | ZpoolJob
