"""The emulated machine of `./run test-guard`: what it sees, and that it ends."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.guard_guest.__main__ import ENDED_WITH_PARENT
from tests.guard_guest.image import bring

ROOT = Path(__file__).parent.parent
_EMULATOR = "#!/bin/sh\necho $$ >{pid}\nexec sleep 600\n"


def test_a_checkout_below_tmp_is_there(tmp_path: Path) -> None:
    checkout = tmp_path / "it's" / "bayscope"
    host, new = tmp_path / "host", tmp_path / "new"
    own = host / str(checkout).lstrip("/")
    own.mkdir(parents=True)
    new.mkdir()
    (own / "run").write_text("here")
    line = bring(checkout, str(host), str(new))
    see = f'{line}; {line}; cat "{new}{checkout}/run"'
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", see], capture_output=True, text=True, check=True
    )
    assert done.stdout == "here"


def test_the_guest_ends_with_what_booted_it(tmp_path: Path) -> None:
    (tmp_path / "usr" / "bin").mkdir(parents=True)
    (tmp_path / "boot").mkdir()
    (tmp_path / "boot" / "vmlinuz-1").touch()
    pid = tmp_path / "pid"
    emulator = tmp_path / "usr" / "bin" / "qemu-system-x86_64"
    emulator.write_text(_EMULATOR.format(pid=pid))
    emulator.chmod(0o755)
    boot = "from pathlib import Path; from tests.guard_guest.__main__ import boot"
    boot += f"; root = Path({str(tmp_path)!r}); boot(root, root, [])"
    with subprocess.Popen([sys.executable, "-c", boot], cwd=ROOT) as booting:
        wait_until(lambda: pid.exists() and pid.read_text())
        guest = int(pid.read_text())
        booting.terminate()
        assert booting.wait() == -signal.SIGTERM
    wait_until(lambda: not is_running(guest))


def test_what_begins_after_its_parent_ended_does_not_run(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    with subprocess.Popen(["true"]) as parent:
        pass
    command = [*ENDED_WITH_PARENT, str(parent.pid), "touch", str(begun)]
    assert subprocess.run(command, check=False).returncode != 0
    assert not begun.exists()


def wait_until(is_so: Callable[[], object]) -> None:
    """Wait a minute at most."""
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() != b""
    except (FileNotFoundError, ProcessLookupError):
        return False
