"""The moments by which sessions are laid over each other."""

from pathlib import Path

import numpy as np
import pytest

from app.analysis.moments import Alignment, Lacking, clock_moment, moment_of
from app.record.store import Session, Writer
from instruments.reading import SECOND, Channel, Status
from tests.app.ui.sample import REALTIME, START, write_sample
from tests.session_info import session_info


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sample(tmp_path_factory.mktemp("one") / "one.bayscope", step_s=20)


@pytest.mark.parametrize(
    ("label", "by", "seconds"),
    [
        ("Sequential write 4M", Alignment.STEP, 20.0),
        ("Sequential write 4M", Alignment.FIRST_IO, 20.0),
        # The idle power goes up to that of the load where the step begins.
        ("Sequential write 4M", Alignment.POWER, 20.0),
        ("Idle", Alignment.FIRST_IO, Lacking.FIRST_IO),
        ("Cool-down", Alignment.POWER, Lacking.RISE),
    ],
)
def test_a_moment_is_found_in_the_samples_or_there_is_none(
    path: Path, label: str, by: Alignment, seconds: float | Lacking
) -> None:
    with Session.open(path) as session:
        [step] = [one for one in session.steps() if one.label == label]
        moment = moment_of(session, step, by)
        if isinstance(seconds, Lacking):
            assert moment is seconds
        else:
            assert not isinstance(moment, Lacking)
            assert (moment - START) / SECOND == pytest.approx(seconds, abs=0.8)
        window = moment_of(session, step, Alignment.WINDOW)
        assert window == step.window_start_ns
        assert clock_moment(session, REALTIME + SECOND) == START + SECOND


P = Channel("mains", "P", "W", period_ns=SECOND // 10)
IOPS = Channel("fio", "write_iops", "1/s", period_ns=SECOND)


@pytest.mark.parametrize(
    ("channel", "rise_s", "gap_s", "by", "wanted"),
    [
        # A meter that was gone while power rose, just after, and long before.
        (P, 20.0, (4.95, 34.95), Alignment.POWER, Lacking.METER_GAP),
        (P, 35.2, (4.95, 34.95), Alignment.POWER, Lacking.METER_GAP),
        (P, 40.0, (4.95, 34.95), Alignment.POWER, 40.0),
        (P, 20.0, (19.95, 20.05), Alignment.POWER, 20.0),  # a beat that was missed
        (IOPS, 20.0, (4.5, 34.5), Alignment.FIRST_IO, Lacking.LOAD_GAP),
        (IOPS, 40.0, (4.5, 34.5), Alignment.FIRST_IO, 40.0),
    ],
)
def test_no_moment_is_found_in_a_gap(
    *,
    tmp_path: Path,
    channel: Channel,
    rise_s: float,
    gap_s: tuple[float, float],
    by: Alignment,
    wanted: float | Lacking,
) -> None:
    writer = Writer.create(tmp_path / "gap.bayscope", session_info())
    writer.add_source("mains", "power", "hmc8015", None, "")
    writer.add_source("fio", "load", "fio", None, "")
    step = writer.add_step(1, "Write", "fio", "")
    writer.update_step(step, start_ns=0, end_ns=60 * SECOND, outcome="DONE")
    times = np.arange(0, 60 * SECOND, channel.period_ns, dtype=np.int64)
    times = times[(times < gap_s[0] * SECOND) | (times > gap_s[1] * SECOND)]
    low = 100.0 if channel is P else 0.0
    values = np.where(times < rise_s * SECOND, low, 300.0)
    writer.append_trace([channel], times, times, values[:, None])
    writer.set_session(verdict="PASS", outcome="DONE", ended_ns=60 * SECOND)
    writer.finish()
    with Session.open(tmp_path / "gap.bayscope") as session:
        [row] = session.steps()
        moment = moment_of(session, row, by)
    if isinstance(wanted, Lacking):
        assert moment is wanted
    else:
        assert not isinstance(moment, Lacking)
        assert moment / SECOND == pytest.approx(wanted, abs=channel.period_ns / SECOND)


@pytest.mark.parametrize(
    ("gap_s", "status", "first_s", "wanted"),
    [
        ((-5.0, 30.0), Status.TIMEOUT, 30, Lacking.LOAD_GAP),
        ((0.5, 29.5), Status.ERROR, 30, Lacking.LOAD_GAP),
        ((-9.0, 0.5), Status.ERROR, 1, 1.0),  # of it half a second is of the step
        ((-5.0, 30.0), Status.STANDBY, 30, 30.0),  # no load ran
        (None, Status.OK, 30, 30.0),  # it was still laying out its files
    ],
)
def test_a_gap_at_the_head_of_a_step_may_hide_its_first_io(
    *,
    tmp_path: Path,
    gap_s: tuple[float, float] | None,
    status: Status,
    first_s: int,
    wanted: float | Lacking,
) -> None:
    writer = Writer.create(tmp_path / "head.bayscope", session_info())
    writer.add_source("fio", "load", "fio", None, "")
    step = writer.add_step(1, "Write", "fio", "")
    writer.update_step(step, start_ns=0, end_ns=60 * SECOND, outcome="DONE")
    if gap_s is not None:
        begin, end = (round(seconds * SECOND) for seconds in gap_s)
        writer.gap([IOPS], begin, end, status, "")
    times = np.arange(first_s * SECOND, 60 * SECOND, SECOND, dtype=np.int64)
    writer.append_trace([IOPS], times, times, np.full((times.size, 1), 300.0))
    writer.finish()
    with Session.open(tmp_path / "head.bayscope") as session:
        [row] = session.steps()
        moment = moment_of(session, row, Alignment.FIRST_IO)
    if isinstance(wanted, Lacking):
        assert moment is wanted
    else:
        assert moment == pytest.approx(wanted * SECOND, abs=1)
