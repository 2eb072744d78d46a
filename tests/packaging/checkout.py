"""A small checkout with the real `./run`, whose packages come from a folder."""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "toy"
version = "1.0"
"""
METADATA = "Metadata-Version: 2.1\nName: {}\nVersion: {}\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: toy\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
BACKEND = f"""
import os, zipfile

def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    name = "toy-1.0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w") as wheel:
        wheel.writestr("toy.pth", os.getcwd() + chr(10))
        wheel.writestr("toy-1.0.dist-info/METADATA", {METADATA.format("toy", "1.0")!r})
        wheel.writestr("toy-1.0.dist-info/WHEEL", {WHEEL!r})
        wheel.writestr("toy-1.0.dist-info/RECORD", "")
    return name
"""
PROGRAM = """
import os, sys
print(os.getcwd(), sys.argv[1:])
sys.exit(4 if "abort" in sys.argv else 0)
"""
QT = {
    "PySide6/__init__.py": "",
    "PySide6/QtWidgets.py": "class QApplication:\n    def __init__(self, words): ...\n",
    "numpy/__init__.py": "",
}
TOOLS = {"pytest/__init__.py": ""}


class Checkout:
    """A checkout in a folder with a space in its name, and a shelf of packages."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "a bench"
        self.shelf = folder / "shelf"
        self.commands = folder / "bin"
        for place in (self.root, self.shelf, self.commands):
            place.mkdir(parents=True)
        shutil.copy(ROOT / "run", self.root / "run")
        shutil.copytree(
            ROOT / "packaging",
            self.root / "packaging",
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        (self.root / "pyproject.toml").write_text(PROJECT)
        (self.root / "backend.py").write_text(BACKEND)
        for name in ("app", "tests"):
            (self.root / name).mkdir(parents=True)
            (self.root / name / "__init__.py").touch()
            (self.root / name / "__main__.py").write_text(PROGRAM)
        self.command("python3", f'exec {sys._base_executable} "$@"')  # type: ignore[attr-defined]
        for name in ("apt-get", "sudo"):
            self.command(name, f"echo {name} must not be asked >&2; exit 1")
        self.lock(self.package("toy-qt", "1.0", QT))

    def command(self, name: str, text: str) -> None:
        """Put a program before all others on the search path."""
        path = self.commands / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def package(self, name: str, version: str, files: Mapping[str, str]) -> str:
        """Put a package on the shelf; return its line for a lock file."""
        distribution = name.replace("-", "_")
        info = f"{distribution}-{version}.dist-info"
        content = {
            **files,
            f"{info}/METADATA": METADATA.format(name, version),
            f"{info}/WHEEL": WHEEL,
        }
        record = "".join(
            f"{place},sha256={_digest(text)},{len(text.encode())}\n"
            for place, text in content.items()
        )
        content[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
        path = self.shelf / f"{distribution}-{version}-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as wheel:
            for place, text in content.items():
                wheel.writestr(place, text)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        return f"{name}=={version} --hash=sha256:{digest}\n"

    def lock(self, program: str) -> None:
        """Write both lock files."""
        tools = self.package("toy-tools", "1.0", TOOLS)
        (self.root / "requirements.lock").write_text(program)
        (self.root / "requirements-dev.lock").write_text(program + tools)

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the variables for `./run`: no index, only the shelf."""
        return {
            **os.environ,
            "PATH": f"{self.commands}:/usr/bin:/bin",
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.shelf),
            **(extra or {}),
        }

    def run(
        self,
        *words: str,
        cwd: Path | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run `./run` to its end."""
        return subprocess.run(
            [self.root / "run", *words],
            cwd=cwd or self.root,
            env=self.environment(variables),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=600,
            check=False,
        )

    def installed(self) -> str:
        """Return the version of the stand-in for Qt in the environment."""
        code = "from importlib.metadata import version; print(version('toy-qt'))"
        done = subprocess.run(
            [self.root / ".venv" / "bin" / "python", "-c", code],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
