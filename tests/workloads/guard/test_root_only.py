"""What the helper starts from, and works in: nothing that anybody else can change."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from instruments.errors import BenchError
from tests.workloads.guard.swapper import NOBODY
from workloads.guard import root_only
from workloads.guard.root_only import check_roots, is_roots, own_folder
from workloads.setup.make import check_free

_INHERIT = """
import os, resource, signal, sys
os.umask(0)
os.open("/dev/zero", os.O_RDONLY)
os.dup2(3, 9, inheritable=True)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
resource.setrlimit(resource.RLIMIT_CPU, (3, resource.RLIM_INFINITY))
os.execv(sys.executable, [sys.executable, "-c", sys.argv[1]])
"""
_SETTLE = """
import json, os, resource, signal, sys
from workloads.guard.root_only import settle
settle()
mask = os.umask(0)
print(json.dumps({
    "environment": sorted(os.environ), "path": os.environ["PATH"], "cwd": os.getcwd(),
    "umask": mask, "fds": sorted(map(int, os.listdir("/proc/self/fd")))[:3],
    "nine": os.path.exists("/proc/self/fd/9"),
    "blocked": len(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
    "ignored": [n for n in (2, 15, 17) if signal.getsignal(n) == signal.SIG_IGN],
    "file size": resource.getrlimit(resource.RLIMIT_FSIZE)[0],
    "cpu": resource.getrlimit(resource.RLIMIT_CPU)[0],
}))
"""


def test_nothing_of_what_it_inherits_stays(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "TMPDIR": str(tmp_path),
        "LD_LIBRARY_PATH": str(tmp_path),
        "BAYSCOPE_ZPOOL": "/bin/sh",
        "PYTHONPATH": str(Path(__file__).parents[3]),
    }
    done = subprocess.run(
        [sys.executable, "-c", _INHERIT, _SETTLE],
        check=True,
        capture_output=True,
        cwd=tmp_path,
        env=environment,
    )
    found = json.loads(done.stdout)
    assert found["environment"] == ["HOME", "LC_ALL", "PATH"]
    assert all(is_roots(Path(one)) for one in found["path"].split(":"))
    assert (found["cwd"], found["umask"]) == ("/", 0o077)
    assert (found["fds"], found["nine"]) == ([0, 1, 2], False)
    assert (found["blocked"], found["ignored"]) == (0, [])
    assert (found["file size"], found["cpu"]) == (-1, -1)


def test_it_does_not_start_without_its_three_files() -> None:
    line = f"exec {sys.executable} -m workloads.helper.program <&- 2>/dev/null"
    done = subprocess.run(["sh", "-c", line], check=False, capture_output=True)
    assert (done.returncode, done.stdout) == (2, b"")


def test_ground_is_roots_where_nobody_else_can_change_a_name(tmp_path: Path) -> None:
    assert is_roots(Path("/run"))
    assert not is_roots(Path("/run/none"))
    (tmp_path / "own").mkdir()
    assert not is_roots(tmp_path / "own")  # below /tmp
    link = Path("/run") / f"bs-link-{os.getpid()}"
    link.symlink_to(tmp_path)
    try:
        assert not is_roots(link)
        with pytest.raises(BenchError, match="not only root can change it"):
            check_roots(link)
    finally:
        link.unlink()


@pytest.mark.parametrize("change", ["owner", "group", "all"])
def test_a_folder_of_others_is_not_roots(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Path("/run") / f"bs-own-{os.getpid()}"
    monkeypatch.setattr(root_only, "PLACE", own)
    own.mkdir(mode=0o755)
    said: list[tuple[str, str]] = []
    try:
        with own_folder() as folder:
            assert Path(folder).stat().st_mode & 0o777 == 0o700
            (own / "load-left").mkdir()
            with own_folder(lambda *told: said.append(told)):
                assert not (own / "load-left").exists()
                assert Path(folder).exists()
        assert list(own.iterdir()) == []
        assert [level for level, _ in said] == ["info"]
        if change == "owner":
            os.chown(own, NOBODY, -1)
        own.chmod({"owner": 0o755, "group": 0o775, "all": 0o757}[change])
        with pytest.raises(BenchError, match="not only root"), own_folder():
            pass
    finally:
        own.rmdir()


def test_nothing_is_mounted_where_others_move_names(tmp_path: Path) -> None:
    check_free("/mnt/bs-none")
    with pytest.raises(BenchError, match="not only root can change it"):
        check_free(str(tmp_path / "place"))
