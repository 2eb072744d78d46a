"""The helper's set-up verbs: it makes, mounts and takes back what it made alone."""

import json
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path

import pytest

from instruments.errors import BenchError
from tests.workloads.guard.loops import tool
from tests.workloads.setup_bench import (
    HELPER_PROGRAM,
    SetupBench,
    armed,
    disks,
    helper_with,
    use_zpool,
)
from workloads.base import LoadOutcome
from workloads.guard.helper_client import ask, disk_request
from workloads.setup.job import MkfsJob, ZpoolJob
from workloads.setup.load import HelperMaker
from workloads.setup.made import PENDING, Made, undo, uuid_of

_MINE = f"/mnt/bs-helper-test-{os.getpid()}-"
"""Of this worker alone: others mount at the same time."""

PLACE = _MINE + "{n}"


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder for the helper's own things, where only root makes names."""
    with tempfile.TemporaryDirectory(dir="/run", prefix="bs-helper-test") as folder:
        yield Path(folder) / "own"


@pytest.fixture
def maker(place: Path) -> Iterator[HelperMaker]:
    """The helper as a program, with a ledger of its own; PATH is left for stand-ins."""
    yield HelperMaker(helper_with(place))
    assert not list(Path("/mnt").glob(f"{Path(_MINE).name}*"))


def test_it_makes_a_file_system_and_takes_it_back(
    tmp_path: Path, maker: HelperMaker
) -> None:
    bench = SetupBench()
    with disks(tmp_path, 1) as paths:
        options = {"type": "ext4", "mount": PLACE}
        job = MkfsJob("make", 60, options)
        result = bench.run(job, [armed(paths[0])], maker)
        assert result.outcome is LoadOutcome.DONE, result.reason
        assert f"{paths[0]} {_MINE}1" in Path("/proc/mounts").read_text()
        assert len(result.artefacts) == 4  # the disks' times, too
        assert bench.budget.written > 0
        bench.made.close()
        assert bench.journal[-1][1]["done"] == f"{_MINE}1 was unmounted"
        again = bench.run(job, [armed(paths[0], "ext4")], maker)
        assert again.outcome is LoadOutcome.DONE, again.reason
        bench.made.close()
    assert ("info" in {level for level, _ in bench.said}) is True


def test_it_creates_a_pool_and_exports_it(
    tmp_path: Path, maker: HelperMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, bench = use_zpool(monkeypatch, tmp_path), SetupBench()
    with disks(tmp_path, 2) as paths:
        given = {"name": "tank", "layout": "mirror 2"}
        job = ZpoolJob("pool", 60, given)
        result = bench.run(job, [armed(path) for path in paths], maker)
        assert result.outcome is LoadOutcome.DONE, result.reason
        assert "tank" in state.read_text()
        bench.made.close()
        assert state.read_text() == "{}"


@pytest.mark.slow
def test_a_pool_that_came_to_be_when_it_was_stopped_is_exported(
    tmp_path: Path, maker: HelperMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, bench = use_zpool(monkeypatch, tmp_path), SetupBench()
    monkeypatch.setenv("STANDIN_FAULT", "late")
    with disks(tmp_path, 2) as paths, ThreadPoolExecutor(1) as pool:
        job = ZpoolJob("pool", 60, {"name": "tank", "layout": "mirror 2"})
        devices = [armed(path) for path in paths]
        running = pool.submit(bench.run, job, devices, maker)
        while not state.exists() and not running.done():
            wait([running], 0.05)
        bench.stop.set()
        assert running.result().outcome is LoadOutcome.STOPPED
        bench.made.close()
        assert state.read_text() == "{}"


@pytest.mark.slow
def test_a_pool_that_stays_is_not_said_to_be_none(
    tmp_path: Path, maker: HelperMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, bench = use_zpool(monkeypatch, tmp_path), SetupBench()
    monkeypatch.setenv("STANDIN_FAULT", "late busy")
    with disks(tmp_path, 2) as paths:
        job = ZpoolJob("pool", 3, {"name": "tank", "layout": "mirror 2"})
        result = bench.run(job, [armed(path) for path in paths], maker)
        assert "the pool stays imported" in result.reason
        monkeypatch.delenv("STANDIN_FAULT")
        bench.made.close()
        assert state.read_text() == "{}"


def test_it_takes_back_nothing_that_it_did_not_make(
    place: Path, maker: HelperMaker
) -> None:
    with pytest.raises(BenchError, match="the helper has not made that"):
        maker.undo(Made("mount", "/mnt", "", "8:1"))
    assert list(place.iterdir()) == []


def test_what_was_mounted_over_it_is_not_even_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever may write there can mount there, and call the source what they like."""
    asked = tmp_path / "asked"
    program = tmp_path / "bin" / "blkid"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >>{asked}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    place, secret = tmp_path / "place", tmp_path / "secret"
    place.mkdir()
    tool("mount", "-t", "tmpfs", str(secret), str(place))
    try:
        with pytest.raises(BenchError, match="is not what this run made; it stays"):
            undo(Made("mount", str(place), "1", "7:9999"))
    finally:
        tool("umount", str(place))
    assert not asked.exists()


def test_it_refuses_what_is_not_armed_or_reaches_elsewhere(
    tmp_path: Path, place: Path, maker: HelperMaker
) -> None:
    with disks(tmp_path, 1) as paths:
        device = armed(paths[0])
        assert device.armed is not None
        job = MkfsJob("make", 60, {"type": "ext4"})
        other = replace(device.disk.identity, diskseq=1)
        swapped = replace(device, disk=replace(device.disk, identity=other))
        bench = SetupBench()
        told = bench.run(job, [swapped], maker).reason
        assert "this is not the disk that was armed" in told
        told = bench.run(job, [replace(device, armed=None)], maker).reason
        assert "it is not armed" in told
        facts = {
            "disks": [disk_request(device)],
            **{"type": "ext4", "mount": "", "owner": 0, "timeout_ms": 9000},
        }
        for changes, said in (
            ({"options": "-J device=/dev/sdb"}, "reaches another disk"),
            ({"options": "", "mount": "/etc"}, "not a mount point"),
            ({"options": "", "type": "vfat"}, 'is "vfat"'),
            ({"options": "", "disks": []}, "disks as a list"),
            ({"options": "", "disks": ["x"]}, "disks as a list, each with"),
            ({"options": "", "owner": -1}, "owner as a whole number"),
        ):
            with pytest.raises(BenchError, match=said):
                ask("mkfs", {**facts, **changes}, helper_with(place))
        with pytest.raises(BenchError, match="options as texts"):
            ask("zpool", {**facts, "options": 1}, helper_with(place))
        wrong = {"name": "tank", "layout": "mirror 2"}
        with pytest.raises(BenchError, match="2 disks, and the bench has 1"):
            ask("zpool", {**facts, "options": wrong}, helper_with(place))
        assert uuid_of(paths[0]) == ""


def kills(folder: Path, name: str, when: str = "*") -> Path:
    """Put a program before the real one that kills the helper once that is through.

    Returns:
        The file that is to hold the helper's process id.
    """
    real, file = shutil.which(name, path=os.environ["PATH"]), folder / "helper.pid"
    program = folder / "killing" / name
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\n"{real}" "$@" || exit\n'
        f'case "$1" in {when}) [ -s "{file}" ] && kill -KILL "$(cat "{file}")";; esac\n'
    )
    program.chmod(0o755)
    return file


def killed_maker(
    place: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> HelperMaker:
    """A helper that is killed as soon as the tool has done its work."""
    monkeypatch.setenv("PATH", f"{file.parent}/killing:{os.environ['PATH']}")
    script = (
        f"import os; open({str(file)!r}, 'w').write(str(os.getpid()))\n{HELPER_PROGRAM}"
    )
    return HelperMaker([sys.executable, "-c", script, str(place)])


def test_a_mount_whose_helper_was_killed_is_taken_back(
    tmp_path: Path, place: Path, maker: HelperMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between mounting and telling it, and Bayscope may be gone as well by then."""
    bench = SetupBench()
    file = kills(tmp_path, "mount")
    job = MkfsJob("make", 60, {"type": "ext4", "mount": PLACE})
    here = PLACE.format(n=1)
    with disks(tmp_path, 1) as paths:
        result = bench.run(
            job, [armed(paths[0])], killed_maker(place, file, monkeypatch)
        )
        assert result.outcome is LoadOutcome.FAILED
        assert f"{paths[0]} {here} " in Path("/proc/mounts").read_text()
        [(action, facts)] = bench.journal
        assert (action, facts["after the run"]) == ("set up", "undone")
        # What a resumption makes of that line.
        found = Made(facts["kind"], facts["name"], facts["id"], facts["number"])
        file.write_text("")
        assert maker.undo(found) == f"{here} was unmounted"
        assert here not in Path("/proc/mounts").read_text()
        assert json.loads((place / "made.json").read_text()) == []
        assert maker.undo(found) == "it was not made"


@pytest.mark.slow
def test_a_pool_whose_helper_was_killed_is_taken_back(
    tmp_path: Path, place: Path, maker: HelperMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no guid yet: it is known by its disks."""
    state, bench = use_zpool(monkeypatch, tmp_path), SetupBench()
    file = kills(tmp_path, "zpool", "create")
    job = ZpoolJob("pool", 60, {"name": "tank", "layout": "mirror 2"})
    with disks(tmp_path, 2) as paths:
        devices = [armed(path) for path in paths]
        killed = killed_maker(place, file, monkeypatch)
        assert bench.run(job, devices, killed).outcome is LoadOutcome.FAILED
        whole = json.loads(state.read_text())
        # Another pool of that name, made of other disks, stays.
        state.write_text(json.dumps({"tank": {**whole["tank"], "disks": paths[:1]}}))
        with pytest.raises(BenchError, match="is not the one that this run made"):
            maker.undo(Made("pool", "tank", PENDING))
        state.write_text(json.dumps(whole))
        bench.made.close()
        assert state.read_text() == "{}"
    assert bench.journal[-1][1]["done"] == "the pool tank was exported"


@pytest.mark.slow
def test_of_two_helpers_at_one_place_one_mounts_and_its_mount_stays_known(
    tmp_path: Path, place: Path, maker: HelperMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The place was free when each of them looked, before its mkfs."""
    real, program = shutil.which("mkfs.ext4"), tmp_path / "bin" / "mkfs.ext4"
    waits, go = tmp_path / "waits", tmp_path / "go"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\n"{real}" "$@" || exit\n[ -e "{waits}" ] && exit\n'
        f'touch "{waits}"\nuntil [ -e "{go}" ]; do sleep 0.05; done\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    job = MkfsJob("make", 60, {"type": "ext4", "mount": PLACE})
    here, slow, quick = PLACE.format(n=1), SetupBench(), SetupBench()
    with disks(tmp_path, 2) as paths:
        first, second = (armed(path) for path in paths)
        with ThreadPoolExecutor() as aside:
            try:
                late = aside.submit(
                    slow.run, job, [first], HelperMaker(helper_with(place))
                )
                while not waits.exists() and not late.done():
                    wait([late], timeout=0.05)
                assert quick.run(job, [second], maker).outcome is LoadOutcome.DONE
            finally:
                go.touch()
        assert "something is mounted there" in late.result().reason
        mounts = Path("/proc/mounts").read_text()
        assert [path in mounts for path in paths] == [False, True]
        # Of the one that failed nothing is taken back, whoever asks for that.
        pending = Made("mount", here, PENDING, first.disk.identity.number)
        with pytest.raises(BenchError, match="is not what this run made; it stays"):
            maker.undo(pending)
        slow.made.close()
        quick.made.close()
        assert quick.journal[-1][1]["done"] == f"{here} was unmounted"


@pytest.mark.slow
def test_of_two_pools_of_one_name_the_one_that_was_made_stays_known(
    tmp_path: Path, maker: HelperMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, benches = use_zpool(monkeypatch, tmp_path), (SetupBench(), SetupBench())
    job = ZpoolJob("pool", 60, {"name": "tank", "layout": "1"})
    with disks(tmp_path, 2) as paths:
        late = armed(paths[1])
        assert benches[0].run(job, [armed(paths[0])], maker).outcome is LoadOutcome.DONE
        # It was not there yet when the second one looked.
        unseen = tmp_path / "bin" / "zpool"
        stand_in = unseen.read_text()
        unseen.write_text(f'#!/bin/sh\n[ "$1" = get ] && exit 1\n{stand_in}')
        assert benches[1].run(job, [late], maker).outcome is LoadOutcome.FAILED
        unseen.write_text(stand_in)
        benches[0].made.close()
        assert benches[0].journal[-1][1]["done"] == "the pool tank was exported"
        assert state.read_text() == "{}"


def test_what_the_helper_refused_is_not_asked_for_again(
    tmp_path: Path, place: Path
) -> None:
    bench = SetupBench()
    job = MkfsJob("make", 60, {"type": "ext4", "mount": PLACE})
    with disks(tmp_path, 1) as paths:
        unarmed = replace(armed(paths[0]), armed=None)
        asked = HelperMaker(helper_with(place))
        assert "it is not armed" in bench.run(job, [unarmed], asked).reason
    asked._command = ["false"]
    bench.made.close()
    assert bench.journal[-1][0] == "set-up undone"


def test_file_systems_are_made_one_by_one(tmp_path: Path, place: Path) -> None:
    """Of several disks it made one, and said nothing of the others."""
    with disks(tmp_path, 2) as paths:
        asked = {
            "disks": [disk_request(armed(path)) for path in paths],
            **{"type": "ext4", "options": "", "mount": ""},
            **{"owner": 0, "timeout_ms": 9000},
        }
        with pytest.raises(BenchError, match="one disk at a time, and this names 2"):
            ask("mkfs", asked, helper_with(place))
        assert [uuid_of(path) for path in paths] == ["", ""]


def test_a_stop_ends_what_the_helper_runs(
    tmp_path: Path, maker: HelperMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_zpool(monkeypatch, tmp_path)
    bench = SetupBench()
    monkeypatch.setenv("STANDIN_FAULT", "slow")
    timer = threading.Timer(2.0, bench.stop.set)
    with disks(tmp_path, 1) as paths:
        job = ZpoolJob("pool", 60, {"name": "tank", "layout": "1"})
        device = armed(paths[0])
        timer.start()
        result = bench.run(job, [device], maker)
        timer.join()
        assert result.outcome is LoadOutcome.STOPPED
        assert tool("wipefs", paths[0]) == ""
        early = bench.run(job, [device], maker)
        assert early.outcome is LoadOutcome.STOPPED
