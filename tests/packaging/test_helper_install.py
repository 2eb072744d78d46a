"""The installed helper stands on its own: a plain Python, no checkout, no packages."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from workloads.guard.helper_client import HELPER

ROOT = Path(__file__).parents[2]


@pytest.fixture
def installer() -> ModuleType:
    path = ROOT / "packaging" / "helper" / "install.py"
    spec = importlib.util.spec_from_file_location("helper_install", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_copy_runs_without_the_checkout(
    installer: ModuleType, tmp_path: Path
) -> None:
    written = installer.install(tmp_path, "bench")
    program = tmp_path / installer.PROGRAM
    assert f"/{installer.PROGRAM}" == HELPER
    done = subprocess.run(
        [sys.executable, "-I", str(program)],
        check=False,
        input=b'{"verb": "nothing"}\n',
        capture_output=True,
        cwd="/",
    )
    verbs = b"inspect, targets, page, locate, fio, mkfs, zpool, undo"
    assert b"It has " + verbs + b"." in done.stderr
    assert done.returncode == 2
    copied = {str(path.relative_to(program.parent)) for path in written[:-3]}
    assert {"workloads/guard/look.py", "instruments/tools/command.py"} <= copied
    assert not any(name.startswith("app/") for name in copied)
    installer.remove(tmp_path)
    assert not any(path.is_file() for path in tmp_path.rglob("*"))


def test_it_is_not_installed_where_others_could_replace_it(
    installer: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["install.py"])
    monkeypatch.setattr(installer, "is_roots", lambda path: False)
    monkeypatch.setattr(installer, "install", lambda *_: pytest.fail("installed"))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert installer.main() == 2


def test_the_rules_name_the_copy_and_take_no_arguments(
    installer: ModuleType, tmp_path: Path
) -> None:
    installer.install(tmp_path, "bench")
    rule = (tmp_path / installer.SUDOERS).read_text()
    assert f'%bench ALL=(root) NOPASSWD: {HELPER} ""' in rule
    policy = ElementTree.parse(tmp_path / installer.POLICY).getroot()
    assert policy.findtext("action/annotate") == HELPER
    assert policy.findtext("action/defaults/allow_any") == "auth_admin"
