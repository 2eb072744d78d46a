"""What the read-outs say."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app.record.store import Session, Writer
from app.ui.readings import Extremes, read_all, read_whole
from app.ui.readout import NO_LOAD, Kind, Readout, readouts_of
from app.ui.record import Record, open_record
from app.ui.units import scale_of
from instruments.reading import SECOND, Channel, Identity, Status
from tests.app.analysis.test_results import WINDOW
from tests.app.analysis.test_results import Record as SessionFile
from tests.app.ui.sample import FIO, START, begin_sample
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


def test_the_readouts_of_a_demo(record: Record) -> None:
    assert [one.caption for one in record.readouts] == [
        "Read throughput",
        "Write throughput",
        "IOPS, read + write",
        "Power",
        "Power factor λ",
        "Hottest drive",
        "Inlet",
        "Noise",
    ]
    fakes = {one.caption for one in record.readouts if one.simulated}
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


def test_without_a_load_there_is_no_throughput(record: Record) -> None:
    assert said(record, 6)["Read throughput"] == ("", NO_LOAD, "")
    assert said(record, 6)["IOPS, read + write"][1] == NO_LOAD


def test_a_sum_names_its_parts(record: Record) -> None:
    value, _, note = said(record, 66)["IOPS, read + write"]
    assert int(value) > 0
    assert note.startswith("read ")
    assert "write " in note


def test_extremes_go_on_from_where_they_were(record: Record) -> None:
    power = next(one for one in record.readouts if one.caption == "Power")
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
    assert float(means["Read throughput"].value) > 100
    assert means["Hottest drive"].note.startswith("highest")
    assert all(one.value and not one.gap for one in shown)


def test_a_load_that_stands_by_is_no_gap(tmp_path: Path) -> None:
    path, writer = begin_sample(tmp_path / "now.bayscope", step_s=2, silence=False)
    last = START + 13 * SECOND
    writer.gap(FIO, last, last + SECOND, Status.STANDBY, "no load")
    writer.finish()
    found = open_record(path)
    shown, values = read_all(found.session, found.readouts, START + 14 * SECOND, {})
    found.close()
    reads = dict(zip([one.caption for one in found.readouts], shown, strict=True))
    assert reads["Read throughput"].gap == NO_LOAD
    assert np.isnan(values["fio.read_bw"])


def test_redundant_supplies_are_summed() -> None:
    channels = [Channel("psu1", "P", "W"), Channel("psu2", "P", "W")]
    (power,) = readouts_of(channels, frozenset({"psu2"}))
    assert power == Readout(
        "Power", tuple(channels), scale_of("W"), 0, Kind.SUM, simulated=True
    )


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
        notes = [
            read_all(session, power, seconds * SECOND, {})[0][0].note
            for seconds in (3, 8)
        ]
    # 0.05 % of 500 W, and of 3000 W in the one range and 1500 W in the other.
    assert notes == ["± 1.75  min 500.0  max 500.0", "± 1.00  min 500.0  max 500.0"]


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
