"""Machines with fake tools on the PATH that replay what real ones printed."""

from pathlib import Path

import pytest

from instruments.tools import command
from tests.instruments.thermal import rooted
from tests.instruments.thermal.drive_stand import Drives
from tests.instruments.thermal.rooted import RootedHost
from tests.instruments.thermal.shelves import Shelves


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in front of the PATH for fake tools."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", rooted.path_with(folder))
    return folder


@pytest.fixture
def host(tmp_path: Path) -> RootedHost:
    """This machine with /sys and /dev below a folder that is empty at first."""
    root = tmp_path / "root"
    root.mkdir()
    return RootedHost(root)


@pytest.fixture
def shelves(host: RootedHost, bin_folder: Path, tmp_path: Path) -> Shelves:
    """Enclosures that can be plugged in, and the fake sg_ses that reads them."""
    return Shelves(host, bin_folder, tmp_path / "ses")


@pytest.fixture
def drives(host: RootedHost, bin_folder: Path, tmp_path: Path) -> Drives:
    """Drives that can be plugged in, and fake tools that ask them."""
    return Drives(host, bin_folder, tmp_path / "drives")


@pytest.fixture
def no_tools(bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No program but those of the test's own folder."""
    monkeypatch.setenv("PATH", str(bin_folder))
    monkeypatch.setattr(command, "SYSTEM_FOLDERS", ())
