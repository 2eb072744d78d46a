"""Hioki meters against scripts; the answers follow its manual and a real PW3335."""

import math

import pytest

from instruments.errors import SourceError
from instruments.power.dialects.hioki import Hioki
from instruments.power.step_ranges import StepRanges
from instruments.reading import SECOND, Status
from tests.instruments.power.dialect_bench import scripted, written
from tests.instruments.scripted import Line

IDN = "HIOKI,PW3335,190612345,V1.20"
ASKED = ":MEAS? P,S,Q,PF,U,I,FREQU,WP,TIME"
ROW = (
    "P +022.97E+0;S +046.46E+0;Q +040.38E+0;PF +0.4944E+0;U +110.14E+0;"
    "I +0.4218E+0;FREQU +50.010E+0;WP +00.0015E+0;TIME 00000,00,{:02}"
)
VALUES = (22.97, 46.46, 40.38, 0.4944, 110.14, 0.4218, 50.01, 0.0015)


def state(text: str) -> Line:
    return (":INTEGRATE:STATE?", f":INTEGRATE:STATE {text}")


def fixed(suffix: str = "", volts: str = "300", automatic: str = "OFF") -> list[Line]:
    return [
        *written(f":VOLTAGE{suffix}:AUTO OFF", f":VOLTAGE{suffix}:RANGE 300"),
        (f":VOLTAGE{suffix}:AUTO?", f":VOLTAGE{suffix}:AUTO {automatic}"),
        (f":VOLTAGE{suffix}:RANGE?", f":VOLTAGE{suffix}:RANGE {volts}"),
        *written(f":CURRENT{suffix}:AUTO OFF", f":CURRENT{suffix}:RANGE 10"),
        (f":CURRENT{suffix}:AUTO?", f":CURRENT{suffix}:AUTO OFF"),
        (f":CURRENT{suffix}:RANGE?", f":CURRENT{suffix}:RANGE 10"),
    ]


START = [*written(":INTEGRATE:STATE START"), state("START")]
END = written(":INTEGRATE:STATE STOP")


def opening(row: str = ROW.format(0)) -> list[Line]:
    return [
        *(("*IDN?", IDN), (":HEADER ON", None), state("RESET"), state("RESET")),
        *(*fixed(), *START, (ASKED, row)),
    ]


def test_a_session_sends_exactly_this() -> None:
    lines = [*opening(), (ASKED, ROW.format(1)), *END]
    meter, script, _ = scripted(Hioki(StepRanges((300.0, 10.0))), lines, line_end="\r")
    identity = meter.open()
    reading = meter.read()
    meter.close()
    script.finish()
    assert (identity.maker, identity.model) == ("HIOKI", "PW3335")
    assert reading.values == VALUES
    assert set(reading.statuses) == {Status.OK}
    assert [channel.unit for channel in meter.channels[-2:]] == ["Hz", "Wh"]


def test_an_integrator_in_use_is_stopped_and_reset() -> None:
    lines = opening()
    lines[2:4] = [
        *(state("START"), *written(":INTEGRATE:STATE STOP"), state("STOP")),
        *written(":INTEGRATE:STATE RESET"),
    ]
    meter, script, _ = scripted(Hioki(StepRanges((300.0, 10.0))), [*lines, *END])
    meter.open()
    meter.close()
    script.finish()


def test_two_channels_are_numbered() -> None:
    items = ("P", "S", "Q", "PF", "U", "I", "FREQU", "WP")
    names = [f"{item}{channel}" for channel in "12" for item in items]
    asked = f":MEAS? {','.join(names)},TIME"
    row = ";".join(f"{name} +00{number:04}.E-2" for number, name in enumerate(names))
    row += ";TIME 00001,02,03"
    lines: list[Line] = [
        ("*IDN?", IDN.replace("PW3335", "PW3336")),
        *((":HEADER ON", None), state("RESET"), state("RESET")),
        *(*fixed("1"), *fixed("2"), *START, (asked, row), (asked, row), *END),
    ]
    meter, script, _ = scripted(Hioki(StepRanges((300.0, 10.0)), ("1", "2")), lines)
    meter.open()
    reading = meter.read()
    meter.close()
    script.finish()
    assert reading.values == tuple(n / 100 for n in range(16))
    assert reading.channels[8].name == "mains.P.element2"


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("HIOKI,3334,1,V1", "the model 3334 answers there"),
        ("YOKOGAWA,WT310,1,F1", "expected Hioki PW3335"),
        (IDN, r"PW3335 has 1 channel\(s\) only"),
    ],
)
def test_other_instruments_are_refused_and_left_alone(
    answer: str, sentence: str
) -> None:
    meter, script, _ = scripted(
        Hioki(StepRanges((300.0, 10.0)), ("1", "2")), [("*IDN?", answer)]
    )
    with pytest.raises(SourceError, match=sentence):
        meter.open()
    script.finish()


@pytest.mark.parametrize(("volts", "automatic"), [("600", "OFF"), ("300", "ON")])
def test_a_range_that_was_not_taken_is_refused(volts: str, automatic: str) -> None:
    lines = [*opening()[:4], *fixed("", volts, automatic)[:4], *END]
    meter, script, _ = scripted(Hioki(StepRanges((300.0, 10.0))), lines)
    with pytest.raises(SourceError, match=f"{volts} .automatic: {automatic}.*to 300"):
        meter.open()
    script.finish()


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [
        ("P +022.97E+0", "P +999.99E+9", Status.OVERRANGE),
        ("P +022.97E+0", "P -999.99E+9", Status.OVERRANGE),
        ("P +022.97E+0", "P +888.88E+9", Status.ERROR),
        ("P +022.97E+0", "P +777.77E+9", Status.NAN),
        ("WP +00.0015E+0", "WP +7777.77E+9", Status.NAN),
        ("WP +00.0015E+0", "WP +8888.88E+9", Status.ERROR),
    ],
)
def test_numbers_that_stand_for_no_value_are_gaps(
    before: str, after: str, status: Status
) -> None:
    row = ROW.format(1).replace(before, after)
    meter, script, _ = scripted(
        Hioki(StepRanges((300.0, 10.0))), [*opening(), (ASKED, row), *END]
    )
    meter.open()
    reading = meter.read()
    meter.close()
    script.finish()
    at = 0 if before.startswith("P") else 7
    assert math.isnan(reading.values[at])
    assert reading.statuses[at] is status
    assert sum(status is Status.OK for status in reading.statuses) == 7


@pytest.mark.parametrize(
    "row",
    [
        ROW.format(1).replace("U +", "I +"),
        ROW.format(1).partition(";")[2],
        ROW.format(1).replace(";", ","),
        ":INTEGRATE:STATE START",
    ],
)
def test_other_names_than_asked_for_are_refused(row: str) -> None:
    meter, script, _ = scripted(
        Hioki(StepRanges((300.0, 10.0))), [*opening(), (ASKED, row), *END]
    )
    meter.open()
    with pytest.raises(SourceError, match="came where P,S,Q,PF,U"):
        meter.read()
    meter.close()
    script.finish()


def test_energy_is_stale_when_the_integrator_stands_still() -> None:
    lines = [*opening(), (ASKED, ROW.format(1)), (ASKED, ROW.format(1)), *END]
    meter, script, clock = scripted(Hioki(StepRanges((300.0, 10.0))), lines)
    meter.open()
    assert meter.read().statuses[-1] is Status.OK
    clock.now += 3 * SECOND
    assert meter.read().statuses[-1] is Status.STALE
    meter.close()
    script.finish()


def test_a_step_begins_with_energy_at_zero() -> None:
    again: list[Line] = [
        *(state("START"), *written(":INTEGRATE:STATE STOP"), state("STOP")),
        *(*written(":INTEGRATE:STATE RESET"), *START, (ASKED, ROW.format(0))),
        *((ASKED, ROW.format(1)), *END),
    ]
    meter, script, _ = scripted(Hioki(StepRanges((300.0, 10.0))), [*opening(), *again])
    meter.open()
    meter.begin_step("Idle", under_load=False)
    assert meter.read().statuses[-1] is Status.OK
    meter.close()
    script.finish()


def test_a_step_has_ranges_of_its_own() -> None:
    small = [
        (sent.replace("RANGE 10", "RANGE 0.2"), back and back.replace("10", "0.2"))
        for sent, back in fixed()
        if not isinstance(back, SourceError)
    ]
    again: list[Line] = [
        *(state("START"), *written(":INTEGRATE:STATE STOP"), state("STOP")),
        *(*written(":INTEGRATE:STATE RESET"), *small, *START, (ASKED, ROW.format(0))),
    ]
    ranges = StepRanges((300.0, 10.0), {"Standby": (300.0, 0.2)})
    meter, script, _ = scripted(Hioki(ranges), [*opening(), *again, *END])
    meter.open()
    meter.begin_step("Standby", under_load=False)
    meter.close()
    script.finish()
