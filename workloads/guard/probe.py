"""A small program that looks where no tool of a host does: O_EXCL, open handles."""

import errno
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from instruments.command import Completed
from instruments.errors import BenchError
from instruments.foreign_text import MISSHAPEN, parsed_json
from instruments.hosts import Host, LocalHost
from workloads.guard.nodes import TIMEOUT_S, unit_names

_UNIT_NAMES = 0x83

_PROBE = """
import ctypes, fcntl, json, os, stat, struct, sys
def inquiry(fd, page):
    command = ctypes.create_string_buffer(bytes((0x12, 1, page, 0, 252, 0)), 6)
    data, sense = (ctypes.create_string_buffer(size) for size in (252, 32))
    head = bytearray(struct.pack(  # struct sg_io_hdr of scsi/sg.h
        "@iiBBHIPPPIIiPBBBBHHiII", ord("S"), -3, 6, 32, 0, 252,
        *map(ctypes.addressof, (data, command, sense)), 5000, *[0] * 12))
    try:
        fcntl.ioctl(fd, 0x2285, head)
    except OSError:
        return b""
    states = struct.unpack("@iiBBHIPPPIIiPBBBBHHiII", head)[13:19]
    good = not (states[0] or states[4] or states[5])
    return data.raw[: 4 + data.raw[3]] if good and data.raw[1] == page else b""
own, how, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
out = {"writers": [], "busy": None, "unread": "", "held": [], "loops": [], "pages": []}
for pid in os.listdir("/proc") if how == "scan" else ():
    if not pid.isdigit() or int(pid) == os.getpid():
        continue
    try:
        fds = os.listdir("/proc/%s/fd" % pid)
        name = open("/proc/%s/comm" % pid).read().strip()
    except OSError:
        continue
    for fd in fds:
        try:
            st = os.stat("/proc/%s/fd/%s" % (pid, fd))
            if not stat.S_ISBLK(st.st_mode):
                continue
            info = open("/proc/%s/fdinfo/%s" % (pid, fd)).read()
        except OSError:
            continue
        flags = int(info.split("flags:")[1].split()[0], 8)
        number = "%d:%d" % (os.major(st.st_rdev), os.minor(st.st_rdev))
        if int(pid) == own:
            out["held"].append(number)
        # Tools that only ask a drive something open it with O_NONBLOCK.
        elif flags & os.O_ACCMODE and not flags & os.O_NONBLOCK:
            out["writers"].append([number, "%s (process %s)" % (name, pid)])
for name in os.listdir("/sys/block") if how == "scan" else ():
    if name.startswith("loop") and os.path.exists("/sys/block/%s/loop" % name):
        status = bytearray(232)  # LOOP_GET_STATUS64: the file, or the device
        try:
            fd = os.open("/dev/" + name, os.O_RDONLY | os.O_NONBLOCK)
            fcntl.ioctl(fd, 0x4C05, status)
            os.close(fd)
        except OSError:
            continue
        dev, inode, rdev = struct.unpack_from("=QQQ", status)
        number = "%d:%d" % (os.major(rdev), os.minor(rdev)) if rdev else ""
        out["loops"].append([name, number, "%d:%d" % (dev, inode)])
if how == "exclusive":
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_EXCL | os.O_NONBLOCK))
    except OSError as error:
        out["busy"] = [error.errno, os.strerror(error.errno)]
if how != "scan":
    # wipefs takes what it cannot read for blank.
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        end = os.lseek(fd, 0, os.SEEK_END)
        for place in (0, end // 2, max(0, end - 4096)):
            os.pread(fd, 4096, place)
        rdev = os.fstat(fd).st_rdev
        base = "/sys/dev/block/%d:%d/device/vpd_pg" % (os.major(rdev), os.minor(rdev))
        for page in (0x80, 0x83):
            if os.path.exists("%s%x" % (base, page)):
                with open("%s%x" % (base, page), "rb") as file:
                    both = file.read(252), inquiry(fd, page)
                out["pages"].append([one.hex() for one in both])
    except OSError as error:
        out["unread"] = os.strerror(error.errno)
print(json.dumps(out))
"""


@dataclass(frozen=True, slots=True)
class Probed:
    """What a probe found: writers, why a device is busy or not read, own trouble.

    Also the device numbers of what the own process has open, and for each loop device
    its name, the number of the device behind it, and device and inode of the file; and
    of each page by which a SCSI disk names itself what the kernel knows, and what the
    disk tells now.
    """

    writers: tuple[tuple[str, str], ...] = ()
    held: tuple[str, ...] = ()
    loops: tuple[tuple[str, str, str], ...] = ()
    pages: tuple[tuple[bytes, bytes], ...] = ()
    busy: tuple[int, str] | None = None
    unread: str = ""
    trouble: str = ""


def probe(host: Host, own: int, how: str, path: str = "") -> Probed:
    """Run the probe on a host.

    Args:
        host: The machine; it has to have python3.
        own: Process that is left out of the writers, and whose devices are told.
        how: "scan" for writers, "exclusive" to try a device and read it, "read".
        path: The device.
    """
    try:
        words = [str(own), how, path]
        found = parsed_json(run_python(host, _PROBE, words, TIMEOUT_S).stdout)
        return Probed(
            tuple(
                sorted({(str(number), str(who)) for number, who in found["writers"]})
            ),
            tuple(sorted(set(map(str, found["held"])))),
            tuple((str(n), str(number), str(f)) for n, number, f in found["loops"]),
            tuple((bytes.fromhex(a), bytes.fromhex(b)) for a, b in found["pages"]),
            (int(found["busy"][0]), str(found["busy"][1])) if found["busy"] else None,
            str(found["unread"]),
        )
    except BenchError as error:
        return Probed(trouble=f"whether it is in use cannot be tried, {error.what}")
    except MISSHAPEN:
        return Probed(trouble="whether it is in use cannot be tried, no answer")


def _is_another(before: bytes, now: bytes) -> bool:
    """Tell whether a disk names itself otherwise by now; no answer is no change."""
    if not before or not now:
        return False
    if now[1] == _UNIT_NAMES:  # names of ports may come and go
        names = unit_names(now)
        return bool(names) and not {*names} & {*unit_names(before)}
    return now[4:].strip() != before[4:].strip()


def run_python(
    host: Host, script: str, words: Sequence[str], timeout_s: float
) -> Completed:
    """Run a script on a host, which has to have python3.

    Raises:
        BenchError: It has none, cannot be reached, or took too long.
    """
    local = isinstance(host, LocalHost) and not getattr(sys, "frozen", False)
    python = sys.executable if local else "python3"
    return host.run([python, "-IS", "-c", script, *words], timeout_s)


def try_device(host: Host, path: str, *, held: bool) -> tuple[str, tuple[str, ...]]:
    """Try to have a device for oneself for a moment, and to read its ends.

    O_EXCL on a block device fails where anything has claimed it or a part of it.

    Args:
        host: The machine.
        path: The device.
        held: Whether we have it for ourselves, so that trying that tells nothing.

    Returns:
        Why it is busy, "" where it can be had, and what cannot be told.
    """
    tried = probe(host, 0, "read" if held else "exclusive", path)
    if tried.trouble:
        return "", (tried.trouble,)
    busy, blind = "", []
    if tried.busy is not None:
        number, told = tried.busy
        if number == errno.EBUSY:
            busy = told
        else:
            blind.append(f"it cannot be opened ({told})")
    if tried.unread and not blind:
        blind.append(f"it cannot be read ({tried.unread})")
    if any(_is_another(before, now) for before, now in tried.pages):
        blind.append(
            "it tells another serial number or WWN by now than when it was found, "
            "so have the kernel look for disks again"
        )
    return busy, tuple(blind)
