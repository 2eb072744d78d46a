"""Looking at real loop devices: what is there is found, in every namespace."""

import contextlib
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from instruments.errors import BadInput
from instruments.tools.command import Completed
from instruments.tools.hosts import LocalHost
from tests import needs
from tests.workloads.guard.loops import SIZE, loop, mounted, tool
from workloads.guard.look import look, look_together
from workloads.guard.nodes import find_disk, find_disks, list_disks
from workloads.guard.objections import objections

pytestmark = needs.block_devices

HOST = LocalHost()


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with loop(tmp_path / "disk.img") as path:
        yield path


def rules(path: str) -> set[str]:
    return {objection.rule for objection in objections(look(HOST, path))}


def test_a_blank_disk_is_a_safe_target(device: str, tmp_path: Path) -> None:
    found = look(HOST, device)
    assert objections(found) == []
    disk = found.disk
    assert (disk.path, disk.type, disk.is_whole) == (device, "loop", True)
    assert disk.identity.size == SIZE
    assert disk.identity.diskseq > 0
    assert disk.backing == str(tmp_path / "disk.img")
    assert disk.word == f"{disk.name}:{SIZE}"
    assert disk in list_disks(HOST)
    link = tmp_path / "link"
    link.symlink_to(device)
    assert find_disk(HOST, str(link)) == disk


def test_what_is_no_block_device_is_said(tmp_path: Path) -> None:
    for path in ("/dev/no-such-disk", str(tmp_path), "/etc/hosts", "loop0", "-a"):
        with pytest.raises(BadInput, match="there is no block device"):
            find_disk(HOST, path)
    with pytest.raises(BadInput, match="a raw device that leads to no disk"):
        find_disk(HOST, "/dev/null")


def test_a_file_system_is_a_trace_of_data(device: str) -> None:
    tool("mkfs.ext4", "-q", "-L", "precious", device)
    [said] = objections(look(HOST, device))
    assert (said.rule, said.word) == ("signature", "ext4")
    assert "ext4 (precious)" in said.sentence


def test_partitions_count_with_their_disk(tmp_path: Path) -> None:
    with loop(tmp_path / "disk.img", "--partscan") as device:
        subprocess.run(
            ["/usr/sbin/sfdisk", "--quiet", device],
            input="label: gpt\n,16M\n,\n",
            text=True,
            check=True,
            capture_output=True,
        )
        part = Path(f"{device}p1")
        deadline = time.monotonic() + 60
        while not part.exists() and time.monotonic() < deadline:
            tool("partx", "--update", device)
        tool("mkfs.ext4", "-q", str(part))
        found = look(HOST, device)
        assert found.disk.partitions == (f"{found.disk.name}p1", f"{found.disk.name}p2")
        assert {"gpt", "ext4"} <= {signature.type for signature in found.signatures}
        with mounted(str(part), tmp_path / "place"):
            assert "mounted" in rules(device)
        assert "partition" in rules(str(part))


def test_the_disk_of_the_system_is_never_a_target() -> None:
    line = next(
        line
        for line in Path("/proc/self/mountinfo").read_text().splitlines()
        if line.split()[4] == "/"
    )
    sysfs = Path(f"/sys/dev/block/{line.split()[2]}")
    if not sysfs.exists():
        pytest.skip("the root file system is on no disk of this machine")
    found = look(HOST, f"/dev/{sysfs.resolve().name}")
    assert found.is_system
    assert "/" in found.mounts
    assert {"system", "mounted"} <= {objection.rule for objection in objections(found)}


class _Forbidden(LocalHost):
    """A host where reading the disk itself is not permitted."""

    def run(
        self,
        argv: Sequence[str],
        timeout_s: float,
        *,
        env: Mapping[str, str] | None = None,
    ) -> Completed:
        if argv[0] == "wipefs":
            return Completed("", "wipefs: error: Permission denied\n", 1)
        return super().run(argv, timeout_s, env=env)


def test_a_disk_that_cannot_be_read_is_not_called_blank(device: str) -> None:
    [said] = objections(look(_Forbidden(), device))
    assert said.rule == "unseen"
    assert "Permission denied" in said.sentence


def test_what_is_built_on_a_disk_is_seen(device: str) -> None:
    name = f"bayscope-{Path(device).name}"
    made = subprocess.run(
        ["dmsetup", "create", name, "--table", f"0 8192 linear {device} 0"],
        check=False,
        capture_output=True,
        text=True,
    )
    if made.returncode:
        pytest.skip(f"no device mapper in this kernel ({made.stderr.strip()[:80]})")
    try:
        assert "holder" in rules(device)
    finally:
        tool("dmsetup", "remove", name)


def test_disks_of_one_load_are_looked_at_by_few_programs(tmp_path: Path) -> None:
    class Counting(LocalHost):
        ran = 0

        def run(
            self,
            argv: Sequence[str],
            timeout_s: float,
            *,
            env: Mapping[str, str] | None = None,
        ) -> Completed:
            self.ran += 1
            return super().run(argv, timeout_s, env=env)

    with contextlib.ExitStack() as stack:
        files = [tmp_path / f"{number}.img" for number in range(12)]
        paths = [stack.enter_context(loop(file)) for file in files]
        tool("mkfs.ext4", "-q", paths[3])
        host = Counting()
        found = look_together(host, paths)
        assert host.ran <= len(paths) + 12
        assert [one.disk.path for one in found] == paths
        traces = {one.disk.path: [s.type for s in one.signatures] for one in found}
        assert traces == {path: ["ext4"] if path == paths[3] else [] for path in paths}
        known = Counting()
        assert find_disks(known, paths) == [one.disk for one in found]
        assert known.ran <= len(paths) + 5


def test_one_that_cannot_be_read_hides_nothing_of_the_others(tmp_path: Path) -> None:
    class Torn(LocalHost):
        def run(
            self,
            argv: Sequence[str],
            timeout_s: float,
            *,
            env: Mapping[str, str] | None = None,
        ) -> Completed:
            if argv[0] == "wipefs" and torn in argv:
                return Completed("", "wipefs: error: Input/output error\n", 1)
            return super().run(argv, timeout_s, env=env)

    with loop(tmp_path / "a.img") as torn, loop(tmp_path / "b.img") as whole:
        tool("mkfs.ext4", "-q", whole)
        broken, good = look_together(Torn(), [torn, whole])
        assert [objection.rule for objection in objections(broken)] == ["unseen"]
        assert [objection.rule for objection in objections(good)] == ["signature"]
