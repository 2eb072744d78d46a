"""The command line as scripts use it: exit codes, JSON, one sentence an error."""

import io
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from app.cli import run
from app.operations.run.run import run_campaign
from tests.app.operations.benches import BENCH, CAMPAIGN, bench, campaign


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    return run_campaign(campaign(), bench(folder), folder).session


def test_show_prints_the_table_labelled_simulated(
    session: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(session)]) == 0
    text = capsys.readouterr().out
    assert "SIMULATED: mains, enclosure, noise" in text
    assert "Workload" in text
    assert "Random read 4k" in text
    assert "Verdict: PASS" in text


def test_a_session_that_was_changed_says_so(
    session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(session)]) == 0
    assert "was changed" not in capsys.readouterr().out
    altered = tmp_path / "altered.bayscope"
    altered.write_bytes(session.read_bytes())
    with closing(sqlite3.connect(altered)) as connection, connection:
        connection.execute("UPDATE result SET value = 1 WHERE name = 'power_w'")
    assert run(["show", str(altered)]) == 0
    assert "was changed after the run" in capsys.readouterr().out


def test_show_json_uses_the_names_of_the_view(
    session: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(session), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["verdict"] == "PASS"
    assert shown["simulated"] == ["mains", "enclosure", "noise"]
    assert shown["steps"][1]["step"] == "Random read 4k"
    assert shown["steps"][1]["iops"] > 0


def test_lab_blanks_what_the_lab_blanks(
    session: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(session), "--lab"]) == 0
    text = capsys.readouterr().out
    row = next(line for line in text.splitlines() if line.startswith("Random read"))
    assert len(row.split()) == 5  # the label's three words, power and IOPS
    for name in ("Idle", "Lambda", "Noise", "Temperature ambient", "Energy"):
        assert f"\n{name}" in text


def test_sessions_lists_what_is_there(
    session: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (session.parent / "broken.bayscope").write_text("not a session")
    assert run(["sessions", str(session.parent), "--json"]) == 0
    listed = {Path(s["file"]).name: s for s in json.loads(capsys.readouterr().out)}
    assert listed[session.name]["verdict"] == "PASS"
    assert listed["broken.bayscope"]["error"]
    assert run(["sessions", str(session.parent)]) == 0
    assert session.name in capsys.readouterr().out


def test_export_writes_every_format(session: Path, tmp_path: Path) -> None:
    code = run(
        ["export", str(session), "--format", "csv,md,html,png", "--to", str(tmp_path)]
    )
    assert code == 0
    csv_text = (tmp_path / f"{session.stem}.csv").read_text()
    assert csv_text.splitlines()[0].startswith("Workload,Power (W),IOPS,Bandwidth")
    assert csv_text.splitlines()[1].endswith(",simulated")
    assert "| Workload | Power (W) |" in (tmp_path / f"{session.stem}.md").read_text()
    html = (tmp_path / f"{session.stem}.html").read_text()
    assert "simulated: mains" in html
    assert "<svg" in html
    picture = (tmp_path / f"{session.stem}.png").read_bytes()
    assert picture.startswith(b"\x89PNG")


def test_compare_shows_differences(
    session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "again.bayscope"
    other.write_bytes(session.read_bytes())
    assert run(["compare", str(session), str(other), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    power = shown["rows"][0]["power_w"]
    assert power["values"][0] == power["values"][1]
    assert power["difference"] == [0.0]
    assert run(["compare", str(session), str(other)]) == 0
    assert "B - A" in capsys.readouterr().out


def test_check_reads_each_source_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bench.toml"
    file.write_text(BENCH.format(target=tmp_path / "s.dat", meter="simulated"))
    assert run(["check", str(file), "--json"]) == 0
    checks = {c["name"]: c for c in json.loads(capsys.readouterr().out)}
    assert checks["mains"]["values"]["mains.P"]["unit"] == "W"
    assert checks["mains"]["raw"]
    assert all(c["ok"] for c in checks.values())
    assert not checks.pop("target")["simulated"]
    assert all(c["simulated"] for c in checks.values())
    assert len(checks["enclosure"]["values"]) >= 62


def test_check_says_which_source_failed_and_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], dead_meter: str
) -> None:
    file = tmp_path / "bench.toml"
    file.write_text(BENCH.format(target=tmp_path / "s.dat", meter=dead_meter))
    assert run(["check", str(file)]) == 3
    text = capsys.readouterr().out
    assert f"mains (hmc8015, {dead_meter}): FAILED" in text
    assert "enclosure (simulated" in text


def test_check_looks_at_the_target_without_touching_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "thesis.dat"
    mine.write_text("mine")
    file = tmp_path / "bench.toml"
    file.write_text(BENCH.format(target=mine, meter="simulated"))
    assert run(["check", str(file)]) == 3
    assert "Bayscope did not write" in capsys.readouterr().out
    assert mine.read_text() == "mine"


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        ([], "required"),
        (["fly"], 'there is no command "fly"'),
        (["sho"], '(did you mean "show"?)'),
        (["calc", "zsf"], '(did you mean "zfs"?)'),
        (["run", "x", "--after-failure", "stp"], '(did you mean "stop"?)'),
        (["samples", "x", "--from", "soon"], '--from is "soon"'),
        (["statistics", "x", "--to", "soon"], '--to is "soon"'),
        (["compare", "x", "x"], "one and the same session"),
        (["show"], "required"),
        (["show", "nowhere.bayscope"], "nowhere.bayscope"),
        (["show", "."], "cannot be opened, it is a folder"),
        (["show", "/dev/null"], "cannot be opened, it is a device"),
        (["show", "x" * 5000], "cannot be opened, file name too long"),
        (["sessions", "nowhere"], "there is no such folder"),
        (["sessions", "README.md"], "this is a file, not a folder"),
        (["run", "nowhere.toml"], "nowhere.toml: cannot be read"),
        (["compare", "one.bayscope"], "takes two or more sessions"),
        (["export", "x.bayscope", "--format", "pdff"], 'did you mean "pdf"'),
        (["export", "x.bayscope", "--format", ","], "no format is named"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(
    argv: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(argv) == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith("bayscope: ")
    assert expected in complaint
    assert complaint.count("\n") == 1
    assert "Traceback" not in complaint


def test_an_error_as_json_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "nowhere.bayscope", "--json"]) == 2
    shown = json.loads(capsys.readouterr().out)
    assert shown["exit_code"] == 2
    assert "nowhere.bayscope" in shown["error"]


def test_run_exits_with_the_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan, place = tmp_path / "campaign.toml", tmp_path / "bench.toml"
    text = CAMPAIGN.replace("[step.fio]", 'limits = ["iops >= 1e9"]\n[step.fio]')
    plan.write_text(text)
    place.write_text(BENCH.format(target=tmp_path / "s.dat", meter="simulated"))
    argv = ["run", str(plan), "--bench", str(place), "--out", str(tmp_path / "out")]
    assert run([*argv, "--json"]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert shown["verdict"] == "FAIL"
    assert Path(shown["file"]).exists()


def test_export_writes_the_good_ones_and_names_the_others(
    session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.bayscope"
    broken.write_text("nonsense")
    argv = ["export", str(broken), str(session), "--format", "csv", "--to"]
    assert run([*argv, str(tmp_path / "out")]) == 2
    told = capsys.readouterr()
    assert f"{session.stem}.csv" in told.out
    assert "broken.bayscope" in told.err
    assert run([*argv, str(tmp_path / "out"), "--json"]) == 2
    shown = json.loads(capsys.readouterr().out)
    assert [len(shown[key]) for key in ("files", "errors")] == [1, 1]


def test_a_run_without_a_bench_says_which_one_it_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "c.toml"
    plan.write_text(
        'name = "x"\n[[step]]\nlabel = "Idle"\nengine = "idle"\nruntime = "1s"\n'
    )
    assert run(["run", str(plan), "--out", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "this runs on the simulated bench" in told
    assert "Written   none (read-only steps for 1 of 1 step)" in told
    assert run(["run", str(plan), "--out", str(tmp_path), "--json"]) == 0
    estimate = json.loads(capsys.readouterr().out)["estimate"]
    names = ["Duration", "Written", "Energy", "Cost"]
    assert [one["name"] for one in estimate] == names
    assert "1 earlier session for 1 of 1 step" in estimate[2]["basis"]


def test_drivers_are_listed_with_their_keys(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["drivers", "redfish", "--json"]) == 0
    [driver] = json.loads(capsys.readouterr().out)
    assert driver["password"]
    assert run(["drivers", "--markdown"]) == 0
    assert "# Drivers and their keys" in capsys.readouterr().out


def test_discover_looks_on_this_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["discover", "--section", "host", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {one["section"] for one in found} == {"host"}
    assert run(["discover", "--section", "host"]) == 0
    assert run(["discover", "--host", "head"]) == 2
    assert "Add --bench" in capsys.readouterr().err


def test_a_password_comes_from_standard_input_and_never_from_the_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stored: list[tuple[str, str, str]] = []
    file = tmp_path / "bench.toml"
    file.write_text(
        BENCH.format(target=tmp_path / "s.dat", meter="simulated")
        + '[[switch]]\nname = "bmc"\ndriver = "ipmi"\naddress = "192.0.2.20"\n'
        'user = "admin"\n'
    )
    words = ["password", "bmc", "--bench", str(file)]
    monkeypatch.setattr(
        "app.cli.bench.store_password", lambda *told: stored.append(told)
    )
    monkeypatch.setattr("sys.stdin", io.StringIO("hush\n"))
    assert run(words) == 0
    assert stored == [("bmc", "ipmi://admin@192.0.2.20:623", "hush")]
    out = capsys.readouterr()
    assert "hush" not in out.out + out.err
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert run(words) == 2
    assert run([*words, "hush"]) == 2
    assert run(["password", "bmc"]) == 2
    assert run(["password", "mains", "--bench", str(file)]) == 2


def test_a_switch_acts_only_where_the_bench_has_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bench.toml"
    file.write_text(BENCH.format(target=tmp_path / "s.dat", meter="simulated"))
    assert run(["switch", str(file), "outlets", "off", "3", "--yes"]) == 2
    assert 'no switch "outlets"' in capsys.readouterr().err


def test_a_name_of_any_bytes_is_listed(tmp_path: Path) -> None:
    place = Path(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff.bayscope"))
    place.write_text("nothing")
    done = subprocess.run(
        [sys.executable, "-m", "app", "sessions", str(tmp_path)],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"a\\udcff.bayscope" in done.stdout


@pytest.mark.parametrize(
    ("words", "where"),
    [
        (["--nope"], ""),
        (["--nope", "run"], ""),
        (["show", "--nope"], "show"),
        (["show", "--nope=1", "x"], "show"),
        (["fio", "import", "--nope"], "fio import"),
    ],
)
def test_an_option_that_is_none_is_named(
    words: list[str], where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*words, "--json"] if where else words) == 2
    said = capsys.readouterr()
    assert "--nope" in said.out + said.err
    assert "required" not in said.out + said.err
    if where:
        assert json.loads(said.out)["where"] == where


def test_what_may_be_left_out_is_not_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["release"]) == 2
    assert "NAME" not in capsys.readouterr().err
    assert run(["drivers", "foo"]) == 2
    assert "foo" in capsys.readouterr().err
