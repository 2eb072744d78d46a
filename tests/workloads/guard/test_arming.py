"""Arming and holding: only the disk that was typed, only as it was then."""

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from instruments.errors import BadInput
from instruments.tools.hosts import LocalHost
from tests import needs
from tests.workloads.guard.loops import SIZE, loop, mounted, own_name, tool
from workloads.guard.arming import Armed, arm, check_armed
from workloads.guard.hold import Hold
from workloads.guard.look import look
from workloads.guard.objections import objections

pytestmark = needs.block_devices

HOST = LocalHost()


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with loop(tmp_path / "disk.img") as path:
        yield path


def armed_disk(device: str) -> Armed:
    found = look(HOST, device)
    return arm(device, found, found.disk.word)


def test_only_the_right_word_arms(device: str) -> None:
    found = look(HOST, device)
    for word in ("", "yes", found.disk.name, found.disk.word.upper() + "0"):
        with pytest.raises(BadInput, match=f'type its word, "{found.disk.word}"'):
            arm(device, found, word)
    disk = replace(found.disk, identity=replace(found.disk.identity, serial="Z1X2"))
    named = replace(found, disk=disk)
    with pytest.raises(BadInput, match='type its serial number, "Z1X2"'):
        arm(device, named, found.disk.word)
    assert arm(device, named, " Z1X2 ").identity.serial == "Z1X2"


def test_data_may_go_only_when_it_was_named(device: str) -> None:
    tool("mkfs.ext4", "-q", "-L", "precious", device)
    found = look(HOST, device)
    with pytest.raises(BadInput) as caught:
        arm(device, found, found.disk.word)
    assert "there is ext4 (precious)" in str(caught.value)
    assert "--overwrite-data ext4" in caught.value.way_out
    with pytest.raises(BadInput, match="there is ext4"):
        arm(device, found, found.disk.word, ["xfs"])
    armed = arm(device, found, found.disk.word, ["ext4"])
    assert armed.overruled == ("ext4",)
    check_armed(armed, look(HOST, device))


def test_what_is_certain_comes_before_what_could_not_be_looked_at(device: str) -> None:
    blind = ("it cannot be read", "it cannot be opened")
    found = replace(look(HOST, device), blind=blind, is_system=True)
    said = [(one.rule, one.sentence.count("cannot")) for one in objections(found)]
    assert said == [("system", 0), ("unseen", 3)]


def test_nothing_overrules_a_mount(device: str, tmp_path: Path) -> None:
    tool("mkfs.ext4", "-q", device)
    found = look(HOST, device)
    armed = arm(device, found, found.disk.word, ["ext4"])
    with mounted(device, tmp_path / "place"):
        with pytest.raises(BadInput, match="it is mounted at"):
            arm(device, look(HOST, device), found.disk.word, ["ext4", "mounted"])
        with pytest.raises(BadInput, match="it is mounted at") as caught:
            arm(device, look(HOST, device), "")
        assert found.disk.word not in caught.value.way_out  # nobody is asked for it
        with pytest.raises(BadInput, match="it is mounted at"):
            check_armed(armed, look(HOST, device))
        with pytest.raises(BadInput, match="is in use"):
            Hold(armed)
    check_armed(armed, look(HOST, device))


def test_a_disk_that_went_and_came_back_is_another_one(tmp_path: Path) -> None:
    file = tmp_path / "disk.img"
    with own_name() as name:
        with loop(file, name=name) as device:
            armed = armed_disk(device)
            check_armed(armed, look(HOST, device))
        with loop(file, name=name):
            with pytest.raises(BadInput, match="taken out or came back, diskseq"):
                check_armed(armed, look(HOST, device))
            with pytest.raises(BadInput, match="not the disk that was armed any more"):
                Hold(armed)


def test_a_held_disk_is_kept_from_others_but_not_from_the_load(
    device: str, tmp_path: Path
) -> None:
    tool("mkfs.ext4", "-q", device)
    found = look(HOST, device)
    armed = arm(device, found, found.disk.word, ["ext4"])
    with Hold(armed) as hold:
        place = tmp_path / "place"
        place.mkdir()
        for argv in (
            ["mount", device, str(place)],
            ["swapon", device],
            ["mkfs.ext4", "-q", "-F", device],
        ):
            done = subprocess.run(argv, check=False, capture_output=True, text=True)
            assert done.returncode != 0, argv
        job = f"--name=w --filename={device} --rw=write --bs=64k --size=1m --thread"
        fio = subprocess.run(
            ["fio", *job.split()], check=False, capture_output=True, text=True
        )
        assert fio.returncode == 0, fio.stdout
        hold.check()
    assert Path(device).stat().st_rdev
    assert look(HOST, device).disk.identity.size == SIZE
