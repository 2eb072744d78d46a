"""What Bayscope needs from the system: find what is missing, install just that."""

import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from narrated import Finished, SetupError, run, say


@dataclass(frozen=True)
class Need:
    """One thing that the system has to offer.

    Attributes:
        packages: Names of the Debian package, by release; the first known one counts.
        why: What it is for, in words for the user.
        probe: "module", "program" or "library".
        target: The module, program or file name (soname) that proves it is there.
    """

    packages: tuple[str, ...]
    why: str
    probe: str
    target: str

    def is_met(self) -> bool:
        """Look for the thing itself, whoever installed it."""
        if self.probe == "module":
            return importlib.util.find_spec(self.target) is not None
        if self.probe == "program":
            return shutil.which(self.target) is not None
        return _loads(self.target)


def _loads(soname: str) -> bool:
    try:
        ctypes.CDLL(soname)
    except OSError:
        return False
    return True


_VENV = "a Python environment of its own"
_QT = "Qt, which draws charts and the window"
_PAGES = "the pages of reports as PDF"
_SOUND = "microphones, to measure noise"
_SCREEN = "a screen without a monitor, for the tests of the window"
_READER = "what screen readers ask, for the tests of names and of the Tab key"
_DISKS = "disks to aim at by mistake, for the tests of the target guard"
_MKFS = "a second kind of file system, for the tests of set-up steps"
_SES = "the pages of enclosures, for the tests of what reads them"
_SSH = "another machine on this one, for the tests of tools that run elsewhere"
_TEX = "reports in LaTeX, to set them in the tests"
_BMC = "a simulated BMC and a second way to ask it, for the tests of IPMI"


def _venv_package() -> str:
    """Return the package with this interpreter's `venv`, as Debian names it."""
    major, minor = sys.version_info[:2]
    plain = Path(sys.executable).name in ("python", "python3")
    return "python3-venv" if plain else f"python{major}.{minor}-venv"


PYTHON = (
    Need((_venv_package(),), _VENV, "module", "ensurepip"),
    Need((_venv_package(),), _VENV, "module", "venv"),
)
PROGRAM = (
    *PYTHON,
    Need(("fio",), "the load on the storage", "program", "fio"),
    Need(("libglib2.0-0", "libglib2.0-0t64"), _QT, "library", "libglib-2.0.so.0"),
    Need(("libgl1",), _QT, "library", "libGL.so.1"),
    Need(("libegl1",), _QT, "library", "libEGL.so.1"),
    Need(("libdbus-1-3",), _QT, "library", "libdbus-1.so.3"),
    Need(("libfontconfig1",), _QT, "library", "libfontconfig.so.1"),
    Need(("libfreetype6",), _QT, "library", "libfreetype.so.6"),
    Need(("libxkbcommon0",), _QT, "library", "libxkbcommon.so.0"),
    Need(("libx11-6",), _QT, "library", "libX11.so.6"),
    Need(("libx11-xcb1",), _QT, "library", "libX11-xcb.so.1"),
    Need(("libxcb-cursor0",), _QT, "library", "libxcb-cursor.so.0"),
    Need(("libxcb-icccm4",), _QT, "library", "libxcb-icccm.so.4"),
    Need(("libxcb-keysyms1",), _QT, "library", "libxcb-keysyms.so.1"),
    Need(("libxcb-shape0",), _QT, "library", "libxcb-shape.so.0"),
    Need(("libxkbcommon-x11-0",), _QT, "library", "libxkbcommon-x11.so.0"),
    Need(("libwayland-cursor0",), _QT, "library", "libwayland-cursor.so.0"),
    Need(("libwayland-egl1",), _QT, "library", "libwayland-egl.so.1"),
    Need(("libpango-1.0-0",), _PAGES, "library", "libpango-1.0.so.0"),
    Need(("libpangoft2-1.0-0",), _PAGES, "library", "libpangoft2-1.0.so.0"),
    Need(("libharfbuzz-subset0",), _PAGES, "library", "libharfbuzz-subset.so.0"),
    Need(("libportaudio2",), _SOUND, "library", "libportaudio.so.2"),
)
TESTS = (
    *PROGRAM,
    Need(("xvfb",), _SCREEN, "program", "Xvfb"),
    Need(("openbox",), _SCREEN, "program", "openbox"),
    Need(("xdotool",), _SCREEN, "program", "xdotool"),
    Need(("dbus-daemon", "dbus"), _READER, "program", "dbus-daemon"),
    # Not on the PATH, so by its place.
    Need(("at-spi2-core",), _READER, "program", "/usr/libexec/at-spi-bus-launcher"),
    Need(("curl",), "the manual's mail", "program", "curl"),
    Need(("openipmi",), _BMC, "program", "ipmi_sim"),
    Need(("ipmitool",), _BMC, "program", "ipmitool"),
    # Not on the PATH of a plain user, so by its place.
    Need(("openssh-server",), _SSH, "program", "/usr/sbin/sshd"),
    Need(("openssh-client",), _SSH, "program", "ssh-keygen"),
    Need(("sg3-utils",), _SES, "program", "sg_ses"),
    Need(("fdisk",), _DISKS, "program", "/usr/sbin/sfdisk"),
    Need(("e2fsprogs",), _DISKS, "program", "/usr/sbin/mkfs.ext4"),
    Need(("texlive-luatex",), _TEX, "program", "luaotfload-tool"),
    Need(("texlive-pictures",), _TEX, "program", "tikztosvg"),
    Need(("xfsprogs",), _MKFS, "program", "/usr/sbin/mkfs.xfs"),
)


def missing(needs: Iterable[Need]) -> list[Need]:
    """Return the needs that this system does not meet."""
    return [need for need in needs if not need.is_met()]


def install(needs: Sequence[Need], log: Path) -> None:
    """Install the Debian packages behind the needs, as root or with sudo.

    Raises:
        SetupError: There is no apt-get, no right to use it, or it failed.
    """
    if shutil.which("apt-get") is None:
        things = ", ".join(dict.fromkeys(need.target for need in needs))
        raise SetupError(
            f"Bayscope needs {things}, and this system has no apt-get to install "
            "them: install them with its own package manager, then run this again."
        )
    known = _known(needs)
    stale = any(not known.intersection(need.packages) for need in needs)
    root = _root_command()
    if root is None:
        update = "apt-get update && " if stale else ""
        raise SetupError(
            f"Bayscope needs some Debian packages ({_reasons(needs, known)}) that only "
            f"root can install: run `{update}{_line(needs, known)}` as root, then run "
            "this again."
        )
    apt = [*root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    apt += ["-o", "DPkg::Lock::Timeout=120"]
    updated = None
    if stale:
        updated = run([*apt, "update"], log)
        known = _known(needs)
    say(f"Installing Debian packages with apt-get: {_reasons(needs, known)}.")
    finished = _apt_install(apt, _names(needs, known), log)
    if finished.code and updated is None:
        updated = run([*apt, "update"], log)
        known = _known(needs)
        finished = _apt_install(apt, _names(needs, known), log)
    if finished.code:
        # apt-get update ends with 0 when no server answered, and only warns.
        if updated and "Failed to fetch" in updated.text:
            finished = updated
        raise SetupError(
            f"apt-get could not install what Bayscope needs ({finished.complaint()}): "
            "check the network and the package sources, run "
            f"`apt-get update && {_line(needs, known)}` as root, then run this again."
        )
    importlib.invalidate_caches()


def _line(needs: Iterable[Need], known: set[str]) -> str:
    """Return the command that a person would type."""
    return f"apt-get install --no-install-recommends {' '.join(_names(needs, known))}"


def _reasons(needs: Sequence[Need], known: set[str]) -> str:
    """Say which packages are for what."""
    return "; ".join(
        f"{' '.join(_names([n for n in needs if n.why == why], known))} for {why}"
        for why in dict.fromkeys(need.why for need in needs)
    )


def _apt_install(apt: Sequence[str], names: Sequence[str], log: Path) -> Finished:
    return run([*apt, "install", "-y", "--no-install-recommends", *names], log)


def _known(needs: Iterable[Need]) -> set[str]:
    """Ask apt which of the packages its lists offer."""
    names = sorted({name for need in needs for name in need.packages})
    listed = subprocess.run(
        ["apt-cache", "madison", *names], capture_output=True, text=True, check=False
    )
    return {line.split("|")[0].strip() for line in listed.stdout.splitlines()}


def _names(needs: Iterable[Need], known: set[str]) -> list[str]:
    """Choose one package a need: one that apt knows, else the first."""
    chosen = {
        next((name for name in need.packages if name in known), need.packages[0]): None
        for need in needs
    }
    return list(chosen)


def _root_command() -> list[str] | None:
    """Return what to put before a command to run it as root, None if nothing does."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        return None
    if sys.stdin.isatty() and sys.stderr.isatty():
        asked = subprocess.run(["sudo", "-v"], check=False)
    else:
        asked = subprocess.run(["sudo", "-n", "-v"], capture_output=True, check=False)
    return ["sudo", "-n"] if asked.returncode == 0 else None
