"""Disks and scratch files of load hosts: held, checked and refused there."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from instruments.errors import BadInput, BenchError
from instruments.tools.hosts import LocalHost
from tests.workloads.guard.loops import loop, tool
from tests.workloads.hosts.rack import SIZE, Rack, rack
from workloads.base import LoadOutcome
from workloads.fio_job import FioJob
from workloads.guard.budget import Budget
from workloads.guard.device import open_device
from workloads.hosts.each import FioEach
from workloads.hosts.held import HeldTargets, ScratchThere
from workloads.hosts.place import Place
from workloads.hosts.servers import FioServers
from workloads.hosts.site import stray_there


@pytest.fixture
def one(tmp_path: Path) -> Iterator[Rack]:
    with rack(tmp_path, "load1") as found:
        yield found


def place_on(found: Rack, path: str, *, word: str = "") -> Place:
    place = found.place("load1")
    words = [word] if word else []
    device = open_device(
        Path(path), SIZE, writes=bool(word), words=words, host=place.host
    )
    own = found.place("load1")
    return Place("load1", own.host, (path,), SIZE, (device,), own.account)


@pytest.mark.parametrize("way", [FioEach, FioServers])
def test_an_armed_disk_is_held_there_while_it_is_overwritten(
    one: Rack, tmp_path: Path, way: type[FioEach] | type[FioServers]
) -> None:
    with loop(tmp_path / "disk.img") as path:
        word = open_device(Path(path), 0, writes=False).disk.word
        place = place_on(one, path, word=word)
        claimed: list[bool] = []

        def claim() -> None:
            one.began.wait(60)
            try:
                os.close(os.open(path, os.O_RDONLY | os.O_EXCL))
            except OSError:
                claimed.append(False)
            else:
                claimed.append(True)

        thread = threading.Thread(target=claim)
        thread.start()
        result = one.run(way(one.job(1, rw="write"), [place]))
        thread.join()
        assert (result.outcome, result.reason) == (LoadOutcome.DONE, "")
        assert claimed == [False]
        assert result.values["write_iops"].value > 100
        assert Path(path).read_bytes()[:4096].strip(b"\0")


def test_a_disk_that_is_used_by_now_is_refused(one: Rack, tmp_path: Path) -> None:
    with loop(tmp_path / "disk.img") as path:
        word = open_device(Path(path), 0, writes=False).disk.word
        place = place_on(one, path, word=word)
        tool("mkfs.ext4", "-q", path)
        with pytest.raises(BenchError, match="there is ext4"):
            one.run(FioEach(one.job(1, rw="write"), [place]))
        reading = place_on(one, path)
        with pytest.raises(BenchError, match="it is not armed"):
            one.run(FioEach(one.job(1, rw="write"), [reading]))


def test_somebody_elses_file_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "thesis.txt"
    path.write_bytes(b"x" * SIZE)
    found = Rack(tmp_path, {})
    place = Place("here", LocalHost(), (str(path),), SIZE)
    with pytest.raises(BenchError, match="holds data that Bayscope did not write"):
        found.run(FioEach(found.job(1, rw="write"), [place]))
    assert path.read_bytes() == b"x" * SIZE
    assert found.run(FioEach(found.job(1), [place])).outcome is LoadOutcome.DONE


def test_a_scratch_file_has_one_run_at_a_time(tmp_path: Path) -> None:
    path, stop = str(tmp_path / "scratch.bin"), threading.Event()
    done: list[float] = []
    with ScratchThere(
        LocalHost(), [path], SIZE, writes=True, stop=stop, progress=done.append
    ) as first:
        assert done[-1] == 1.0
        assert first.paths == (path,)
        assert Path(path).stat().st_blocks * 512 >= SIZE
        with pytest.raises(BenchError, match="another run uses this file"):
            ScratchThere(LocalHost(), [path], SIZE, writes=True, stop=stop)
    with ScratchThere(LocalHost(), [path], SIZE, writes=True, stop=stop) as again:
        again.check()
    with pytest.raises(BenchError, match="not held any more"):
        again.check()


@pytest.mark.parametrize(
    ("target", "told"),
    [("/nowhere/at/all.bin", "No such file"), ("/tmp", "this is not a file")],
)
def test_what_cannot_be_a_scratch_file_is_a_sentence(target: str, told: str) -> None:
    stop = threading.Event()
    with pytest.raises(BenchError, match=told) as caught:
        ScratchThere(LocalHost(), [target], SIZE, writes=True, stop=stop)
    assert "Nothing was overwritten" in str(caught.value)


def test_a_file_that_a_load_must_not_write_is_found(tmp_path: Path) -> None:
    own, other = tmp_path / "own.bin", tmp_path / "other.bin"
    own.touch()
    held = f"f = open({str(other)!r}, 'w'); print(1, flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", held], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()

        def look(file: Path, folder: str = "") -> str:
            return stray_there(
                LocalHost(),
                process.pid,
                files=[str(file)],
                numbers=[],
                folder=folder,
                writes=True,
            )

        assert f"it has {other} open for writing" in look(own)
        assert look(other) == ""
        assert look(own, str(tmp_path)) == ""
        own.unlink()
        assert "own.bin is gone" in look(own)
        process.kill()


@pytest.mark.parametrize(
    "load", ["echo $$; exec sleep 600", "sleep 600 & echo $!; wait"]
)
def test_what_a_load_has_left_behind_is_looked_at_too(
    load: str, tmp_path: Path
) -> None:
    """Its parent has ended; it is of the load's group, or of its shell's."""
    other, own = tmp_path / "other.bin", tmp_path / "own.bin"
    own.touch()
    script = f'(sleep 600 3>"{other}" &); {load}'
    with subprocess.Popen(
        ["sh", "-c", script], stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        told = stray_there(
            LocalHost(), pid, files=[str(own)], numbers=[], folder="", writes=True
        )
        os.killpg(process.pid, signal.SIGKILL)
    assert f"it has {other} open for writing" in told


def test_a_budget_ends_the_load(one: Rack) -> None:
    budget = Budget(SIZE)
    load = FioEach(
        FioJob("step", (Path("x"),), SIZE, 20, 0, True, {"rw": "write", "bs": "1m"}),
        [one.place("load1")],
        budget=budget,
    )
    result = one.run(load)
    assert result.outcome is LoadOutcome.FAILED
    assert "write budget" in result.reason
    with pytest.raises(BenchError, match="write budget"):
        one.run(load)


def test_nothing_is_armed_by_a_wrong_word(one: Rack, tmp_path: Path) -> None:
    with loop(tmp_path / "disk.img") as path, pytest.raises(BadInput):
        place_on(one, path, word="WRONG")


def test_another_path_that_comes_up_there_ends_the_load(
    one: Rack, tmp_path: Path
) -> None:
    file = tmp_path / "disk.img"
    with loop(file) as path:
        word = open_device(Path(path), 0, writes=False).disk.word
        place, stop = place_on(one, path, word=word), threading.Event()
        with contextlib.closing(
            HeldTargets(place, destroys=True, stop=stop, can_spare=False)
        ) as held:
            assert held.trouble() == ""
            with loop(file):
                said, deadline = "", time.monotonic() + 60
                while not said and time.monotonic() < deadline:
                    said = held.trouble()
                assert "is another path to the same disk" in said
