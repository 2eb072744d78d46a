"""Two programs never run one bench: real locks, a real second process."""

import contextlib
import fcntl
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.bench.file import parse_bench
from app.bench.model import Bench
from app.operations.bench import lock as bench_lock
from app.operations.bench.lock import only_program
from instruments.errors import BenchError
from tests.app.operations.benches import BENCH

METER = "TCPIP::127.0.0.1::5025::SOCKET"

OTHER = """
import sys
from pathlib import Path
from app.operations.bench.lock import only_program
from tests.app.operations.bench.test_lock import bench
with only_program(bench(Path(sys.argv[1])), Path(sys.argv[2])):
    print("mine", flush=True)
    sys.stdin.read()
"""


def bench(folder: Path, target: str = "scratch.dat") -> Bench:
    return parse_bench(BENCH.format(target=folder / target, meter=METER), "bench.toml")


def test_a_second_program_is_refused_as_long_as_the_first_lives(
    tmp_path: Path,
) -> None:
    words = [sys.executable, "-c", OTHER, str(tmp_path), str(tmp_path)]
    with subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[4],
    ) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "mine\n"
        with (
            pytest.raises(BenchError) as raised,
            only_program(bench(tmp_path), tmp_path),
        ):
            pytest.fail("two programs on one bench")
        told = f"{METER}: another Bayscope (process {first.pid}) is using mains."
        assert str(raised.value).startswith(told)
        first.kill()
    # The files that it left behind keep nobody out, and go with the next run.
    assert list(tmp_path.glob("*.lock"))
    with only_program(bench(tmp_path), tmp_path):
        assert list(tmp_path.glob("*.lock"))
    assert not list(tmp_path.glob("*.lock"))


def test_a_lock_that_was_let_go_of_meanwhile_is_taken_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its file was opened, then its holder removed it: nobody else would see it."""
    lock = bench_lock._lock
    removed: list[Path] = []

    def late(fd: int) -> str | None:
        if not removed:
            [path] = tmp_path.glob("*.lock")
            path.unlink()
            removed.append(path)
        return lock(fd)

    monkeypatch.setattr(bench_lock, "_lock", late)
    with only_program(bench(tmp_path), tmp_path):
        assert removed[0].exists()
        monkeypatch.undo()
        with (
            pytest.raises(BenchError, match="another Bayscope"),
            only_program(bench(tmp_path), tmp_path),
        ):
            pytest.fail("two programs on one bench")


def test_what_another_program_is_just_taking_is_not_told_as_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two programs at once: one sweeps between the other's making and locking."""
    lock, swept = bench_lock._lock, list[int]()

    def late(fd: int) -> str | None:
        if not swept:
            swept.append(bench_lock.sweep_locks(tmp_path))
        return lock(fd)

    monkeypatch.setattr(bench_lock, "_lock", late)
    with only_program(bench(tmp_path), tmp_path):
        assert swept == [0]
        assert bench_lock.sweep_locks(tmp_path) == 0
        assert list(tmp_path.glob("*.lock"))


def test_what_ended_in_order_and_had_to_stay_is_not_told_as_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder of all, such as /run/lock, nobody removes another user's file."""
    with only_program(bench(tmp_path), tmp_path):
        kept = {path: path.read_bytes() for path in tmp_path.glob("*.lock")}
        assert set(kept.values()) == {str(os.getpid()).encode()}
        unlink = Path.unlink
        monkeypatch.setattr(Path, "unlink", lambda path: (path / "none").stat())
    monkeypatch.setattr(Path, "unlink", unlink)
    assert {path.read_bytes() for path in tmp_path.glob("*.lock")} == {b""}
    assert bench_lock.sweep_locks(tmp_path) == 0
    for path in kept:
        path.write_bytes(b"4194305")
    assert bench_lock.sweep_locks(tmp_path) == len(kept)


def test_a_lock_that_another_program_sweeps_is_had_after_that(tmp_path: Path) -> None:
    """However long that takes on a busy machine, it is nobody's use of the bench."""
    with only_program(bench(tmp_path), tmp_path):
        paths = list(tmp_path.glob("*.lock"))
    for path in paths:
        path.write_bytes(b"4194305")
    with contextlib.ExitStack() as sweeping:
        for path in paths:
            file = sweeping.enter_context(path.open("r+b"))
            fcntl.flock(file, fcntl.LOCK_EX)
        timer = threading.Timer(0.5, sweeping.pop_all().close)
        timer.start()
        with only_program(bench(tmp_path), tmp_path):
            timer.join()


@contextlib.contextmanager
def nobody_special() -> Iterator[None]:
    """Be a user whom modes of files concern, as root is not."""
    own = os.geteuid()
    if not own:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(own)


def test_a_file_that_may_not_be_opened_is_a_lock_of_another_user() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o1777)
        ours = bench(folder)
        with only_program(ours, folder):
            locks = list(folder.glob("*.lock"))
        for path in locks:
            path.touch(mode=0)
        with (
            nobody_special(),
            pytest.raises(BenchError, match="a lock of another user is on") as raised,
            only_program(ours, folder),
        ):
            pytest.fail("its lock was taken")
        assert any(str(path) in str(raised.value) for path in locks)


def test_a_file_that_goes_before_it_is_read_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With fs.protected_regular another user's file cannot be opened with O_CREAT."""
    really, refused = os.open, list[Path]()

    def protected(path: Path, flags: int, mode: int = 0o777) -> int:
        if not refused and flags & os.O_CREAT:
            refused.append(path)
            raise PermissionError(13, "Permission denied", str(path))
        return really(path, flags, mode)

    monkeypatch.setattr(os, "open", protected)
    with only_program(bench(tmp_path), tmp_path):
        assert refused[0].exists()


def test_a_folder_that_takes_no_files_is_told(tmp_path: Path) -> None:
    with (
        pytest.raises(BenchError, match=r"the lock of .* cannot be created"),
        only_program(bench(tmp_path), tmp_path / "gone"),
    ):
        pytest.fail("there is no lock")


def test_a_lock_is_for_every_user_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        with only_program(bench(tmp_path), tmp_path):
            modes = {path.stat().st_mode & 0o777 for path in tmp_path.glob("*.lock")}
    finally:
        os.umask(before)
    assert modes == {0o666}


def test_benches_that_share_one_target_exclude_each_other(tmp_path: Path) -> None:
    one = bench(tmp_path)
    other = parse_bench(
        BENCH.format(target=tmp_path / "scratch.dat", meter="simulated"), "other.toml"
    )
    with (
        only_program(one, tmp_path),
        pytest.raises(BenchError, match="is using the target"),
        only_program(other, tmp_path),
    ):
        pytest.fail("two programs on one target")


def test_benches_that_share_nothing_run_side_by_side(tmp_path: Path) -> None:
    text = BENCH.format(target=tmp_path / "one.dat", meter="simulated")
    other = BENCH.format(target=tmp_path / "two.dat", meter="simulated")
    with (
        only_program(parse_bench(text, "one.toml"), tmp_path),
        only_program(parse_bench(other, "two.toml"), tmp_path),
    ):
        assert len(list(tmp_path.glob("*.lock"))) == 2


def test_two_sources_of_a_bench_may_have_one_address(tmp_path: Path) -> None:
    bmc = '[[thermal]]\nname = "{}"\ndriver = "{}"\naddress = "127.0.0.1"\n{}'
    more = bmc.format("bmc", "ipmi", 'user = "x"\n')
    more += bmc.format("node", "redfish", 'user = "x"\n')
    more += bmc.format("pdu", "snmp", 'port = 1610\nprofile = "apc-rpdu2"\n')
    text = BENCH.format(target=tmp_path / "scratch.dat", meter=METER)
    several = parse_bench(f"{text}\n{more}", "bench.toml")
    with only_program(several, tmp_path):
        locks = sorted(path.name for path in tmp_path.glob("*.lock"))
    assert "bayscope-here-127-0-0-1-1610.lock" in locks
    assert "bayscope-here-127-0-0-1-623.lock" in locks


def test_sources_of_one_bench_may_share_an_instrument(tmp_path: Path) -> None:
    text = BENCH.format(target=tmp_path / "one.dat", meter=METER)
    shared = text.replace(
        'driver = "simulated"', 'driver = "simulated"\naddress = "a:1"'
    )
    with only_program(parse_bench(shared, "bench.toml"), tmp_path):
        assert len(list(tmp_path.glob("*a-1.lock"))) == 1
