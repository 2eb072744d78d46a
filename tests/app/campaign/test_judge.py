"""Judging a step whose disk did not do what its engine says."""

from app.analysis.io_checks import IoFinding
from app.campaign.judge import judge
from app.plan.verdict import Outcome, Verdict
from workloads.base import LoadOutcome, LoadResult

DONE = LoadResult(LoadOutcome.DONE, window=(0, 1))


def test_a_cache_that_answered_makes_a_row_void() -> None:
    io = [IoFinding("a cache answered", True, "cached_read_bytes", 1.0)]
    end = judge(DONE, {}, (), (), io)
    assert (end.outcome, end.verdict) == (Outcome.VOID, Verdict.ERROR)
    assert end.reason == "a cache answered"


def test_foreign_io_is_told_and_not_judged() -> None:
    io = [IoFinding("something else", False, "foreign_read_bytes", 1.0)]
    assert judge(DONE, {}, (), (), io).outcome is Outcome.DONE
