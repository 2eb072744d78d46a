"""A Windows load host: a real SSH server whose shell answers as cmd.exe does."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from instruments.errors import BadInput, BenchError, SourceError
from instruments.host.windows import DRIVER, WindowsSource
from instruments.ssh.windows import WindowsHost, quoted
from instruments.tools.hosts import LocalHost
from instruments.tools.own_there import OwnThere, left_there, sweep_there
from tests.instruments.given import given
from tests.sshd import Sshd, sshd
from tests.workloads.hosts.documents import check_live, check_results, last_entries
from tests.workloads.hosts.rack import SIZE, Rack
from workloads.base import LoadOutcome
from workloads.fio_job import FioJob
from workloads.hosts.each import FioEach
from workloads.hosts.place import Place
from workloads.hosts.windows_job import check_windows_target, text_there

STANDIN = Path(__file__).parents[2] / "standins" / "windows_cmd.py"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Sshd]:
    (tmp_path / "sshd").mkdir()
    (tmp_path / "home").mkdir()
    forced = f"ForceCommand {sys.executable} {STANDIN} {tmp_path / 'home'}\n"
    with sshd(
        tmp_path / "sshd", more=f"Subsystem sftp internal-sftp\n{forced}"
    ) as found:
        yield found


def host(server: Sshd) -> WindowsHost:
    return WindowsHost("win", server.target)


def place(server: Sshd) -> Place:
    return Place(
        "win", LocalHost("win"), (r"C:\bayscope.bin",), SIZE, windows=host(server)
    )


def test_words_are_quoted_for_cmd() -> None:
    assert quoted(["fio", "--a=b", "plain", r"C:\x y"]) == r'fio "--a=b" plain "C:\x y"'
    assert quoted(["cmd", "a&b", "x y\\"]) == 'cmd "a&b" "x y\\\\"'
    for word in ("%PATH%", 'a"b', "a\nb"):
        with pytest.raises(BadInput, match="cannot be given through cmd"):
            quoted(["fio", word])


def test_a_job_is_written_for_windows() -> None:
    job = FioJob("x", (Path("t"),), SIZE, 5, 0, True, {"rw": "read", "bs": "64k"})
    text = text_there(job, [r"D:\scratch\bayscope.bin"])
    assert "filename=D\\:\\scratch\\bayscope.bin\n" in text
    assert "ioengine=windowsaio\n" in text
    assert "thread=1\n" in text
    disk = text_there(job, [r"\\.\PhysicalDrive3"])
    assert "filename=\\\\.\\PhysicalDrive3\n" in disk


@pytest.mark.parametrize(
    ("target", "destroys", "told"),
    [
        (r"\\.\PhysicalDrive3", True, "cannot be judged from here"),
        (r"C:\Users\me\thesis.doc", False, "it is not a target for a Windows host"),
        ("/scratch/bayscope.bin", False, "it is not a target for a Windows host"),
    ],
)
def test_what_must_not_be_a_target(target: str, destroys: bool, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        check_windows_target(target, destroys=destroys)
    check_windows_target(r"\\.\PhysicalDrive3", destroys=False)
    check_windows_target(r"C:\bayscope.bin", destroys=True)


def test_programs_run_there(server: Sshd) -> None:
    found = host(server)
    assert found.run(["fio", "--version"], 10).stdout.startswith("fio-3.")
    with pytest.raises(BenchError, match="nonesuch"):
        found.run(["nonesuch"], 10)
    offset, spread = found.clock_offset(4)
    again, of_this = found.clock_offset(4)
    drift = 1_000_000  # of a clock that is being set
    assert abs(offset - again) <= spread + of_this + drift
    assert min(spread, of_this) >= 0
    found.close()


def test_what_cannot_be_removed_is_noted_until_it_can(
    server: Sshd, tmp_path: Path
) -> None:
    """As a job that a load still has open."""
    found = host(server)
    own = OwnThere(found, "{}.fio", lambda name: put(found, name), found.remove)
    stays = tmp_path / "home" / own.path
    stays.unlink()
    stays.mkdir()  # as unremovable as a file in use on Windows
    with pytest.raises(BenchError, match=r"written or removed"):
        found.remove(own.path)
    own.close()
    assert left_there() == {str(found): 1}
    assert sweep_there(found, found.remove) == 0
    assert left_there() == {str(found): 1}
    stays.rmdir()
    stays.touch()
    assert sweep_there(found, found.remove) == 1
    assert left_there() == {}
    assert not found.remove(own.path)
    assert list((tmp_path / "home").iterdir()) == []
    found.close()


def put(found: WindowsHost, name: str) -> str:
    found.put(name, b"[global]\n")
    return name


def test_it_is_a_source_that_tells_that_it_answers(server: Sshd) -> None:
    found = host(server)
    source = WindowsSource(given(DRIVER, "win", address="win"), found)
    assert "Windows [Version 10.0" in source.open().model
    assert 0 < source.read().values[0] < 5
    source.close()
    server.stop()
    with pytest.raises(SourceError, match="cannot be reached"):
        source.read()


def test_a_load_runs_there(server: Sshd, tmp_path: Path) -> None:
    rack = Rack(tmp_path, {})
    result = rack.run(FioEach(rack.job(1, ramp=1), [place(server)]))
    assert (result.outcome, result.reason) == (LoadOutcome.DONE, "")
    check_results(result, last_entries(result, "win"))
    check_live(rack, result, "win")
    assert len(rack.values("fio.read_iops.win")) >= 2
    assert (tmp_path / "home" / "bayscope.bin").stat().st_size == SIZE
    assert not list((tmp_path / "home").glob("*.fio"))


def test_a_stop_ends_it_there(server: Sshd, tmp_path: Path) -> None:
    rack = Rack(tmp_path, {})

    def stop() -> None:
        rack.began.wait(60)
        rack.stop.set()

    stopper = threading.Thread(target=stop)
    stopper.start()
    result = rack.run(FioEach(rack.job(60), [place(server)]))
    stopper.join()
    assert result.outcome is LoadOutcome.STOPPED
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            assert str(tmp_path / "home").encode() not in line or b"fio" not in line[:4]
