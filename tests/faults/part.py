"""A part of a bench that can be broken and mended again."""

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from instruments.tools.hosts import Host, LocalHost
from tests.instruments.rooted import RootedHost


def nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong.

    Attributes:
        begin: Breaks it.
        end: Mends it; may be called twice.
    """

    begin: Callable[[], object]
    end: Callable[[], object] = nothing


@dataclass(frozen=True)
class Part:
    """One source of a bench, with what it talks to.

    Attributes:
        text: Its tables in bench.toml.
        names: The names of its sources.
        faults: What can go wrong, by the words of the issue.
        close: Ends what it talks to.
        host: Where its tools run; None where the bench itself says it.
        hold_s: Seconds that a fault of it lasts; several of its periods.
    """

    text: str
    names: tuple[str, ...]
    faults: Mapping[str, Fault] = field(default_factory=dict)
    close: Callable[[], object] = nothing
    host: Host | None = field(default_factory=LocalHost)
    hold_s: float = 6.0


class Rooted(RootedHost):
    """A host with its own /sys and /dev that is called this machine."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.name = ""

    def __str__(self) -> str:
        return "this machine"


class Machine:
    """A machine of its own: tools in a folder, /sys and /proc below another.

    Nothing but its own tools and a few plain ones can be run, so that a tool that was
    taken away is really missing.

    Args:
        folder: A folder that is made, or one of a machine that is there already.
    """

    PLAIN = ("cat", "sleep", "readlink", "sh", "ls", "head", "fio")

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.root = folder / "root"
        if not folder.exists():
            self.bin.mkdir(parents=True)
            self.root.mkdir()
            for name in self.PLAIN:
                if found := shutil.which(name):
                    (self.bin / name).symlink_to(found)
        self.host = Rooted(self.root)

    def tool(self, name: str, script: str) -> None:
        """Put a tool onto its PATH."""
        unborn = self.bin / f"{name}.new"
        unborn.write_text(f"#!/bin/sh\n{script}")
        unborn.chmod(0o755)
        unborn.replace(self.bin / name)

    def tool_faults(self, name: str, script: str, refusal: str) -> dict[str, Fault]:
        """Break a tool in every way in which tools break.

        Args:
            name: The tool.
            script: What it does when it is whole.
            refusal: What it says where its user has no right.
        """

        def mend() -> None:
            self.tool(name, script)

        def broken(words: str) -> Fault:
            return Fault(lambda: self.tool(name, words), mend)

        def forbid() -> None:
            mend()
            (self.bin / name).chmod(0o644)

        def remove() -> None:
            (self.bin / name).unlink()

        return {
            "tool missing": Fault(remove, mend),
            "back after 20 s": Fault(remove, mend),
            "permission denied": Fault(forbid, mend),
            "refused": broken(f"echo '{refusal}' >&2\nexit 2\n"),
            "garbage": broken("head -c 300 /dev/urandom\n"),
            "unplugged in mid answer": broken(f"({script}) | head -c 40\n"),
            "silent": broken("exit 0\n"),
            "process hung": broken("exec sleep 60\n"),
            "slow": broken(f"sleep 0.7\n{script}"),
        }


def paused(process: Callable[[], "subprocess.Popen[bytes] | None"]) -> Fault:
    """Stop a process and let it go on, as one that hangs."""

    def send(number: signal.Signals) -> None:
        running = process()
        if running is not None:
            os.kill(running.pid, number)

    return Fault(lambda: send(signal.SIGSTOP), lambda: send(signal.SIGCONT))
