import pytest

from app.plan.limits import Limit, Rule, parse_limit


def test_a_kept_limit_says_nothing() -> None:
    assert parse_limit("power_w <= 800").broken_by({"power_w": 800.0}) == ""


def test_a_broken_limit_says_how() -> None:
    text = parse_limit("drive_max_c < 60").broken_by({"drive_max_c": 61.5})
    assert text == "drive_max_c is 61.5, the limit is drive_max_c < 60"


def test_what_was_not_measured_cannot_be_judged() -> None:
    limit = parse_limit("iops > 5000000")
    assert str(limit) == "iops > 5000000"
    assert limit.unjudged_by({"iops": None})
    assert limit.broken_by({"iops": None}) == ""
    assert limit.unjudged_by({"iops": 1.0}) == ""


@pytest.mark.parametrize(
    ("text", "watts", "kept", "is_near"),
    [
        # +- 2.5 W: kept with the rules simple, guarded acceptance, guarded rejection.
        ("power_w <= 400", 397.0, (True, True, True), False),
        ("power_w <= 400", 398.0, (True, False, True), True),
        ("power_w < 400", 402.0, (False, False, True), True),
        ("power_w <= 400", 403.0, (False, False, False), False),
        ("power_w >= 400", 403.0, (True, True, True), False),
        ("power_w > 400", 401.0, (True, False, True), True),
        ("power_w >= 400", 398.0, (False, False, True), True),
        ("power_w >= 400", 397.0, (False, False, False), False),
    ],
)
def test_a_guard_band_is_the_error_of_the_meter(
    text: str, watts: float, kept: tuple[bool, ...], is_near: bool
) -> None:
    found = {"power_w": watts, "power_error_w": 2.5}
    limits = [parse_limit(text, rule) for rule in Rule]
    assert tuple(not limit.broken_by(found) for limit in limits) == kept
    assert {bool(limit.near(found)) for limit in limits} == {is_near}


def test_a_guard_band_needs_an_error_where_a_meter_told_the_value() -> None:
    alone = {"power_w": 300.0, "iops": 5.0, "lambda": 0.9, "energy_wh": 1.0}
    blind = [
        name
        for name in alone
        if parse_limit(f"{name} >= 0", Rule.ACCEPTANCE).unjudged_by(alone)
    ]
    assert blind == ["power_w", "lambda", "energy_wh"]
    assert not any(parse_limit(f"{name} >= 0").unjudged_by(alone) for name in alone)


@pytest.mark.parametrize("text", ["power_w", "power_w = 3", "watts <= 3", "iops > x"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Expected"):
        parse_limit(text)


@pytest.mark.parametrize("value", [1e-6, -2.5e-5, 3e17, 0.25])
def test_a_limit_that_was_written_is_read_again(value: float) -> None:
    limit = Limit("latency_mean_ms", "<=", value)
    assert parse_limit(str(limit)) == limit
