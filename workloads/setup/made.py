"""What set-up steps have made, and how it is taken back: only that, and in order."""

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from instruments.errors import BenchError
from instruments.tools.command import run
from workloads.base import Say
from workloads.guard.nodes import node_of
from workloads.guard.scan import parse_mounts
from workloads.guard.survey import parse_pools

# Unmounting writes what is still in memory first.
TIMEOUT_S = 60.0

PENDING = "being made"
"""What stands for the id of a thing that is about to be made and has none yet."""


@dataclass(frozen=True, slots=True)
class Made:
    """A file system that was mounted, or a pool that was created.

    It is written down before it is made, so that a kill in between leaves nothing that
    nobody knows of.

    Attributes:
        kind: "mount" or "pool".
        name: Where it is mounted, or the pool's name.
        own: Its UUID, or the pool's guid: by that it is known again. PENDING where
            only who makes it knows that, or it is given in the making.
        number: Device number of its disk. Of a pool "", or the numbers of all of its
            disks with spaces between them while it is PENDING.
        folder: Whether the folder that it is mounted at was made for it.
    """

    kind: str
    name: str
    own: str
    number: str = ""
    folder: bool = False


def undo(made: Made) -> str:
    """Unmount or export what was made; its data stays on the disks.

    Returns:
        What was done, for the journal.

    Raises:
        BenchError: It is not ours any more, or in use; nothing was changed then.
    """
    return _export(made) if made.kind == "pool" else _unmount(made)


def _unmount(made: Made) -> str:
    mounts = parse_mounts(Path("/proc/self/mountinfo").read_text("utf-8"))
    here = [mount for mount in mounts if mount.place == made.name]
    if not here:
        _remove_folder(made)
        return f"{made.name} is no longer mounted"
    top = here[-1]  # one place may be mounted over more than once
    # Whoever may write below the place can mount there, and call the source anything.
    is_ours = top.number == made.number and uuid_of(_node(made.number)) == made.own
    if not is_ours:
        raise BenchError(
            f"what is mounted there now ({top.source}) is not what this run made; it "
            "stays",
            where=made.name,
            way_out="Unmount it by hand, if that is right.",
        )
    done = run(["umount", "--", made.name], TIMEOUT_S)
    if done.code:
        raise BenchError(
            f"it stays mounted ({_last(done.stderr)})",
            where=made.name,
            way_out=f"See what uses it with: fuser -vm {made.name}. Then unmount it.",
        )
    _remove_folder(made)
    return f"{made.name} was unmounted"


def _remove_folder(made: Made) -> None:
    if made.folder:
        with contextlib.suppress(OSError):  # somebody put something into it
            Path(made.name).rmdir()


def _export(made: Made) -> str:
    guid = pool_guid(made.name)
    if not guid:
        return f"the pool {made.name} is no longer imported"
    is_ours = guid == made.own
    if made.own == PENDING:  # It is of just those disks that were held to make it.
        is_ours = bool(made.number) and set(made.number.split()) <= _disks_of(made.name)
    if not is_ours:
        raise BenchError(
            "the pool of this name is not the one that this run made; it stays",
            where=made.name,
            way_out="Export it by hand, if that is right.",
        )
    done = run(["zpool", "export", made.name], TIMEOUT_S)
    if done.code:
        raise BenchError(
            f"the pool stays imported ({_last(done.stderr)})",
            where=made.name,
            way_out=f"End what uses it, then: zpool export {made.name}.",
        )
    return f"the pool {made.name} was exported"


def _disks_of(pool: str) -> set[str]:
    """Get the device numbers of the whole disks that an imported pool is made of."""
    status = run(["zpool", "status", "-P", "-L", pool], TIMEOUT_S).stdout
    disks = set()
    for path, name in parse_pools(status).items():
        with contextlib.suppress(OSError):  # a member that was taken out
            number = Path(path).stat().st_rdev
            node = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
            # Given a whole disk, ZFS makes a partition of it and stands on that.
            whole = node.resolve().parent if (node / "partition").exists() else node
            if name == pool:
                disks.add((whole / "dev").read_text("ascii").strip())
    return disks


def _node(number: str) -> str:
    try:
        return node_of(number)
    except OSError:  # it was taken out
        return "/dev/null"  # has no UUID, and so is not ours


def uuid_of(path: str) -> str:
    """Get the UUID of the file system on a device, "" where it has none."""
    # -p asks the disk itself: the cache of blkid may be of another one.
    argv = ["blkid", "-p", "-s", "UUID", "-o", "value", "--", path]
    return run(argv, TIMEOUT_S).stdout.strip()


def pool_guid(name: str) -> str:
    """Get the guid of an imported pool, "" where there is none of this name."""
    done = run(["zpool", "get", "-H", "-p", "-o", "value", "guid", name], TIMEOUT_S)
    return "" if done.code else done.stdout.strip()


def _last(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "it does not say why"


class MadeThings:
    """What the set-up steps of a run made, taken back at its end, last one first."""

    def __init__(
        self,
        journal: Callable[[str, Mapping[str, str]], None] = lambda *_: None,
        say: Say = lambda *_: None,
    ) -> None:
        self._journal = journal
        self._say = say
        self._known: dict[tuple[str, str], Made] = {}
        self._waiting: list[tuple[Made, Callable[[Made], str]]] = []

    def add(self, made: Made, how: Callable[[Made], str], *, keep: bool) -> None:
        """Take over what is about to be made, or was."""
        facts = {
            "kind": made.kind,
            "name": made.name,
            "id": made.own,
            "number": made.number,
            "folder": "made" if made.folder else "there before",
            "after the run": "kept" if keep else "undone",
        }
        name = (made.kind, made.name)
        before = self._known.get(name)
        if made == before:
            return
        self._known[name] = made
        if not keep:  # Before it is written down, which may fail.
            self._waiting = [each for each in self._waiting if each[0] != before]
            self._waiting.append((made, how))
        self._journal("set up", facts)

    def close(self) -> None:
        """Take back all that is not kept; one that fails does not stop the others."""
        while self._waiting:
            made, how = self._waiting.pop()
            self._known.pop((made.kind, made.name), None)
            facts = {"kind": made.kind, "name": made.name, "id": made.own}
            try:
                done = how(made)
            except BenchError as error:
                self._say("error", str(error))
                self._note("set-up not undone", {**facts, "why": str(error)})
            else:
                self._say("info", done)
                self._note("set-up undone", {**facts, "done": done})

    def _note(self, action: str, facts: Mapping[str, str]) -> None:
        """Write down what was done; the rest is taken back where that fails, too."""
        try:
            self._journal(action, facts)
        except BenchError as error:
            self._say(
                "error", f"{facts['name']}: {action}, not in the journal: {error}"
            )
