"""Fio jobs in and out: texts of every kind, files, and what is refused."""

import contextlib
from pathlib import Path

import pytest

from app.operations.editing.fio_jobs import (
    NothingToImportError,
    export_fio,
    import_fio_file,
    import_fio_text,
)
from app.operations.editing.fio_options import find_options, option_json, option_lines
from app.operations.editing.open import with_findings
from app.plan.campaign import Campaign, parse_campaign
from instruments.errors import BadInput, printable

JOB = "[a]\nioengine=libaio\ndirect=1\nrw=read\ntime_based\nruntime=10\n"
CAMPAIGN = """
name = "Two"
[[step]]
label = "Read"
engine = "fio"
runtime = "10s"
[step.fio]
rw = "read"
[[step]]
label = "Rest"
engine = "idle"
runtime = "1s"
"""


@pytest.fixture
def campaign() -> Campaign:
    return parse_campaign(CAMPAIGN, "two.toml")


def test_a_job_file_and_a_script_give_the_same_step() -> None:
    script = "fio --name=a --ioengine=libaio --direct=1 --rw=read -time_based "
    one = import_fio_text(JOB, "x.fio")
    other = import_fio_text(f"{script} --runtime=10", "x.sh")
    assert one.campaign.steps == other.campaign.steps
    assert one.campaign.name == "x"
    assert one.campaign_text.startswith('name = "x"\n')


@pytest.mark.parametrize(
    "name", ["\x1b[31mred", "a\u202eb", "a (pass 2)", "long " * 60, "\udcff", "\u3164"]
)
def test_a_campaign_that_is_made_is_one_that_is_read(name: str) -> None:
    text = f"[{name}]\nioengine=libaio\nrw=read\nbs=4k\ntime_based\nruntime=10\n"
    found = import_fio_text(f"{text}percentage_random=1\x1b\n", f"{name}.fio")
    assert parse_campaign(with_findings(found, name), "x").steps == found.campaign.steps
    assert parse_campaign(found.campaign_text, "x").steps == found.campaign.steps
    assert "percentage_random" not in found.campaign.steps[0].options
    for finding in found.findings:
        assert printable(str(finding)) == str(finding)


def test_only_files_in_the_folder_of_the_text_are_included(tmp_path: Path) -> None:
    folder = tmp_path / "jobs"
    (folder / "parts").mkdir(parents=True)
    (folder / "parts" / "in.fio").write_text("iodepth=8\n")
    (tmp_path / "out.fio").write_text("iodepth=9\n")
    (folder / "link.fio").symlink_to(tmp_path / "out.fio")
    outside = ("../out.fio", str(tmp_path / "out.fio"), "link.fio", "/etc/passwd")
    file = folder / "x.fio"
    for name in ("parts/in.fio", *outside):
        file.write_text(f"{JOB}include {name}\n")
        found = import_fio_file(file)
        depth = found.campaign.steps[0].options.get("iodepth")
        refused = [one.quote for one in found.decisions]
        if name in outside:
            assert (depth, refused) == (None, [f"include {name}"])
        else:
            assert (depth, refused) == ("8", [])
    file.write_text(
        f"fio {outside[0]}\nfio --name=a --rw=read --runtime=1 --time_based"
    )
    assert outside[0] in [one.quote for one in import_fio_file(file).decisions]


def test_the_steps_are_checked_as_well() -> None:
    found = import_fio_text(f"{JOB}bs=700\nnumjobs=4\n", "x.fio")
    quotes = {finding.quote: finding.lines for finding in found.findings}
    assert quotes["bs=700"] == (1,)
    assert quotes["numjobs=4"] == (1,)


@pytest.mark.parametrize(
    "text",
    ["", "hello", "[a\0]", "x" * 2_000_000, "[global]\nrw=read\n", "fio", "fio -v"],
)
def test_a_text_without_a_job_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        import_fio_text(text, "pasted")
    assert caught.value.where == "pasted"
    assert caught.value.way_out
    assert "\n" not in str(caught.value)


def test_the_findings_say_why_there_is_no_step() -> None:
    with pytest.raises(NothingToImportError, match="runs a program") as caught:
        import_fio_text("fio --name=a --ioengine=exec --program=/bin/id", "pasted")
    assert any(finding.quote == "ioengine=exec" for finding in caught.value.findings)


def test_what_is_not_read_is_refused_with_name_and_line() -> None:
    with pytest.raises(BadInput) as caught:
        import_fio_text("fio --name=a\nwhile true; do fio --name=b; done", "run.sh")
    assert caught.value.where == "run.sh, line 2"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_files_of_other_editors_are_read(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "x.bat"
    text = "fio \u2013name=\u00fc --rw=read --runtime=1\r\n"
    path.write_bytes(text.encode(encoding))
    (step,) = import_fio_file(path).campaign.steps
    assert step.label == "\u00fc"


def test_what_a_file_includes_is_read_beside_it(tmp_path: Path) -> None:
    (tmp_path / "more.fio").write_text("bs=64k\n")
    (tmp_path / "x.fio").write_text(f"{JOB}include more.fio\n")
    (step,) = import_fio_file(tmp_path / "x.fio").campaign.steps
    assert step.options["bs"] == "64k"
    (tmp_path / "run.sh").write_text("cd here\nfio x.fio --output=log\n")
    (step,) = import_fio_file(tmp_path / "run.sh").campaign.steps
    assert step.options["bs"] == "64k"


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        import_fio_file(tmp_path / "none.fio")
    with pytest.raises(BadInput, match="cannot be read"):
        import_fio_file(tmp_path)


@pytest.mark.parametrize(
    "word", ["-output=mine", "-ox=mine", "--output=mine", "--outpu=mine", "-o mine"]
)
def test_no_word_of_a_script_reaches_fio(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with contextlib.suppress(BadInput):
        import_fio_text(f"fio --name=a --rw=read --runtime=7 --rwmi=1 {word}", "x")
    assert not list(tmp_path.iterdir())


def test_without_fio_a_script_is_imported_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("instruments.tools.command.SYSTEM_FOLDERS", ())
    found = import_fio_text("fio --name=a --rw=read --rwmix=20 --runtime=7", "x")
    assert found.campaign.steps[0].options["rwmixread"] == "20"


def test_export_writes_a_file_a_step(campaign: Campaign, tmp_path: Path) -> None:
    done = export_fio(campaign, tmp_path / "out")
    assert [path.name for path in done.files] == ["01-read.fio"]
    assert done.left_out == ("Rest: it is not a fio step",)
    assert "filename=${TARGET}" in done.files[0].read_text()
    with pytest.raises(BadInput, match="already exists"):
        export_fio(campaign, tmp_path / "out")


def test_export_to_a_disk_uses_all_of_it(campaign: Campaign, tmp_path: Path) -> None:
    done = export_fio(campaign, tmp_path, "/dev/disk/by-id/x")
    text = done.files[0].read_text()
    assert "filename=/dev/disk/by-id/x" in text
    assert "size=" not in text


@pytest.mark.parametrize(
    ("target", "size", "says"),
    [("/a;b", "1g", "job file"), ("/a", "much", 'size is "much"')],
)
def test_export_refuses_what_fio_would_misread(
    campaign: Campaign, tmp_path: Path, target: str, size: str, says: str
) -> None:
    with pytest.raises(BadInput, match=says):
        export_fio(campaign, tmp_path / "out", target, size)
    assert not (tmp_path / "out").exists()


def test_export_where_nothing_can_be_written(
    campaign: Campaign, own_disk: Path
) -> None:
    (own_disk / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be written"):
        export_fio(campaign, own_disk / "file" / "out")


def test_a_campaign_without_fio_has_nothing_to_export(tmp_path: Path) -> None:
    text = 'name = "x"\n[[step]]\nlabel = "r"\nengine = "idle"\nruntime = "1s"\n'
    with pytest.raises(BadInput, match="no fio step"):
        export_fio(parse_campaign(text, "x.toml"), tmp_path)


def test_options_are_found_by_name_and_alias() -> None:
    (option,) = find_options("blocksize")
    assert option.key == "bs"
    assert option_json(option)["low"] == 1
    assert "also: blocksize" in "\n".join(option_lines([option], whole=True))
    with pytest.raises(BadInput, match="Did you mean rwmixread"):
        find_options("rwmix")
    names = [one.key for one in find_options()]
    assert "iodepth" in names
    assert "exec_prerun" not in names
    every = find_options(closed=True)
    told = dict(zip([one.key for one in every], option_lines(every), strict=True))
    assert told["exec_prerun"].endswith("[closed]")
