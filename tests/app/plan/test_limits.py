import pytest

from app.plan.limits import parse_limit


def test_a_kept_limit_says_nothing() -> None:
    assert parse_limit("power_w <= 800").broken_by({"power_w": 800.0}) == ""


def test_a_broken_limit_says_how() -> None:
    text = parse_limit("drive_max_c < 60").broken_by({"drive_max_c": 61.5})
    assert text == "drive_max_c is 61.5, the limit is drive_max_c < 60"


def test_what_was_not_measured_cannot_be_judged() -> None:
    limit = parse_limit("iops > 5000000")
    assert str(limit) == "iops > 5000000"
    assert not limit.can_judge({"iops": None})
    assert limit.broken_by({"iops": None}) == ""
    assert limit.can_judge({"iops": 1.0})


@pytest.mark.parametrize("text", ["power_w", "power_w = 3", "watts <= 3", "iops > x"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Expected"):
        parse_limit(text)
