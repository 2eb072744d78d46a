"""Estimates before a start: what is known, what it rests on, never too precise."""

from app.plan.campaign import parse_campaign
from app.plan.estimate import Known, Span, estimate

PLAN = """
name = "x"
[[step]]
label = "Idle"
engine = "idle"
runtime = "1h"
[[step]]
label = "Write"
engine = "fio"
ramp = "10s"
runtime = "90s"
repeat = 2
fio.rw = "write"
[[step]]
label = "Mix"
engine = "fio"
runtime = "100s"
fio.rw = "randrw"
sweep.rwmixread = [95, 0]
"""
CAMPAIGN = parse_campaign(PLAN, "plan.toml")


def test_without_knowledge_nothing_is_made_up() -> None:
    found = estimate(CAMPAIGN, {})
    assert found.duration_s == 3600 + 2 * 100 + 2 * 100
    assert found.duration_basis.startswith("planned runtimes and ramps of 5 steps;")
    assert found.energy.span is None
    assert (found.written.amount, found.energy.amount) == ("unknown", "unknown")
    assert found.written.basis == "read-only steps for 1, no estimate for 4 of 5 steps"
    assert found.energy.basis == "no estimate for 5 of 5 steps"


def test_earlier_sessions_tell_of_the_rows_they_have() -> None:
    earlier = {
        "Idle": Known(None, Span(580, 582), "2 earlier sessions"),
        "Write": Known(Span(2e9, 2e9), Span(700, 700), "1 earlier session"),
    }
    found = estimate(CAMPAIGN, earlier)
    assert found.written.amount == "at least 400 GB"
    assert found.written.basis == (
        "based on read-only steps for 1, 1 earlier session for 2, "
        "no estimate for 2 of 5 steps"
    )
    assert (found.energy.known, found.energy.runs) == (3, 5)
    assert found.energy.span is not None
    assert found.energy.span.low == 580 + 2 * 700 * 100 / 3600
    assert found.energy.amount == "at least 620 Wh"
    assert found.energy.basis.startswith("based on 2 earlier sessions for 1, ")


def test_a_campaign_that_only_reads_writes_nothing() -> None:
    reads = parse_campaign(
        PLAN.replace('"write"', '"read"').split('[[step]]\nlabel = "Mix"')[0],
        "plan.toml",
    )
    written = estimate(reads, {}).written
    assert (written.amount, written.basis) == (
        "none",
        "read-only steps for 3 of 3 steps",
    )


def test_a_loop_has_no_end_of_its_own() -> None:
    endless = parse_campaign(PLAN.replace('name = "x"', 'name = "x"\nloop = true'), "x")
    basis = estimate(endless, {}).duration_basis
    assert "one pass of 5 steps, and they come again until it is stopped" in basis
