"""The table of functions: names, long forms, groups."""

import pytest

from instruments.errors import BadInput
from instruments.power.hmc8015.functions import (
    FUNCTIONS,
    by_token,
    find_function,
    find_functions,
    short_form,
)
from instruments.simulated.meters.acquisition import Acquisition
from instruments.simulated.meters.hmc8015 import Meter

UNITS = {"W", "VA", "var", "V", "A", "Hz", "Wh", "Ah", "s", "%", "deg", ""}


def test_names_are_unique_and_units_known() -> None:
    for names in (
        [function.token for function in FUNCTIONS],
        [function.quantity.lower() for function in FUNCTIONS],
    ):
        assert len(set(names)) == len(names)
    assert {function.unit for function in FUNCTIONS} == UNITS


@pytest.mark.parametrize(
    ("name", "token"),
    [
        ("P", "P"),
        ("lambda", "LAMB"),
        ("LAMBda", "LAMB"),
        ("U", "URMS"),
        ("i_PEAK_max", "IPP"),
        ("IPPeak", "IPP"),
        (" U_thd ", "UTHD"),
        ("I_h3", "IK3"),
        ("pk50", "PK50"),
    ],
)
def test_a_function_goes_by_its_quantity_or_its_token(name: str, token: str) -> None:
    assert find_function(name).token == token


@pytest.mark.parametrize("name", ["watt", "UK51", "U_h0", "", "URAN"])
def test_what_is_no_function_is_said(name: str) -> None:
    with pytest.raises(BadInput, match="there is no function") as caught:
        find_function(name, "extra")
    assert caught.value.where == "extra"
    assert "U_thd" in caught.value.way_out


def test_a_typing_error_is_guessed() -> None:
    with pytest.raises(BadInput, match='did you mean "U_peak_max"'):
        find_function("U_peak_mx")


def test_each_function_comes_once() -> None:
    found = find_functions(["Q", "q", "Q"], "functions")
    assert [function.token for function in found] == ["Q"]


def test_the_simulated_meter_takes_every_function_in_both_forms() -> None:
    meter = Meter(Acquisition())
    for function in FUNCTIONS:
        for form in (function.token, function.long or function.token):
            meter.handle(f"CHAN1:MEAS:FUNC {form}")
            answer = meter.handle("CHAN1:MEAS:FUNC?;:SYST:ERR?")
            assert answer == f'{function.token};0,"No error"'
            assert by_token(form) is function


def test_settings_have_short_forms_too() -> None:
    assert [short_form(t) for t in ("URange", "EMPTY", "EMP", "x")] == [
        *("URAN", "EMPT", "EMPT", "X")
    ]
