"""What each engine resulted in, computed again from what the session keeps of it."""

import json
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest

from app.analysis.again.verify import Agreement, Verified, verify
from app.operations.run.run import run_campaign
from app.record.store import Session
from tests.app.operations.benches import bench, campaign
from tests.app.operations.buckets import know_keys
from tests.app.operations.buckets import steps as warp_steps
from tests.app.operations.test_run_engines import STEPS
from tests.workloads.engine_bench import use_standin
from workloads.kept import COUNTS

MORE = """
[[step]]
label = "Copy with an end"
engine = "copy"
runtime = "1s"
rampdown = "200ms"
[step.copy]
passes = 0
"""

REPEATED = """
name = "Repeated"
[[step]]
label = "Idle"
engine = "idle"
runtime = "1s"
limits = [LIMITS]
[step.repeats]
of = "power_w"
within = "0.0001%"
least = 2
most = 3
"""


def verified(path: Path) -> list[Verified]:
    with Session.open(path) as session:
        return verify(session)


def check(found: list[Verified], *names: str) -> None:
    """All of it comes out again, and these are among it."""
    odd = [(one.step.label, one.name, one.agreement, one.values) for one in found]
    assert [one for one in odd if one[2] is not Agreement.SAME] == []
    assert {*names} <= {one.name for one in found}


def test_vdbench_iozone_and_copies_come_out_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_standin(monkeypatch, tmp_path, "vdbench")
    use_standin(monkeypatch, tmp_path, "iozone")
    result = run_campaign(campaign(STEPS + MORE), bench(tmp_path), tmp_path / "out")
    found = verified(result.session)
    check(found)
    names = {(one.step.engine, one.name) for one in found}
    assert {
        ("vdbench", "read_latency_ms"),
        ("vdbench", "engine_write_bytes"),
        ("iozone", "bandwidth_mb_s"),
        ("copy", "fsync_s"),
        ("copy", "write_calls_mb_s"),
    } <= names


def test_warp_comes_out_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, s3: str
) -> None:
    use_standin(monkeypatch, tmp_path, "warp")
    know_keys(monkeypatch)
    plan = campaign(warp_steps(s3, "verified"))
    result = run_campaign(plan, bench(tmp_path), tmp_path / "out")
    check(verified(result.session), "iops", "bandwidth_mb_s", "errors")


def test_the_mean_of_repeats_and_near_limits_come_out_again(tmp_path: Path) -> None:
    # Of so many some lie within the error of any mean, also of the last row.
    limits = ", ".join(f'"power_w <= {watts}"' for watts in range(300, 1500, 3))
    plan = campaign(REPEATED.replace("LIMITS", limits))
    result = run_campaign(plan, bench(tmp_path), tmp_path / "out")
    made = ("repeats_mean", "repeats_half_width", "limits_within_error")
    found = [one for one in verified(result.session) if one.name in made]
    check(found, *made)
    assert "Idle (3)" in {one.step.label for one in found if one.name == made[2]}


@pytest.mark.slow
def test_counts_that_are_damaged_or_not_kept_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_standin(monkeypatch, tmp_path, "vdbench")
    use_standin(monkeypatch, tmp_path, "iozone")
    path = run_campaign(campaign(STEPS), bench(tmp_path), tmp_path / "out").session
    hostile = [{}, {"device": 1}, [1], {"direct": True, "reads": "x"}]
    for text in [json.dumps(one).encode() for one in hostile] + [b"{"]:
        with closing(sqlite3.connect(path)) as connection:
            sql = "UPDATE artefact SET content = ?, size = ? WHERE name = ?"
            values = zlib.compress(text), len(text), COUNTS
            assert connection.execute(sql, values).rowcount == 2
            connection.commit()
        told = {one.agreement for one in verified(path) if one.step.engine == "copy"}
        assert told == {Agreement.DAMAGED}
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM artefact WHERE name = ?", (COUNTS,))
        connection.commit()
    of_copy = [one for one in verified(path) if one.step.engine == "copy"]
    lacking = [one for one in of_copy if one.agreement is Agreement.NOT_KEPT]
    assert "bandwidth_mb_s" in {one.name for one in lacking}
    assert all(one.lacks for one in lacking)
