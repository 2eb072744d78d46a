"""Chroma meters against scripts: one quantity a question."""

import math

import pytest

from instruments.errors import SourceError
from instruments.power.dialects.chroma import QUESTIONS, Chroma
from instruments.power.step_ranges import StepRanges
from instruments.reading import Status
from tests.instruments.power.dialect_bench import scripted, written
from tests.instruments.scripted import Line

IDN = "Chroma ATE,66204,66204M000066,1.00,1.00,1.00"
ANSWERS = ("22.97", "46.46", "40.38", "0.4944", "227.37", "0.20434", "50.01", "5400.0")


def fixed() -> list[Line]:
    return [
        *(("VOLT:RANG V300", None), ("VOLT:RANG?", "V300")),
        *(("CURR:RANG A20", None), ("CURR:RANG?", "A20")),
    ]


def values(
    channel: str = " 1",
    answers: tuple[str, ...] = ANSWERS,
    running: str = "RUNNING",
) -> list[Line]:
    asked = zip(QUESTIONS.values(), answers, strict=True)
    return [
        (f"TRIG?{channel}", running),
        *((f"{question}{channel}", answer) for question, answer in asked),
    ]


def opening(mode: str = "JOULE") -> list[Line]:
    return [
        *(("*IDN?", IDN), ("SYST:HEAD OFF", None), ("CHAN 1", None), *fixed()),
        ("ENER:MODE?", mode),
        *written("TRIG OFF", "TRIG:MODE ENERGY", "CHAN 1", "TRIG OFF", "TRIG ON"),
        *(("TRIG? 1", "RUNNING"), *values()),
    ]


END = written("CHAN 1", "TRIG OFF", "SYST:LOC")


@pytest.mark.parametrize(("mode", "energy"), [("JOULE", 1.5), ("WHR", 5400.0)])
def test_a_session_sends_exactly_this(mode: str, energy: float) -> None:
    lines = [*opening(mode), *values(), *END]
    meter, script, _ = scripted(Chroma(StepRanges((300.0, 20.0))), lines)
    identity = meter.open()
    reading = meter.read()
    meter.close()
    script.finish()
    assert (identity.maker, identity.model) == ("Chroma ATE", "66204")
    assert reading.values == (*map(float, ANSWERS[:-1]), energy)
    assert set(reading.statuses) == {Status.OK}
    assert reading.raw == ";".join(ANSWERS).encode()


def test_an_unknown_unit_of_energy_is_refused() -> None:
    lines = [*opening("BTU")[:8], *END]
    meter, script, _ = scripted(Chroma(StepRanges((300.0, 20.0))), lines)
    with pytest.raises(SourceError, match='"BTU" is not a unit of energy'):
        meter.open()
    script.finish()


def test_a_meter_with_one_channel_takes_no_channel() -> None:
    lines: list[Line] = [
        ("*IDN?", IDN.replace("66204,", "66202,")),
        *(("SYST:HEAD OFF", None), *fixed(), ("ENER:MODE?", "WHR")),
        *written("TRIG OFF", "TRIG:MODE ENERGY", "TRIG OFF", "TRIG ON"),
        *(("TRIG?", "RUNNING"), *values(""), *values("")),
        *written("TRIG OFF", "SYST:LOC"),
    ]
    meter, script, _ = scripted(Chroma(StepRanges((300.0, 20.0))), lines)
    meter.open()
    assert meter.read().values[0] == 22.97
    meter.close()
    script.finish()


def test_two_channels() -> None:
    lines: list[Line] = [
        *(("*IDN?", IDN), ("SYST:HEAD OFF", None)),
        *(("CHAN 1", None), *fixed(), ("CHAN 3", None), *fixed()),
        ("ENER:MODE?", "JOULE"),
        *written("TRIG OFF", "TRIG:MODE ENERGY", "CHAN 1", "TRIG OFF", "TRIG ON"),
        *(("TRIG? 1", "RUNNING"), *written("CHAN 3", "TRIG OFF", "TRIG ON")),
        *(("TRIG? 3", "RUNNING"), *values(), *values(" 3"), *values(), *values(" 3")),
        *written("CHAN 1", "TRIG OFF", "CHAN 3", "TRIG OFF", "SYST:LOC"),
    ]
    meter, script, _ = scripted(Chroma(StepRanges((300.0, 20.0)), ("1", "3")), lines)
    meter.open()
    reading = meter.read()
    meter.close()
    script.finish()
    assert reading.values[:8] == reading.values[8:]
    assert reading.channels[8].name == "mains.P.element3"


@pytest.mark.parametrize(
    ("answer", "status"),
    [("-1", Status.NAN), ("-2", Status.ERROR), ("-3", Status.OVERRANGE)],
)
def test_negative_numbers_that_stand_for_no_value(answer: str, status: Status) -> None:
    lines = [*opening(), *values(answers=(answer, *ANSWERS[1:])), *END]
    meter, script, _ = scripted(Chroma(StepRanges((300.0, 20.0))), lines)
    meter.open()
    reading = meter.read()
    meter.close()
    script.finish()
    assert math.isnan(reading.values[0])
    assert reading.statuses[0] is status
    assert set(reading.statuses[1:]) == {Status.OK}


@pytest.mark.parametrize("state", ["STOP", "FINISH"])
def test_energy_is_stale_when_it_is_not_counted(state: str) -> None:
    lines = [*opening(), *values(running=state), *END]
    meter, script, _ = scripted(Chroma(StepRanges((300.0, 20.0))), lines)
    meter.open()
    reading = meter.read()
    meter.close()
    script.finish()
    assert reading.statuses[-1] is Status.STALE
    assert math.isnan(reading.values[-1])
    assert reading.values[0] == 22.97


def test_a_range_that_was_not_taken_is_refused() -> None:
    lines = [*opening()[:4], ("VOLT:RANG?", "V600"), *END]
    meter, script, _ = scripted(Chroma(StepRanges((300.0, 20.0))), lines)
    with pytest.raises(SourceError, match=r"VOLT:RANG is V600 after .* set to V300"):
        meter.open()
    script.finish()


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("Chroma,62012P-80-60,01.00,2005", "the model 62012P-80-60 answers there"),
        ("HIOKI,PW3335,1,V1", "expected Chroma 66200 meter"),
        (IDN.replace("66204,", "66202,"), "the 66202 has one channel only"),
    ],
)
def test_other_instruments_are_refused_and_left_alone(
    answer: str, sentence: str
) -> None:
    dialect = Chroma(StepRanges((300.0, 20.0)), ("1", "2"))
    meter, script, _ = scripted(dialect, [("*IDN?", answer)])
    with pytest.raises(SourceError, match=sentence):
        meter.open()
    script.finish()


def test_an_answer_that_is_no_number_is_an_error() -> None:
    lines = [*opening(), *values(answers=("RUNNING", *ANSWERS[1:]))[:2], *END]
    meter, script, _ = scripted(Chroma(StepRanges((300.0, 20.0))), lines)
    meter.open()
    with pytest.raises(SourceError, match="came where a number was expected"):
        meter.read()
    meter.close()
    script.finish()


def test_a_step_begins_with_energy_at_zero() -> None:
    again: list[Line] = [
        *written("CHAN 1", "TRIG OFF", "TRIG ON"),
        *(("TRIG? 1", "RUNNING"), *values()),
    ]
    meter, script, _ = scripted(
        Chroma(StepRanges((300.0, 20.0))), [*opening(), *again, *END]
    )
    meter.open()
    meter.begin_step("Idle", under_load=False)
    assert meter.end_step() == ()
    meter.close()
    script.finish()


def test_a_step_has_ranges_of_its_own() -> None:
    def begun(amperes: str) -> list[Line]:
        return [
            *(("CHAN 1", None), ("VOLT:RANG V300", None), ("VOLT:RANG?", "V300")),
            *((f"CURR:RANG {amperes}", None), ("CURR:RANG?", amperes)),
            *written("CHAN 1", "TRIG OFF", "TRIG ON"),
            *(("TRIG? 1", "RUNNING"), *values()),
        ]

    ranges = StepRanges((300.0, 20.0), {"Standby": (300.0, 0.2)})
    lines = [*opening(), *begun("A0.2"), *begun("A20"), *END]
    meter, script, _ = scripted(Chroma(ranges), lines)
    meter.open()
    meter.begin_step("Standby", under_load=False)
    meter.begin_step("Idle", under_load=False)
    meter.close()
    script.finish()
