import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("app", "instruments", "workloads", "resources")
COMMANDS_ALONE = re.compile(
    r"--out\b|--to\b(?! CAMPAIGN)|bayscope (sessions|show|targets|check|resume)\b"
)
"""Advice that somebody in the window cannot follow; there the same errors are shown."""
WITHOUT_QT = """
import importlib, sys

class NoQt:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("PySide6", "shiboken6", "pyqtgraph"):
            raise ImportError(f"{name} is imported below the window")

sys.meta_path.insert(0, NoQt())
for name in sys.argv[1:]:
    importlib.import_module(name)
"""


def _modules() -> Iterator[str]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_all_below_the_window_runs_without_qt() -> None:
    names = [name for name in _modules() if not f"{name}.".startswith("app.ui.")]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_QT, *names],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "app.__main__" in names
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("argument", ["--help", "sessions"])
def test_a_command_does_not_load_the_window(argument: str) -> None:
    code = (
        "import sys, runpy; sys.argv = ['bayscope', sys.argv[1]]\n"
        "try: runpy.run_module('app', run_name='__main__')\n"
        "except SystemExit: pass\n"
        "loaded = {name.split('.')[0] for name in sys.modules}\n"
        "sys.exit('Qt was loaded' if loaded & {'PySide6', 'pyqtgraph'} else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, argument],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_parts_of_the_store_are_imported_after_the_store() -> None:
    """Two threads that import a part and the package first wait for each other."""
    part = re.compile(r"^\s*from app\.record\.store\.\w+ import", re.MULTILINE)
    whole = re.compile(
        r"^(from app\.record\.store import|import app\.record\.store)", re.M
    )
    for path in sorted((ROOT / "app").rglob("*.py")):
        text = path.read_text()
        first = part.search(text)
        if first is None or path.parent == ROOT / "app" / "record" / "store":
            continue
        before = whole.search(text)
        assert before is not None, path
        assert before.start() < first.start(), path


def test_a_room_has_at_most_thirty_files() -> None:
    rooms = {path.parent for name in PACKAGES for path in (ROOT / name).rglob("*.py")}
    files = {room.relative_to(ROOT): len(list(room.glob("*.py"))) - 1 for room in rooms}
    assert {room: count for room, count in files.items() if count > 30} == {}


def test_import_contracts_hold() -> None:
    command = "from importlinter.cli import lint_imports_command as lint; lint()"
    done = subprocess.run(
        [sys.executable, "-c", command, "--no-cache"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


def test_tests_mirror_the_tree() -> None:
    astray = [
        str(folder.relative_to(ROOT))
        for package in PACKAGES
        for folder in (ROOT / "tests" / package).rglob("")
        if folder.name != "__pycache__"
        and not (ROOT / folder.relative_to(ROOT / "tests")).is_dir()
    ]
    assert astray == []


def test_every_folder_of_python_is_a_package() -> None:
    folders = {
        path.parent
        for package in (*PACKAGES, "tests")
        for path in (ROOT / package).rglob("*.py")
    }
    without = [
        str(folder.relative_to(ROOT))
        for folder in folders
        if not (folder / "__init__.py").is_file()
    ]
    assert without == []


@pytest.mark.parametrize(
    "first",
    [
        "from app.bench.file import default_bench; default_bench()",
        "import app.operations.sessions.samples",  # Arrow takes pandas where it is
    ],
)
def test_nothing_comes_along_that_only_single_drivers_or_uses_need(first: str) -> None:
    code = (
        f"import sys; {first}\n"
        "heavy = {'scipy', 'asyncssh', 'httpx', 'pysnmp', 'sounddevice', 'pandas',\n"
        "         'hid', 'usb', 'keyring', 'pyvisa', 'cryptography', 'weasyprint'}\n"
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_errors_give_no_advice_that_the_window_cannot_follow() -> None:
    found = []
    for package in ("app", "instruments", "workloads"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if (ROOT / "app" / "cli") in path.parents:
                continue
            found += [
                f"{path.relative_to(ROOT)}:{node.value.lineno}"
                for node in ast.walk(ast.parse(path.read_text()))
                if isinstance(node, ast.keyword)
                and node.arg == "way_out"
                and COMMANDS_ALONE.search(ast.unparse(node.value))
            ]
    assert found == []
