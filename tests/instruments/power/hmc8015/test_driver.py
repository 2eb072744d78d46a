"""The driver against scripts of what is sent and what is answered."""

import math

import pytest

from instruments.errors import SourceError
from instruments.power.hmc8015.config import Config, Mode, usual
from instruments.reading import SECOND, Status
from tests.instruments.power.dialect_bench import Clock
from tests.instruments.power.hmc8015_script import (
    DATA,
    END,
    IDN,
    INTEGRATE,
    NO_ERROR,
    NOT_TRIPPED,
    ORDER,
    START,
    confirmed,
    data,
    functions,
    meter,
    opening,
    page,
    ranges,
    read,
    start,
    use,
)
from tests.instruments.scripted import TIMEOUT, Line


def test_a_session_sends_exactly_this() -> None:
    driver, script = meter([*opening(), *read(), *END])
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
    values = (580.2, 595.1, 0.975, 230.1, 2.586, 0.016, 132.3, 50.0, 3.9, 300.0, 10.0)
    assert reading.values == values
    assert set(reading.statuses) == {Status.OK}
    assert reading.raw == DATA.encode()
    assert reading.end_ns - reading.start_ns == 2_000_000
    assert reading.channels is driver.channels


def test_channels_know_their_window_and_latency() -> None:
    driver, _ = meter()
    names = [channel.name for channel in driver.channels]
    expected = "P S lambda U I Wh Q f I_peak_max U_range I_range"
    assert names == [f"mains.{quantity}" for quantity in expected.split()]
    units = [channel.unit for channel in driver.channels]
    assert units == ["W", "VA", "", "V", "A", "Wh", "var", "Hz", "A", "V", "A"]
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
        (
            "Rohde&Schwarz,HMC8012,1,HW,SW",
            "HMC8012 answers there instead of the expected R&S HMC8015",
        ),
        ("Rohde&Schwarz,HMC8015-G,1,HW,SW", "HMC8015-G answers there"),
        ("YOKOGAWA,WT310,C2PH13047V,F1.03", "expected R&S HMC8015"),
        ("HTTP/1.1 400 Bad Request", "expected R&S HMC8015"),
        ("Rohde&Schwarz,HMC8015", "expected R&S HMC8015"),
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
    order = "TIME,WH,FU,IRMS,URMS,LAMBDA,Q,S,P,IPPEAK"
    script_order = order.replace("LAMBDA", "LAMB").replace("IPPEAK", "IPP")
    answer = "1E+00,16E-03,50E+00,2.5E+00,230E+00,975E-03,132E+00,595E+00,580E+00,4"
    lines: list[Line] = [
        *(("*IDN?", IDN), *START, *ranges(), NOT_TRIPPED, *functions(order)),
        *(*page(order=script_order), *INTEGRATE, data(answer), *read(answer, order)),
    ]
    driver, script = meter([*lines, *END])
    driver.open()
    values = list(driver.read().values)
    assert values == [580, 595, 0.975, 230, 2.5, 0.016, 132, 50, 4, 300, 10]
    driver.close()
    script.finish()


@pytest.mark.parametrize("order", ["URMS,IRMS,P", ORDER.replace("Q,", "PHI,"), ""])
def test_functions_that_were_not_taken_are_refused(order: str) -> None:
    begin: list[Line] = [("*IDN?", IDN), *START, *ranges(), NOT_TRIPPED]
    driver, script = meter([*begin, *functions(order), *END])
    with pytest.raises(SourceError, match=r"it measures .* not P,S,LAMB"):
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
        *(("*IDN?", IDN), *START, *ranges(), NOT_TRIPPED, *functions()),
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
    fresh = ",".join(["NAN"] * 10)
    lines = [*opening(old)[:-1], data(old), data(fresh), data(), *read(), *END]
    driver, script = meter(lines, clock=clock)
    driver.open()
    assert driver.read().values[0] == 580.2
    driver.close()
    script.finish()
    assert clock.slept == [0.1] * 4


def test_a_value_that_stays_away_does_not_keep_it_from_opening() -> None:
    clock = Clock()
    missing = DATA.replace("580.2E+00", "NAN")
    lines = [*opening(missing)[:-1], *[data(missing)] * 30, *END]
    driver, script = meter(lines, clock=clock)
    driver.open()
    driver.close()
    script.finish()
    assert sum(clock.slept) == pytest.approx(3.1)


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
    driver, script = meter([*opening(), *read(answer), *END])
    driver.open()
    reading = driver.read()
    driver.close()
    script.finish()
    assert math.isnan(reading.values[0])
    assert reading.statuses[0] is status
    assert reading.values[1] == 595.1
    # What was over range is missing in the energy from then on.
    energy = Status.WARN if status is Status.OVERRANGE else Status.OK
    assert reading.statuses[5] is energy
    assert {*reading.statuses[1:5], *reading.statuses[6:]} == {Status.OK}


def test_an_answer_with_empty_cells_is_taken() -> None:
    order = "P,S,LAMB,URMS,IRMS,WH,TIME"
    short = "1,2,3,4,5,6,7"
    cells = order + ",EMPTY,EMPT,EMP"  # as firmware may read back its list
    driver, script = meter(
        [*opening(short, order), *read(short + ",NAN,,---", cells), *END],
        config=Config(functions=()),
    )
    driver.open()
    assert driver.read().values == (1, 2, 3, 4, 5, 6, 300, 10)
    driver.close()
    script.finish()


@pytest.mark.parametrize("answer", ["1,2,3", DATA + ",1,2", DATA + ",NAN", "1"])
def test_a_wrong_number_of_values_is_never_given_names(answer: str) -> None:
    driver, script = meter([*opening(), data(answer), *END])
    driver.open()
    with pytest.raises(SourceError, match="values came where 10 were asked for"):
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
    driver, script = meter(first, [*opening(), *read(), *END])
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


def test_a_small_range_is_sent_as_written() -> None:
    begin: list[Line] = [("*IDN?", IDN), *START]
    rest = opening()[len(begin) + len(ranges()) :]
    driver, script = meter(
        [*begin, *ranges("5", "0.005"), *rest, *END],
        config=Config(voltage_range=5, current_range=0.005),
    )
    driver.open()
    driver.close()
    script.finish()


def test_a_tripped_protection_is_said_at_the_start_and_once_a_minute() -> None:
    tripped: Line = ("CHAN1:CURR:PROT?", "1")
    first: list[Line] = [("*IDN?", IDN), *START, *ranges(), tripped, *END]
    clock = Clock()
    second: list[Line] = [*opening(), *read(), tripped, *END]
    driver, script = meter(first, second, clock=clock)
    with pytest.raises(SourceError, match="over-current protection has tripped"):
        driver.open()
    driver.open()
    driver.read()
    clock.now += 61 * SECOND
    with pytest.raises(SourceError, match="reset the protection") as caught:
        driver.read()
    assert caught.value.status is Status.OVERRANGE
    driver.close()
    script.finish()


def test_direct_current_reads_the_means_as_u_and_i() -> None:
    order = "P,UAVG,IAVG,WH,IPP,TIME"
    answer = "5.8E+00,12E+00,483E-03,1E-03,500E-03,1"
    lines: list[Line] = [
        *(("*IDN?", IDN), *start("DC", 6), *ranges("15", "1"), NOT_TRIPPED),
        *(*use(order), *INTEGRATE, data(answer), *read(answer, order), *END),
    ]
    config = Config(15, 1, crest_factor=6, mode=Mode.DC, functions=usual(Mode.DC))
    driver, script = meter(lines, config=config)
    driver.open()
    reading = driver.read()
    driver.close()
    script.finish()
    names = [channel.quantity for channel in reading.channels]
    assert names == ["P", "U", "I", "Wh", "I_peak_max", "U_range", "I_range"]
    assert reading.values == (5.8, 12, 0.483, 0.001, 0.5, 15, 1)


def test_a_meter_that_measures_something_else_by_now_is_never_believed() -> None:
    other = ORDER.replace("P,S,LAMB", "URMS,IRMS,P")
    driver, script = meter([*opening(), *read(order=other), *END])
    driver.open()
    with pytest.raises(SourceError, match="it was reset, or set up by somebody else"):
        driver.read()
    driver.close()
    script.finish()


def test_a_range_that_somebody_has_changed_is_noticed_within_a_second() -> None:
    moved: list[Line] = [("CHAN1:VOLT:RANG?", "3E2"), ("CHAN1:CURR:RANG?", "20")]
    clock = Clock()
    lines = [*opening(), *read(), *read(DATA.replace("580", "581")), *moved, *END]
    driver, script = meter(lines, clock=clock)
    driver.open()
    driver.read()
    clock.now += SECOND
    with pytest.raises(SourceError, match=r"CURR:RANG has become 20 instead of 10"):
        driver.read()
    driver.close()
    script.finish()


UNKNOWN: Line = ("SYST:ERR?", '-113,"Undefined header"')


def test_commands_that_a_firmware_does_not_know_do_not_keep_it_from_reading() -> None:
    start_over = [
        *START[:-1],
        UNKNOWN,
        NO_ERROR,
        *(*confirmed("SYST:REM"), NO_ERROR),
        *(*confirmed("CHAN1:MEAS:FORM ASC"), UNKNOWN, NO_ERROR),
        *(*confirmed("CHAN1:MODE AC"), NO_ERROR),
        *(*confirmed("CHAN1:VOLT:CFAC 3"), NO_ERROR),
        *(*confirmed("CHAN1:CURR:CFAC 3"), NO_ERROR),
    ]
    no_view = [
        line
        for view in ("VIEW:NUM", "VIEW:NORM")
        for line in (*confirmed(f"{view}:PAGE1:SIZE 10"), UNKNOWN, NO_ERROR)
    ]
    no_integrator = [*INTEGRATE[:-1], UNKNOWN, NO_ERROR]
    lines = [("*IDN?", IDN), *start_over, *ranges(), NOT_TRIPPED, *functions()]
    driver, _ = meter([*lines, *no_view, *no_integrator, data(), *read()])
    driver.open()
    reading = driver.read()
    found = {
        channel.quantity: status
        for channel, status in zip(reading.channels, reading.statuses, strict=True)
    }
    assert found.pop("Wh") is Status.UNSUPPORTED
    assert set(found.values()) == {Status.OK}
    assert reading.trouble == (
        "mains (VISA): its firmware does not know CHAN1:MEAS:FORM ASC "
        '(-113,"Undefined header"); its display shows what it did before, its firmware '
        "has neither VIEW:NUM nor VIEW:NORM; energy is not measured, its firmware does "
        'not know one of INT:MODE MAN, INT:RES, INT:STAR (-113,"Undefined header")'
    )


def test_an_integrator_that_does_not_start_is_refused() -> None:
    refused: Line = ("SYST:ERR?", '-221,"Settings conflict"')
    lines = [*opening()[:-2], refused, NO_ERROR, *END]
    driver, script = meter(lines)
    with pytest.raises(SourceError, match=r"-221.*INT:STAR"):
        driver.open()
    script.finish()
