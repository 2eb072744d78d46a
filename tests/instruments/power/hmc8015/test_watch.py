"""Which values are marked as none, reading by reading."""

import math

import pytest

from instruments.power.hmc8015.session import Watch
from instruments.power.scpi_values import parse_value
from instruments.reading import SECOND, Status

TENTH = SECOND // 10


class Row:
    """A watch that is shown values by token."""

    def __init__(self, crest_factor: float = 3.0) -> None:
        self.watch = Watch((300.0, 10.0), crest_factor)
        self.watch.integrator_started(0)
        self.now = 0

    def see(self, after_ns: int = TENTH, /, **tokens: str) -> dict[str, Status]:
        self.now += after_ns
        parsed = {name: parse_value(text, "") for name, text in tokens.items()}
        judged = self.watch.judge(",".join(tokens.values()), parsed, self.now)
        for value, status in judged.values():
            assert math.isnan(value) is not status.is_value
        return {name: status for name, (_, status) in judged.items()}


def test_a_peak_at_the_crest_factor_is_clipped() -> None:
    row = Row()
    values = {"P": "1", "URMS": "2", "IRMS": "3", "FU": "50", "WH": "1", "IPP": "29.9"}
    assert set(row.see(**values).values()) == {Status.OK}
    seen = row.see(**(values | {"IPP": "30"}))
    assert [name for name, s in seen.items() if s is Status.OVERRANGE] == [
        *("P", "IRMS", "IPP")
    ]
    assert seen["WH"] is Status.WARN
    # What was cut off stays missing in the energy, until it begins anew.
    assert row.see(**values)["WH"] is Status.WARN
    row.watch.integrator_started(row.now)
    assert row.see(**(values | {"P": "2"}))["WH"] is Status.OK


def test_a_negative_peak_of_the_voltage_is_clipped_too() -> None:
    seen = Row().see(P="1", URMS="2", IRMS="3", UPP="300", UMP="-900")
    assert [s.value for s in seen.values()] == [
        *("overrange", "overrange", "ok", "overrange", "overrange")
    ]


def test_crest_factor_six_holds_twice_the_peak() -> None:
    assert Row(6.0).see(IRMS="3", IPP="59")["IRMS"] is Status.OK
    assert Row(6.0).see(IRMS="3", IPP="60")["IRMS"] is Status.OVERRANGE


def test_an_rms_value_above_its_range_is_none() -> None:
    values = {"P": "500", "URMS": "230", "IRMS": "10.4", "IPP": "15", "UPP": "325"}
    assert set(Row().see(**values).values()) == {Status.OK}
    seen = Row().see(**(values | {"IRMS": "13"}))
    assert [s.value for s in seen.values()] == [
        *("overrange", "ok", "overrange", "overrange", "ok")
    ]


def test_polling_faster_than_the_refresh_marks_repeats() -> None:
    row = Row()
    half = TENTH // 2
    rows = ("580.2 1.0", "580.2 1.0", "580.9 1.1", "580.9 1.1", "580.9 1.2")
    seen = []
    for text in rows:
        power, seconds = text.split()
        seen.append(row.see(half, P=power, TIME=seconds)["P"].value)
    assert seen == ["ok", "stale", "ok", "stale", "ok"]


def test_the_same_value_a_refresh_later_is_a_measurement() -> None:
    row = Row()
    seen = [row.see(P="580.2")["P"] for _ in range(5)]
    assert seen == [Status.OK] * 5


def test_values_that_stand_still_are_stale_after_three_seconds() -> None:
    row = Row()
    seen = [
        row.see(P="580.2", URMS="230.1", TIME=f"{n / 10}")["P"] for n in range(1, 50)
    ]
    first = seen.index(Status.STALE)
    assert first == 31
    assert set(seen[first:]) == {Status.STALE}
    assert row.see(P="580.3", URMS="230.1", TIME="9")["P"] is Status.OK


def test_a_meter_without_input_is_not_frozen() -> None:
    row = Row()
    seen = [row.see(P="0E+00", URMS="0E+00", LAMB="NAN") for _ in range(50)]
    assert {each["P"] for each in seen} == {Status.OK}
    assert {each["LAMB"] for each in seen} == {Status.NAN}


def test_slow_polling_is_frozen_after_five_readings() -> None:
    row = Row()
    seen = [row.see(60 * SECOND, P="580.2")["P"] for _ in range(6)]
    assert seen == [Status.OK] * 4 + [Status.STALE] * 2


def test_energy_is_stale_when_the_integrator_stands_still() -> None:
    row = Row()
    powers = iter(range(100))

    def see(seconds: str) -> dict[str, Status]:
        return row.see(SECOND, P=f"{next(powers)}", WH="1", AH="2", TIME=seconds)

    for seconds in ("1", "2", "2", "2"):
        assert set(see(seconds).values()) == {Status.OK}
    stopped = see("2")
    assert stopped["P"] is Status.OK
    assert {stopped[name] for name in ("WH", "AH", "TIME")} == {Status.STALE}
    assert see("3")["WH"] is Status.OK


@pytest.mark.parametrize("token", ["NAN", "INF"])
def test_what_is_no_value_keeps_its_own_reason_when_repeated(token: str) -> None:
    row = Row()
    first = row.see(P=token, URMS="230")
    again = row.see(1000, P=token, URMS="230")
    assert again["P"] is first["P"]
    assert again["URMS"] is Status.STALE


def test_a_refresh_that_is_late_is_no_second_value_when_asked_at_20_hz() -> None:
    parsed = {"P": (580.0, Status.OK), "URMS": (230.1, Status.OK)}
    found = []
    watch = Watch((300.0, 10.0), 3.0, oversampled=True)
    for n, answer in enumerate(("a", "a", "a", "b", "b", "c")):
        judged = watch.judge(answer, parsed, n * SECOND // 20)
        found.append(judged["P"][1])
    assert found == [
        *(Status.OK, Status.STALE, Status.STALE),
        *(Status.OK, Status.STALE, Status.OK),
    ]
