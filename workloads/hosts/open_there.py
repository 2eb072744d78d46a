"""What a load on another machine has open, against what it may have open."""

import os
from collections.abc import Sequence

from instruments.errors import BenchError
from instruments.files.foreign_text import MISSHAPEN, parsed_json
from instruments.tools.hosts import Host
from workloads.guard.open_files import Allowed, judge

_TIMEOUT_S = 10.0
_SCRIPT = r"""
import json, os, sys
def family(pid):
    parents, groups, above = {}, {}, [pid]
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % entry, errors="replace") as file:
                told = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(entry)], groups[int(entry)] = int(told[1]), int(told[2])
    while above[-1] in parents:
        above.append(parents[above[-1]])
    # What it started and left behind has another parent, and still the group, which
    # is its own, or that of the shell which holds it.
    group = groups.get(pid) if groups.get(pid) in above[:2] else None
    found = [pid] + [one for one in groups if groups[one] == group and one not in above]
    for one in found:
        found += [child for child in parents
                  if parents[child] == one and child not in found]
    return found
rows = []
for pid in family(int(sys.argv[1])):
    base = "/proc/%d/" % pid
    try:
        numbers = os.listdir(base + "fd")
    except OSError:
        continue
    for number in numbers:
        try:
            st = os.stat(base + "fd/" + number)
            link = os.readlink(base + "fd/" + number)
            with open(base + "fdinfo/" + number) as file:
                flags = next(l for l in file if l.startswith("flags:")).split()[1]
        except (OSError, StopIteration):
            continue
        writes = bool(int(flags, 8) & os.O_ACCMODE)
        facts = [st.st_mode, st.st_ino, st.st_dev, st.st_nlink, st.st_rdev]
        rows.append([facts, link, writes])
own = []
for path in sys.argv[2:]:
    try:
        st = os.stat(path)
        own.append([st.st_dev, st.st_ino])
    except OSError:
        own.append(None)
print(json.dumps([own, rows]))
"""


def stray_there(
    host: Host,
    pid: int,
    *,
    files: Sequence[str],
    numbers: Sequence[str],
    folder: str,
    writes: bool,
) -> str:
    """Look for an open file that a load on a host, or what it started, must not have.

    Args:
        host: The machine.
        pid: The load's process there.
        files: Its scratch files, none where it has disks.
        numbers: Device numbers of its disks, none where it has files.
        folder: Its own folder.
        writes: Whether it may open its disks for writing.

    Returns:
        A sentence about the first one, "" where there is none.

    Raises:
        BenchError: The host cannot be asked.
    """
    argv = ["python3", "-I", "-c", _SCRIPT, str(pid), *files]
    done = host.run(argv, _TIMEOUT_S)
    try:
        own, rows = parsed_json(done.stdout)
        for file, found in zip(files, own, strict=True):
            if found is None:
                return f"{file} is gone"
        allowed = Allowed(
            folder=folder,
            writes=writes,
            more=tuple(numbers),
            files=tuple((device, inode) for device, inode in own),
        )
        for (mode, inode, device, links, rdev), link, is_written in rows:
            seen = os.stat_result(
                (mode, inode, device, links, 0, 0, 0, 0, 0, 0), {"st_rdev": rdev}
            )
            if trouble := judge(seen, link, is_written, allowed):
                return trouble
    except MISSHAPEN as error:
        raise BenchError(
            "it does not tell what the load has open",
            where=str(host),
            way_out="See whether python3 runs there.",
        ) from error
    return ""
