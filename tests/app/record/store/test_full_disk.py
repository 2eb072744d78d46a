"""A full disk stops the recording, keeps what is stored, and is said in a sentence."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app.record.clock import SystemClock
from app.record.recorder import Recorder
from app.record.store import Session, StoreError, Writer
from instruments.errors import BadInput, BenchError
from tests import mounts, needs
from tests.app.record.recording import INFO, POWER, START, TENTH, reading

pytestmark = needs.mounts

MEGABYTES = 9
"""The lock's reserve is 4 of them."""


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of a few megabytes."""
    with mounts.small_disk(tmp_path / "small", f"{MEGABYTES}m") as made:
        yield made


def _fill(writer: Writer, seconds: int = 100_000) -> int:
    """Record noise that cannot be compressed until the disk is full."""
    count = 0
    for _ in range(seconds):
        for _ in range(100):
            raw = (count * 2654435761).to_bytes(8, "big") * 20
            at = START + count * TENTH
            writer.append([reading(POWER, at, float(count), 1.0, raw=raw)])
            count += 1
        writer.commit()
    pytest.fail("the disk did not fill")


def test_what_was_handed_over_is_kept(small: Path) -> None:
    writer = Writer.create(small / "s.bayscope", INFO)
    step = writer.add_step(1, "Write", "fio", "")
    writer.update_step(step, outcome="running")
    with pytest.raises(StoreError, match="disk is full") as error:
        _fill(writer)
    assert "stored" in str(error.value)
    assert error.value.exit_code == 3
    with Session.open(writer.path) as session:
        values = session.trace("mains.P").mean
    assert values.tolist() == [float(number) for number in range(len(values))]
    assert len(values) % 100 == 0
    writer.event(START, "error", "recorder", "the disk is full")
    writer.commit()
    writer.finish()
    with Session.open(writer.path) as session:
        assert session.trace("mains.P").mean.tolist() == values.tolist()
        assert session.state == "complete"
        assert session.steps()[0].outcome == "ERROR"
        assert session.events()[-1].message == "the disk is full"
        assert session.is_unchanged()


def test_a_disk_filled_to_the_last_byte_leaves_a_readable_file(small: Path) -> None:
    writer = Writer.create(small / "s.bayscope", INFO)
    with pytest.raises(StoreError, match="disk is full"):
        _fill(writer)
    with pytest.raises(StoreError, match="disk is full"):
        _fill(writer)
    with Session.open(writer.path) as session:
        stored = len(session.trace("mains.P"))
    filler = small / "filler"
    with pytest.raises(OSError, match="No space"):
        _fill_up(filler)
    with pytest.raises(StoreError):
        writer.append([reading(POWER, START, 1.0, 1.0)])
    with pytest.raises(StoreError):
        writer.finish()
    filler.unlink()
    with Session.open(writer.path) as session:
        assert session.state == "crashed"
        assert len(session.trace("mains.P")) == stored


def _fill_up(path: Path) -> None:
    with path.open("wb", 0) as file:
        while True:
            file.write(b"x" * 4096)


def test_a_disk_without_room_is_said_before_the_start(small: Path) -> None:
    (small / "filler").write_bytes(b"x" * (MEGABYTES - 2) * 2**20)
    with pytest.raises(BadInput, match="No space"):
        Writer.create(small / "s.bayscope", INFO)
    assert [path.name for path in small.iterdir()] == ["filler"]


def test_the_recorder_says_it_once_and_ends_in_order(small: Path) -> None:
    clock = SystemClock()
    path = small / "s.bayscope"
    recorder = Recorder(path, INFO, clock=clock, commit_s=0.02)
    recorder.start()
    count = 0
    while recorder.failed is None:
        raw = (count * 2654435761).to_bytes(8, "big") * 20
        at = START + count * TENTH
        recorder.append(reading(POWER, at, float(count), 1.0, raw=raw))
        count += 1
        if count % 1000 == 0:
            with contextlib.suppress(BenchError):  # Wait for the writer.
                recorder.call(lambda _: None)
    recorder.close()
    with Session.open(path) as session:
        assert session.state == "complete"
        values = session.trace("mains.P").mean
        known = values[~np.isnan(values)]
        assert known.tolist() == [float(number) for number in range(len(known))]
        assert [event.level for event in session.events()] == ["error"]
        assert "disk is full" in session.events()[0].message
