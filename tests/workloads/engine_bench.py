"""What the tests of engines share: a scratch file, and what a load emits and says."""

import os
import sys
import threading
from pathlib import Path

import pytest

from instruments.reading import Reading
from workloads.base import LoadResult, Workload

STANDINS = Path(__file__).parents[1] / "standins"
SIZE = 16 * 2**20


class EngineBench:
    """A scratch file of 16 MiB, and everything that a load tells."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "scratch.dat"
        self.path.write_bytes(os.urandom(SIZE))
        self.readings: list[Reading] = []
        self.said: list[tuple[str, str]] = []
        self.stop = threading.Event()
        self.emitted: Path | None = None
        """A file to be made once the first reading has come."""

    def run(self, load: Workload, *, stop_after: int = 0) -> LoadResult:
        """Run a load; stop it once it has emitted so many readings."""

        def emit(reading: Reading) -> None:
            self.readings.append(reading)
            if self.emitted is not None:
                self.emitted.touch()
            if stop_after and len(self.readings) >= stop_after:
                self.stop.set()

        return load.run(emit, lambda *said: self.said.append(said), self.stop)

    def heard(self, part: str) -> bool:
        """Tell whether a message has these words."""
        return any(part in text for _, text in self.said)


def use_standin(monkeypatch: pytest.MonkeyPatch, folder: Path, engine: str) -> Path:
    """Let an engine be its stand-in; return the program."""
    program = folder / engine
    program.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" "{STANDINS / engine}.py" "$@"\n', "utf-8"
    )
    program.chmod(0o755)
    monkeypatch.setenv(f"BAYSCOPE_{engine.upper()}", str(program))
    return program


def artefact(result: LoadResult, name: str) -> str:
    """Get an artefact as text."""
    found = [each.content for each in result.artefacts if each.name == name]
    assert len(found) == 1, [each.name for each in result.artefacts]
    return found[0].decode()
