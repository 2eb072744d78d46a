"""Reads blocks of disks and compares them: equal contents are one disk."""

import json
from collections.abc import Mapping, Sequence
from enum import Enum

from instruments.errors import BenchError
from instruments.files.foreign_text import MISSHAPEN, parsed_json
from instruments.tools.hosts import Host
from workloads.guard.probe import run_python

Blocks = Mapping[str, tuple[str, bool]]
"""Hashes of the places of a disk that did not change, and whether each is one byte."""

_TIMEOUT_S = 40.0


# Every disk is read, then every disk is read again: all that did not change in between
# stood on all of them at one moment. O_DIRECT, since each node has its own cache.
_SCRIPT = """
import hashlib, json, mmap, os, sys, threading, time
CHUNK, MIB = 65536, 1048576
paths, disks = json.loads(sys.argv[1]), {}
def each(work):
    threads = [threading.Thread(target=work, args=(p,), daemon=True) for p in paths]
    end = time.monotonic() + 12
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0, end - time.monotonic()))
def begin(path):
    try:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECT | os.O_NONBLOCK)
        disks[path] = (fd, os.lseek(fd, 0, os.SEEK_END))
    except OSError:
        pass
each(begin)
sizes = {size for _, size in disks.values() if size}
places = set(range(0, 2 * MIB, CHUNK))
for size in sizes:
    end = max(0, size - MIB) // 4096 * 4096
    places.update(range(end, size, CHUNK))
places.update(min(sizes, default=0) * part // 4 // 4096 * 4096 for part in (1, 2, 3))
rounds = []
for number in (0, 1):
    read = {}
    rounds.append(read)
    def take(path, read=read):
        if path not in disks:
            return
        fd, size = disks[path]
        buffer = mmap.mmap(-1, CHUNK)
        found = {}
        for place in sorted(places):
            if place >= size:
                break
            length = min(CHUNK, size - place)
            try:
                got = os.preadv(fd, [memoryview(buffer)[:length]], place)
            except OSError:
                continue
            text = buffer[:got]
            if got == length:
                blank = text.count(text[:1]) == got
                found[place, length] = hashlib.sha256(text).hexdigest(), blank
        read[path] = found
    each(take)
out = {}
for path in paths:
    first, again = (read.get(path, {}) for read in rounds)
    same = [(key, one) for key, one in first.items() if again.get(key) == one]
    out[path] = {"%d+%d" % key: one for key, one in same}
print(json.dumps(out), flush=True)
os._exit(0)
"""


class Content(Enum):
    """How what stands on two disks compares."""

    DIFFERENT = "different"
    EQUAL = "equal"
    SILENT = "silent"  # blank, or not read: nothing to tell by


def read_blocks(host: Host, paths: Sequence[str]) -> dict[str, Blocks]:
    """Read a few places of disks: 2 MiB from the start, the last MiB, three between.

    A disk that cannot be read, or does not come back in time, has none.
    """
    if not paths:
        return {}
    try:
        done = run_python(host, _SCRIPT, [json.dumps(list(paths))], _TIMEOUT_S)
        return {
            path: {place: (str(one[0]), bool(one[1])) for place, one in blocks.items()}
            for path, blocks in parsed_json(done.stdout).items()
        }
    except (BenchError, *MISSHAPEN):
        return {}


def compare(one: Blocks, other: Blocks) -> Content:
    """Compare what stood on two disks at one moment, in the places read of both."""
    both = [(one[place], other[place]) for place in one.keys() & other.keys()]
    if any(mine != its for mine, its in both):
        return Content.DIFFERENT
    is_told = any(not blank for (_, blank), _ in both)
    return Content.EQUAL if is_told else Content.SILENT
