import re
import tomllib
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parent.parent.parent
LOCKS = ("requirements.lock", "requirements-dev.lock")
TRIED = ("3.11", "3.12", "3.13")


def _locked(name: str) -> list[tuple[Requirement, list[str]]]:
    """Read a lock file: each requirement with its hashes."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    found = []
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            requirement, *hashes = re.split(r"\s+--hash=", line.strip())
            found.append((Requirement(requirement), hashes))
    return found


def _versions(name: str, python: str) -> dict[str, Version]:
    """Return what a lock file installs on Linux with one Python."""
    environment = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_python_implementation": "CPython",
        "implementation_name": "cpython",
    }
    return {
        canonicalize_name(requirement.name): Version(
            str(requirement.specifier).removeprefix("==")
        )
        for requirement, _ in _locked(name)
        if requirement.marker is None
        or Marker(str(requirement.marker)).evaluate(environment)
    }


@pytest.mark.parametrize("name", LOCKS)
def test_no_lock_names_an_address(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    assert "index" not in text
    assert "find-links" not in text


@pytest.mark.parametrize("name", LOCKS)
def test_every_requirement_is_pinned_with_hashes(name: str) -> None:
    locked = _locked(name)
    assert len(locked) > 20
    for requirement, hashes in locked:
        assert re.fullmatch(r"==[^,*]+", str(requirement.specifier)), requirement
        assert hashes, requirement
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", text) for text in hashes)


@pytest.mark.parametrize("python", TRIED)
def test_the_lock_satisfies_the_project(python: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked = [Requirement(text) for text in project["project"]["dependencies"]]
    asked += [Requirement(text) for text in project["build-system"]["requires"]]
    tools = [Requirement(text) for text in project["dependency-groups"]["dev"]]
    for lock, requirements in zip(LOCKS, (asked, asked + tools), strict=True):
        versions = _versions(lock, python)
        for requirement in requirements:
            assert versions[canonicalize_name(requirement.name)] in (
                requirement.specifier
            ), requirement


@pytest.mark.parametrize("python", TRIED)
def test_the_tools_join_the_versions_that_the_program_runs_with(python: str) -> None:
    program, tools = (_versions(lock, python) for lock in LOCKS)
    assert program.items() <= tools.items()
