"""Yokogawa and GW Instek against scripts; the answers are those of real meters."""

import math

import pytest

from instruments.errors import BadInput, SourceError
from instruments.power.dialects.yokogawa import DRIVER, Yokogawa
from instruments.power.step_ranges import StepRanges
from instruments.reading import SECOND, Status
from instruments.tools.hosts import LocalHost
from tests.instruments.power.dialect_bench import scripted, taken, written
from tests.instruments.scripted import TIMEOUT, Line

WT310 = "YOKOGAWA,WT310,C2PH13047V,F1.03"
GPM = "GWInstek,GPM-8213,GES913349,V1.05"
NAMES = ("P", "S", "Q", "LAMB", "U", "I", "FU", "WH", "TIME")
ROW = (
    "22.97E+00,46.46E+00,40.38E+00,0.4944E+00,227.37E+00,204.34E-03,50.01E+00,"
    "1.5E-03,{}"
)
ITEMS = tuple(f"{name},1" for name in NAMES)
REAL_GPM = (
    "17.688E+00,30.622E+00,24.997E+00,0.5776E+00,127.58E+00,240.02E-03,59.993E+00,NAN,0"
)
END = written(":INTEG:STOP", ":COMM:REM 0")


def ranges(*, with_headers: bool = False) -> list[Line]:
    def answer(node: str, value: str) -> str:
        return f"{node} {value}" if with_headers else value

    return [
        *taken(":INP:CFAC", "3", answer(":INP:CFAC", "3")),
        *taken(":INP:VOLT:AUTO", "0", answer(":VOLT:AUTO", "0")),
        *taken(":INP:VOLT:RANG", "300V", answer(":VOLT:RANG", "300.0E+00")),
        *taken(":INP:CURR:AUTO", "0", answer(":CURR:AUTO", "0")),
        *taken(":INP:CURR:RANG", "500MA", answer(":CURR:RANG", "500.0E-03")),
    ]


def integrate(state: str = "STAR") -> list[Line]:
    return [
        *written(":INTEG:MODE NORM", ":INTEG:TIM 0,0,0", ":INTEG:STAR"),
        (":INTEG:STAT?", state),
    ]


def halted(*states: str) -> list[Line]:
    """What is asked and done before ranges can be set."""
    lines: list[Line] = [(":INTEG:STAT?", states[0])]
    if states[0].startswith("STAR"):
        lines += written(":INTEG:STOP")
    lines.append((":INTEG:STAT?", states[-1]))
    if not states[-1].startswith("RES"):
        lines += written(":INTEG:RES")
    return lines


def opening(
    items: tuple[str, ...] = ITEMS,
    row: str = ROW.format("0"),
    before: tuple[str, ...] = ("RES",),
) -> list[Line]:
    settings = written(":COMM:REM 1", ":COMM:HEAD 0", ":COMM:VERB 0", ":NUM:FORM ASC")
    return [
        *(("*IDN?", WT310), *settings, *halted(*before), *ranges()),
        *taken(":RATE", "250MS", "250.0E-03"),
        *taken(":NUM:NORM:NUMBER", str(len(items)), str(len(items))),
        *written(*(f":NUM:NORM:ITEM{n} {item}" for n, item in enumerate(items, 1))),
        *((f":NUM:NORM:ITEM{n}?", item) for n, item in enumerate(items, 1)),
        *(*integrate(), data(row)),
    ]


def data(row: str) -> Line:
    return (":NUM:NORM:VAL?", row)


def test_a_session_with_a_wt310_sends_exactly_this() -> None:
    script_lines = [*opening(), data(ROW.format("1")), *END]
    meter, script, clock = scripted(Yokogawa(StepRanges((300.0, 0.5))), script_lines)
    identity = meter.open()
    reading = meter.read()
    meter.close()
    script.finish()
    assert (identity.model, identity.serial) == ("WT310", "C2PH13047V")
    assert reading.values == (
        *(22.97, 46.46, 40.38, 0.4944, 227.37, 0.20434, 50.01, 0.0015),
    )
    assert set(reading.statuses) == {Status.OK}
    names = [channel.name for channel in meter.channels]
    quantities = ("P", "S", "Q", "lambda", "U", "I", "f", "Wh")
    assert names == [f"mains.{quantity}" for quantity in quantities]
    assert clock.slept == [0.5]


def test_several_elements_have_channels_of_their_own() -> None:
    items = (*(f"{name},{e}" for e in "12" for name in NAMES[:-1]), "TIME,1")
    row = ",".join([*(str(n / 100) for n in range(16)), "1"])
    lines = [*opening(items, row), data(row), *END]
    meter, script, _ = scripted(Yokogawa(StepRanges((300.0, 0.5)), ("1", "2")), lines)
    meter.open()
    reading = meter.read()
    meter.close()
    script.finish()
    assert reading.values == tuple(n / 100 for n in range(16))
    assert reading.channels[8].name == "mains.P.element2"
    assert reading.channels[15].unit == "Wh"


@pytest.mark.parametrize("before", [("STAR", "STOP"), ("STOP",), ("TIM",)])
def test_an_integrator_in_use_is_stopped_and_reset(before: tuple[str, ...]) -> None:
    meter, script, _ = scripted(
        Yokogawa(StepRanges((300.0, 0.5))), [*opening(before=before), *END]
    )
    meter.open()
    meter.close()
    script.finish()


def gpm(headers: str, row: str = REAL_GPM) -> list[Line]:
    return [
        *(("*IDN?", GPM), (":COMM:REM 1", None), *halted(":INTEG:STAT RES")[:1]),
        *((":INTEG:STAT?", ":INTEG:STAT RES"), *ranges(with_headers=True)),
        *taken(":NUM:NORM:NUMBER", "9", ":NUM:NORM:NUMB 9"),
        *written(*(f":NUM:NORM:ITEM{n} {item}" for n, item in enumerate(NAMES, 1))),
        (":NUM:NORM:HEADER?", headers),
        *(*integrate(":INTEG:STAT STAR"), data(row)),
    ]


def test_a_gw_instek_repeats_headers_and_wants_cr_lf() -> None:
    lines = [*gpm("P,S,Q,PF,Urms,Irms,fU,WP,Time"), data(REAL_GPM), *END]
    meter, script, _ = scripted(
        Yokogawa(StepRanges((300.0, 0.5))), lines, line_end="\r"
    )
    assert meter.open().serial == "GES913349"
    reading = meter.read()
    meter.close()
    script.finish()
    assert reading.values[0] == 17.688
    assert reading.values[4:7] == (127.58, 0.24002, 59.993)
    assert reading.statuses[-1] is Status.NAN


def test_values_that_stand_elsewhere_are_refused() -> None:
    lines = [*gpm("Urms,Irms,P,S,fU,PF,Q,WH,TIME")[:-5], *END]
    meter, script, _ = scripted(
        Yokogawa(StepRanges((300.0, 0.5))), lines, line_end="\r"
    )
    with pytest.raises(SourceError, match="value 1 is U, not P"):
        meter.open()
    script.finish()


def test_a_gw_instek_has_one_element() -> None:
    dialect = Yokogawa(StepRanges((300.0, 0.5)), ("1", "2"))
    meter, script, _ = scripted(dialect, [("*IDN?", GPM)])
    with pytest.raises(SourceError, match="GPM-8213 has one element only"):
        meter.open()
    script.finish()


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("Rohde&Schwarz,HMC8015,1,HW,SW", "expected Yokogawa WT310 or WT33x"),
        ("YOKOGAWA,GS200,1,F1", "the model GS200 answers there"),
        (
            "GWInstek,GDM-8261,1,F1",
            "the model GDM-8261 answers there instead of the expected GW Instek",
        ),
        ("", '"" answers there'),
        (ROW.format("1"), "expected Yokogawa"),
    ],
)
def test_other_instruments_are_refused_and_left_alone(
    answer: str, sentence: str
) -> None:
    meter, script, _ = scripted(Yokogawa(StepRanges((300.0, 0.5))), [("*IDN?", answer)])
    with pytest.raises(SourceError, match=sentence):
        meter.open()
    script.finish()


def test_a_range_that_was_not_taken_is_refused() -> None:
    lines = opening()
    at = lines.index((":INP:VOLT:RANG?", "300.0E+00"))
    lines[at:] = [(":INP:VOLT:RANG?", "600.0E+00"), *END]
    meter, script, _ = scripted(Yokogawa(StepRanges((300.0, 0.5))), lines)
    with pytest.raises(SourceError, match=r"RANG is 600.0E\+00 after .* set to 300V"):
        meter.open()
    script.finish()


def test_an_integrator_that_does_not_start_is_refused() -> None:
    lines = opening()[:-2]
    lines += [(":INTEG:STAT?", "ERR"), *END]
    meter, script, _ = scripted(Yokogawa(StepRanges((300.0, 0.5))), lines)
    with pytest.raises(SourceError, match="integrator does not start"):
        meter.open()
    script.finish()


@pytest.mark.parametrize(
    ("token", "status"), [("NAN", Status.NAN), ("INF", Status.OVERRANGE)]
)
def test_what_is_no_value_is_a_gap(token: str, status: Status) -> None:
    row = ROW.format("1").replace("22.97E+00", token)
    meter, script, _ = scripted(
        Yokogawa(StepRanges((300.0, 0.5))), [*opening(), data(row), *END]
    )
    meter.open()
    reading = meter.read()
    meter.close()
    script.finish()
    assert math.isnan(reading.values[0])
    assert reading.statuses[0] is status
    assert set(reading.statuses[1:]) == {Status.OK}


def test_energy_is_stale_when_the_integrator_stands_still() -> None:
    lines = [*opening(), data(ROW.format("1")), data(ROW.format("1")), *END]
    meter, script, clock = scripted(Yokogawa(StepRanges((300.0, 0.5))), lines)
    meter.open()
    assert meter.read().statuses[-1] is Status.OK
    clock.now += 3 * SECOND
    reading = meter.read()
    meter.close()
    script.finish()
    assert reading.statuses[-1] is Status.STALE
    assert math.isnan(reading.values[-1])
    assert reading.values[0] == 22.97


@pytest.mark.parametrize("row", ["1,2,3", "1", ROW.format("1") + ",1"])
def test_a_wrong_number_of_values_is_never_given_names(row: str) -> None:
    meter, script, _ = scripted(
        Yokogawa(StepRanges((300.0, 0.5))), [*opening(), data(row), *END]
    )
    meter.open()
    with pytest.raises(SourceError, match="values came where 9 were asked for"):
        meter.read()
    meter.close()
    script.finish()


def test_a_time_out_is_not_asked_again_but_opened_anew() -> None:
    first: list[Line] = [*opening(), (":NUM:NORM:VAL?", TIMEOUT)]
    second = [*opening(), data(ROW.format("1")), *END]
    meter, script, _ = scripted(Yokogawa(StepRanges((300.0, 0.5))), first, second)
    meter.open()
    with pytest.raises(SourceError, match=r"mains \(VISA\): no answer") as caught:
        meter.read()
    assert caught.value.status is Status.TIMEOUT
    meter.open()
    assert meter.read().values[0] == 22.97
    meter.close()
    script.finish()


def test_a_step_begins_with_energy_at_zero() -> None:
    again: list[Line] = [
        *(*halted("STAR", "STOP"), *written(":INTEG:STAR"), (":INTEG:STAT?", "STAR")),
        *(data(ROW.format("0")), data(ROW.format("1")), *END),
    ]
    meter, script, clock = scripted(
        Yokogawa(StepRanges((300.0, 0.5))), [*opening(), *again]
    )
    meter.open()
    meter.begin_step("Idle", under_load=False)
    assert meter.read().statuses[-1] is Status.OK
    assert clock.slept == [0.5, 0.5]
    meter.close()
    script.finish()


@pytest.mark.parametrize("element", ["SIGMA", "1"])
def test_items_may_be_read_back_in_short_form_or_without_the_only_element(
    element: str,
) -> None:
    """As by WT300E with :COMM:VERB 0."""
    lines: list[Line] = []
    for sent, back in opening()[:-1]:
        if sent.startswith(":NUM:NORM:ITEM") and back is None:
            lines.append((sent.replace(",1", f",{element}"), back))
        elif sent.startswith(":NUM:NORM:ITEM"):
            short = str(back).partition(",")[0]
            lines.append((sent, f"{short},SIGM" if element == "SIGMA" else short))
        else:
            lines.append((sent, back))
    lines.append(data(ROW.format("0")))
    ranges_ = StepRanges((300.0, 0.5))
    meter, script, _ = scripted(Yokogawa(ranges_, (element,)), [*lines, *END])
    meter.open()
    meter.close()
    script.finish()


def test_the_sum_of_elements_stands_alone() -> None:
    given = {"resource": "VISA", "element": ["1", "SIGMA"]}
    with pytest.raises(BadInput, match="count them twice"):
        DRIVER.build(DRIVER.settings("mains", given, LocalHost()))
    given["element"] = []
    with pytest.raises(BadInput, match="names none, or one twice"):
        DRIVER.build(DRIVER.settings("mains", given, LocalHost()))


@pytest.mark.parametrize(("refreshes", "waited"), [(3, 1.25), (11, 3.0)])
def test_it_waits_for_values_that_new_ranges_keep_away_but_not_for_ever(
    refreshes: int, waited: float
) -> None:
    missing = data(ROW.format("0").replace("22.97E+00", "NAN"))
    lines = [*opening()[:-1], *[missing] * refreshes]
    lines += [data(ROW.format("0"))] if waited < 3.0 else []
    meter, script, clock = scripted(Yokogawa(StepRanges((300.0, 0.5))), [*lines, *END])
    meter.open()
    meter.close()
    script.finish()
    assert sum(clock.slept) == pytest.approx(waited)


def test_a_step_has_ranges_of_its_own_and_keeps_them_when_it_comes_back() -> None:
    small = [
        (sent.replace("500MA", "200MA"), back and str(back).replace("500", "200"))
        for sent, back in opening()
    ]
    fixes = [
        line for line in small if line[0].startswith(":INP:") and "CF" not in line[0]
    ]
    step: list[Line] = [
        *(*halted("STAR", "STOP"), *fixes, *written(":INTEG:STAR")),
        *((":INTEG:STAT?", "STAR"), data(ROW.format("0")), (":NUM:NORM:VAL?", TIMEOUT)),
    ]
    ranges = StepRanges((300.0, 0.5), {"Standby": (300.0, 0.2)})
    meter, script, _ = scripted(Yokogawa(ranges), [*opening(), *step], [*small, *END])
    meter.open()
    meter.begin_step("Standby", under_load=False)
    with pytest.raises(SourceError):
        meter.read()
    meter.open()
    meter.close()
    script.finish()


@pytest.mark.parametrize(
    "text", ["Standby", "Standby = 300 V", "Standby = 310 V, 1 A", "S = 300 V, 1.2.3 A"]
)
def test_step_ranges_that_are_none(text: str) -> None:
    given = {"resource": "VISA", "step_ranges": [text]}
    with pytest.raises(BadInput, match="step_ranges has") as caught:
        DRIVER.build(DRIVER.settings("mains", given, LocalHost()))
    assert caught.value.where == "step_ranges"


def test_step_ranges_of_a_bench_are_taken() -> None:
    given = {"resource": "VISA", "step_ranges": ["Power on = 300 V, 20 A"]}
    assert DRIVER.build(DRIVER.settings("mains", given, LocalHost())).name == "mains"


def test_a_late_refresh_after_the_start_of_its_integrator_is_no_reset() -> None:
    rows = [data(ROW.format(seconds)) for seconds in ("60", "60", "0", "1")]
    lines = [*opening(row=ROW.format("60")), *rows, *END]
    meter, script, _ = scripted(Yokogawa(StepRanges((300.0, 0.5))), lines)
    meter.open()
    assert [meter.read().statuses[0] for _ in rows] == [Status.OK] * len(rows)
    meter.close()
    script.finish()


def test_a_meter_that_was_reset_is_set_up_anew() -> None:
    first = [*opening(), data(ROW.format("60")), data(ROW.format("2")), *END]
    second = [*opening(), data(ROW.format("1")), *END]
    meter, script, _ = scripted(Yokogawa(StepRanges((300.0, 0.5))), first, second)
    meter.open()
    meter.read()
    with pytest.raises(SourceError, match="it was reset") as caught:
        meter.read()
    assert caught.value.status is Status.ERROR
    meter.close()
    meter.open()
    assert meter.read().values[0] == 22.97
    meter.close()
    script.finish()
