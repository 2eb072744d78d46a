"""Which guard a load on disks has: the helper's for fio, our own for all others."""

import os
from pathlib import Path

import pytest

from instruments.errors import BadInput
from tests.workloads.setup_bench import armed, disks
from workloads.engines import LOADS
from workloads.guard.device import Device
from workloads.helper import guard as helper_guard
from workloads.helper.guard import HelperGuard, disk_guard

ON_DISKS = [name for name, one in LOADS.items() if one.on_target and not one.sets_up]


def test_the_helper_guards_the_fio_that_it_starts_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def helped(target: Device, *, writes: bool) -> list[str]:
        guards = {one: disk_guard(one, [target], writes=writes) for one in ON_DISKS}
        return [one for one, made in guards.items() if isinstance(made, HelperGuard)]

    with disks(tmp_path, 1) as paths:
        target = armed(paths[0])
        assert not helped(target, writes=True), "root needs no helper"
        monkeypatch.setattr(helper_guard, "can_ask", lambda: True)
        assert helped(target, writes=True) == ["fio"]
        assert not helped(target, writes=False)
        monkeypatch.setattr(os, "access", lambda *_: False)  # root may read all
        assert helped(target, writes=False) == ["fio"]


@pytest.mark.parametrize("engine", [one for one in ON_DISKS if one != "fio"])
def test_a_disk_of_others_is_refused_though_there_is_a_helper(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(helper_guard, "can_ask", lambda: True)
    with disks(tmp_path, 1) as paths:
        target = armed(paths[0])
        guard = disk_guard(engine, [target], writes=True)
        others = os.open(paths[0], os.O_RDWR | os.O_EXCL)
        try:
            with (
                pytest.raises(BadInput, match="is in use"),
                guard.hold(lambda *_: None, destroys=True),
            ):
                pytest.fail("it was held")
        finally:
            os.close(others)
        with (
            guard.hold(lambda *_: None, destroys=True),
            pytest.raises(OSError, match="busy"),
        ):
            os.close(os.open(paths[0], os.O_RDWR | os.O_EXCL))
