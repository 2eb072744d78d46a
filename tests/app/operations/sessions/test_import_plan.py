"""A plan as text and as plain values, and the command that shows and makes imports."""

import json
from pathlib import Path

import pytest

from app.cli.main import run
from tests.app.record.imports.results import DATA, meter_log


def test_the_plan_names_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    old = str(DATA / "fio-2.0.15.txt")
    assert run(["import", "--plan", old]) == 2
    told = capsys.readouterr().out
    assert "fio-2.0.15.txt: fio text, fio-2.0.15, 1 step" in told
    assert "has to be given: --zone" in told
    assert told.endswith("It can be imported once this is given: --zone.\n")
    assert run(["import", "--plan", "--json", "--zone", "UTC", old]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["ready"]
    assert plan["files"][0]["starts"] == pytest.approx(1378726965.2, abs=0.1)


def test_a_bad_file_in_a_plan(capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(DATA / "README.md"), str(DATA / "fio-2.2.10.json")]
    assert run(["import", "--plan", *paths]) == 2
    told = capsys.readouterr().out
    assert "README.md: this kind of file cannot be" in told
    assert told.endswith("It cannot be imported as it stands.\n")
    assert "begins 2017-11-17 23:49:32 UTC ± 0.75 s" in told


def test_the_command_imports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    meter = meter_log(tmp_path / "A.CSV", 1510962600, 5)
    options = ["--out", str(tmp_path / "out"), "--zone", "UTC", "--dut", "JBOD"]
    files = [str(DATA / "fio-2.2.10.json"), str(meter)]
    assert run(["import", *options, "--name", "Cloud", "--json", *files]) == 0
    done = json.loads(capsys.readouterr().out)
    assert Path(done["session"]).name == "2017-11-17_23-49-32_cloud.bayscope"
    assert len(done["placed"]) == 2
    assert run(["show", done["session"]]) == 0
    assert "15625" in capsys.readouterr().out


def test_what_is_left_out_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(DATA / "fio-2.2.10.json"), str(DATA / "README.md")]
    assert run(["import", "--out", str(tmp_path), *files]) == 2
    assert "bayscope: " in capsys.readouterr().err
    assert run(["import", "--out", str(tmp_path), "--keep-rest", *files]) == 0
    streams = capsys.readouterr()
    assert "excluded: " in streams.err
    assert "Wrote " in streams.out


def test_a_name_that_is_no_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = str(DATA / "fio-2.2.10.json")
    said = ["--out", str(tmp_path), "--offset", "nope.json=3600", own]
    assert run(["import", *said]) == 2
    assert (
        '"nope.json=3600" does not name a file of this import'
        in capsys.readouterr().err
    )
    assert not list(tmp_path.iterdir())
    assert run(["import", "--plan", *said]) == 2
    assert "The files are fio-2.2.10.json." in capsys.readouterr().out


def test_what_was_said_in_vain_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    meter = str(meter_log(tmp_path / "A.CSV", 1510962600, 5))
    said = ["--out", str(tmp_path), "--zone", "UTC", "--date", "2020-01-01", meter]
    assert run(["import", "--plan", *said]) == 0
    vain = "--date 2020-01-01 is not used, each file has its own date"
    assert vain in capsys.readouterr().out
    assert run(["import", "--offset", "5", *said]) == 0
    told = capsys.readouterr().out
    assert vain in told
    assert "--offset 5 is not used" in told
