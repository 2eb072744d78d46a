"""A small program that looks where no tool of a host does: O_EXCL, open handles."""

import errno
import json
import sys
from dataclasses import dataclass

from instruments.errors import BenchError
from instruments.hosts import Host, LocalHost
from workloads.guard.nodes import TIMEOUT_S

_PROBE = """
import json, os, stat, sys
own, how, path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
out = {"writers": [], "busy": None, "unread": ""}
for pid in os.listdir("/proc") if how == "scan" else ():
    if not pid.isdigit() or int(pid) in (own, os.getpid()):
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
        # Tools that only ask a drive something open it with O_NONBLOCK.
        if flags & os.O_ACCMODE and not flags & os.O_NONBLOCK:
            number = "%d:%d" % (os.major(st.st_rdev), os.minor(st.st_rdev))
            out["writers"].append([number, "%s (process %s)" % (name, pid)])
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
    except OSError as error:
        out["unread"] = os.strerror(error.errno)
print(json.dumps(out))
"""


@dataclass(frozen=True, slots=True)
class Probed:
    """What a probe found: writers, why a device is busy or not read, own trouble."""

    writers: tuple[tuple[str, str], ...] = ()
    busy: tuple[int, str] | None = None
    unread: str = ""
    trouble: str = ""


def probe(host: Host, own: int, how: str, path: str = "") -> Probed:
    """Run the probe on a host.

    Args:
        host: The machine; it has to have python3.
        own: Process that is left out of the writers.
        how: "scan" for writers, "exclusive" to try a device and read it, "read".
        path: The device.
    """
    local = isinstance(host, LocalHost) and not getattr(sys, "frozen", False)
    python = sys.executable if local else "python3"
    try:
        argv = [python, "-IS", "-c", _PROBE, str(own), how, path]
        found = json.loads(host.run(argv, TIMEOUT_S).stdout)
    except BenchError as error:
        return Probed(trouble=f"whether it is in use cannot be tried, {error.what}")
    except ValueError:
        return Probed(trouble="whether it is in use cannot be tried, no answer")
    return Probed(
        tuple(sorted({(str(number), str(who)) for number, who in found["writers"]})),
        (int(found["busy"][0]), str(found["busy"][1])) if found["busy"] else None,
        str(found["unread"]),
    )


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
    return busy, tuple(blind)
