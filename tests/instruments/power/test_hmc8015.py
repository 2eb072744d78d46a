"""The driver against scripts of what is sent and what is answered."""

import math
from collections.abc import Sequence

import pytest

from instruments.errors import BadInput, SourceError
from instruments.power.hmc8015 import HMC8015
from instruments.reading import SECOND, Status
from tests.instruments.scripted import TIMEOUT, Line, Script

IDN = "Rohde&Schwarz,HMC8015,034889436,HW42000000,SW01.403"
ORDER = "P,S,Q,LAMB,URMS,IRMS,FU,WH,TIME"
NO_ERROR = ("SYST:ERR?", '0,"No error"')
DATA = (
    "580.2E+00,595.1E+00,132.3E+00,975E-03,230.1E+00,2.586E+00,50.0E+00,16E-03,1.0E+00"
)


def confirmed(*commands: str) -> list[Line]:
    return [line for c in commands for line in ((c, None), ("*OPC?", "1"))]


START = confirmed("INT:STOP", "*CLS", "SYST:REM", "CHAN1:MEAS:FORM ASC")


def ranges(volts: str = "300", amps: str = "10") -> list[Line]:
    return [
        *confirmed("CHAN1:VOLT:RANG:AUTO OFF", f"CHAN1:VOLT:RANG {volts}"),
        ("CHAN1:VOLT:RANG:AUTO?", "0"),
        ("CHAN1:VOLT:RANG?", f"{float(volts):.2E}"),
        NO_ERROR,
        *confirmed("CHAN1:CURR:RANG:AUTO OFF", f"CHAN1:CURR:RANG {amps}"),
        ("CHAN1:CURR:RANG:AUTO?", "0"),
        ("CHAN1:CURR:RANG?", f"{float(amps):.2E}"),
        NO_ERROR,
    ]


def functions(read_back: str = ORDER) -> list[Line]:
    return [
        *confirmed(f"CHAN1:MEAS:FUNC {ORDER}"),
        ("CHAN1:MEAS:FUNC?", read_back),
        NO_ERROR,
    ]


def page(view: str = "VIEW:NUM", order: str = ORDER) -> list[Line]:
    cells = [*order.split(","), "EMPT"]
    return [
        *confirmed(f"{view}:PAGE1:SIZE 10"),
        NO_ERROR,
        *confirmed(*(f"{view}:PAGE1:CELL{i}:FUNC {c}" for i, c in enumerate(cells, 1))),
        NO_ERROR,
    ]


INTEGRATE = [*confirmed("INT:MODE MAN", "INT:RES", "INT:STAR"), NO_ERROR]
END = [*confirmed("INT:STOP"), ("SYST:LOC", None)]


def opening(first: str = DATA, order: str = ORDER) -> list[Line]:
    return [
        ("*IDN?", IDN),
        *START,
        *ranges(),
        *functions(order),
        *page(order=order),
        *INTEGRATE,
        data(first),
    ]


def data(answer: str = DATA) -> Line:
    return ("CHAN1:MEAS:DATA?", answer)


class Clock:
    """Moves on by 2 ms each time it is looked at, and by what is slept."""

    def __init__(self) -> None:
        self.now = 0
        self.slept: list[float] = []

    def __call__(self) -> int:
        self.now += 2_000_000
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += round(seconds * SECOND)


def meter(
    *connections: Sequence[Line], clock: Clock | None = None
) -> tuple[HMC8015, Script]:
    script = Script(*connections)
    clock = clock or Clock()
    made = HMC8015("mains", "VISA", transport=script, clock=clock, sleep=clock.sleep)
    return made, script


def test_a_session_sends_exactly_this() -> None:
    driver, script = meter([*opening(), data(), *END])
    identity = driver.open()
    reading = driver.read()
    driver.close()
    driver.close()
    script.finish()
    assert script.resources == ["VISA"]
    assert (identity.maker, identity.model) == ("Rohde&Schwarz", "HMC8015")
    assert identity.serial == "034889436"
    assert identity.firmware == "SW01.403 HW42000000"
    assert not identity.simulated
    assert reading.values == (580.2, 595.1, 132.3, 0.975, 230.1, 2.586, 50.0, 0.016)
    assert set(reading.statuses) == {Status.OK}
    assert reading.raw == DATA.encode()
    assert reading.end_ns - reading.start_ns == 2_000_000
    assert reading.channels is driver.channels


def test_channels_know_their_window_and_latency() -> None:
    driver, _ = meter()
    names = [channel.name for channel in driver.channels]
    expected = ("P", "S", "Q", "lambda", "U", "I", "f", "Wh")
    assert names == [f"mains.{quantity}" for quantity in expected]
    units = [channel.unit for channel in driver.channels]
    assert units == ["W", "VA", "var", "", "V", "A", "Hz", "Wh"]
    for channel in driver.channels:
        assert channel.period_ns == channel.window_ns == SECOND // 10
        assert channel.latency_ns == SECOND // 10


@pytest.mark.parametrize(
    ("answer", "simulated"),
    [
        ("Rohde&Schwarz,HMC8015,012345678,00.011", False),
        ("HAMEG,HMC8015,012345678,HW42000000,SW01.100", False),
        ("ROHDE&SCHWARZ, hmc8015, 012345678, 00.011", False),
        ("Rohde&Schwarz,HMC8015,SIM000001,HW00000000,SW01.403", True),
    ],
)
def test_identities_that_are_this_meter(answer: str, simulated: bool) -> None:
    driver, script = meter([("*IDN?", answer), *opening()[1:], *END])
    assert driver.open().simulated is simulated
    driver.close()
    script.finish()


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("Rohde&Schwarz,HMC8012,1,HW,SW", "HMC8012 answers there, not an HMC8015"),
        ("Rohde&Schwarz,HMC8015-G,1,HW,SW", "HMC8015-G answers there"),
        ("YOKOGAWA,WT310,C2PH13047V,F1.03", "no R&S power analyser"),
        ("HTTP/1.1 400 Bad Request", "no R&S power analyser"),
        ("Rohde&Schwarz,HMC8015", "no R&S power analyser"),
    ],
)
def test_other_instruments_are_refused_and_left_alone(
    answer: str, sentence: str
) -> None:
    driver, script = meter([("*IDN?", answer)])
    with pytest.raises(SourceError, match=sentence):
        driver.open()
    script.finish()


def test_names_follow_the_order_that_is_read_back() -> None:
    order = "TIME,WH,FU,IRMS,URMS,LAMBDA,Q,S,P"
    script_order = order.replace("LAMBDA", "LAMB")
    answer = "1E+00,16E-03,50E+00,2.5E+00,230E+00,975E-03,132E+00,595E+00,580E+00"
    lines = [
        *(("*IDN?", IDN), *START, *ranges(), *functions(order)),
        *(*page(order=script_order), *INTEGRATE, data(answer), data(answer)),
    ]
    driver, script = meter([*lines, *END])
    driver.open()
    assert driver.read().values == (580, 595, 132, 0.975, 230, 2.5, 50, 0.016)
    driver.close()
    script.finish()


@pytest.mark.parametrize("order", ["URMS,IRMS,P", ORDER.replace("Q,", "PHI,"), ""])
def test_functions_that_were_not_taken_are_refused(order: str) -> None:
    lines = [("*IDN?", IDN), *START, *ranges(), *functions(order), *END]
    driver, script = meter(lines)
    with pytest.raises(SourceError, match=r"it measures .* not P,S,Q"):
        driver.open()
    script.finish()


def test_ranges_that_were_not_taken_are_refused() -> None:
    lines: list[Line] = [
        *(("*IDN?", IDN), *START),
        *confirmed("CHAN1:VOLT:RANG:AUTO OFF", "CHAN1:VOLT:RANG 300"),
        *(("CHAN1:VOLT:RANG:AUTO?", "0"), ("CHAN1:VOLT:RANG?", "600"), NO_ERROR),
        *END,
    ]
    driver, script = meter(lines)
    with pytest.raises(SourceError, match=r"CHAN1:VOLT:RANG is 600 .*set to 300"):
        driver.open()
    script.finish()


def test_an_automatic_range_that_stays_on_is_refused() -> None:
    lines: list[Line] = [
        *(("*IDN?", IDN), *START),
        *confirmed("CHAN1:VOLT:RANG:AUTO OFF", "CHAN1:VOLT:RANG 300"),
        *(("CHAN1:VOLT:RANG:AUTO?", "1"), ("CHAN1:VOLT:RANG?", "300"), NO_ERROR),
        *END,
    ]
    driver, script = meter(lines)
    with pytest.raises(SourceError, match="automatic: 1"):
        driver.open()
    script.finish()


def test_the_error_queue_is_read_to_its_end_and_quoted() -> None:
    lines: list[Line] = [
        *(("*IDN?", IDN), *START),
        *confirmed("CHAN1:VOLT:RANG:AUTO OFF", "CHAN1:VOLT:RANG 300"),
        *(("CHAN1:VOLT:RANG:AUTO?", "0"), ("CHAN1:VOLT:RANG?", "300")),
        ("SYST:ERR?", '-221, "Settings conflict"'),
        ("SYST:ERR?", "-113"),
        ("SYST:ERR?", "+0, No error"),
        *END,
    ]
    driver, script = meter(lines)
    with pytest.raises(SourceError, match=r"-221.*; -113 on setting CHAN1:VOLT:RANG"):
        driver.open()
    script.finish()


def test_older_firmware_says_norm() -> None:
    lines: list[Line] = [
        *(("*IDN?", IDN), *START, *ranges(), *functions()),
        *confirmed("VIEW:NUM:PAGE1:SIZE 10"),
        *(("SYST:ERR?", '-113,"Undefined header"'), NO_ERROR),
        *(*page("VIEW:NORM"), *INTEGRATE, data(), *END),
    ]
    driver, script = meter(lines)
    driver.open()
    driver.close()
    script.finish()


def test_it_waits_until_the_new_functions_answer() -> None:
    clock = Clock()
    old = ",".join(["NAN"] * 6)
    fresh = ",".join(["NAN"] * 9)
    lines = [*opening(old)[:-1], data(old), data(fresh), data(), data(), *END]
    driver, script = meter(lines, clock=clock)
    driver.open()
    assert driver.read().values[0] == 580.2
    driver.close()
    script.finish()
    assert clock.slept == [0.1, 0.1, 0.1]


def test_a_value_that_stays_away_does_not_keep_it_from_opening() -> None:
    clock = Clock()
    missing = DATA.replace("580.2E+00", "NAN")
    lines = [*opening(missing)[:-1], *[data(missing)] * 30, *END]
    driver, script = meter(lines, clock=clock)
    driver.open()
    driver.close()
    script.finish()
    assert sum(clock.slept) == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("token", "status"),
    [
        ("NAN", Status.NAN),
        ("nan", Status.NAN),
        ("---", Status.NAN),
        ("", Status.NAN),
        ("9.91E+37", Status.NAN),
        ("INF", Status.OVERRANGE),
        ("-inf", Status.OVERRANGE),
        ("9.90000000E+37", Status.OVERRANGE),
        ("-9.9E37", Status.OVERRANGE),
    ],
)
def test_what_is_no_value_is_a_gap_with_its_reason(token: str, status: Status) -> None:
    answer = DATA.replace("580.2E+00", token)
    driver, script = meter([*opening(), data(answer), *END])
    driver.open()
    reading = driver.read()
    driver.close()
    script.finish()
    assert math.isnan(reading.values[0])
    assert reading.statuses[0] is status
    assert set(reading.statuses[1:]) == {Status.OK}
    assert reading.values[1] == 595.1


def test_an_answer_with_the_empty_tenth_cell_is_taken() -> None:
    driver, script = meter([*opening(), data(DATA + ",NAN"), *END])
    driver.open()
    assert driver.read().values[-1] == 0.016
    driver.close()
    script.finish()


@pytest.mark.parametrize("answer", ["1,2,3", DATA + ",1,2", DATA + ",5E+00", "1"])
def test_a_wrong_number_of_values_is_never_given_names(answer: str) -> None:
    driver, script = meter([*opening(), data(answer), *END])
    driver.open()
    with pytest.raises(SourceError, match="values came where 9 were asked for"):
        driver.read()
    driver.close()
    script.finish()


def test_garbage_is_an_error_and_not_a_gap() -> None:
    driver, script = meter([*opening(), data(DATA.replace("50.0E", "x!y")), *END])
    driver.open()
    with pytest.raises(SourceError, match="came where a number was expected") as caught:
        driver.read()
    assert caught.value.status is Status.ERROR
    driver.close()
    script.finish()


def test_a_time_out_is_not_asked_again_but_opened_anew() -> None:
    first: list[Line] = [*opening(), ("CHAN1:MEAS:DATA?", TIMEOUT)]
    driver, script = meter(first, [*opening(), data(), *END])
    driver.open()
    with pytest.raises(SourceError, match=r"mains \(VISA\): no answer") as caught:
        driver.read()
    assert caught.value.status is Status.TIMEOUT
    with pytest.raises(SourceError, match="closed after an error"):
        driver.read()
    driver.open()
    assert driver.read().values[0] == 580.2
    driver.close()
    script.finish()


def test_identical_answers_are_legal() -> None:
    driver, script = meter([*opening(), data(), data(), *END])
    driver.open()
    assert driver.read().values == driver.read().values
    driver.close()
    script.finish()


def test_energy_is_stale_when_the_integrator_stands_still() -> None:
    clock = Clock()
    moving = DATA.replace("1.0E+00", "1.1E+00")
    lines = [*opening(), data(), data(moving), data(moving), data(moving), *END]
    driver, script = meter(lines, clock=clock)
    driver.open()
    assert driver.read().statuses[-1] is Status.OK
    assert driver.read().statuses[-1] is Status.OK
    clock.now += SECOND
    assert driver.read().statuses[-1] is Status.OK
    clock.now += 2 * SECOND
    reading = driver.read()
    assert reading.statuses[-1] is Status.STALE
    assert math.isnan(reading.values[-1])
    assert set(reading.statuses[:-1]) == {Status.OK}
    driver.close()
    script.finish()


def test_a_command_that_is_not_confirmed_is_an_error() -> None:
    driver, script = meter(
        [("*IDN?", IDN), ("INT:STOP", None), ("*OPC?", "580.2E+00"), *END]
    )
    with pytest.raises(SourceError, match="came as the answer to"):
        driver.open()
    script.finish()


def test_reading_before_opening_is_an_error() -> None:
    driver, _ = meter()
    with pytest.raises(SourceError, match="not open"):
        driver.read()


@pytest.mark.parametrize("volts", [0.0, -300.0, 230.0, 1000.0, math.nan])
def test_voltage_ranges_that_the_meter_does_not_have(volts: float) -> None:
    with pytest.raises(BadInput, match="5, 15, 30, 60, 150, 300, 600 V"):
        HMC8015("mains", "VISA", voltage_range=volts)


def test_current_ranges_that_the_meter_does_not_have() -> None:
    with pytest.raises(BadInput, match=r"current_range is 16\. Expected .*10, 20 A"):
        HMC8015("mains", "VISA", current_range=16)


def test_a_small_range_is_sent_as_written() -> None:
    begin: list[Line] = [("*IDN?", IDN), *START]
    rest = opening()[len(begin) + len(ranges()) :]
    script = Script([*begin, *ranges("5", "0.005"), *rest, *END])
    driver = HMC8015(
        "mains", "VISA", voltage_range=5, current_range=0.005, transport=script
    )
    driver.open()
    driver.close()
    script.finish()
