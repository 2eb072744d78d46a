"""WARP's result files: aggregated, every request, cut off, and strange ones."""

import json

import pytest
import zstandard

from workloads.warp.csv import read_csv
from workloads.warp.output import WarpDataError, read_json, unpack, wall_ns

HEAD = (
    "idx\tthread\top\tclient_id\tn_objects\tbytes\tendpoint\tfile\terror\tstart\t"
    "first_byte\tend\tduration_ns\tcat\n"
)


def row(second: int, op: str = "GET", error: str = "") -> str:
    start = f"2026-01-02T03:04:{second:02}.123456789Z"
    end = f"2026-01-02T03:04:{second:02}.623456789Z"
    cells = ["0", "1", op, "c1", "1", "1000000", "http://x", "f", error]
    return "\t".join([*cells, start, "", end, "500000000", "0"]) + "\n"


def test_every_request_counts_that_ends_in_the_window() -> None:
    text = HEAD + "".join(row(second) for second in range(10)) + row(9, "PUT")
    found = read_csv(text.encode() + b"# warp get --access-key=*REDACTED*\n")
    assert found.by_op["GET"].requests == 10
    assert found.by_op["GET"].mean_ms == 500
    assert found.by_op["GET"].bytes_s == pytest.approx(1e7 / 9.5)
    assert found.end_ns - found.start_ns == 9_500_000_000
    assert (found.clients, found.final, found.latencies_ms[99.0]) == (
        ("c1",),
        True,
        500,
    )
    late = read_csv(text.encode(), ramp_ns=5_000_000_000)
    assert late.by_op["GET"].requests == 5
    assert late.by_op["GET"].objects_s == pytest.approx(5 / 4.5)


def test_an_error_may_have_quotes_and_lines_of_its_own() -> None:
    told = '"Access Denied: ""x""\nsecond line\twith a tab"'
    found = read_csv((HEAD + row(1) + row(2, error=told)).encode())
    assert found.errors == 1
    assert found.first_errors == ('Access Denied: "x"\nsecond line\twith a tab',)
    assert found.by_op["GET"].requests == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "does not begin with WARP's columns"),
        ("a,b\n1,2\n", "does not begin with WARP's columns"),
        (HEAD, "has no requests"),
        (HEAD + row(1) + "3\t1\tGE", "its last line is cut off"),
        (
            HEAD + row(1).replace("500000000", "soon"),
            "line 2: .soon. is not a whole number",
        ),
    ],
)
def test_a_strange_table_is_refused(text: str, expected: str) -> None:
    with pytest.raises(WarpDataError, match=expected):
        read_csv(text.encode())


@pytest.mark.parametrize("text", ["{}", "[]", '{"total": {}}', "nothing", "null"])
def test_a_strange_document_is_refused(text: str) -> None:
    with pytest.raises(WarpDataError):
        read_json(text.encode())


def test_a_file_that_is_cut_off_is_not_taken_for_whole() -> None:
    raw = zstandard.ZstdCompressor().compress(json.dumps(list(range(9999))).encode())
    assert json.loads(unpack(raw)) == list(range(9999))
    for cut in (raw[:-4], raw[:20], raw + raw[:-4]):
        with pytest.raises(WarpDataError):
            unpack(cut)
    with pytest.raises(WarpDataError):
        unpack(b"no such file")


@pytest.mark.parametrize(
    ("text", "seconds", "nanos"),
    [
        ("2026-01-02T03:04:05Z", 1767323045, 0),
        ("2026-01-02T03:04:05.5Z", 1767323045, 500_000_000),
        ("2026-01-02T04:04:05.123456789+01:00", 1767323045, 123_456_789),
    ],
)
def test_times_of_go(text: str, seconds: int, nanos: int) -> None:
    assert wall_ns(text) == seconds * 1_000_000_000 + nanos


def test_a_time_without_a_zone_is_none() -> None:
    with pytest.raises(ValueError, match="without a zone"):
        wall_ns("2026-01-02T03:04:05")
