"""A command imports what it needs: nobody waits for drivers to list sessions."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli.main import COMMANDS, build_parser
from tests.app.report.test_document import write

_HEAVY = ("PySide6", "asyncssh", "httpx", "jinja2", "pysnmp", "scipy", "tomlkit")
_WITHOUT = (
    *("email.", "app.bench.drivers.", "app.campaign.", "instruments.thermal."),
    *("workloads.fio.kept.", "workloads.fio.result.", "workloads.guard."),
    *("app.report.forms.form", "importlib.resources.", "zipfile."),
)
"""What only runs, and only sessions that were cut off, have need of."""

_RUN = """
import sys
from app.__main__ import main
try:
    code = main(sys.argv[1:])
except SystemExit as end:
    code = end.code
print("imported:", *sys.modules)
sys.exit(code)
"""


def imported(*words: str) -> set[str]:
    """Run a command in a process of its own; get the modules that it took."""
    argv = [sys.executable, "-c", _RUN, *words]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.rpartition("imported:")[2].split())


@pytest.mark.parametrize("words", [["--version"], ["sessions"], ["show"]])
def test_a_command_that_reads_takes_no_driver(words: list[str], tmp_path: Path) -> None:
    path = write(tmp_path)
    places = {"sessions": str(tmp_path), "show": str(path)}
    found = imported(*words, *[places[word] for word in words if word in places])
    assert "app.cli.main" in found
    assert not {name.partition(".")[0] for name in found} & set(_HEAVY)
    assert not [name for name in found if f"{name}.".startswith(_WITHOUT)]


def test_every_command_is_in_the_module_that_has_it() -> None:
    every = [name for names in COMMANDS.values() for name in names]
    assert len(set(every)) == len(every)
    parser = build_parser()
    for name in every:
        text = build_parser(name).format_help()
        assert re.search(rf"^ +{name}\b", text, re.MULTILINE)
        assert re.search(rf"^ +{name}\b", parser.format_help(), re.MULTILINE)
