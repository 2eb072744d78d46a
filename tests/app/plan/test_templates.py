"""Every campaign that ships: it can be read, shortened, and its fio jobs are good."""

from importlib.resources import files
from pathlib import Path

import pytest

from app.bench.file import default_bench
from app.operations.editing.commands import preview
from app.plan.campaign import Campaign, parse_campaign
from app.plan.shorten import LEAST_S, shortened
from app.plan.step import Role
from instruments.tools import command

TEMPLATES = sorted(
    path.name
    for path in (files("resources") / "campaigns").iterdir()
    if path.name.endswith(".toml")
)


def template(name: str) -> Campaign:
    text = (files("resources") / "campaigns" / name).read_text(encoding="utf-8")
    return parse_campaign(text, name)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_says_what_it_is(name: str) -> None:
    found = template(name)
    assert 10 <= len(found.name) <= 60
    assert found.description.rstrip().endswith(".")
    assert len(found.description) <= 400


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_that_measures_a_device_at_rest_says_which_row_that_is(
    name: str,
) -> None:
    steps = template(name).steps
    if any(step.engine == "idle" for step in steps):
        assert [step.role for step in steps].count(Role.IDLE) == 1


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_can_be_previewed(name: str) -> None:
    shown = preview(template(name), default_bench())
    assert shown
    assert not [one for one in shown if one.text.startswith("Cannot be run")]


@pytest.mark.parametrize("name", TEMPLATES)
def test_fio_itself_takes_every_job(name: str, tmp_path: Path) -> None:
    jobs = []
    for number, step in enumerate(template(name).steps):
        # One point of a sweep is enough: the others differ in a value, not an option.
        options = step.runs[0][1].options
        if step.engine == "fio":
            job = tmp_path / f"{number} {step.label.replace('/', ' ')}.fio"
            lines = "".join(f"{key}={value}\n" for key, value in options.items())
            job.write_text(f"[job]\nfilename={tmp_path / 'scratch'}\n{lines}size=1g\n")
            jobs.append(str(job))
    if jobs:
        done = command.run(["fio", "--parse-only", *jobs], timeout_s=60)
        assert done.code == 0, f"{done.stdout}{done.stderr}"


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_can_be_shortened(name: str) -> None:
    whole = template(name)
    short = shortened(whole, 1000)
    again = parse_campaign(short.text, "shortened")
    assert again.runs == short.runs
    assert [label for label, _ in short.runs] == [label for label, _ in whole.runs]
    assert short.duration_s <= whole.duration_s
    assert all(one.runtime_s >= LEAST_S for _, one in short.runs if one.is_load)
