"""Boot the guest and judge every row of the guard's table in there.

Software emulation, so that it runs everywhere; the guest reads this machine's files
and writes none of them, and has no disk of this machine but files of its own.
"""

import os
import shlex
import subprocess
import sys
import threading
from pathlib import Path

import platformdirs

from instruments.errors import BadInput
from tests.guard_guest.image import write_image
from tests.guard_guest.inside import chosen
from tests.guard_guest.packages import FetchError, unpack
from tests.guard_guest.two_paths import machine

LONGEST_S = 2400
"""Seconds after which the guest is taken to hang."""

ENDED_WITH_PARENT = (
    *("setpriv", "--pdeathsig", "KILL", "--"),
    *("sh", "-c", '[ "$PPID" = "$0" ] && exec "$@"'),
)
"""Before a parent's PID and a command: whatever ends the parent ends the command.

The kernel tells of a death from when it was asked to: one before is seen by the PPID.
Nothing stands between, as `timeout`, which may end before it knows what it started.
"""

_BEGIN, _DONE = "GUARD-BEGIN", "GUARD-EXIT "


def main() -> int:
    """Boot, run the table, show it; 1 where a row came out wrong."""
    try:
        chosen(sys.argv[1:])
    except BadInput as error:
        print(error, file=sys.stderr)
        return error.exit_code
    folder = platformdirs.user_cache_path("bayscope", appauthor=False) / "guest"
    try:
        root = unpack(folder)
    except FetchError as error:
        print(f"The guest cannot be made: {error}.", file=sys.stderr)
        return 2
    checkout = Path(__file__).resolve().parents[2]
    inside = [sys.executable, "-m", "tests.guard_guest.inside"]
    inside += sys.argv[1:]
    command = (
        f"echo; echo {_BEGIN}; cd {shlex.quote(str(checkout))}; "
        f"PYTHONDONTWRITEBYTECODE=1 {shlex.join(inside)} 2>&1; echo {_DONE}$?"
    )
    image = write_image(root, checkout, command, folder / "initrd.gz")
    return boot(root, image, machine(folder))


def boot(root: Path, image: Path, disks: list[str]) -> int:
    """Boot the guest, pass on what it prints, return its exit code.

    Args:
        root: The folder with the unpacked packages.
        image: The memory disk.
        disks: The emulator's words for its disks.
    """
    kernel = next((root / "boot").glob("vmlinuz-*"))
    libraries = [root / "usr/lib/x86_64-linux-gnu", root / "usr/lib"]
    share = "local,security_model=none,readonly=on,multidevs=remap"
    argv = [
        *(str(root / "usr/bin/qemu-system-x86_64"), "-accel", "tcg,thread=multi"),
        *("-L", str(root / "usr/share/qemu"), "-L", str(root / "usr/share/seabios")),
        *("-m", "1536", "-smp", "2", "-nographic", "-no-reboot", "-nodefaults"),
        *("-serial", "stdio", "-kernel", str(kernel), "-initrd", str(image)),
        *(
            "-append",
            "console=ttyS0 loglevel=1 panic=-1 no_timer_check random.trust_cpu=on",
        ),
        *("-virtfs", f"{share},path=/,mount_tag=host"),
        *("-virtfs", f"{share},path={root},mount_tag=extra"),
        *disks,
    ]
    env = {
        **os.environ,
        "LD_LIBRARY_PATH": ":".join(str(library) for library in libraries),
    }
    code = 1
    print("Booting the guest; its disks are its own, this machine's are not there.")
    with subprocess.Popen(
        [*ENDED_WITH_PARENT, str(os.getpid()), *argv],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        env=env,
        text=True,
        errors="replace",
    ) as guest:
        assert guest.stdout is not None
        watchdog = threading.Timer(LONGEST_S, guest.kill)
        watchdog.daemon = True
        watchdog.start()
        before: list[str] | None = []
        for raw in guest.stdout:
            line = raw.rstrip("\r\n")
            if line == _BEGIN:
                before = None
            elif line.startswith(_DONE):
                code = int(line.removeprefix(_DONE) or 1)
            elif before is None:
                print(line, flush=True)
            else:
                before.append(line)
        watchdog.cancel()
    if before is not None:
        print("The guest did not come up:", *before[-20:], sep="\n", file=sys.stderr)
    return code


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("./run test-guard: it was interrupted, and the guest is ended.")
