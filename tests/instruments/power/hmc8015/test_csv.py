"""Log files of the meter: facts, columns, times, what is no value."""

import math
from datetime import date

import pytest

from instruments.errors import BadInput
from instruments.power.hmc8015.csv import Log, looks_like_log, parse_log
from instruments.reading import Status

HEAD = """\
#Device;HMC8015
#Date;2026-03-04
#Version;01.403
#Serial No.;034889436
#Start Time;23:59:59
"""
COLUMNS = (
    "URMS[V]; IRMS[A]; P[W]; FU[Hz]; EMPTY; EMPTY; S[VA]; Q[var]; LAMBDA[]; "
    "UTHD[%]; Timestamp\n"
)
ROW = (
    "231.27E+00;45.0E-03;6.63E+00;50.0E+00;nan;nan;10.38E+00; 7.98E+00; 639E-03; 2E+00"
)


def log(*clocks: str, head: str = HEAD, row: str = ROW) -> Log:
    rows = "".join(f"{row}; {clock}\n" for clock in clocks)
    return parse_log(head + COLUMNS + rows, "LOG0.CSV")


def quantities(of: Log) -> list[str]:
    return [column.quantity for column in of.columns]


def test_a_row_as_it_is_known() -> None:
    found = log("04:49:33:000")
    rows = [f"{c.quantity} {c.values[0]:g} {c.unit}" for c in found.columns]
    assert ", ".join(rows) == (
        "U 231.27 V, I 0.045 A, P 6.63 W, f 50 Hz, S 10.38 VA, Q 7.98 var, "
        "lambda 0.639 , U_thd 2 %"
    )
    assert list(found.seconds) == [4 * 3600 + 49 * 60 + 33]
    assert found.facts["Serial No."] == "034889436"
    assert found.facts["Device"] == "HMC8015"


def test_decimal_commas_of_a_spreadsheet_are_read() -> None:
    found = log("04:49:33:000", row=ROW.replace(".", ","))
    assert [c.values[0] for c in found.columns] == [
        c.values[0] for c in log("04:49:33:000").columns
    ]
    with pytest.raises(BadInput, match=r'"1,000\.5" is not a number'):
        log("04:49:33:000", row=ROW.replace("6.63E+00", "1,000.5"))


def test_times_go_on_over_midnight() -> None:
    found = log(
        *("23:59:59:900", "00:00:00:000", "00:00:00:100", "23:59:59:900", "0:00:00:000")
    )
    assert found.day == date(2026, 3, 4)
    midnight = 86_400
    assert found.seconds == pytest.approx(
        (midnight - 0.1, midnight, midnight + 0.1, 2 * midnight - 0.1, 2 * midnight)
    )


def test_a_clock_that_was_set_back_is_no_midnight() -> None:
    with pytest.raises(BadInput, match=r"line 8: the clock was set back"):
        log("03:00:00:000", "02:00:00:000")


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("2026-03-04", date(2026, 3, 4)),
        ("04.03.2026", date(2026, 3, 4)),
        ("04/03/2026", None),  # April or March
        ("2026-13-04", None),
        ("", None),
    ],
)
def test_a_date_is_never_guessed(written: str, day: date | None) -> None:
    assert log("12:00:00:000", head=f"#Date;{written}\n").day == day


def test_what_is_no_value() -> None:
    found = log(
        "1:00:00:000", row=ROW.replace("6.63E+00", "inf").replace("45.0E-03", "nan")
    )
    current, power = found.columns[1], found.columns[2]
    assert math.isnan(current.values[0])
    assert current.statuses == (Status.NAN,)
    assert math.isnan(power.values[0])
    assert power.statuses == (Status.OVERRANGE,)


def test_peaks_ranges_and_a_column_that_comes_twice() -> None:
    head = "URange[V];IRange[A];UPPeak[V];P[W];P[W];LIM1[];Timestamp\n"
    found = parse_log(head + "300;10;325;1;1;0;00:00:00:000\n", "x")
    assert quantities(found) == [*("U_range", "I_range", "U_peak_max", "P", "LIM1")]


def test_no_head_of_facts_is_needed() -> None:
    assert log("1:00:00:000", head="").day is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "line 1: there is no line of columns"),
        (HEAD, "line 1: there is no line of columns"),
        (HEAD + COLUMNS, "it has no rows"),
        ("a,b,c\n1,2,3\n", "line 1: there are no columns that end in Timestamp"),
        (COLUMNS + "1;2\n", "line 2: 2 cells stand where 11 should"),
        (COLUMNS + ROW + "; noon\n", 'line 2: "noon" is not a time of day'),
        (
            COLUMNS + ROW.replace("2E+00", "x") + "; 1:00:00:000\n",
            '"x" is not a number',
        ),
        ("P[kW];Timestamp\n1;1:00:00:000\n", "P is in kW, and not in W"),
        ("P W;Timestamp\n1;1:00:00:000\n", '"P W" is not a column'),
    ],
)
def test_what_is_no_log_says_where(text: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence) as caught:
        parse_log(text, "LOG0.CSV")
    assert caught.value.where.startswith("LOG0.CSV, line ")


def test_files_are_known_by_their_columns() -> None:
    assert looks_like_log(HEAD + COLUMNS)
    assert not looks_like_log("time;P[W]\n")
    assert not looks_like_log("A;B;Timestamp\n1;2;3\n")


def test_a_torn_last_row_loses_only_itself() -> None:
    text = HEAD + COLUMNS + f"{ROW};01:00:00:000\n{ROW};01:00:00:100\n{ROW[:40]}"
    with pytest.raises(BadInput, match="line 9: 5 cells stand where 11 should"):
        parse_log(text, "LOG0.CSV")
    found = parse_log(text, "LOG0.CSV", keep_rest=True)
    assert list(found.seconds) == [3600.0, 3600.1]
    assert found.left_out == ("line 9 is excluded, 5 cells stand where 11 should",)


def test_a_row_that_comes_twice_counts_once() -> None:
    clocks = ("23:59:59:900", "00:00:00:000", "00:00:00:000", "00:00:00:100")
    with pytest.raises(BadInput, match="line 9: its time is that of the row before"):
        log(*clocks)
    text = HEAD + COLUMNS + "".join(f"{ROW};{clock}\n" for clock in clocks)
    found = parse_log(text, "LOG0.CSV", keep_rest=True)
    assert list(found.seconds) == [86_399.9, 86_400.0, 86_400.1]
    assert len(found.left_out) == 1


def test_rows_of_which_nothing_is_whole_are_no_log() -> None:
    with pytest.raises(BadInput, match="it has no rows"):
        parse_log(HEAD + COLUMNS + "1;2\n", "LOG0.CSV", keep_rest=True)


@pytest.mark.parametrize(
    ("second", "why"),
    [
        (HEAD + COLUMNS + ROW + ";02:00:00:000\n", "another log begins here"),
        (ROW + ";00:59:00:000\n", "the clock was set back in the log"),
    ],
)
def test_what_cannot_be_placed_in_time_is_left_out(second: str, why: str) -> None:
    text = HEAD + COLUMNS + ROW + ";01:00:00:000\n" + second
    with pytest.raises(BadInput, match=f"{why}. Split the file there"):
        parse_log(text, "LOG0.CSV")
    found = parse_log(text, "LOG0.CSV", keep_rest=True)
    assert list(found.seconds) == [3600.0]
    (told,) = found.left_out
    assert told.startswith("from line ")
    assert told.endswith(f" on it is excluded, {why}")
