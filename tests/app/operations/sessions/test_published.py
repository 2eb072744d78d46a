"""Figures of published reports stand beside own sessions, and say what they are."""

import csv
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from app.__main__ import main
from app.operations.sessions.compare import compare_sessions
from app.operations.sessions.comparison_text import comparison_text
from app.operations.sessions.export import export_sessions
from app.operations.sessions.figure import figure_of
from app.operations.sessions.published import published_folder, published_sessions
from app.record.imports.published import published_setups
from app.record.store import Session, summary
from app.record.store.model import SessionInfo
from app.record.store.writer import Writer
from app.report.document import build_document
from app.report.figures.kinds import Choice
from app.report.figures.svg import figure_svg
from app.report.rows import report_rows
from instruments.metric import BY_NAME
from tests.app.report.texts import overlapping


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def cache(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache, where they are made once for all tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared))
    return shared


def test_every_figure_of_the_reports_is_in_a_session(cache: Path) -> None:
    found = {}
    for path in published_sessions():
        assert cache in path.parents
        with Session.open(path) as session:
            device, name = session.info.dut, session.info.name
            for row in report_rows(session):
                found[device, name, str(row["step"])] = row
    devices = {one.report: one.device for one in published_setups()}
    table = files("resources").joinpath("reference", "measured.csv")
    lines = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert len({line["report"] for line in lines}) == 5
    assert len(found) == len(lines)
    for line in lines:
        device = devices[line["report"]]
        row = found[device, line["configuration"], line["step"]]
        for name in BY_NAME.keys() & line.keys():
            assert row.get(name) == (float(line[name]) if line[name] else None)
        for name, _, value in (x.partition("=") for x in line["beside"].split(";")):
            assert not name or row[name] == float(value)


def test_it_is_called_published_wherever_it_is_shown(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = next(one for one in published_sessions() if "raid10-log" in one.name)
    assert summary(path).published
    assert summary(path).judged == "published"
    with Session.open(path) as session:
        document = build_document(session)
        assert session.extent() == (0, 0) or not session.channels()
    assert document.verdict == "published"
    assert "Toshiba" in document.warnings[0]
    assert main(["sessions", "--published"]) == 0
    assert capsys.readouterr().out.count("published-") == len(published_setups())


def test_it_is_compared_with_what_was_measured_by_the_campaigns_labels(
    cache: Path, tmp_path: Path
) -> None:
    own = tmp_path / "own.bayscope"
    info = SessionInfo("own", "", "", "", "", False, "", "boot", 0, 0)
    writer = Writer.create(own, info)
    step = writer.add_step(1, "Sequential write 4M", "fio", "")
    writer.update_step(step, outcome="DONE")
    writer.finish()
    path = next(one for one in published_sessions() if "raid10-log" in one.name)
    comparison = compare_sessions([path, own])
    first = dict(comparison.rows)["Sequential write 4M"][0]
    assert first.values == (700.0, None)
    text = comparison_text(comparison)
    assert "not measured here" in text


def test_what_was_deleted_is_made_again_and_a_half_made_folder_is_never_seen(
    cache: Path,
) -> None:
    count = len(published_sessions())
    shutil.rmtree(published_folder())
    assert len(published_sessions()) == count
    assert [one.name for one in published_folder().parent.iterdir()] == [
        published_folder().name
    ]


def test_it_can_be_exported(cache: Path, tmp_path: Path) -> None:
    written = export_sessions(published_sessions()[:1], ["md"], tmp_path)
    assert "not measured here" in written[0].read_text()


@pytest.mark.parametrize("report", ["kisti", "supermicro"])
def test_no_text_of_a_figure_of_theirs_lies_on_another(
    cache: Path, report: str
) -> None:
    paths = [one for one in published_sessions() if report in one.name]
    for kind in ("bars", "against"):
        figure = figure_of(paths, Choice(kind))
        for width, height in ((1000, 420), (560, 320)):
            assert not overlapping(figure_svg(figure, width=width, height=height))
