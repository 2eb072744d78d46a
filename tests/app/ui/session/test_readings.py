"""What the read-outs say."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from app.record.store import Session, Writer
from app.report.chart.panel import Curve
from app.report.chart.plot import panels_of
from app.report.chart.scale import scale_of
from app.report.chart.statistics import curve_statistics
from app.ui.session.means import read_whole
from app.ui.session.readings import Extremes, read_all
from app.ui.session.readout import Kind, Quiet, Readout, readouts_of
from app.ui.session.record import Record, open_record
from app.ui.session.slots.values import read_slots, slot_channels
from instruments.reading import SECOND, Channel, Identity, Status
from tests.app.analysis.record import WINDOW
from tests.app.analysis.record import Record as SessionFile
from tests.app.ui.sample import FIO, MAINS, SLOTS, START, begin_sample
from tests.session_info import session_info


@pytest.fixture
def record(recorded: Path) -> Iterator[Record]:
    found = open_record(recorded / "first.bayscope")
    yield found
    found.session.close()


def said(record: Record, seconds: float) -> dict[str, tuple[str, str, str]]:
    t_ns = START + int(seconds * SECOND)
    shown, _ = read_all(record.session, record.readouts, t_ns, {})
    pairs = zip(record.readouts, shown, strict=True)
    return {one.caption: (now.value, now.gap, now.note) for one, now in pairs}


def test_many_hours_are_averaged_from_the_overview(tmp_path: Path) -> None:
    power = Channel("mains", "P", "W", period_ns=SECOND // 10)
    loads = tuple(Channel("fio", f"{way}_iops", "1/s") for way in ("read", "write"))
    writer = Writer.create(tmp_path / "long.bayscope", session_info())
    random = np.random.default_rng(1)
    for channels, count, level in (((power,), 90_000, 600.0), (loads, 18_000, 4000.0)):
        times = np.arange(count, dtype=np.int64) * channels[0].period_ns
        values = level + random.normal(0, level / 20, (count, len(channels)))
        writer.append_trace(channels, times, times, values)
    writer.finish()
    with Session.open(writer.path) as session:
        readouts = readouts_of(session.channels(), frozenset())
        shown = dict(
            zip(
                [r.caption for r in readouts],
                read_whole(session, readouts),
                strict=True,
            )
        )
        trace = session.trace(power, None, None)
    assert float(shown["Power"].value) == pytest.approx(trace.mean.mean(), abs=0.2)
    assert (
        shown["Power"].note == f"min {trace.low.min():.1f}  max {trace.high.max():.1f}"
    )
    total = shown["IOPS, read + write"]
    assert float(total.value) == pytest.approx(8000, rel=0.002)
    assert total.note == ""


def test_a_mean_counts_by_time_as_in_the_statistics(tmp_path: Path) -> None:
    """Half of the time was read twice as often, and that half was the lower one."""
    power = Channel("mains", "P", "W", period_ns=SECOND // 10)
    writer = Writer.create(tmp_path / "uneven.bayscope", session_info())
    often = np.arange(0, 10 * SECOND, SECOND // 10)
    times = np.r_[often, np.arange(10 * SECOND, 20 * SECOND, SECOND // 5)]
    values = np.where(times < 10 * SECOND, 100.0, 200.0)
    writer.append_trace((power,), times, times, values.reshape(-1, 1))
    writer.finish()
    with Session.open(writer.path) as session:
        (shown,) = read_whole(session, readouts_of(session.channels(), frozenset()))
        curve = Curve("Power", (power,), scale_of("W"))
        start, end = session.extent()
        found = curve_statistics(session, curve, (start, end + 1))
    assert found is not None
    assert found.mean == pytest.approx(150, abs=0.5)
    assert float(shown.value) == pytest.approx(found.mean, abs=0.05)


def test_the_readouts_of_a_demo(record: Record) -> None:
    assert [readout.caption for readout in record.readouts] == [
        "Read throughput",
        "Write throughput",
        "IOPS, read + write",
        "Power",
        "Power factor λ",
        "Hottest drive",
        "Inlet",
        "Noise",
    ]
    fakes = {readout.caption for readout in record.readouts if readout.simulated}
    assert "Power" in fakes
    assert "Read throughput" not in fakes


def test_values_at_a_moment(record: Record) -> None:
    now = said(record, 20)
    assert float(now["Write throughput"][0]) == pytest.approx(2100, rel=0.1)
    assert float(now["Power"][0]) == pytest.approx(412 + 185 * 0.75, rel=0.03)
    assert now["Power"][2].startswith("min 4")
    assert now["Hottest drive"][2].startswith("coolest ")


def test_a_gap_is_said_with_its_reason_and_not_held(record: Record) -> None:
    value, gap, _ = said(record, 24 + 6.9)["Power"]
    assert value == ""
    assert gap == "timeout"


def test_nothing_is_held_from_the_moment_of_a_gap_or_of_the_end_of_a_load(
    record: Record,
) -> None:
    # The meter was silent from 4 s on, and the load before the cool-down ended at 72 s.
    assert said(record, 24 + 4.0)["Power"][0]
    assert said(record, 24 + 4.3)["Power"][:2] == ("", "timeout")
    assert said(record, 71.9)["Write throughput"][0]
    assert said(record, 72.1)["Write throughput"][1] == Quiet.NO_LOAD


def test_without_a_load_there_is_no_throughput(record: Record) -> None:
    assert said(record, 6)["Read throughput"] == ("", Quiet.NO_LOAD, "")
    assert said(record, 6)["IOPS, read + write"][1] == Quiet.NO_LOAD


def test_a_sum_names_its_parts(record: Record) -> None:
    value, _, note = said(record, 66)["IOPS, read + write"]
    assert int(value) > 0
    assert note.startswith("read ")
    assert "write " in note


def test_extremes_go_on_from_where_they_were(record: Record) -> None:
    power = next(readout for readout in record.readouts if readout.caption == "Power")
    extremes: dict[str, Extremes] = {}
    seen = []
    for seconds in (5, 20, 70, 5):
        t_ns = START + seconds * SECOND
        (shown,), _ = read_all(record.session, [power], t_ns, extremes)
        seen.append(float(shown.note.split("max ")[1]))
    assert seen[0] < seen[1] < seen[2]
    assert seen[3] == seen[0]


def test_the_means_of_a_whole_session(record: Record) -> None:
    shown = read_whole(record.session, record.readouts)
    means = {one.caption: now for one, now in zip(record.readouts, shown, strict=True)}
    assert means["Power"].value.startswith(("49", "50"))
    assert "min 4" in means["Power"].note
    assert means["Read throughput"].gap is Quiet.PER_STEP
    assert means["IOPS, read + write"].gap is Quiet.PER_STEP
    assert means["Hottest drive"].note.startswith("max")
    assert all(one.value or one.gap is Quiet.PER_STEP for one in shown)


def test_a_single_load_has_a_mean_of_its_window(tmp_path: Path) -> None:
    """And a level is averaged by its energy."""
    writer = Writer.create(tmp_path / "one.bayscope", session_info())
    reads = (Channel("fio", "read_bw", "B/s", period_ns=SECOND),)
    level = (Channel("noise", "LAeq", "dB", period_ns=SECOND),)
    times = np.arange(10, dtype=np.int64) * SECOND
    ramped = np.array([1e6] * 4 + [9e6] * 6).reshape(-1, 1)
    loud = np.array([40.0] * 5 + [60.0] * 5).reshape(-1, 1)
    writer.append_trace(reads, times, times, ramped)
    writer.append_trace(level, times, times, loud)
    number = writer.add_step(1, "Read", "fio", "")
    window = {"window_start_ns": 4 * SECOND, "window_end_ns": 10 * SECOND}
    writer.update_step(number, start_ns=0, end_ns=10 * SECOND, **window)
    writer.finish()
    with Session.open(writer.path) as session:
        readouts = readouts_of(session.channels(), frozenset())
        means = read_whole(session, readouts)
        found = dict(zip([r.caption for r in readouts], means, strict=True))
    assert found["Read throughput"].value == "9.00"
    assert found["Noise"].value == "57.0"


@pytest.mark.parametrize("has_fine", [False, True])
def test_documents_at_the_edges_of_a_part_count_by_what_lies_in_it(
    tmp_path: Path, has_fine: bool
) -> None:
    """As they do in the table; against an integral over a grid of 1 ms."""
    random = np.random.default_rng(3)
    lengths_ms = random.integers(400, 900, 40)
    ends_ms = np.cumsum(lengths_ms)
    values = random.uniform(1e6, 9e7, (40, 1))
    writer = Writer.create(tmp_path / "part.bayscope", session_info())
    writer.introduce_load("fio")
    reads = Channel("fio", "read_bw", "B/s", period_ns=SECOND // 2)
    times = (ends_ms - lengths_ms) * 1_000_000, ends_ms * 1_000_000
    writer.append_trace((reads,), *times, values)
    by_ms = np.repeat(values[:, 0], lengths_ms)
    if has_fine:
        writer.introduce_load("fio_log")
        finer = np.arange(0, 9_000, 300)
        found = random.uniform(1e6, 9e7, (finer.size, 1))
        log = Channel("fio_log", "read_bw", "B/s", period_ns=3 * SECOND // 10)
        writer.append_trace((log,), finer * 1_000_000, (finer + 300) * 1_000_000, found)
        by_ms[:9_000] = np.repeat(found[:, 0], 300)
    number = writer.add_step(1, "Read", "fio", "")
    end = int(times[1][-1])
    window = {"window_start_ns": 0, "window_end_ns": end}
    writer.update_step(number, start_ns=0, end_ns=end, **window)
    writer.finish()
    with Session.open(writer.path) as session:
        readouts = readouts_of(session.channels(), frozenset())
        lines = [curve for panel in panels_of(session) for curve in panel.curves]
        for first in random.integers(0, 6_000, 20):
            part = int(first) * 1_000_000, int(first + 1_700) * 1_000_000
            mean = by_ms[first : first + 1_700].mean()
            (shown,) = read_whole(session, readouts, part)
            assert float(shown.value) == pytest.approx(mean / 1e6, abs=0.006)
            statistics = curve_statistics(session, lines[0], part)
            assert statistics is not None
            assert statistics.mean == pytest.approx(mean)


def test_the_other_direction_of_a_load_that_runs_says_so(tmp_path: Path) -> None:
    """A write, and after a pause a read; before their first readings none came yet."""
    writer = Writer.create(tmp_path / "ways.bayscope", session_info())
    for position, (way, start) in enumerate((("write", 0), ("read", 20)), 1):
        channel = (Channel("fio", f"{way}_bw", "B/s", period_ns=SECOND // 2),)
        times = (np.arange(10, dtype=np.int64) + 2 * start + 6) * (SECOND // 2)
        writer.append_trace(channel, times, times, np.full((10, 1), 5e6))
        number = writer.add_step(position, way, "fio", "")
        begin, end = start * SECOND, (start + 8) * SECOND
        window = {"window_start_ns": begin + 2 * SECOND, "window_end_ns": end}
        writer.update_step(number, start_ns=begin, end_ns=end + 2 * SECOND, **window)
    writer.finish()
    said: dict[float, tuple[object, ...]] = {}
    with Session.open(writer.path) as session:
        readouts = readouts_of(session.channels(), frozenset())
        for seconds in (1, 5, 15, 21, 26):
            shown, _ = read_all(session, readouts, seconds * SECOND, {})
            said[seconds] = tuple(one.gap or float(one.value) for one in shown)
    assert said == {
        1: (Quiet.NOT_YET, Quiet.NOT_YET),
        5: (Quiet.OTHER_WAY, 5.0),
        15: (Quiet.NO_LOAD, Quiet.NO_LOAD),
        21: (Quiet.NOT_YET, Quiet.NOT_YET),
        26: (5.0, Quiet.OTHER_WAY),
    }


def ended(tmp_path: Path, *, fails: bool = False) -> Record:
    """A session whose sources were read last ten seconds before its end."""
    path, writer = begin_sample(tmp_path / "end.bayscope", step_s=2, silence=False)
    end = START + 24 * SECOND
    if fails:
        writer.gap(MAINS, START + 14 * SECOND, end, Status.TIMEOUT, "no answer")
    writer.gap(SLOTS[:1], START + 12 * SECOND, end, Status.ABSENT, "")
    writer.set_session(verdict="PASS", outcome="DONE", ended_ns=end)
    writer.finish()
    return open_record(path)


def test_the_end_of_a_run_has_the_last_readings_with_their_times(
    tmp_path: Path,
) -> None:
    with closing(ended(tmp_path)) as record:
        end = record.layer.end
        shown, values = read_all(record.session, record.readouts, end, {})
        found = dict(
            zip([readout.caption for readout in record.readouts], shown, strict=True)
        )
        for caption in ("Power", "Power factor λ", "Hottest drive", "Inlet", "Noise"):
            assert found[caption].value, caption
            at_ns = found[caption].at_ns
            assert at_ns is not None
            assert START + 12.9 * SECOND < at_ns < START + 14 * SECOND
        assert found["Read throughput"].gap is Quiet.NO_LOAD
        assert values["noise.LAeq"] > 40
        slots = slot_channels(record.session.channels())
        state = read_slots(record.session, slots, None, end, (20, 60))
        assert np.isfinite(state.slots["slot01"].temperature)


def test_what_failed_before_the_end_is_a_gap_there(tmp_path: Path) -> None:
    with closing(ended(tmp_path, fails=True)) as record:
        shown, _ = read_all(record.session, record.readouts, record.layer.end, {})
        found = dict(
            zip([readout.caption for readout in record.readouts], shown, strict=True)
        )
        assert (found["Power"].value, found["Power"].gap) == ("", "timeout")
        assert found["Noise"].value


def test_a_load_that_stands_by_is_no_gap(tmp_path: Path) -> None:
    path, writer = begin_sample(tmp_path / "now.bayscope", step_s=2, silence=False)
    last = START + 13 * SECOND
    writer.gap(FIO, last, last + SECOND, Status.STANDBY, "no load")
    writer.finish()
    found = open_record(path)
    shown, values = read_all(found.session, found.readouts, START + 14 * SECOND, {})
    found.close()
    reads = dict(
        zip([readout.caption for readout in found.readouts], shown, strict=True)
    )
    assert reads["Read throughput"].gap == Quiet.NO_LOAD
    assert np.isnan(values["fio.read_bw"])


def test_redundant_supplies_are_summed() -> None:
    channels = [Channel("psu1", "P", "W"), Channel("psu2", "P", "W")]
    (power,) = readouts_of(channels, frozenset({"psu2"}))
    assert power == Readout(
        "Power", tuple(channels), scale_of("W"), 0, Kind.SUM, simulated=True
    )


def test_one_feed_of_two_is_not_the_power_of_both(tmp_path: Path) -> None:
    feeds = tuple(Channel(name, "P", "W", period_ns=SECOND) for name in ("a", "b"))
    outlets = tuple(
        Channel("pdu", "P", "W", f"outlet{n}", period_ns=SECOND) for n in (1, 2)
    )
    writer = Writer.create(tmp_path / "feeds.bayscope", session_info())
    times = np.arange(10, dtype=np.int64) * SECOND
    writer.append_trace(feeds[:1], times, times, np.full((10, 1), 500.0))
    writer.gap(feeds[1:], 0, 10 * SECOND, Status.TIMEOUT, "no answer")
    values = np.full((10, 2), 200.0)
    values[5:, 1] = np.nan
    writer.append_trace(outlets, times, times, values)
    writer.finish()
    with Session.open(writer.path) as session:
        readouts = [readouts_of(one, frozenset())[0] for one in (feeds, outlets)]
        both, pdu = read_whole(session, readouts)
    assert (both.value, both.gap) == ("", "no reading of b.P")
    assert (pdu.value, pdu.note) == ("400.0", "min 400.0  max 400.0")


def test_feeds_are_added_up_over_the_time_in_which_all_were_read(
    tmp_path: Path,
) -> None:
    feeds = tuple(Channel(name, "P", "W", period_ns=SECOND) for name in "abcd")
    writer = Writer.create(tmp_path / "feeds.bayscope", session_info())
    times = np.arange(10, dtype=np.int64) * SECOND
    power = np.repeat((100.0, 500.0), 5)[:, None]
    # b lacks the second half, in which the load is high, d what c has.
    for feed, rows in zip(
        feeds, (slice(10), slice(5), slice(5), slice(7, 10)), strict=True
    ):
        own = times[rows] + SECOND // 5
        writer.append_trace((feed,), own, own, power[rows])
    writer.finish()
    with Session.open(writer.path) as session:
        readouts = [readouts_of(one, frozenset())[0] for one in (feeds[:2], feeds[2:])]
        both, never = read_whole(session, readouts)
    assert (both.value, both.gap) == ("200.0", "")
    assert (never.value, never.gap) == ("", "no reading of all at once")


def test_a_power_is_told_with_its_limit_of_error(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "power.bayscope", session_info())
    who = Identity("", "", "", "", "")
    writer.add_source("a", "power", "hmc8015", who, '[[power]]\nname = "a"\n')
    times = np.arange(10, dtype=np.int64) * SECOND
    for quantity, unit, values in (
        ("P", "W", [500.0] * 10),
        ("U_range", "V", [300.0] * 10),
        ("I_range", "A", [10.0] * 5 + [5.0] * 5),
    ):
        one = (Channel("a", quantity, unit, period_ns=SECOND),)
        writer.append_trace(one, times, times, np.array(values).reshape(-1, 1))
    writer.finish()
    with Session.open(writer.path) as session:
        power = readouts_of(session.channels(), frozenset())[:1]
        units = [
            read_all(session, power, seconds * SECOND, {})[0][0].unit
            for seconds in (3, 8)
        ]
    # 0.05 % of 500 W, and of 3000 W in the one range and 1500 W in the other.
    assert units == ["W ± 1.75", "W ± 1.00"]


def test_several_inlets_are_one_mean_as_in_the_report(tmp_path: Path) -> None:
    session = SessionFile(tmp_path)
    ses = Channel("ses", "temperature", "degC", "inlet")
    bmc = Channel("a", "temperature", "degC", "inlet_1", period_ns=5 * SECOND)
    session.add(ses, [27.0] * 10)
    session.add(bmc, [24.0] * 2)
    session.writer.commit()
    session.writer.finish()
    (inlet,) = readouts_of([ses, bmc], frozenset())
    with Session.open(session.path) as stored:
        (whole,) = read_whole(stored, [inlet])
        (now,), _ = read_all(stored, [inlet], WINDOW[1] - SECOND // 10, {})
    assert (inlet.caption, inlet.kind) == ("Inlet", Kind.MEAN)
    assert (whole.value, whole.note) == ("25.5", "mean of 2, 24.0 to 27.0")
    assert (now.value, now.note) == ("25.5", "mean of 2, 24.0 to 27.0")


def test_a_readout_shows_the_series_that_is_drawn(tmp_path: Path) -> None:
    """Where finer logs joined, value, extremes and mean are theirs; else the load's."""
    writer = Writer.create(tmp_path / "fine.bayscope", session_info())
    period = SECOND // 2
    ways = ("read_bw", "write_bw", "read_iops", "write_iops")
    rows = np.arange(1, 41, dtype=np.int64) * period
    told = tuple(Channel("fio", way, "B/s", period_ns=period) for way in ways)
    coarse = np.full((40, 4), 9e6)
    coarse[::2] = 1e6
    writer.append_trace(told, rows, rows, coarse)
    logged = rows[:30:2] - SECOND // 10
    swing = 5e6 + 1e6 * np.sin(np.arange(15, dtype=float))
    for number, way in enumerate(ways):
        one = Channel("fio_log", way, "B/s", period_ns=SECOND)
        times = logged + number * SECOND // 100  # each log has windows of its own
        writer.append_trace((one,), times, times, swing.reshape(-1, 1))
    number = writer.add_step(1, "Mixed", "fio", "")
    window = {"window_start_ns": SECOND // 4, "window_end_ns": 14 * SECOND}
    writer.update_step(number, start_ns=0, end_ns=20 * SECOND, **window)
    writer.finish()
    with Session.open(writer.path) as session:
        readouts = readouts_of(session.channels(), frozenset())
        for seconds in (2.0, 5.3, 9.6, 13.9):
            t_ns = int(seconds * SECOND)
            shown, _ = read_all(session, readouts, t_ns, {})
            now = shown[0]
            low, high = _extremes(now.note)
            at = swing[logged <= t_ns]
            assert float(now.value) == pytest.approx(at[-1] / 1e6, abs=0.01)
            assert low <= float(now.value) <= high
            assert high == pytest.approx(at.max() / 1e6, abs=0.01)
        later, _ = read_all(session, readouts, int(19.2 * SECOND), {})
        assert later[0].value in ("1.00", "9.00"), "no log tells of this time"
        whole = read_whole(session, readouts)
    inside = swing[logged <= 14 * SECOND]
    assert float(whole[0].value) == pytest.approx(inside.mean() / 1e6, rel=0.05)
    assert _extremes(whole[0].note)[1] == pytest.approx(inside.max() / 1e6, abs=0.01)
    both = float(whole[2].value.removesuffix(" M"))
    assert both == pytest.approx(2 * inside.mean() / 1e6, rel=0.05)


def _extremes(note: str) -> tuple[float, float]:
    words = note.split()
    return float(words[words.index("min") + 1]), float(words[words.index("max") + 1])


def test_what_a_load_tells_late_counts_among_the_extremes(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "late.bayscope", session_info())
    load = Channel("fio", "read_iops", "1/s", period_ns=SECOND // 2)
    writer.add_source("fio", "load", "fio", Identity("", "", "", "", ""), "")
    iops = readouts_of((load,), frozenset())[:1]
    seen: dict[str, Extremes] = {}
    told: list[tuple[str, str]] = []
    for number, value in enumerate((100.0, 300.0), 1):
        at = np.array([number * SECOND // 2], np.int64)
        writer.append_trace((load,), at, at, np.array([[value]]))
        writer.commit()
        with Session.open(writer.path) as session:
            # The meters are ahead: the playhead is later than the load's last sample.
            [shown], _ = read_all(session, iops, SECOND * 3 // 2, seen)
            told.append((shown.value, shown.note))
    writer.finish()
    assert told == [("100", "min 100  max 100"), ("300", "min 100  max 300")]
