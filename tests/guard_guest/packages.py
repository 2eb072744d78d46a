"""Fetch what the guest is made of, without installing any of it.

mdadm and lvm2 would change how a bench's own disks are put together, and a second
kernel would change how it boots: so Debian's packages are only unpacked into a folder.
"""

import re
import shutil
import subprocess
from pathlib import Path

TAKEN = (
    *("busybox-static", "mdadm", "lvm2", "liblvm2cmd2.03", "dmsetup"),
    *("btrfs-progs", "liblzo2-2"),
)
EVENTS = ("libdevmapper-event1.02.1", "libdevmapper1.02.1", "libaio1", "libedit2")
QEMU = "qemu-system-x86"
KERNEL = "linux-image-amd64"


class FetchError(Exception):
    """A package cannot be had; says which and how."""


def unpack(folder: Path) -> Path:
    """Fetch and unpack all packages once; give the folder they are in.

    Raises:
        FetchError: apt does not have them.
    """
    root, done = folder / "root", folder / "unpacked"
    if done.exists() and done.read_text() == str(TAKEN):
        return root
    shutil.rmtree(root, ignore_errors=True)
    archives = folder / "debs"
    archives.mkdir(parents=True, exist_ok=True)
    kernel = _run("apt-cache", "depends", "--important", KERNEL)
    image = next(iter(re.findall(r"linux-image-\d[^\s]*", kernel)), "")
    if not image:
        raise FetchError(f"apt knows no kernel behind {KERNEL}")
    emulator = [
        line.split()[1]
        for line in _run(
            "apt-get", "-s", "--no-install-recommends", "install", QEMU
        ).splitlines()
        if line.startswith("Inst ")
    ]
    names = sorted({image, QEMU, *TAKEN, *EVENTS, *emulator})
    print(f"Fetching {len(names)} packages, to unpack them and not to install them:")
    print(f"  {QEMU} emulates a machine, {image} is its kernel,")
    print("  mdadm and lvm2 put disks together in there, busybox starts it.")
    _run("apt-get", "download", *names, folder=archives)
    for archive in sorted(archives.glob("*.deb")):
        _run("dpkg-deb", "-x", str(archive), str(root))
    _merge(root)
    [modules] = (root / "usr/lib/modules").iterdir()
    busybox = str(root / "usr/bin/busybox")
    _run(busybox, "depmod", "-b", str(root / "usr"), modules.name)
    done.write_text(str(TAKEN))
    return root


def _merge(root: Path) -> None:
    """Put /bin, /sbin and /lib below /usr, as they are on Debian."""
    for name in ("bin", "sbin", "lib", "lib64"):
        if (root / name).is_dir() and not (root / name).is_symlink():
            target = root / "usr" / name
            shutil.copytree(root / name, target, symlinks=True, dirs_exist_ok=True)
            shutil.rmtree(root / name)


def _run(*argv: str, folder: Path | None = None) -> str:
    try:
        done = subprocess.run(
            argv, check=False, capture_output=True, text=True, cwd=folder
        )
    except OSError as error:
        raise FetchError(f"{argv[0]} cannot be started ({error.strerror})") from error
    if done.returncode:
        told = (done.stderr or done.stdout).strip().splitlines()
        last = told[-1] if told else f"exit code {done.returncode}"
        raise FetchError(f"{' '.join(argv[:3])}: {last}; try apt-get update first")
    return done.stdout
