"""Estimates before a start: what is known, what it rests on, never too precise."""

from app.plan.campaign import parse_campaign
from app.plan.estimate import Known, Span, base_label, estimate, write_share

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
    found = estimate(CAMPAIGN)
    assert found.duration_s == 3600 + 2 * 100 + 2 * 100
    assert found.energy.span is None
    told = str(found).splitlines()
    assert told[0].startswith(
        "duration: 1h6m40s (planned runtimes and ramps of 5 runs;"
    )
    assert told[1] == (
        "written: unknown (steps that only read for 1, nothing is known of 4 of 5 runs)"
    )
    assert told[2] == "energy: unknown (nothing is known of 5 of 5 runs)"


def test_a_guess_counts_with_the_share_that_is_written() -> None:
    guess = Known(Span(100e6, 400e6), Span(500, 800))
    found = estimate(CAMPAIGN, guess=guess)
    assert found.written.span is not None
    # 200 s of writing, 5 s of a mixture with 95 % reads, 100 s of one without.
    assert found.written.span.low == 100e6 * 305.0
    assert str(found.written) == (
        "about 30 GB to 120 GB (steps that only read for 1, a guess for 4 of 5 runs)"
    )
    assert str(found.energy) == "about 560 Wh to 890 Wh (a guess for 5 of 5 runs)"


def test_earlier_sessions_go_before_a_guess() -> None:
    earlier = {
        "Idle": Known(None, Span(580, 582), "2 earlier sessions"),
        "Write": Known(Span(2e9, 2e9), Span(700, 700), "1 earlier session"),
    }
    found = estimate(CAMPAIGN, earlier)
    assert str(found.written) == (
        "at least 400 GB (steps that only read for 1, 1 earlier session for 2, "
        "nothing is known of 2 of 5 runs)"
    )
    assert (found.energy.known, found.energy.runs) == (3, 5)
    assert found.energy.span is not None
    assert found.energy.span.low == 580 + 2 * 700 * 100 / 3600
    assert str(found.energy).startswith("at least 620 Wh (2 earlier sessions for 1, ")


def test_a_campaign_that_only_reads_writes_nothing() -> None:
    reads = parse_campaign(
        PLAN.replace('"write"', '"read"').split('[[step]]\nlabel = "Mix"')[0],
        "plan.toml",
    )
    told = str(estimate(reads).written)
    assert told == "none (steps that only read for 3 of 3 runs)"


def test_shares_and_labels() -> None:
    shares = [write_share(step) for _, step in CAMPAIGN.runs]
    assert [round(share or 0, 2) for share in shares] == [0, 1, 1, 0.05, 1]
    assert base_label("Random read 4k QD8 (2/3)") == "Random read 4k QD8"
    assert base_label("Random read 4k (4)") == "Random read 4k"
    assert base_label("Mixed (4k/64k)") == "Mixed (4k/64k)"


def test_a_loop_has_no_end_of_its_own() -> None:
    endless = parse_campaign(PLAN.replace('name = "x"', 'name = "x"\nloop = true'), "x")
    told = str(estimate(endless)).splitlines()[0]
    assert "one pass of 5 runs, and they come again until it is stopped" in told
