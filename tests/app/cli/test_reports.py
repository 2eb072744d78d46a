"""`bayscope export` and `compare` of many sessions, as they are typed."""

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli.main import run
from app.operations.sessions.export import first_file
from app.report.pages.template import own_folder
from tests.app.report.test_document import write


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """A folder with two sessions and a broken one between them."""
    folder = tmp_path / "lab"
    folder.mkdir()
    for name in ("a", "c"):
        write(folder).rename(folder / f"{name}.bayscope")
    (folder / "b.bayscope").write_text("nonsense")
    return folder


def test_a_folder_is_exported_around_what_is_broken(
    lab: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to = tmp_path / "out"
    assert run(["export", str(lab), "--format", "csv", "--to", str(to)]) == 2
    assert sorted(path.name for path in to.iterdir()) == ["a.csv", "c.csv"]
    out, err = capsys.readouterr()
    assert "2 of 3 sessions exported, 1 could not be." in out
    assert "b.bayscope" in err
    assert run(["export", str(lab), "--format", "csv", "--to", str(to), "--json"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert (len(told["files"]), len(told["errors"])) == (2, 1)


def test_a_comparison_is_written_as_a_report(lab: Path, tmp_path: Path) -> None:
    to = tmp_path / "new" / "out"
    argv = ["compare", str(lab), "--format", "html,md,csv,txt,json", "--to", str(to)]
    assert run(argv) == 2  # One of the three cannot be read.
    page = (to / "a-against-c.html").read_text()
    assert "Comparison: a, c" in page
    rows = list(csv.DictReader((to / "a-against-c.csv").read_text().splitlines()))
    power = [row for row in rows if row["Quantity"] == "Power (W)"]
    assert [row["A"] for row in power] == ["501.0", "502.0", "503.0", "504.0"]
    assert {row["B - A"] for row in power} == {"0.0"}
    assert "| Workload |" in (to / "a-against-c.md").read_text()


def test_a_comparison_takes_template_and_language(
    lab: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = own_folder() / "ours"
    own.mkdir(parents=True)
    (own / "report.toml").write_text('title = "Ours"\n[words]\nWorkload = "Work"\n')
    (lab / "b.bayscope").unlink()
    argv = ["compare", str(lab), "--format", "md", "--to", str(tmp_path)]
    assert run([*argv, "--language", "de", "--template", "ours"]) == 0
    [page] = tmp_path.glob("*.md")
    assert "| Work | " in page.read_text()
    assert "Leistung (W)" in page.read_text()
    assert run([*argv, "--form", "measured", "--language", "de"]) == 0
    page = tmp_path / "measured.md"
    assert "2 Messungen" in page.read_text()
    assert "Urteil" not in page.read_text()  # a form has none
    assert run([*argv, "--language", "fr"]) == 2
    assert "--language" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["pdff", "xls"])
def test_a_form_that_there_is_not_is_named(
    lab: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    assert run(["compare", str(lab), "--format", form]) == 2
    assert "html" in capsys.readouterr().err


def test_a_watched_folder_gives_its_reports(lab: Path, tmp_path: Path) -> None:
    to = tmp_path / "out"
    argv = [sys.executable, "-m", "app", "export", "--watch", str(lab)]
    argv += ["--format", "csv", "--to", str(to)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as watcher:
        try:
            assert watcher.stdout is not None
            written = (line for line in watcher.stdout if line.startswith("Wrote"))
            assert {next(written), next(written)} == {
                f"Wrote {to / name}\n" for name in ("a.csv", "c.csv")
            }
            (lab / "late.bayscope").write_bytes((lab / "a.bayscope").read_bytes())
            assert next(written) == f"Wrote {to / 'late.csv'}\n"
            watcher.send_signal(signal.SIGINT)
            out, err = watcher.communicate(timeout=60)
        finally:
            watcher.kill()
    assert watcher.returncode == 2
    assert "3 of 4 sessions exported, 1 could not be." in out
    assert err.count("b.bayscope") == 1
    assert "Traceback" not in err


@pytest.mark.parametrize("places", [["none"], [".", "."]])
def test_one_folder_is_watched(
    places: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", "--watch", *places]) == 2
    assert "one folder is watched" in capsys.readouterr().err


def test_an_archive_of_a_folder_is_written_by_export_too(
    lab: Path, tmp_path: Path
) -> None:
    to = tmp_path / "archive"
    assert run(["export", str(lab), "--format", "parquet", "--to", str(to)]) == 2
    places = sorted(path.name for path in (to / "results").iterdir())
    assert places == ["session=a", "session=c"]
    assert first_file(to, "a", "parquet").exists()


def test_a_figure_is_said_in_a_language(
    lab: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["figure", str(lab / "a.bayscope"), "--kind", "bars", "--y", "power_w"]
    assert run([*argv, "--language", "de"]) == 0
    assert "Leistung (W)" in capsys.readouterr().out.splitlines()[0]
    assert run([*argv, "--language", "de", "--to", str(tmp_path / "x.svg")]) == 0
    assert "Leistung (W) nach Schritt" in (tmp_path / "x.svg").read_text("utf-8")
    assert run(argv) == 0
    assert "Power (W)" in capsys.readouterr().out
