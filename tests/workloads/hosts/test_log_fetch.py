"""Logs brought from a load host: none, whole, damaged, and too late."""

import gzip
import io
import tarfile
from pathlib import Path

import pytest

from instruments.errors import BenchError
from instruments.host.clock import Clock
from instruments.tools.command import start
from instruments.tools.hosts import LocalHost
from instruments.tools.started import Started
from workloads.fio_job import FioJob
from workloads.hosts import each as log_fetch
from workloads.hosts.each import fetch_logs
from workloads.hosts.host_logs import with_logs
from workloads.hosts.place import Place
from workloads.hosts.site import Site

ROWS = b"1250, 100, 0, 0, 0\n1500, 100, 0, 0, 0\n"


class Here(Site):
    """This machine as a load host, with a folder that the test fills.

    Args:
        folder: The folder.
        argv: What runs instead of what was wanted, if anything.
    """

    def __init__(self, folder: Path, *argv: str) -> None:
        super().__init__(Place("load1", LocalHost(), ("x",), 1), Clock.REALTIME)
        self.folder = str(folder)
        plain = FioJob("x", (Path("x"),), 1 << 20, 60, 0, True, {"rw": "randread"})
        self._job = with_logs(plain, "load1", clock=0)
        self._argv = argv

    def start(self, argv: list[str]) -> Started:
        return start(self._argv or argv, cwd=self.folder)


def packed(info: tarfile.TarInfo, content: bytes = b"") -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as tar:
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    return file.getvalue()


def test_logs_are_brought_and_read(tmp_path: Path) -> None:
    (tmp_path / "load1_iops.1.log").write_bytes(ROWS)
    logs = fetch_logs(Here(tmp_path))
    assert logs is not None
    assert (logs.start_ns, logs.end_ns) == (10**9, 15 * 10**8)


def test_a_host_without_logs_has_none(tmp_path: Path) -> None:
    (tmp_path / "job.fio").touch()
    assert fetch_logs(Here(tmp_path)) is None


@pytest.mark.parametrize("kind", ["garbage", "cut", "damaged", "link"])
def test_damaged_logs_are_told_as_such_or_left_out(tmp_path: Path, kind: str) -> None:
    info = tarfile.TarInfo("load1_iops.1.log")
    whole = packed(info, ROWS * 2000)
    at = len(whole) // 2
    if kind == "link":
        info.type, info.linkname = tarfile.LNKTYPE, "gone"
    content = {
        "garbage": b"garbage",
        "cut": whole[:at],
        "damaged": gzip.compress(b"")[:10] + b"\xff" * 50,
        "link": packed(info),
    }[kind]
    (tmp_path / "answer").write_bytes(content)
    site = Here(tmp_path, "cat", "answer")
    if kind == "link":
        assert fetch_logs(site) is None
        return
    with pytest.raises(BenchError, match="came damaged"):
        fetch_logs(site)


def test_logs_that_do_not_come_or_do_not_end_are_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_fetch, "_WAIT_S", 0.1)
    with pytest.raises(BenchError, match="did not come within"):
        fetch_logs(Here(tmp_path, "sleep", "600"))
    monkeypatch.setattr(log_fetch, "_WAIT_S", 60.0)
    monkeypatch.setattr(log_fetch, "_MOST", 1 << 20)
    with pytest.raises(BenchError, match="more than 1 MiB"):
        fetch_logs(Here(tmp_path, "cat", "/dev/zero"))
    bomb = packed(tarfile.TarInfo("load1_iops.1.log"), bytes(2 << 20))
    (tmp_path / "answer").write_bytes(bomb)
    with pytest.raises(BenchError, match="more than 1 MiB"):
        fetch_logs(Here(tmp_path, "cat", "answer"))
