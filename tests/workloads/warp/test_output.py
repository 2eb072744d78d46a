"""WARP's result files: aggregated, every request, cut off, and strange ones."""

import json

import pytest
import zstandard

from workloads.warp.csv import read_csv
from workloads.warp.output import WarpDataError, cut_short, read_json, unpack, wall_ns

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
    # Its only thread begins its last requests at 9 s.
    assert found.by_op["GET"].requests == 9
    assert found.by_op["GET"].mean_ms == 500
    assert found.by_op["GET"].bytes_s == pytest.approx(1e6)
    assert found.end_ns - found.start_ns == 9_000_000_000
    assert (found.clients, found.final, found.latencies_ms[99.0]) == (
        ("c1",),
        True,
        500,
    )
    late = read_csv(text.encode(), ramp_ns=5_000_000_000)
    assert late.by_op["GET"].requests == 4
    assert late.by_op["GET"].objects_s == pytest.approx(4 / 4)


def test_what_ends_after_a_thread_has_begun_its_last_request_does_not_count() -> None:
    """Two threads make 2 requests a second for 10 s; one waits 40 s for its last."""
    rows = [
        row(n).replace("\t1\tGET", f"\t{t}\tGET") for n in range(10) for t in (1, 2)
    ]
    slow = row(10).replace("04:10.623", "04:50.623").replace("500000000", "40500000000")
    found = read_csv((HEAD + "".join(rows) + slow).encode())
    assert found.by_op["GET"].objects_s == pytest.approx(2)
    assert found.latencies_ms[100.0] == 500


@pytest.mark.parametrize(("ends_at", "covered"), [(10, 9 / 19), (19, 18 / 19)])
def test_a_thread_that_ends_early_is_told_of(ends_at: int, covered: float) -> None:
    rows = [row(n) for n in range(20)]
    rows += [row(n).replace("\t1\tGET", "\t2\tGET") for n in range(ends_at)]
    found = read_csv((HEAD + "".join(rows)).encode())
    # The window is WARP's own all the same.
    assert found.end_ns - found.start_ns == (ends_at - 1) * 1_000_000_000
    assert found.covered == pytest.approx(covered)
    assert bool(cut_short(found)) is (covered < 0.9)
    late = read_csv((HEAD + "".join(rows)).encode(), ramp_ns=5_000_000_000)
    assert late.covered == pytest.approx((ends_at - 6) / 14)


def test_requests_of_which_no_thread_begins_two_count_to_their_end() -> None:
    found = read_csv((HEAD + row(1) + row(1).replace("\t1\tGET", "\t2\tGET")).encode())
    assert found.by_op["GET"].requests == 2
    assert found.end_ns - found.start_ns == 500_000_000


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
