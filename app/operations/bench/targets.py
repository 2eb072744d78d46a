"""What a picker of disks shows: every disk, and why it is or is not a safe target."""

from dataclasses import dataclass

from instruments.errors import BenchError
from instruments.reading import Identity
from instruments.tools.hosts import Host, LocalHost
from workloads.guard.arming import refuse
from workloads.guard.disk import Disk
from workloads.guard.helper_client import can_ask, inspect, seen_by_helper
from workloads.guard.look import look, look_at_all
from workloads.guard.objections import Objection, objections


@dataclass(frozen=True, slots=True)
class Target:
    """A disk as a target of loads that overwrite it.

    Attributes:
        disk: The disk.
        objections: What speaks against it; none is a safe target.
    """

    disk: Disk
    objections: tuple[Objection, ...]

    @property
    def is_safe(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.objections

    @property
    def is_possible(self) -> bool:
        """Whether it may be armed by naming the data that goes."""
        return all(objection.word for objection in self.objections)

    @property
    def identity(self) -> Identity:
        """What the disk says of itself."""
        own = self.disk.identity
        return Identity("", self.disk.model, own.serial, "", self.disk.path, False)

    @property
    def text(self) -> str:
        """Name it and say all that speaks against it."""
        said = "; ".join(objection.sentence for objection in self.objections)
        return f"{self.disk.title}: {self.verdict}{', ' if said else ''}{said}"

    @property
    def verdict(self) -> str:
        """Say in a few words what it is: "safe", "holds data" or "refused"."""
        if self.is_safe:
            return "safe"
        return "holds data" if self.is_possible else "refused"


def list_targets(host: Host | None = None) -> list[Target]:
    """List every disk of a host with what speaks against overwriting it.

    Raises:
        BenchError: The host cannot be asked.
    """
    rows = seen_by_helper() if host is None and can_ask() else None
    targets = []
    for disk, seen in rows or look_at_all(host or LocalHost()):
        if isinstance(seen, BenchError):
            said: tuple[Objection, ...] = (Objection("unseen", str(seen)),)
        else:
            said = tuple(objections(seen))
        targets.append(Target(disk, said))
    return targets


def check_disk(path: str) -> Target:
    """Look at the one disk that a bench names.

    Raises:
        BadInput: It is not a disk, or must not be overwritten whatever is typed.
        BenchError: It cannot be looked at.
    """
    found = inspect(path) if can_ask() else look(LocalHost(), path)
    target = Target(found.disk, tuple(objections(found)))
    refuse(
        path,
        found.disk,
        [objection for objection in target.objections if not objection.word],
    )
    return target


def targets_as_json(targets: list[Target]) -> list[dict[str, object]]:
    """Write targets as plain values."""
    return [
        {
            "path": target.disk.path,
            "by_id": target.disk.best_path,
            "type": target.disk.type,
            "model": target.disk.model,
            "serial": target.disk.identity.serial,
            "wwn": target.disk.identity.wwn,
            "size": target.disk.identity.size,
            "slot": target.disk.slot,
            "transport": target.disk.transport,
            "word": target.disk.word,
            "verdict": target.verdict,
            "objections": [
                {
                    "rule": objection.rule,
                    "sentence": objection.sentence,
                    "overwrite": objection.word,
                }
                for objection in target.objections
            ],
        }
        for target in targets
    ]


def targets_text(targets: list[Target]) -> str:
    """Write targets for people, two lines or more each."""
    lines = []
    for target in targets:
        disk = target.disk
        lines.append(f"{target.verdict:<11}{disk.title}")
        lines += [f"{'':<11}  {objection.sentence}" for objection in target.objections]
        if target.is_possible:
            over = dict.fromkeys(objection.word for objection in target.objections)
            typed = [f'--arm "{disk.word}"', *(f"--overwrite-data {t}" for t in over)]
            lines.append(f"{'':<11}  {disk.best_path}: run with {' '.join(typed)}")
    return "\n".join(lines) or "There is no disk on this machine."
