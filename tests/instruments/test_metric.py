"""The one table of metrics."""

from app.plan.limits import parse_limit
from instruments.metric import BY_DIRECTION, BY_NAME, METRICS, RESULT_NAMES


def test_every_name_and_head_is_there_once() -> None:
    assert len(BY_NAME) == len(METRICS)
    assert len({metric.head for metric in METRICS}) == len(METRICS)


def test_reads_writes_and_all_have_the_same_columns_in_one_order() -> None:
    heads = [[one.short for one in own] for own in BY_DIRECTION.values()]
    assert heads[0] == heads[1] == heads[2]
    assert {one for own in BY_DIRECTION.values() for one in own} <= set(METRICS)


def test_every_stored_result_can_be_limited() -> None:
    for name in RESULT_NAMES:
        assert parse_limit(f"{name} <= 1").result == name
    assert {"latency_p50_ms", "read_p99_9_ms", "write_p99_99_ms"} <= set(RESULT_NAMES)
