"""Making file systems and pools on armed disks, as who may write to them."""

import os
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

from instruments.errors import Aborted, BadInput, BenchError, plain_words
from instruments.sizes import counted
from instruments.tools.command import Running, run
from workloads.base import Artefact, End, LoadCause, Say
from workloads.command_line import find_program
from workloads.guard.budget import Budget
from workloads.guard.device import Device
from workloads.guard.hold import SetupHold
from workloads.guard.root_only import check_roots
from workloads.guard.scan import parse_mounts
from workloads.setup.job import FileSystem, ZpoolJob
from workloads.setup.made import PENDING, TIMEOUT_S, Made, pool_guid, undo, uuid_of
from workloads.tool_ended import Ended, judge_forced
from workloads.tool_run import run_tool

ADVICE = {
    "mkfs.xfs": "It is part of xfsprogs: apt-get install xfsprogs.",
    "mkfs.ext4": "It is part of e2fsprogs: apt-get install e2fsprogs.",
    "zpool": "It is part of OpenZFS, in Debian's contrib section with its kernel "
    "module: apt-get install zfsutils-linux zfs-dkms. See openzfs.github.io.",
}
# How often the guard looks, and counts what was written.
_POLL_S = 0.5


class StaysError(BenchError):
    """It failed, and what was made by then is there, to be taken back at the end."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was made, None where there is nothing to take back, and what shows it."""

    made: Made | None
    shown: tuple[Artefact, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Terms:
    """Within what a set-up step works."""

    say: Say
    stop: threading.Event
    until: float  # monotonic seconds
    budget: Budget
    owner: int  # the user whom the new file system belongs to
    # Records what is about to be made, which happens inside this context: a kill must
    # not leave it unknown.
    noting: Callable[[Made], AbstractContextManager[object]] = nullcontext

    @property
    def left_s(self) -> float:
        """Seconds that are left, 1 at least."""
        return max(1.0, self.until - time.monotonic())


def program_of(kind: str) -> str:
    """Find mkfs of a kind, or zpool; raises BenchError that says where to get it."""
    name = kind if kind == "zpool" else f"mkfs.{kind}"
    return find_program(name.replace(".", "_"), name, ADVICE[name])


def make_file_system(device: Device, wanted: FileSystem, terms: Terms) -> Evidence:
    """Make a file system on an armed disk, and mount it where that is wanted.

    Raises:
        BenchError: It is refused, took too long, or failed; with the state it is in.
        Aborted: It was stopped.
    """
    program, began = program_of(wanted.kind), time.monotonic()
    # Given by us, so that what is there afterwards is known to be of this very mkfs.
    given = uuid.uuid4()
    overruled = bool(device.armed and device.armed.overruled)
    if wanted.place:
        check_free(wanted.place)
    guard = SetupHold([device], terms.budget)
    with guard.hold():
        [path] = guard.nodes
        terms.say("info", f"{device.disk.title}: checked; {wanted.kind} is made on it")
        if overruled:  # what was named may go, also where mkfs would not write
            _tool(["wipefs", "--all", "--", path], guard, terms, path)
        argv = wanted.argv(program, path, given, overruled)
        ended = _tool(argv, guard, terms, path)
        present = uuid_of(path)
        if present != str(given):
            what = f"the UUID {present}" if present else "no file system"
            raise BenchError(
                f"mkfs.{wanted.kind} succeeded, but the disk has {what} and not "
                f"{given}",
                where=path,
                way_out="See what else uses the disk.",
            )
        made = _mount(device, path, wanted, str(given), terms) if wanted.place else None
    text = _transcript(argv, ended)
    shown = [Artefact(f"{device.disk.name}-mkfs.txt", "text/plain", text)]
    shown.append(_look(f"{device.disk.name}-blkid.txt", ["blkid", "-p", "--", path]))
    if made is not None:
        argv = ["findmnt", "--target", wanted.place]
        shown.append(_look(f"{device.disk.name}-findmnt.txt", argv))
    return Evidence(made, tuple(shown), time.monotonic() - began)


def make_pool(devices: Sequence[Device], job: ZpoolJob, terms: Terms) -> Evidence:
    """Create a pool of armed disks; it is mounted only if its job asks for it.

    Raises:
        BenchError: It is refused, took too long, or failed.
        Aborted: It was stopped.
    """
    program, began = program_of("zpool"), time.monotonic()
    if pool_guid(job.name):
        raise BadInput(
            "there is an imported pool of this name",
            where=job.name,
            way_out="Nothing was written. Give another name, or export that one.",
        )
    paths = [str(device.path) for device in devices]
    numbers = " ".join(device.disk.identity.number for device in devices)
    overruled = any(device.armed and device.armed.overruled for device in devices)
    argv = job.argv(program, paths, overruled)
    if job.place:
        check_free(job.place)
    guard = SetupHold(devices, terms.budget)
    with guard.hold():
        terms.say("info", f"{counted(len(devices), 'disk')}: checked; a pool is made")
        pending = Made("pool", job.name, PENDING, numbers)
        with terms.noting(pending):
            pass  # Not held: creating it may take minutes, and others need the ledger.
        try:
            ended = _tool(argv, guard, terms, job.name)
        except BenchError as error:
            _take_back(pending, error)
            raise
        guid = pool_guid(job.name)
    if not guid:
        raise BenchError(
            "zpool succeeded, but there is no such pool",
            where=job.name,
            way_out="Look at what it printed: it is kept with the session.",
        )
    shown = (
        Artefact("zpool-create.txt", "text/plain", _transcript(argv, ended)),
        _look("zpool-status.txt", [program, "status", "-P", job.name]),
        _look("zpool-get.txt", [program, "get", "all", job.name]),
    )
    return Evidence(Made("pool", job.name, guid), shown, time.monotonic() - began)


def _take_back(pending: Made, why: BenchError) -> None:
    """Export a pool that came to be although its making failed, or was stopped."""
    try:
        undo(pending)
    except BenchError as error:
        raise StaysError(
            f"{why.what}; and what was made by then stays: {error.what}",
            where=error.where,
            way_out=error.way_out,
        ) from why


def check_free(place: str) -> None:
    """Check that nothing is hidden or mixed by a mount, and nobody moves its place.

    Raises:
        BenchError: It must not be mounted there.
    """
    if os.geteuid() == 0:
        check_roots(Path(place).parent)
    if what := _taken(place):
        raise BadInput(
            what, where=place, way_out="Nothing was written. Choose another place."
        )


def _taken(place: str) -> str:
    """Say why a place cannot be mounted at, "" where it can."""
    path = Path(place)
    mounts = parse_mounts(Path("/proc/self/mountinfo").read_text("utf-8"))
    if any(mount.place == place for mount in mounts):
        return "something is mounted there"
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        return "it is not a folder"
    if path.is_dir() and any(path.iterdir()):
        return "this folder is not empty"
    return ""


def _mount(
    device: Device, node: str, wanted: FileSystem, given: str, terms: Terms
) -> Made:
    place, number = Path(wanted.place), device.disk.identity.number
    made = Made("mount", str(place), given, number, folder=not place.is_dir())
    with terms.noting(made):
        # Who stopped it, or killed who asked for it, may have looked for it already.
        if terms.stop.is_set():
            raise Aborted("the step was stopped", where=str(place))
        _mount_noted(made, node, wanted.kind)
    _give(place, number, terms)
    return made


def _mount_noted(made: Made, node: str, kind: str) -> None:
    place = Path(made.name)
    if what := _taken(made.name):  # mkfs took its time
        raise BenchError(
            f"{node} has its file system, but is not mounted ({what})",
            where=made.name,
            way_out="Choose another place.",
        )
    try:
        place.mkdir(exist_ok=True)
    except OSError as error:
        raise BenchError(
            f"the folder cannot be made ({plain_words(error)})", where=str(place)
        ) from error
    # What the disk could be made to hold must not act as root, as in `ZpoolJob.argv`.
    argv = ["mount", "-t", kind, "-o", "nosuid,nodev", "--", node, str(place)]
    done = run(argv, TIMEOUT_S)
    mounts = parse_mounts(Path("/proc/self/mountinfo").read_text("utf-8"))
    here = [mount.number for mount in mounts if mount.place == str(place)]
    # The kernel's list decides: another process may have mounted there meanwhile.
    if done.code or here[-1:] != [made.number]:
        if made.folder:
            with suppress(OSError):
                place.rmdir()
        raise BenchError(
            f"{node} has its file system, but is not mounted "
            f"({done.stderr.strip()[:200] or 'the kernel does not show it'})",
            where=str(place),
            way_out="See the kernel's messages with: dmesg.",
        )


def _give(place: Path, number: str, terms: Terms) -> None:
    """Give a new file system to its user: only its root, whatever is mounted there."""
    try:
        root = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            mounted = os.fstat(root).st_dev
            if f"{os.major(mounted)}:{os.minor(mounted)}" == number:
                os.fchown(root, terms.owner, -1)
        finally:
            os.close(root)
    except OSError as error:
        terms.say("warning", f"{place} stays root's ({plain_words(error)})")


def _tool(argv: list[str], guard: SetupHold, terms: Terms, where: str) -> Ended:
    """Run a tool to its end under the guard; raises BenchError where it fails."""

    def poll(process: Running) -> End:
        if stray := guard.check(process.pid):
            return End(LoadCause.GUARD, stray)
        return guard.count()

    name = Path(argv[0]).name
    ended = run_tool(
        argv,
        name=name,
        say=terms.say,
        stop=terms.stop,
        longest_s=terms.left_s,
        poll=poll,
        poll_s=_POLL_S,
    )
    if ended.forced.cause is LoadCause.STOPPED:
        raise Aborted(f"{name} was stopped", where=where)
    overtime = "in time, the content of the disk is incomplete; give a longer runtime"
    if forced := judge_forced(ended.forced, name, overtime):
        raise BenchError(forced.reason, where=where)
    if ended.code:
        raise BenchError(
            f"{name} failed ({ended.how}): {ended.last_words()}",
            where=where,
            way_out="Correct the step, or see what it says of the disk.",
        )
    return ended


def _transcript(argv: list[str], ended: Ended) -> bytes:
    return f"$ {' '.join(argv)}\n{ended.text}{ended.stderr}".encode()


def _look(name: str, argv: list[str]) -> Artefact:
    """Ask a tool that only reads, for the session."""
    try:
        done = run(argv, TIMEOUT_S)
        text = f"$ {' '.join(argv)}\n{done.stdout}{done.stderr}"
    except BenchError as error:
        text = f"$ {' '.join(argv)}\n{error}\n"
    return Artefact(name, "text/plain", text.encode())
