"""Whether a display answers, found out before Qt aborts over one that does not."""

import os
import re
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from instruments.errors import BenchError

_DISPLAY = re.compile(r"(?:\w+/)?(?P<host>.*):(?P<number>\d+)(?:\.\d+)?")
_FIRST_PORT = 6000
_PATIENCE_S = 2.0
_WAY_OUT = "Log in to a desktop, or use a command such as: bayscope demo"


def check_display(environment: Mapping[str, str] = os.environ) -> None:
    """Make sure that the window can be opened somewhere.

    Whether the display lets us in is not asked, only whether it is there.

    Args:
        environment: Variables by name.

    Raises:
        BenchError: No display is named, or none of those named answers.
    """
    if not sys.platform.startswith("linux"):
        return
    platforms = environment.get("QT_QPA_PLATFORM", "")
    wanted = [one.split(":")[0] for one in platforms.split(";") if one]
    if any(not one.startswith(("xcb", "wayland")) for one in wanted):
        return  # such as "offscreen": Qt needs no display for it
    names = []
    if not wanted or any(one.startswith("wayland") for one in wanted):
        names.append(environment.get("WAYLAND_DISPLAY", ""))
        if "WAYLAND_SOCKET" in environment or _wayland_answers(names[-1], environment):
            return
    if not wanted or "xcb" in wanted:
        names.append(environment.get("DISPLAY", ""))
        if _x_answers(names[-1]):
            return
    name = next((one for one in reversed(names) if one), "")
    if not name:
        raise BenchError("there is no display to open the window on", way_out=_WAY_OUT)
    raise BenchError(f"the display {name} does not answer", way_out=_WAY_OUT)


def _wayland_answers(name: str, environment: Mapping[str, str]) -> bool:
    folder = environment.get("XDG_RUNTIME_DIR", "")
    if not name or not (folder or name.startswith("/")):
        return False
    return _unix_answers(str(Path(folder) / name))


def _x_answers(name: str) -> bool:
    if name.startswith("/") and _unix_answers(name):
        return True
    found = _DISPLAY.fullmatch(name)
    if found is None:
        return False
    host, number = found["host"].strip("[]"), int(found["number"])
    if host in ("", "unix"):
        path = f"/tmp/.X11-unix/X{number}"
        if _unix_answers(path) or _unix_answers(f"\0{path}"):
            return True
        host = "localhost"
    with suppress(OSError, OverflowError, UnicodeError):
        address = (host, _FIRST_PORT + number)
        socket.create_connection(address, timeout=_PATIENCE_S).close()
        return True
    return False


def _unix_answers(path: str) -> bool:
    with (
        suppress(OSError, ValueError),
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe,
    ):
        probe.settimeout(_PATIENCE_S)
        probe.connect(path)
        return True
    return False
