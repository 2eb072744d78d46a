"""Two nodes of one disk are taken for one, whatever they tell of themselves."""

import contextlib
import os
import shutil
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from instruments.errors import BadInput
from instruments.tools.command import Completed
from instruments.tools.command_errors import too_late
from instruments.tools.hosts import LocalHost
from tests import needs
from tests.workloads.guard.loops import SIZE, idle_load, loop, mounted, tool
from tests.workloads.guard.told import Facts, TellingHost
from tests.workloads.guard.twin_matrix import (
    ARMED,
    STATES,
    TWIN,
    Pair,
    claimed,
    matrix_text,
    outcomes,
    swap_pair,
    zfs_pair,
)
from workloads.guard.arming import arm
from workloads.guard.contents import Content, compare, read_blocks
from workloads.guard.device import Device
from workloads.guard.disk import unit_names
from workloads.guard.disk_guard import DiskGuard
from workloads.guard.hold import SetupHold
from workloads.guard.look import look
from workloads.guard.nodes import find_disk
from workloads.guard.objections import objections
from workloads.guard.survey import survey
from workloads.guard.watch import Watch

pytestmark = needs.block_devices

CHAPTER = Path(__file__).parents[3] / "docs" / "target-guard.md"
CLAIM = "os.open({!r}, os.O_EXCL); print(1, flush=True)"
OTHER_WWN = replace(Facts(), wwn="0x5000c500a1b2c3d7")


@contextlib.contextmanager
def loops(folder: Path, number: int) -> Iterator[list[str]]:
    """Disks with contents of their own."""
    with contextlib.ExitStack() as stack:
        yield [
            stack.enter_context(loop(folder / f"{one}.img")) for one in range(number)
        ]


def rules(host: LocalHost, path: str) -> set[str]:
    found = objections(look(host, path))
    print(path, *found, sep="\n")  # for who reads why a test failed
    return {objection.rule for objection in found}


def test_the_chapter_has_the_matrix_as_it_comes_out(tmp_path: Path) -> None:
    text = CHAPTER.read_text("utf-8")
    shown = text.partition("<!-- matrix -->")[2].partition("<!-- /matrix -->")[0]
    assert shown.strip() == matrix_text(tmp_path)


@pytest.mark.parametrize(
    "make", [STATES["its other path is mounted"], swap_pair, zfs_pair]
)
def test_no_combination_lets_a_disk_in_use_be_written(
    make: Pair, tmp_path: Path
) -> None:
    with make(tmp_path) as pair:
        found = outcomes(pair)
    assert len(found) == 9
    assert ARMED not in {one for cell in found.values() for one in cell}


def test_two_disks_are_told_apart_by_what_is_on_them(tmp_path: Path) -> None:
    with STATES["another disk, mounted"](tmp_path) as pair:
        found = outcomes(pair)
    assert set(found.pop(("equal", "equal"))) == {TWIN}
    assert {one for cell in found.values() for one in cell} == {ARMED}


def test_the_other_path_with_another_wwn_is_mounted(tmp_path: Path) -> None:
    file = tmp_path / "disk.img"
    with loop(file) as one, loop(file) as other:
        host = TellingHost({one: Facts(), other: OTHER_WWN})
        tool("mkfs.ext4", "-q", other)
        with mounted(other, tmp_path / "place"):
            found = look(host, one)
            assert found.twins == (Path(other).name,)
            with pytest.raises(BadInput, match="another path to the same disk"):
                arm(one, found, found.disk.word, ["ext4"])


@pytest.mark.parametrize("serial", ["", "0123456789ABCDEF", "000000", "DD5641988396"])
def test_disks_with_one_useless_serial_number_can_be_armed(
    serial: str, tmp_path: Path
) -> None:
    with loops(tmp_path, 3) as paths:
        bays = dict.fromkeys(paths, Facts(serial, "", "Bridge", transport="usb"))
        host = TellingHost(bays)
        assert rules(host, paths[0]) == set()
        tool("mkswap", paths[1])
        tool("swapon", paths[1])
        try:
            assert rules(host, paths[0]) == set()
            assert "swap" in rules(host, paths[1])
            disk = find_disk(host, paths[0])
            # What all say is nothing to type, and allows none of them.
            assert disk.word == f"{disk.name}:{SIZE}"
            assert disk.allowed_as == {disk.word}
        finally:
            tool("swapoff", paths[1])


def test_a_serial_number_on_many_disks_is_the_enclosure_s(tmp_path: Path) -> None:
    with loops(tmp_path, 9) as paths:
        few = TellingHost(dict.fromkeys(paths[:8], replace(Facts(), wwn="")))
        assert rules(few, paths[0]) == {"alike"}
        many = TellingHost(dict.fromkeys(paths, replace(Facts(), wwn="")))
        assert rules(many, paths[0]) == set()
        # What is on them decides where their number does not.
        for path in paths[:8]:
            tool("mkswap", path)
        assert rules(few, paths[0]) == {"signature"}


def test_a_disk_may_have_more_paths_than_an_enclosure_has_disks(
    tmp_path: Path,
) -> None:
    with contextlib.ExitStack() as stack:
        files = [tmp_path / "disk.img"] * 16
        paths = [stack.enter_context(loop(file)) for file in files]
        host = TellingHost(dict.fromkeys(paths, Facts()))
        assert len(look(host, paths[0]).twins) == 15
        unnamed = TellingHost(dict.fromkeys(paths, replace(Facts(), serial="")))
        assert rules(unnamed, paths[0]) == {"alike"}
        bays = {
            path: replace(Facts(), wwn=f"0x5000c500a1b2c3{number:02x}")
            for number, path in enumerate(paths)
        }
        assert rules(TellingHost(bays), paths[0]) == set()


def test_blank_units_of_one_array_are_disks_of_their_own(tmp_path: Path) -> None:
    with loops(tmp_path, 2) as [one, other]:
        host = TellingHost({one: Facts(), other: OTHER_WWN})
        assert rules(host, one) == set()
        with claimed(f"import os, sys; {CLAIM.format(other)}"):
            assert rules(host, one) == {"alike"}


class _Hangs(TellingHost):
    """A machine whose other disks do not answer, or that is too slow itself."""

    def __init__(self, facts: Mapping[str, Facts], hangs: str) -> None:
        super().__init__(facts)
        self._hangs = hangs

    def run(
        self,
        argv: Sequence[str],
        timeout_s: float,
        *,
        env: Mapping[str, str] | None = None,
    ) -> Completed:
        if "claim" in argv and self._hangs == "disk":
            argv = argv[: argv.index("claim") + 2]
        elif "claim" in argv:
            raise too_late("python3", timeout_s, "here")
        return super().run(argv, timeout_s, env=env)


@pytest.mark.parametrize("hangs", ["disk", "machine"])
def test_what_cannot_be_tried_counts_as_in_use(hangs: str, tmp_path: Path) -> None:
    with loops(tmp_path, 2) as [one, other]:
        host = _Hangs({one: Facts(), other: OTHER_WWN}, hangs)
        [said] = objections(look(host, one))
        assert said.rule == "alike"
        assert "whether it is in use cannot be tried" in said.sentence


_HOLDS = """
import os, sys, time
handle = os.open({disk!r}, os.O_RDONLY | os.O_EXCL | os.O_NONBLOCK)
print(1, flush=True)
while not os.path.exists({tried!r}):
    time.sleep(0.01)
os.close(handle)
open({free!r}, "w").close()
"""

_AFTER_A_TRY = """
import os, time
def wait(_):
    open({tried!r}, "w").close()
    while not os.path.exists({free!r}):
        sleep(0.01)
sleep, time.sleep = time.sleep, wait
"""


class _LetsGo(TellingHost):
    """A machine on which a disk is let go of once it was tried, and tried again then.

    Args:
        facts: What its disks tell.
        patch: Runs before whatever tries disks: tells that it did, and waits.
    """

    def __init__(self, facts: Mapping[str, Facts], patch: str) -> None:
        super().__init__(facts)
        self._patch = patch

    def run(
        self,
        argv: Sequence[str],
        timeout_s: float,
        *,
        env: Mapping[str, str] | None = None,
    ) -> Completed:
        if {"claim", "both"} & {*argv}:
            place = argv.index("-c") + 1
            argv = [*argv[:place], self._patch + argv[place], *argv[place + 1 :]]
        return super().run(argv, timeout_s, env=env)


@pytest.mark.parametrize("which", [0, 1])
def test_a_claim_of_a_moment_is_no_use(which: int, tmp_path: Path) -> None:
    tried, free = tmp_path / "tried", tmp_path / "free"
    words = {"tried": str(tried), "free": str(free)}
    with loops(tmp_path, 2) as paths:
        facts = dict.fromkeys(paths, Facts("", "", "Bridge", transport="usb"))
        host = _LetsGo(facts, _AFTER_A_TRY.format(**words))
        with claimed(_HOLDS.format(disk=paths[which], **words) + "pass"):
            try:
                assert rules(host, paths[0]) == set()
                assert tried.exists()
            finally:
                tried.touch()  # Else whoever has it would wait for ever.


def test_a_copy_of_a_mounted_image_is_another_disk(tmp_path: Path) -> None:
    with loop(tmp_path / "disk.img") as disk:
        tool("mkfs.ext4", "-q", disk)
    shutil.copyfile(tmp_path / "disk.img", tmp_path / "copy.img")
    with (
        loop(tmp_path / "disk.img") as disk,
        loop(tmp_path / "copy.img") as copy,
        mounted(disk, tmp_path / "place"),
    ):
        assert rules(LocalHost(), copy) == {"signature"}


def test_what_other_tests_have_is_not_seen(tmp_path: Path) -> None:
    with loops(tmp_path, 2) as [one, other]:
        assert {d.path for d in survey(TellingHost({one: Facts()})).disks} >= {one}
        assert other not in {d.path for d in survey(TellingHost({one: Facts()})).disks}


def test_namespaces_of_one_controller_are_disks_of_their_own(tmp_path: Path) -> None:
    nqn = {"device/subsysnqn": "nqn.2014-08.org.nvmexpress:uuid:1b4e28ba"}
    with loops(tmp_path, 3) as [one, other, again]:
        facts = replace(Facts(), transport="nvme", wwn="")
        first = replace(facts, files={"nsid": "1", **nqn})
        second = replace(facts, files={"nsid": "2", **nqn})
        host = TellingHost({one: first, other: second, again: first})
        assert look(host, one).twins == (Path(again).name,)
        assert rules(host, other) == set()


def test_a_loop_device_on_a_disk_is_the_disk(tmp_path: Path) -> None:
    host = LocalHost()
    alias = tmp_path / "alias"
    with loop(tmp_path / "disk.img") as disk:
        os.mknod(alias, 0o60600, Path(disk).stat().st_rdev)
        tool("mkfs.ext4", "-q", disk)
        with loop(alias) as above, mounted(disk, tmp_path / "place"):
            assert look(host, above).twins == (Path(disk).name,)
            assert look(host, disk).holders == (Path(above).name,)


def test_two_loop_devices_on_one_file_are_one_disk(tmp_path: Path) -> None:
    file, link = tmp_path / "disk.img", tmp_path / "link.img"
    with loop(file) as one:
        link.hardlink_to(file)
        with loop(link) as other:
            assert look(LocalHost(), one).twins == (Path(other).name,)


@pytest.mark.parametrize("kind", ["load", "tool"])
def test_a_path_that_appears_later_stops_what_is_to_be_written(
    kind: str, tmp_path: Path
) -> None:
    file, host = tmp_path / "disk.img", LocalHost()
    with loop(file) as one:
        found = look(host, one)
        armed = arm(one, found, found.disk.word)
        device = Device(Path(one), found.disk, 0, armed)
        hold = SetupHold([device])
        guard = DiskGuard([device])

        def held() -> contextlib.AbstractContextManager[None]:
            if kind == "tool":
                return hold.hold()
            return guard.hold(lambda *_: None, destroys=True)

        def trouble() -> str:
            if kind == "tool":
                return hold.check(load)
            return guard.check(load, str(tmp_path), destroys=True)

        with loop(file), pytest.raises(BadInput, match="another path"), held():
            pass
        with idle_load() as load, held():
            assert trouble() == ""
            with loop(file):
                said, deadline = "", time.monotonic() + 60
                while not said and time.monotonic() < deadline:
                    said = trouble()
                assert "is another path to the same disk" in said


def test_disks_of_one_load_may_become_alike(tmp_path: Path) -> None:
    with loops(tmp_path, 3) as [*paths, more]:
        bridge = dict.fromkeys(paths, Facts("", "", "Bridge"))
        host = TellingHost({**bridge, more: Facts()})
        tool("mkfs.ext4", "-q", more)
        disks = [find_disk(host, path) for path in paths]
        both, first = Watch(host, disks), Watch(host, disks[:1])
        script = f"disk = open({paths[1]!r}, 'r+b'); print(1, flush=True)"
        # What is merely opened is seen when something else comes into use.
        with claimed(f"import sys; {script}"), mounted(more, tmp_path / "place"):
            assert both.look() == ""
            assert "it cannot be told from" in first.look()


def test_a_disk_that_is_written_to_is_not_taken_for_two(tmp_path: Path) -> None:
    file, done = tmp_path / "disk.img", threading.Event()

    def write(path: str) -> None:
        with Path(path).open("r+b", buffering=0) as disk:
            for number in range(10**9):
                if done.is_set():
                    return
                os.pwrite(disk.fileno(), number.to_bytes(8, "big") * 512, 0)
                os.fsync(disk.fileno())

    with loop(file) as one, loop(file) as other:
        tool("mkswap", one)
        writing = threading.Thread(target=write, args=(other,))
        writing.start()
        try:
            for _ in range(5):
                blocks = read_blocks(LocalHost(), [one, other])
                assert compare(blocks[one], blocks[other]) is not Content.DIFFERENT
        finally:
            done.set()
            writing.join()


def test_only_names_of_the_logical_unit_are_its_names() -> None:
    page = bytes.fromhex(
        "00830032"
        "01030008 5000c500a1b2c3d4"  # NAA name of the unit
        "61930008 5000c500a1b2c3d5"  # of the port
        "02010008 4d616b6572202020"  # T10's, which repeats the maker
        "53180008 6e61612e31323300"  # name string of the port
        "03080008 69716e2e31323300"  # of the unit
    )
    assert unit_names(page) == ("naa.5000c500a1b2c3d4", "iqn.123")
    assert unit_names(b"") == ()
    assert unit_names(page[:9]) == ("naa.50",)
