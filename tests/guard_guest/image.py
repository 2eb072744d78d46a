"""The guest's first memory disk: busybox, a few modules and what starts it."""

import gzip
import shlex
from collections.abc import Iterator
from pathlib import Path

MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay")
"""What the guest needs before it sees the files of this machine."""

_INIT = """#!/bin/busybox sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in {modules}; do modprobe $module; done
mkdir -p /host /extra /top /new
options=trans=virtio,version=9p2000.L,msize=512000,cache=loose,ro
mount -t 9p -o $options host /host || poweroff -f
mount -t 9p -o $options extra /extra || poweroff -f
mount -t tmpfs tmpfs /top
mkdir -p /top/upper /top/work
mount -t overlay -o lowerdir=/extra:/host,upperdir=/top/upper,workdir=/top/work \\
    overlay /new || poweroff -f
for place in proc sys dev; do mount --move /$place /new/$place; done
mount -t tmpfs tmpfs /new/tmp
mount -t tmpfs tmpfs /new/run
{bring}
cd /new
[ -e usr/sbin/modprobe ] || ln -s /usr/bin/busybox usr/sbin/modprobe
chroot /new /bin/sh -c {command}
poweroff -f
"""


def bring(folder: Path, host: str = "/host", new: str = "/new") -> str:
    """Write the line of the shell that shows a folder of this machine to the guest.

    That is for one below /tmp or /run, which the guest has of its own.
    """
    there, here = (shlex.quote(f"{top}{folder}") for top in (host, new))
    return f"[ -e {here} ] || {{ mkdir -p {here} && mount --bind {there} {here}; }}"


def write_image(root: Path, checkout: Path, command: str, target: Path) -> Path:
    """Write the memory disk that runs a command in the guest and turns it off.

    Args:
        root: The folder with the unpacked packages.
        checkout: The folder that it needs.
        command: A line for the shell, as root, with the files of this machine.
        target: Where to write it.
    """
    [modules] = (root / "usr/lib/modules").iterdir()
    init = _INIT.format(
        modules=" ".join(MODULES), bring=bring(checkout), command=shlex.quote(command)
    )
    entries: list[tuple[str, int, bytes]] = [
        (name, 0o040755, b"")
        for name in ("bin", "sbin", "usr", "usr/bin", "usr/sbin", "proc", "sys", "dev")
    ]
    busybox = (root / "usr/bin/busybox").read_bytes()
    entries += [("bin/busybox", 0o100755, busybox), ("init", 0o100755, init.encode())]
    folder = f"lib/modules/{modules.name}"
    parents = [Path(folder), *Path(folder).parents]
    entries += [(str(p), 0o040755, b"") for p in reversed(parents) if str(p) != "."]
    seen = set()
    for path in _needed(modules):
        for parent in reversed(path.relative_to(modules).parents):
            name = f"{folder}/{parent}"
            if name not in seen and str(parent) != ".":
                entries.append((name, 0o040755, b""))
                seen.add(name)
        place = f"{folder}/{path.relative_to(modules)}"
        entries.append((place, 0o100644, path.read_bytes()))
    lines = (modules / "modules.dep").read_bytes()
    entries.append((f"{folder}/modules.dep", 0o100644, lines))
    target.write_bytes(gzip.compress(b"".join(_archive(entries)), 1))
    return target


def _needed(modules: Path) -> Iterator[Path]:
    """Find the modules and all that they stand on."""
    lines = (modules / "modules.dep").read_text().splitlines()
    known = {line.partition(":")[0]: line.partition(":")[2].split() for line in lines}
    wanted = [
        path
        for path in known
        if Path(path).name.partition(".")[0].replace("-", "_") in MODULES
    ]
    done: set[str] = set()
    while wanted:
        path = wanted.pop()
        if path not in done:
            done.add(path)
            wanted += known[path]
            yield modules / path


def _archive(entries: list[tuple[str, int, bytes]]) -> Iterator[bytes]:
    """Write a cpio archive (the kernel's buffer-format.rst, "newc")."""
    for number, (name, mode, content) in enumerate([*entries, ("TRAILER!!!", 0, b"")]):
        fields = (number + 1, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0)
        head = "070701" + "".join(f"{field:08x}" for field in fields)
        head += f"{len(name) + 1:08x}{0:08x}"
        yield _padded(head.encode() + name.encode() + b"\0")
        yield _padded(content)


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % 4)
