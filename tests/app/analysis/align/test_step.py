"""The alignment of a stored session: found, kept, and applied on reading."""

from pathlib import Path

import numpy as np
import pytest

from app.analysis.align.step import align_step, bursts_of, keep_alignment
from app.record.store import Session, Writer
from instruments.reading import SECOND, Channel, Identity
from tests.app.analysis.clap import START, Clap
from tests.session_info import session_info

NOBODY = Identity("", "", "", "", "")


def recorded(folder: Path, clap: Clap) -> tuple[Path, Writer]:
    path = folder / "x.bayscope"
    info = session_info(monotonic_ns=START, realtime_ns=START)
    writer = Writer.create(path, info)
    writer.add_source("mains", "power", "hmc8015", NOBODY, "")
    writer.add_source("ses", "thermal", "ses", NOBODY, "")
    writer.add_source("sound", "noise", "wav", NOBODY, "")
    writer.introduce_load("fio")
    half = SECOND // 2
    rates = Channel("fio", "read_bw", "B/s", period_ns=half, window_ns=half)
    slower = Channel("copy", "write_bw", "B/s", period_ns=SECOND)
    writer.introduce_load("copy")
    for channel, (times, values) in (
        (slower, (clap.io()[0] + 77, clap.io()[1])),
        (clap.channel, clap.power()),
        (rates, clap.io()),
        (Channel("sound", "LAeq", "dB", window_ns=2 * SECOND), clap.power()),
        (Channel("ses", "temperature", "degC", "slot00"), clap.power()),
    ):
        writer.append_trace((channel,), times, times, values.reshape(-1, 1))
    writer.commit()
    return path, writer


def test_offsets_are_found_kept_and_applied(tmp_path: Path) -> None:
    clap = Clap(0.25)
    path, writer = recorded(tmp_path, clap)
    window = (clap.bursts[0].start_ns - SECOND, clap.end)
    with Session.open(path) as session:
        power, sound = align_step(session, window, clap.bursts)
        assert power.offset_ns == pytest.approx(-250e6, abs=15e6)
        assert sound.why_not.startswith("sound.LAeq is too slow for an offset")
        keep_alignment(session, writer, [power, sound])
        writer.commit()
        session.refresh()
        [row] = session.offsets()
        assert (row.source, row.offset_ns) == ("mains", power.offset_ns)
        assert row.method.startswith("alignment step, mains.P: -2")
        # Read with the offset, there is nothing left to be found; and it is added.
        again, _ = align_step(session, window, clap.bursts)
        assert again.offset_ns == pytest.approx(0, abs=5e6)
        keep_alignment(session, writer, [again])
        writer.commit()
        assert session.offsets()[-1].offset_ns == pytest.approx(-250e6, abs=15e6)
    writer.finish()


def test_bursts_come_from_the_loads_trace(tmp_path: Path) -> None:
    clap = Clap(0.1)
    path, writer = recorded(tmp_path, clap)
    writer.finish()
    with Session.open(path) as session:
        found = bursts_of(session, (START, clap.end))
        starts = [burst.start_ns for burst in found]
        true = [burst.start_ns for burst in clap.bursts]
        assert np.allclose(starts, true, atol=3e6)
        power, _ = align_step(session, (START, clap.end))
        # Falling edges are known to half a second only: the load said nothing later.
        assert power.offset_ns == pytest.approx(-100e6, abs=250e6)


def test_a_session_without_a_load_has_no_bursts(tmp_path: Path) -> None:
    clap = Clap()
    path, writer = recorded(tmp_path, clap)
    writer.finish()
    with Session.open(path) as session:
        quiet = (START, START + SECOND)
        assert bursts_of(session, quiet) == ()
        assert "0 bursts of load were found" in align_step(session, quiet)[0].why_not
