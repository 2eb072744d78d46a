"""The virtual environment in the checkout: made, repaired and kept to the lock."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from narrated import SetupError, run, say

OFFLINE = (
    "NewConnectionError",
    "Name or service not known",
    "Temporary failure in name resolution",
    "Network is unreachable",
    "Connection refused",
    "ProxyError",
    "ConnectTimeoutError",
)
LOCKS = {"program": "requirements.lock", "tests": "requirements-dev.lock"}
_ALIVE = """
import importlib.util, sys
if sys.version_info < (3, 11) or importlib.util.find_spec("pip") is None:
    sys.exit(1)
print(sys.version.replace("\\n", " "))
print(all(importlib.util.find_spec(n) for n in ("app", "numpy", "PySide6")))
"""
_STARTS = "from PySide6.QtWidgets import QApplication; QApplication([])"


class NotBegunError(SetupError):
    """pip gave up before it changed anything."""


class Environment:
    """`.venv` beside the sources, with exactly the locked packages.

    A stamp file inside says what it was made from. While work is under way the
    stamp says so, so that an interrupted set-up is thrown away and made anew.

    Attributes:
        root: The checkout.
        folder: The virtual environment.
        python: Its interpreter.
        log: What apt-get and pip printed.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".venv"
        self.python = self.folder / "bin" / "python"
        self.log = self.folder / "setup.log"
        self._stamp = self.folder / "bayscope-setup"

    def is_ready(self, kind: str) -> bool:
        """Tell whether nothing is to do; takes some hundredths of a second.

        Args:
            kind: "program" or "tests", the latter with the developers' tools.
        """
        version, complete = self._state()
        return complete and self._line(kind, version) in self._stamped()

    def prepare(self, kind: str) -> None:
        """Make or mend the environment; does nothing when it is ready.

        Raises:
            SetupError: It could not be made: no network, no space, ...
        """
        if self.is_ready(kind):
            return
        for folder in (self.root, self.folder):
            if folder.exists() and not os.access(folder, os.W_OK):
                raise SetupError(
                    f"{folder} is another user's, and not ready for use by this one: "
                    "clone a checkout of your own, or set this one up as its owner."
                )
        with self._only_one():
            if not self.is_ready(kind):
                self._build(kind)

    def _build(self, kind: str) -> None:
        before = self._stamped()
        version, complete = self._state()
        if not version or "incomplete" in before or (before and not complete):
            self._create()
            before = ["incomplete"]
        self._write_stamp("incomplete")
        say(f"Installing the pinned Python packages for the {kind} into .venv ...")
        try:
            lock = str(self.root / LOCKS[kind])
            self._pip("--require-hashes", "--only-binary=:all:", "-r", lock)
        except NotBegunError:
            self._write_stamp(*before)
            raise
        self._pip("--no-build-isolation", "--no-deps", "-e", str(self.root))
        version, complete = self._state()
        if not complete:
            raise SetupError(
                f"The environment in {self.folder} is not complete after its "
                f"installation: {self.log} says what was done; run this again."
            )
        self._check_qt()
        done = ["program", "tests"] if kind == "tests" else ["program"]
        self._write_stamp(*(self._line(name, version) for name in done))

    def _create(self) -> None:
        if self.folder.exists():
            say("The environment in .venv is incomplete or broken; making it anew.")
            shutil.rmtree(self.folder)
        self.folder.mkdir()
        self._write_stamp("incomplete")
        made = run([sys.executable, "-m", "venv", str(self.folder)], self.log)
        if made.code:
            raise SetupError(
                f"{sys.executable} could not make an environment in {self.folder} "
                f"({made.complaint()}): check the space on the disk and who may "
                "write there, then run this again."
            )

    def _pip(self, *arguments: str) -> None:
        command = [str(self.python), "-m", "pip", "install", "--no-input"]
        command += ["--disable-pip-version-check", *arguments]
        # A user-wide `user = true` would make pip refuse an environment.
        finished = run(command, self.log, {"PIP_USER": "0"})
        if not finished.code:
            return
        kind = SetupError
        if "Installing collected packages" not in finished.text:
            kind = NotBegunError
            if any(sign in finished.text for sign in OFFLINE):
                raise kind(
                    "The Python package index cannot be reached, and packages are "
                    "missing: connect to the network, or name an index in pip's "
                    "configuration, then run this again."
                )
        raise kind(
            f"pip could not install the Python packages ({finished.complaint()}): "
            f"{self.log} has all it said; run this again once that is put right."
        )

    def _check_qt(self) -> None:
        environment = {"QT_QPA_PLATFORM": "offscreen"}
        started = run([str(self.python), "-c", _STARTS], self.log, environment)
        if started.code:
            raise SetupError(
                f"Qt does not start ({started.complaint()}): install the library "
                "that it names, then run this again."
            )

    def _state(self) -> tuple[str, bool]:
        """Return the interpreter's version ("" if it is broken); are packages there?"""
        try:
            asked = subprocess.run(
                [self.python, "-I", "-c", _ALIVE],
                capture_output=True,
                text=True,
                check=False,
            )
        except OSError:
            return "", False
        lines = asked.stdout.splitlines()
        if asked.returncode or len(lines) != 2:
            return "", False
        return lines[0], lines[1] == "True"

    def _line(self, kind: str, version: str) -> str:
        """Return the stamp's line for what the environment is made from."""
        digest = hashlib.sha256(f"{self.root}\n{version}\n".encode())
        for name in (LOCKS[kind], "pyproject.toml"):
            digest.update((self.root / name).read_bytes())
        return f"{kind} {digest.hexdigest()}"

    def _write_stamp(self, *lines: str) -> None:
        text = "".join(f"{line}\n" for line in lines)
        self._stamp.write_text(text, encoding="utf-8")

    def _stamped(self) -> list[str]:
        try:
            return self._stamp.read_text(encoding="utf-8").splitlines()
        except OSError:
            return []

    @contextmanager
    def _only_one(self) -> Iterator[None]:
        """Hold the checkout, so that two set-ups do not write one environment."""
        handle = os.open(self.root, os.O_RDONLY)
        os.set_inheritable(handle, True)  # A pip that outlives us keeps holding it.
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say("Another ./run is setting up this checkout; waiting for it.")
                fcntl.flock(handle, fcntl.LOCK_EX)
            except OSError:
                pass  # A file system without locks: nothing to hold.
            yield
        finally:
            os.close(handle)
