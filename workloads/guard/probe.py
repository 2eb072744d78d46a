"""A small program that tries devices as no tool of a host does: O_EXCL, their ends."""

import errno
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from instruments.errors import BenchError
from instruments.files.foreign_text import MISSHAPEN, parsed_json
from instruments.tools.command import Completed
from instruments.tools.hosts import Host, LocalHost
from workloads.guard.disk import unit_names
from workloads.guard.nodes import TIMEOUT_S

# VPD page 83h: device identification (SPC).
_UNIT_NAMES = 0x83

_PROBE = """
import ctypes, fcntl, json, os, struct, sys, threading, time
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
def claim(path, tries):
    while True:
        try:
            os.close(os.open(path, os.O_RDONLY | os.O_EXCL | os.O_NONBLOCK))
            return None
        except OSError as error:
            tries -= 1
            if error.errno != 16 or tries < 0:
                return [error.errno, os.strerror(error.errno)]
        time.sleep(0.05)
def read(path, one):
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
                one["pages"].append([each.hex() for each in both])
    except OSError as error:
        one["unread"] = os.strerror(error.errno)
how, tries, paths, out = sys.argv[1], int(sys.argv[2]), sys.argv[3:], {}
def attempt(path):
    one = {"busy": None, "unread": "", "pages": []}
    if how != "read":
        one["busy"] = claim(path, tries)
    if how != "claim":
        read(path, one)
    out[path] = one
threads = [threading.Thread(target=attempt, args=(p,), daemon=True) for p in paths]
end = time.monotonic() + 12
for thread in threads:
    thread.start()
for thread in threads:
    thread.join(max(0, end - time.monotonic()))
print(json.dumps(dict(out)), flush=True)
os._exit(0)
"""

_TRIES = 20
"""How often a disk that is claimed is tried again, a twentieth of a second apart.

Whoever claims it for a moment only lets go of it meanwhile, on a busy machine too:
there a second is soon over, and the tries come later.
"""


@dataclass(frozen=True, slots=True)
class Probed:
    """What came of one device: pages of its names, why it is busy or was not read.

    The pages by which a SCSI disk names itself are pairs: what the kernel knows, and
    what the disk tells now.
    """

    pages: tuple[tuple[bytes, bytes], ...] = ()
    busy: tuple[int, str] | None = None
    unread: str = ""


def _is_another(before: bytes, now: bytes) -> bool:
    """Tell whether a disk names itself otherwise by now; no answer is not a change."""
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


def try_devices(
    host: Host, paths: Sequence[str], *, held: bool, settle: bool = True
) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Try to have devices for oneself for a moment, and to read their ends.

    O_EXCL on a block device fails where anything has claimed it or a part of it.
    Others try that, too, as lsblk's friends and other looks like this one do: what is
    claimed is tried again for a while.

    Args:
        host: The machine.
        paths: The devices.
        held: Whether we have them for ourselves, so that trying that tells nothing.
        settle: Whether to try again what is claimed.

    Returns:
        For each why it is busy, "" where it can be had, and what cannot be told.
    """
    return _try(host, "read" if held else "both", paths, settle=settle)


def claimed(host: Host, paths: Sequence[str]) -> dict[str, str]:
    """Say why each device that cannot be had, or cannot be tried, counts as in use."""
    tried = _try(host, "claim", paths, settle=True) if paths else {}
    return {
        path: f"something has it in use, {busy}" if busy else blind[0]
        for path, (busy, blind) in tried.items()
        if busy or blind
    }


def _try(
    host: Host, how: str, paths: Sequence[str], *, settle: bool
) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Run the probe; see `try_devices`."""
    try:
        words = [how, str(_TRIES if settle else 0), *paths]
        found = parsed_json(run_python(host, _PROBE, words, TIMEOUT_S).stdout)
        probed = {
            str(path): Probed(
                tuple((bytes.fromhex(a), bytes.fromhex(b)) for a, b in one["pages"]),
                (int(one["busy"][0]), str(one["busy"][1])) if one["busy"] else None,
                str(one["unread"]),
            )
            for path, one in found.items()
        }
    except BenchError as error:
        why = f"whether it is in use cannot be tried, {error.what}"
    except MISSHAPEN:
        why = "whether it is in use cannot be tried, no answer"
    else:
        return {path: _judge(probed.get(path)) for path in paths}
    return dict.fromkeys(paths, ("", (why,)))


def _judge(tried: Probed | None) -> tuple[str, tuple[str, ...]]:
    if tried is None:
        return "", ("whether it is in use cannot be tried, it does not answer",)
    busy, blind = "", []
    if tried.busy is not None:
        number, reason = tried.busy
        if number == errno.EBUSY:
            busy = reason
        else:
            blind.append(f"it cannot be opened ({reason})")
    if tried.unread and not blind:
        blind.append(f"it cannot be read ({tried.unread})")
    if any(_is_another(before, now) for before, now in tried.pages):
        blind.append(
            "it now reports another serial number or WWN than when it was "
            "found; have the kernel rescan its disks"
        )
    return busy, tuple(blind)
