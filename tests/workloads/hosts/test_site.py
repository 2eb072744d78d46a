"""The folder of a load on a host: whole, or not there at all."""

import threading
from pathlib import Path

import pytest

from instruments.errors import BenchError
from instruments.host.clock import Clock
from instruments.tools.hosts import LocalHost
from workloads.hosts import site as site_module
from workloads.hosts.place import Place
from workloads.hosts.site import Site

SIZE = 1 << 20


def opened(folder: Path) -> Site:
    place = Place("load1", LocalHost(), (str(folder / "scratch.bin"),), SIZE)
    site = Site(place, Clock.MONOTONIC)
    try:
        site.open(None, destroys=False, stop=threading.Event(), say=lambda *_: None)
    finally:
        site.close()
    return site


def test_the_folder_goes_with_the_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    assert opened(tmp_path).folder.startswith(f"{tmp_path}/tmp/bayscope-fio-")
    assert not list((tmp_path / "tmp").iterdir())


def test_a_folder_that_cannot_be_made_whole_is_not_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(site_module, "link_names", lambda _: ("gone/link",))
    with pytest.raises(BenchError, match="a folder for the load cannot be made"):
        opened(tmp_path)
    assert not list((tmp_path / "tmp").iterdir())
