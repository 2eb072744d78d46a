"""The command fio as scripts use it: import, export, options, and its exit codes."""

import io
import json
from pathlib import Path

import pytest

from app.cli import run
from app.plan.campaign import load_campaign
from instruments.errors import printable
from tests.app.operations.benches import BENCH

SCRIPT = (
    "fio --name=a --ioengine=libaio --direct=1 --rw=rw --rwmix=90 --time_based "
    "--runtime=30 --filename=/dev/sdx --bs=1m\n"
)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "demo.sh"
    path.write_text(SCRIPT)
    return path


def test_import_writes_a_campaign_and_tells_its_findings(
    script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to = tmp_path / "campaign.toml"
    assert run(["fio", "import", str(script), "--to", str(to), "--name", "Demo"]) == 0
    said = capsys.readouterr().out
    assert "`--rwmix=90`" in said
    assert f"Wrote {to}: 1 step, 1 decision needed." in said
    campaign = load_campaign(to)
    assert campaign.name == "Demo"
    assert campaign.steps[0].options["rwmixread"] == "90"
    assert run(["fio", "import", str(script), "--to", str(to)]) == 2
    assert "already exists" in capsys.readouterr().err


def test_import_reads_what_is_piped_in(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(SCRIPT))
    assert run(["fio", "import", "-"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith('name = "pasted"')
    assert "rwmix" in said.err


def test_import_as_json(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fio", "import", str(script), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["steps"] == ["a"]
    assert shown["targets"] == [
        {"path": "/dev/sdx", "lines": [1], "disk": True, "size": None, "writes": True}
    ]
    (decide,) = [one for one in shown["findings"] if one["decide"]]
    assert decide["quote"] == "--rwmix=90"
    assert decide["lines"] == [1]
    assert "name = " in shown["campaign"]


def test_export_and_back(
    script: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign, folder = tmp_path / "c.toml", tmp_path / "jobs"
    run(["fio", "import", str(script), "--to", str(campaign)])
    capsys.readouterr()
    assert run(["fio", "export", str(campaign), "--to", str(folder), "--json"]) == 0
    (file,) = json.loads(capsys.readouterr().out)["files"]
    back = tmp_path / "back.toml"
    assert run(["fio", "import", file, "--to", str(back)]) == 0
    assert load_campaign(back).steps == load_campaign(campaign).steps


def test_nothing_of_a_job_file_moves_the_cursor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, to = tmp_path / "x.fio", tmp_path / "c.toml"
    file.write_text(
        "[\x1b[31mred\x1b]0;pwned\x07]\nrw=read\nfoo\x1b[2J=1\nbs=\u202e4k\n"
        "[a\u202e<b>]\nstonewall\nrw=write\nbs=4k\n"
    )
    for argv in (["--to", str(to)], [], ["--json"]):
        assert run(["fio", "import", str(file), *argv]) == 0
        said = capsys.readouterr()
        for text in (said.out, said.err):
            assert printable(text, "\n") == text
    for argv in (["check", str(to)], ["export", str(to), "--to", str(tmp_path / "d")]):
        assert run(["fio", *argv]) in (0, 2)
        said = capsys.readouterr()
        for text in (said.out, said.err):
            assert printable(text, "\n") == text


CHECKED = """
name = "Checked"
[[step]]
label = "Read"
engine = "fio"
runtime = "1s"
[step.fio]
rw = "randread"
[step.sweep]
bs = ["4k", "700"]
[[step]]
label = "Off"
engine = "fio"
runtime = "1s"
enabled = false
[step.fio]
rw = "read"
bs = "900"
"""


def test_check_tells_what_would_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, bench = tmp_path / "c.toml", tmp_path / "bench.toml"
    path.write_text(CHECKED)
    assert run(["fio", "check", str(path)]) == 2
    said = capsys.readouterr().out
    assert said.startswith("Read 700: `bs=700`: ")
    assert said.count("\n") == 1
    bench.write_text(BENCH.format(target="/dev/nowhere", meter="simulated"))
    assert run(["fio", "check", str(path), "--bench", str(bench), "--json"]) == 2
    shown = json.loads(capsys.readouterr().out)
    told = {(one["step"], one["quote"]) for one in shown}
    assert ("Read 4k", "/dev/nowhere") in told
    path.write_text(CHECKED.replace('"700"', '"8k"'))
    assert run(["fio", "check", str(path)]) == 0
    assert capsys.readouterr().out == "Nothing found.\n"


def test_options_of_a_name_and_of_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fio", "options", "rwmixread"]) == 0
    assert "integer from 0 to 100" in capsys.readouterr().out
    assert run(["fio", "--json", "options"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert {"name", "type", "low", "high", "use"} <= shown[0].keys()
    assert run(["fio", "options", "rwmix", "--json"]) == 2
    assert "rwmixread" in json.loads(capsys.readouterr().out)["way_out"]


@pytest.mark.parametrize(
    "argv",
    [
        ["fio"],
        ["fio", "import", "no-such-file.fio"],
        ["fio", "export", "no-such-file.toml", "--to", "x"],
        ["fio", "export", "x.toml"],
        ["fio", "mend"],
    ],
)
def test_mistakes_are_a_sentence_and_exit_code_2(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(argv) == 2
    said = capsys.readouterr().err
    assert said.startswith("bayscope: ")
    assert said.count("\n") == 1
