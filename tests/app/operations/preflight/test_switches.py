"""The pre-flight of switches: a simulated one that answers, and one that does not."""

from app.bench.file import parse_bench
from app.operations.bench.switch_check import check_switches, switches_text
from app.operations.preflight.finding import Level
from app.operations.preflight.sources import check_switches_used
from app.plan.campaign import parse_campaign
from tests.app.operations.preflight.test_phases import BENCH

SILENT = """
[[switch]]
name = "silent"
driver = "simulated"
address = "127.0.0.1:9"
"""
START = """
name = "K"
[[step]]
label = "Cold start"
engine = "startup"
runtime = "5s"
[step.startup]
switch = "{switch}"
"""


def test_a_simulated_switch_answers_and_what_is_used_has_to() -> None:
    checks = check_switches(parse_bench(BENCH + SILENT, "bench.toml"))
    assert [check.ok for check in checks] == [True, False]
    assert "OK, on" in switches_text(checks)
    other, used = (
        check_switches_used(checks, parse_campaign(START.format(switch=one), "k.toml"))
        for one in ("pdu", "silent")
    )
    assert [one.level for one in other] == [Level.OK, Level.WARN]
    assert [one.level for one in used] == [Level.OK, Level.STOP]
    assert other[0].text == "pdu answers, on"
    assert used[1].text.startswith('"Cold start" switches by silent: ')
