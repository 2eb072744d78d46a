"""Histograms of imported rows, merged over the jobs and hosts of their files."""

import json
from collections import Counter
from pathlib import Path

import pytest

from app.analysis.latency import histogram_of
from app.cli.main import run
from app.operations.sessions.histograms import histograms_json, histograms_text
from app.operations.sessions.import_files import import_files
from app.record.imports.answers import parse_answers
from app.record.store import Session
from app.report.figures.of_session import report_figures
from instruments.errors import BadInput
from instruments.metric import PERCENTILES, percentile_name
from tests.app.record.imports.results import DATA, run_fio


def imported(folder: Path, *paths: Path) -> Path:
    answers = parse_answers(zone="UTC", day="2020-03-04", offsets=("0",))
    return import_files(paths, folder / "out", answers).session


def test_the_buckets_of_all_jobs_add_up(tmp_path: Path) -> None:
    path = run_fio(tmp_path, "--numjobs=3", "--rw=randrw")
    jobs = json.loads(path.read_text())["jobs"]
    expected = {
        way: sum((Counter(job[way]["clat_ns"]["bins"]) for job in jobs), Counter())
        for way in ("read", "write")
    }
    session = imported(tmp_path, path)
    [(label, told)] = histograms_json(session, "")["steps"].items()
    for way, words in (("read", "reads"), ("write", "writes")):
        found = {str(one["ns"]): one[words] for one in told["buckets"] if one[words]}
        assert found == dict(expected[way])
    with Session.open(session) as one:
        [step] = one.steps()
        stored = {result.name: result.value for result in one.results(step.id)}
        figures = [figure.title for figure in report_figures(one)]
    for of, values in told["percentiles_ms"].items():
        names = [percentile_name(of, percent) for percent in PERCENTILES]
        assert [*values.values()] == [stored[name] for name in names]
    assert figures == [f"Latency: {label}"]
    count = sum(job[way]["total_ios"] for job in jobs for way in expected)
    assert f"{label}: completion latency of {count} I/Os" in histograms_text(
        session, ""
    )
    assert run(["histogram", str(session), label, "--csv"]) == 0


def test_hosts_of_a_client_are_merged(tmp_path: Path) -> None:
    text = (DATA / "fio-3.33-client.json").read_text()
    document = json.loads(text)
    for entry in document["client_stats"]:
        entry["read"]["clat_ns"]["bins"] = {"1000": entry["read"]["total_ios"]}
    path = tmp_path / "client.json"
    path.write_text(json.dumps(document, indent=2))
    [told] = histograms_json(imported(tmp_path, path), "")["steps"].values()
    last = document["client_stats"][-2:]
    count = sum(entry["read"]["total_ios"] for entry in last)
    assert told["buckets"] == [{"ns": 1000, "reads": count, "writes": 0}]
    assert told["outputs"] == 2


@pytest.mark.parametrize(
    "options",
    [
        ["--output-format=json"],
        ["--lat_percentiles=1", "--clat_percentiles=0"],
        ["--rw=randrw", "--unified_rw_reporting=1"],
    ],
)
def test_what_is_no_histogram_of_completions_is_none(
    tmp_path: Path, options: list[str]
) -> None:
    session = imported(tmp_path, run_fio(tmp_path, *options))
    with pytest.raises(BadInput, match=r"json\+"):
        histograms_json(session, "")
    with Session.open(session) as one:
        [step] = one.steps()
        assert histogram_of(one, step) is None
