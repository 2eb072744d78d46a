"""The ambient temperature: every sensor counts alike, and one that is lost is told."""

from pathlib import Path

import pytest

from app.analysis.ambient import ambient_channels, chosen_ambient
from app.analysis.results import step_results
from app.record.store import Result, Session
from instruments.reading import SECOND, Channel, Reading, Status
from tests.app.analysis.record import START, WINDOW, Record, channel

NAN = float("nan")


@pytest.fixture
def record(tmp_path: Path) -> Record:
    return Record(tmp_path)


def ambient(record: Record) -> Result:
    return record.results()["ambient_c"]


def inlet(source: str, period_s: float = 1.0) -> Channel:
    period = round(period_s * SECOND)
    return Channel(source, "temperature", "degC", "inlet", period_ns=period)


def test_a_sensor_does_not_count_more_for_being_read_more_often(
    record: Record,
) -> None:
    record.add(inlet("ses"), [27.0] * 10)
    record.add(inlet("a", 5.0), [24.0] * 2)
    found = ambient(record)
    assert found.value == pytest.approx(25.5)
    assert found.n_valid == found.n_expected
    assert found.note == ""


def test_a_sensor_that_drops_out_is_told_and_shifts_nothing(record: Record) -> None:
    record.add(inlet("ses"), [27.0] * 10)
    record.add(inlet("a"), [23.0] * 5 + [NAN] * 5)
    found = ambient(record)
    assert found.value == pytest.approx(25.0)
    assert (found.n_valid, found.n_expected) == (15, 20)
    assert found.note == (
        "mean of 2 sensors, but only with a.temperature.inlet in 50 % of the time"
    )


def test_of_the_only_sensor_it_is_said_how_long_it_was_there(record: Record) -> None:
    record.add(inlet("a"), [23.0] * 5 + [NAN] * 5)
    assert (
        ambient(record).note == "mean of a.temperature.inlet, known in 50 % of the time"
    )


def test_an_inlet_that_was_there_is_missed_even_if_it_is_called_absent(
    record: Record,
) -> None:
    record.add(inlet("ses"), [27.0] * 10)
    gone = (inlet("a"),)
    for number in range(-3, 10):
        at = START + number * SECOND
        status = Status.OK if number < 0 else Status.ABSENT
        record.writer.append([Reading(gone, at, at, (23.0,), (status,))])
    found = ambient(record)
    assert found.value == pytest.approx(27.0)
    assert (found.n_valid, found.n_expected) == (10, 20)
    assert "a.temperature.inlet in 0 % of the time" in found.note


def test_a_sensor_that_never_was_is_not_missed(record: Record) -> None:
    record.add(inlet("ses"), [27.0] * 10)
    never = (channel("a", "temperature", "degC", "ambient"),)
    for number in range(10):
        at = START + number * SECOND
        record.writer.append([Reading(never, at, at, (NAN,), (Status.ABSENT,))])
    found = ambient(record)
    assert found.value == pytest.approx(27.0)
    assert found.note == ""
    assert found.n_valid == found.n_expected


def test_no_sensor_at_all_has_no_value(record: Record) -> None:
    record.add(inlet("ses"), [NAN] * 10)
    record.writer.commit()
    record.writer.finish()
    with Session.open(record.path) as session:
        found = {
            step_result.name: step_result
            for step_result in step_results(session, WINDOW)
        }
    assert found["ambient_c"].value is None
    assert found["ambient_c"].n_valid == 0


def test_the_bench_may_name_the_sensor_that_counts() -> None:
    bench = '[dut]\nname = "x"\nambient = "a.temperature.probe"\n'
    probe = channel("a", "temperature", "degC", "probe")
    both = [inlet("ses"), probe]
    assert ambient_channels(both, chosen_ambient(bench)) == [probe]
    assert ambient_channels(both, chosen_ambient('name = "old"')) == [inlet("ses")]
    assert chosen_ambient("no bench [") == ()
    assert chosen_ambient(
        bench.replace('"a.', '["a.').replace('probe"', 'probe"]')
    ) == ("a.temperature.probe",)


def test_only_what_is_called_so_is_the_ambient() -> None:
    """A supply's "Inlet Temperature" and an "Ambient HBA" are parts of a machine."""
    names = ("inlet", "inlet-2", "ambient1", "room", "inlet-temperature", "ambient-hba")
    channels = [Channel("bmc", "temperature", "degC", name) for name in names]
    found = [channel.location for channel in ambient_channels(channels, ())]
    assert found == ["inlet", "inlet-2", "ambient1", "room"]
