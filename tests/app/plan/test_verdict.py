from app.plan.verdict import Verdict, worst


def test_the_worst_verdict_is_the_one_of_the_whole() -> None:
    assert worst([]) is Verdict.PASS
    assert worst([Verdict.PASS, Verdict.FAIL]) is Verdict.FAIL
    assert worst([Verdict.FAIL, Verdict.ERROR]) is Verdict.ERROR
    assert worst([Verdict.ERROR, Verdict.ABORTED, Verdict.PASS]) is Verdict.ABORTED


def test_exit_codes_are_the_documented_ones() -> None:
    assert [v.exit_code for v in Verdict] == [0, 1, 3, 4]
