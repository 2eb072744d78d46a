"""What is said of a source: calibration and its age, password, host, poll time."""

import math
from dataclasses import replace
from datetime import date

import pytest

from app.bench.file import default_bench, parse_bench
from app.operations.bench.check import SourceCheck
from app.ui.bench.source_detail import facts_of
from app.ui.bench.source_list import SourceLine, state_of
from instruments.reading import Channel, Status

BMC = """
name = "Lab"
[dut]
name = "Server"
target = "/tmp/none.dat"
size = "16m"
[[host]]
name = "head"
driver = "local"
[[thermal]]
name = "bmc"
driver = "ipmi"
address = "192.0.2.9"
user = "lab"
host = "head"
measures = "server"
"""


@pytest.mark.parametrize(
    ("day", "said", "token"),
    [
        (date(2026, 3, 31), "2026-03-31, 1 day ago", "text"),
        (date(2025, 3, 31), "366 days ago: overdue by 1 day", "warn"),
        (date(2026, 4, 2), "in the future", "warn"),
        (None, "not set", "muted"),
    ],
)
def test_the_age_of_a_calibration(day: date | None, said: str, token: str) -> None:
    config = replace(default_bench().sources[0], calibrated=day)
    facts = {f[0]: f[1:] for f in facts_of(SourceLine(config), date(2026, 4, 1))}
    assert said in facts["Calibrated"][0]
    assert facts["Calibrated"][1] == token


@pytest.mark.parametrize(
    ("password", "said", "token"),
    [("known", "stored", "text"), ("missing", "BAYSCOPE_PASSWORD_BMC", "warn")],
)
def test_a_password_is_told_of_but_never_shown(
    password: str, said: str, token: str
) -> None:
    config = parse_bench(BMC, "lab.toml").sources[1]
    check = SourceCheck("bmc", "thermal", "ipmi", "192.0.2.9", password=password)
    facts = {f[0]: f[1:] for f in facts_of(SourceLine(config, "lost", check))}
    assert said in facts["Password"][0]
    assert facts["Password"][1] == token
    assert facts["Tools run on"][0] == "head"
    assert facts["Measures"][0] == "server"
    assert "needed" in {f[0]: f[1] for f in facts_of(SourceLine(config))}["Password"]


def test_how_long_a_reading_took() -> None:
    config = default_bench().sources[0]
    check = SourceCheck("mains", "power", "hmc8015", "", poll_s=0.012)
    facts = {f[0]: f[1] for f in facts_of(SourceLine(config, "ok", check))}
    assert facts["One reading took"] == "12 ms"
    quick = SourceLine(config, "ok", replace(check, poll_s=1e-4))
    assert ("One reading took", "less than 1 ms", "text") in facts_of(quick)


def test_what_the_bench_leaves_out_is_said() -> None:
    [source, *_] = default_bench().sources
    line = SourceLine(replace(source, ignore=("fan.fan3", "temperature.slot07")))
    assert ("Excluded", "fan.fan3, temperature.slot07", "text") in facts_of(line)


def test_a_source_that_warns_or_lacks_something_is_no_good_one() -> None:
    def of(*values: tuple[str, float, Status]) -> SourceCheck:
        seen = tuple(
            (Channel("d", "temperature", "degC", place), value, status)
            for place, value, status in values
        )
        return SourceCheck("d", "thermal", "smart", "", values=seen)

    good, hot = ("a", 30.0, Status.OK), ("b", 91.0, Status.CRIT)
    dead = ("c", math.nan, Status.ERROR)
    assert state_of(of(good)) == "ok"
    assert state_of(of(good, dead)) == "partly"
    assert state_of(of(good, hot, dead)) == "warns"
    assert state_of(replace(of(good), overdue_days=1)) == "overdue"
    config = default_bench().sources[0]
    line = SourceLine(config, "warns", of(good, hot))
    assert line.reading == "b 91.0 °C (crit) and 1 more"


def test_a_rate_of_errors_is_named_and_is_no_iops() -> None:
    errors = Channel("sas", "invalid_dwords", "1/s", "expander-0-0")
    check = SourceCheck("sas", "thermal", "sas", "", values=((errors, 0.0, Status.OK),))
    line = SourceLine(default_bench().sources[0], "ok", check)
    assert line.reading == "expander-0-0 invalid_dwords 0.00 /s"
