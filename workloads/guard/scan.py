"""A small program that looks where no tool of a host does: what all processes use."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from instruments.errors import BenchError
from instruments.files.foreign_text import MISSHAPEN, parsed_json
from instruments.tools.hosts import Host
from workloads.guard.nodes import TIMEOUT_S
from workloads.guard.probe import run_python

_SCAN = r"""
import fcntl, glob, json, os, re, stat, struct, sys, time
own, how = int(sys.argv[1]), sys.argv[2]
def names(path):
    try:
        return os.listdir(path)
    except OSError:
        return []
def lines(path):
    try:
        with open(path, errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []
def number(rdev):
    return "%d:%d" % (os.major(rdev), os.minor(rdev))
def block(path):
    try:
        status = os.stat(path)
        return number(status.st_rdev) if stat.S_ISBLK(status.st_mode) else ""
    except OSError:
        return ""
pids = [pid for pid in names("/proc") if pid.isdigit() and int(pid) != os.getpid()]
out = {"mounts": [], "btrfs": [], "tables": [], "system": lines("/proc/self/mountinfo")}
seen, mounts = set(), set(out["system"])
for pid in pids:
    try:
        # Below a chroot a part of the namespace is seen.
        table = [os.readlink("/proc/%s/%s" % (pid, one)) for one in ("ns/mnt", "root")]
    except OSError:
        table = [pid]
    told = [] if tuple(table) in seen else lines("/proc/%s/mountinfo" % pid)
    if told:
        seen.add(tuple(table))
        mounts.update(told)
out["mounts"] = sorted(mounts)
swaps = [line.split()[0] for line in lines("/proc/swaps")[1:] if line.strip()]
out["swaps"] = [[block(path), path] for path in swaps]
out["blind"] = [one for one in ("swaps",) if not lines("/proc/" + one)]
tables = [["swap", path] for path in swaps]
for name in names("/sys/block"):
    at = "/sys/block/%s/" % name
    facts = [lines(at + one) for one in ("size", "dev", "diskseq")]
    if facts[0] not in ([], ["0"]):
        tables.append(["disk", name, *sum(facts, [])])
        tables += [["holder", name, one] for one in names(at + "slaves")]
for path in glob.glob("/sys/fs/btrfs/*/devices/*"):
    out["btrfs"].append([path.split("/")[4], path.split("/")[6]])
tables += [["btrfs", *one] for one in out["btrfs"]]
tables += [["pool", name] for name in names("/proc/spl/kstat/zfs")]
out["tables"] = [" ".join(one) for one in tables]
if how == "tables":
    print(json.dumps(out))
    sys.exit()

raw = {}
def disks(status):
    # The device numbers of the disks that a node leads to: SCSI and NVMe have others.
    rdev = status.st_rdev
    if stat.S_ISBLK(status.st_mode):
        return [number(rdev)]
    if not stat.S_ISCHR(status.st_mode):
        return []
    if rdev not in raw:
        place = os.path.realpath("/sys/dev/char/" + number(rdev))
        found = names(place + "/device/block")
        generic = re.fullmatch("ng([0-9]+n[0-9]+)", os.path.basename(place))
        if generic:
            found = ["nvme" + generic.group(1)]
        raw[rdev] = sum((lines("/sys/class/block/%s/dev" % one) for one in found), [])
    return raw[rdev]
def handles(pid):
    # All by which a process may write: what it has open, and what it shares in memory.
    at = "/proc/%s/" % pid
    found = [at + "fd/" + fd for fd in os.listdir(at + "fd")]
    if not found:  # its first thread may have ended, with others going on
        for task in names(at + "task"):
            folder = "/proc/%s/fd/" % task
            found += [folder + fd for fd in names(folder)]
    for line in lines(at + "maps"):
        span, rights, _, _, inode = line.split()[:5]
        if rights[1] + rights[3] == "ws" and inode != "0":
            ends = [int(end, 16) for end in span.split("-")]
            found.append(at + "map_files/%x-%x" % tuple(ends))
    return found
def opened(handle):
    # Which disks a handle is of, and how it was opened.
    found = disks(os.stat(handle))
    if not found or "/map_files/" in handle:
        return found, os.O_RDWR
    flags = lines(handle.replace("/fd/", "/fdinfo/"))
    flags = [int(line.split()[1], 8) for line in flags if line.startswith("flags:")]
    return found, (flags or [0])[0]
writers, held, hidden, passing = [], set(), set(), []
for pid in pids:
    try:
        own_handles = handles(pid)
        who = "%s (process %s)" % ("".join(lines("/proc/%s/comm" % pid)).strip(), pid)
    except PermissionError:
        hidden.add(pid)
        continue
    except OSError:
        continue
    for handle in own_handles:
        try:
            found, flags = opened(handle)
        except PermissionError:
            hidden.add(pid)
            break
        except OSError:
            continue
        if int(pid) == own:
            held.update(found)
        elif found and flags & os.O_ACCMODE:
            patience = 5 if flags & os.O_NONBLOCK else 1
            passing.append((time.monotonic() + patience, handle, found, who))
# Who only asks a drive something, or tries whether it is free, is gone in a moment.
while passing:
    still = []
    for until, handle, found, who in passing:
        try:
            if opened(handle)[0] != found:
                continue
        except OSError:
            continue
        if time.monotonic() > until:
            writers += [[one, who] for one in found]
        else:
            still.append((until, handle, found, who))
    passing = still
    time.sleep(0.05 if passing else 0)
# Who is not root may not even be shown the processes of others (hidepid of proc(5)).
# Init of a container whose root is limited cannot be looked at, and opens no disks.
out["hidden"] = os.geteuid() != 0 or "1" not in pids or bool(hidden - {"1"})
# The kernel's own targets open disks without a process, and not exclusively.
for kind, place in (
    ("NVMe", "nvmet/subsystems/*/namespaces/*/device_path"),
    ("SCSI", "target/core/*/*/udev_path"),
):
    for path in glob.glob("/sys/kernel/config/" + place):
        is_on = lines(os.path.dirname(path) + "/enable") != ["0"]
        one, parts = block("".join(lines(path)).strip()), path.split("/")
        if is_on and one:
            writers.append([one, "the kernel's %s target (%s)" % (kind, parts[6])])
out["writers"], out["held"], out["loops"] = writers, sorted(held), []
for name in names("/sys/block"):
    if name.startswith("loop") and os.path.exists("/sys/block/%s/loop" % name):
        status = bytearray(232)  # LOOP_GET_STATUS64: the file, or the device
        try:
            fd = os.open("/dev/" + name, os.O_RDONLY | os.O_NONBLOCK)
            fcntl.ioctl(fd, 0x4C05, status)
            os.close(fd)
        except OSError:
            continue
        dev, inode, rdev = struct.unpack_from("=QQQ", status)
        out["loops"].append([name, number(rdev) if rdev else "", [dev, inode]])
print(json.dumps(out))
"""


@dataclass(frozen=True, slots=True)
class Mount:
    """One line of a mount table: device number, source and place."""

    number: str
    source: str
    place: str


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop device: its name, and what is behind it.

    Attributes:
        name: Its name.
        number: The number of the device behind it, "" for a file.
        file: Device and inode of what is behind it.
    """

    name: str
    number: str
    file: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Scan:
    """What the processes of a machine and its kernel have in use.

    Attributes:
        tables: Disks, what is built on what, mounts, swaps and pools, a word for each:
            what comes into use, or goes, changes them.
        mounts: All mounts of all namespaces that a process lives in.
        system: The mounts of its own namespace.
        swaps: Device numbers of swap space in use, with its name.
        writers: Pairs of device number and who has it open for writing, by any name.
        held: Device numbers of what the own process has open.
        loops: Loop devices and what is behind them.
        blind: What could not be looked at, and why.
    """

    tables: frozenset[str] = frozenset()
    mounts: tuple[Mount, ...] = ()
    system: tuple[Mount, ...] = ()
    swaps: tuple[tuple[str, str], ...] = ()
    writers: tuple[tuple[str, str], ...] = ()
    held: frozenset[str] = frozenset()
    loops: tuple[Loop, ...] = ()
    blind: tuple[str, ...] = ()


def scan(host: Host, own: int = 0) -> Scan:
    """Look at every process of a machine.

    Args:
        host: The machine; it has to have python3.
        own: Process that is excluded from the writers, and whose devices are told.
    """
    return _scan(host, [str(own), "all"])


def read_tables(host: Host) -> Scan:
    """Read the tables alone: a few milliseconds, and no process is looked into."""
    return _scan(host, ["0", "tables"])


def _scan(host: Host, words: list[str]) -> Scan:
    try:
        found = parsed_json(run_python(host, _SCAN, words, TIMEOUT_S).stdout)
        mounts = parse_mounts("\n".join(found["mounts"]))
        disks = [f"/dev/{name}" for _, name in found["btrfs"]]
        btrfs = [f"btrfs {uuid}" for uuid, _ in found["btrfs"]]
        return Scan(
            frozenset(map(str, found["tables"])) | {*_of_disks(mounts)},
            (*mounts, *(Mount("", *one) for one in zip(disks, btrfs, strict=True))),
            parse_mounts("\n".join(found["system"])),
            tuple((str(number), str(path)) for number, path in found["swaps"]),
            tuple(sorted({(str(n), str(who)) for n, who in found.get("writers", ())})),
            frozenset(map(str, found.get("held", ()))),
            tuple(
                Loop(str(name), str(number), (int(file[0]), int(file[1])))
                for name, number, file in found.get("loops", ())
            ),
            tuple(_unseen(found, mounts)),
        )
    except BenchError as error:
        return Scan(blind=(f"what is in use cannot be looked at, {error.what}",))
    except MISSHAPEN:
        return Scan(blind=("what is in use cannot be looked at, no answer",))


def _unseen(found: Mapping[str, Any], mounts: tuple[Mount, ...]) -> Iterator[str]:
    yield from (f"/proc/{one} cannot be read" for one in found["blind"])
    if not mounts:
        yield "the mount tables below /proc cannot be read"
    if found.get("hidden"):
        yield "what programs of others have open cannot be seen"


def parse_mounts(text: str) -> tuple[Mount, ...]:
    """Read lines of /proc/PID/mountinfo (proc(5)); unfit lines are excluded."""
    found: dict[Mount, None] = {}
    for line in text.splitlines():
        # The hyphen ends optional fields, of which there are none or several.
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        # Device number and place before the hyphen, the source after the type.
        if len(fields) >= 5 and len(kind) >= 2:
            found[Mount(fields[2], kind[1], fields[4])] = None
    return tuple(found)


def _of_disks(mounts: tuple[Mount, ...]) -> Iterator[str]:
    """Get a word for each mount that may stand on a disk, wherever it is."""
    for mount in mounts:
        if not mount.number.startswith("0:") or mount.source.startswith("/dev/"):
            yield f"mount {mount.number} {mount.source}"
