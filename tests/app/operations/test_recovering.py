"""What a killed run of a plain user had mounted: taken back where nobody is asked."""

import json
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.operations.recovering import recover
from app.operations.run.left_behind import made_things
from app.operations.run.resume_clock import read_clocks
from app.record.own_key import own_key
from app.record.store import Session, Writer
from tests.app.operations.benches import BENCH, READ
from tests.session_info import session_info
from tests.workloads.setup_bench import SetupBench, armed, disks, helper_with
from workloads.guard.helper_client import ASKING, HELPER
from workloads.setup import load
from workloads.setup.job import MkfsJob
from workloads.setup.load import HelperMaker


@pytest.fixture
def helper() -> Iterator[list[str]]:
    """The command of the helper, which knows what it made until the test ends."""
    with tempfile.TemporaryDirectory(dir="/run", prefix="bs-helper-test") as folder:
        yield helper_with(Path(folder) / "own")


def made_by(maker: HelperMaker, session: Path, disk: str) -> str:
    """Mount a file system, and leave a session of it as a kill does."""
    bench, place = SetupBench(), f"/mnt/bs-recover-{uuid.uuid4().hex[:8]}"
    bench.run(
        MkfsJob("make", 60, {"type": "ext4", "mount": place}), [armed(disk)], maker
    )
    now = read_clocks()
    info = session_info(
        campaign=READ,
        bench=BENCH.format(target="/nowhere", meter="simulated"),
        boot_id=now.boot_id,
        monotonic_ns=now.kernel_ns,
        realtime_ns=now.realtime_ns,
    )
    writer = Writer.create(session, info, key=own_key())
    for at, (action, facts) in enumerate(bench.journal):
        writer.journal(info.monotonic_ns + at, action, json.dumps(facts))
    writer.abandon()
    return place


@pytest.mark.parametrize("starter", ["sudo", ASKING])
def test_it_is_taken_back_at_the_start_where_no_password_is_asked_for(
    helper: list[str], starter: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maker, path = HelperMaker(helper), tmp_path / "s.bayscope"
    monkeypatch.setattr(load, "can_ask", lambda: True)
    command = helper if starter == "sudo" else [ASKING, HELPER]
    monkeypatch.setattr(load, "helper_command", lambda: command)
    with disks(tmp_path, 1) as paths:
        place = made_by(maker, path, paths[0])
        assert place in Path("/proc/mounts").read_text()
        recovered = recover(path)
        assert recovered.is_cut_off
        if starter == "sudo":
            assert place not in Path("/proc/mounts").read_text()
            assert f"{place} was unmounted" in recovered.told[0]
            assert len(recovered.told) == 1
        with Session.open(path) as session:
            left = made_things(session.journal())
        assert len(left) == (starter == ASKING)
        for one in left:
            assert "asks for a password" in recovered.told[0]
            assert place in recovered.told[1]
            maker.undo(one)
    assert place not in Path("/proc/mounts").read_text()
