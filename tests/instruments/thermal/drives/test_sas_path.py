"""SAS links and paths: one look, two looks compared, and as a source."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from instruments.errors import SourceError
from instruments.reading import SECOND, Status
from instruments.thermal.drives.sas_links import DRIVER, SasLinks, group_of
from instruments.thermal.drives.sas_path import Paths, Phy, compare, read_sas_health
from tests.instruments.given import given
from tests.instruments.thermal.rooted import RootedHost, tool

# Two paths, of which one failed, as the kernel's table of multipath devices says it.
DMSETUP = """\
mpatha: 0 7814037168 multipath 2 0 0 0 2 1 A 0 1 2 8:16 A 0 0 1 E 0 1 2 8:32 F 3 0 1
mpathb: 0 7814037168 multipath 2 0 0 0 1 1 A 0 2 2 8:48 A 0 0 1 8:64 A 0 0 1
"""


def _phy(
    host: RootedHost,
    name: str,
    rate: str = "12.0 Gbit",
    errors: tuple[int, ...] = (0, 0, 0, 0),
) -> None:
    place = f"/sys/class/sas_phy/{name}"
    host.write(f"{place}/negotiated_linkrate", f"{rate}\n")
    host.write(f"{place}/maximum_linkrate", "12.0 Gbit\n")
    files = ("invalid_dword", "running_disparity_error", "loss_of_dword_sync")
    for file, count in zip((*files, "phy_reset_problem"), errors, strict=False):
        host.write(f"{place}/{file}_count", f"{count}\n")


@pytest.fixture
def linked(host: RootedHost, bin_folder: Path) -> RootedHost:
    """A machine with an HBA of two phys and an expander of two."""
    tool(bin_folder, "dmsetup", f"cat <<'X'\n{DMSETUP}X\n")
    _phy(host, "phy-0:0", errors=(5, 4, 3, 2))
    _phy(host, "phy-0:1", "Unknown")
    _phy(host, "phy-0:0:10", "6.0 Gbit")
    _phy(host, "phy-0:0:9")
    return host


def test_a_look_tells_rates_errors_and_paths(linked: RootedHost) -> None:
    health = read_sas_health(linked)
    assert list(health.phys) == ["phy-0:0", "phy-0:0:9", "phy-0:0:10", "phy-0:1"]
    assert health.phys["phy-0:0"] == Phy(
        12.0,
        12.0,
        {
            "invalid_dword_count": 5,
            "running_disparity_error_count": 4,
            "loss_of_dword_sync_count": 3,
            "phy_reset_problem_count": 2,
        },
    )
    assert health.phys["phy-0:1"].rate is None
    assert health.phys["phy-0:0:10"].is_slow
    assert health.paths == {"mpatha": Paths(1, 1), "mpathb": Paths(2, 0)}
    assert health.lines()[0] == (
        "phy-0:0: 12 of 12 Gbit/s, invalid dwords 5, disparity errors 4, "
        "losses of sync 3, reset problems 2"
    )
    assert health.lines()[-2:] == [
        "mpatha: 1 path active, 1 failed",
        "mpathb: 2 paths active, 0 failed",
    ]


def test_a_counter_that_cannot_be_read_is_left_out(host: RootedHost) -> None:
    _phy(host, "phy-0:0", errors=(5,))
    assert read_sas_health(host).phys["phy-0:0"].errors == {"invalid_dword_count": 5}


def test_two_looks_tell_what_a_step_did(linked: RootedHost, bin_folder: Path) -> None:
    before = read_sas_health(linked)
    assert compare(before, before) == []
    _phy(linked, "phy-0:0", errors=(17, 4, 3, 0))
    _phy(linked, "phy-0:0:9", "6.0 Gbit")
    _phy(linked, "phy-0:0:11")
    tool(bin_folder, "dmsetup", f"cat <<'X'\n{DMSETUP.replace('F 3', 'A 3')}X\n")
    assert compare(before, read_sas_health(linked)) == [
        "phy-0:0: 12 invalid dwords",
        "phy-0:0: reset problems reset, 0 since",
        "phy-0:0:9: link 12 before, 6 after",
        "phy-0:0:11: appeared",
        "mpatha: active paths 1 before, 2 after; failed 1 before, 0 after",
    ]


@pytest.mark.parametrize(
    "script", ["exit 1", "echo garbage", "echo 'No devices found'"]
)
def test_no_multipath_is_no_path(
    linked: RootedHost, bin_folder: Path, script: str
) -> None:
    tool(bin_folder, "dmsetup", f"{script}\n")
    assert read_sas_health(linked).paths == {}


def test_errors_are_rates_by_hba_and_expander(linked: RootedHost) -> None:
    times: Iterator[int] = iter(range(0, 1000 * SECOND, 5 * SECOND))
    source = SasLinks(given(DRIVER, "sas", linked), clock=lambda: next(times))
    assert source.open().address == "expander-0-0 host0"
    first = source.read()
    names = [channel.name for channel in first.channels]
    values = dict(zip(names, first.values, strict=True))
    assert math.isnan(values["sas.invalid_dwords.host0"])
    assert values["sas.links_up.host0"] == 1.0
    assert values["sas.links_slow.expander-0-0"] == 1.0
    assert values["sas.paths_active"] == 3.0
    _phy(linked, "phy-0:0", errors=(25, 4, 3, 0))
    second = source.read()
    statuses = dict(zip(names, second.statuses, strict=True))
    values = dict(zip(names, second.values, strict=True))
    assert values["sas.invalid_dwords.host0"] == 2.0  # 20 in 10 s
    assert statuses["sas.invalid_dwords.host0"] is Status.WARN
    assert values["sas.disparity_errors.host0"] == 0.0
    assert statuses["sas.reset_problems.host0"] is Status.NAN  # that of phy-0:0 fell
    assert statuses["sas.links_slow.expander-0-0"] is Status.WARN
    assert statuses["sas.paths_failed"] is Status.CRIT
    assert b"phy-0:0: 12 of 12 Gbit/s" in second.raw


def test_paths_that_are_not_told_of_are_no_zero(
    linked: RootedHost, bin_folder: Path
) -> None:
    source = SasLinks(given(DRIVER, "sas", linked))
    source.open()
    tool(bin_folder, "dmsetup", "exit 1\n")
    reading = source.read()
    pairs = zip(reading.channels, reading.statuses, strict=True)
    paths = {status for c, status in pairs if c.quantity.startswith("paths_")}
    assert paths == {Status.ABSENT}


def test_a_phy_that_cannot_be_read_is_not_a_link_that_is_down(
    linked: RootedHost,
) -> None:
    (linked.root / "sys/class/sas_phy/phy-0:1/negotiated_linkrate").unlink()
    assert "phy-0:1" not in read_sas_health(linked).phys


def test_a_machine_without_sas_is_said(host: RootedHost) -> None:
    assert DRIVER.discover(host) == []
    source = DRIVER.build(DRIVER.settings("sas", {}, host))
    with pytest.raises(SourceError, match="no SAS link"):
        source.open()


def test_an_expander_that_goes_is_absent(linked: RootedHost, tmp_path: Path) -> None:
    (found,) = DRIVER.discover(linked)
    assert found.label == "4 SAS phys (expander-0-0, host0)"
    source = SasLinks(given(DRIVER, "sas", linked))
    source.open()
    for name in ("phy-0:0:9", "phy-0:0:10"):
        (linked.root / "sys/class/sas_phy" / name).rename(tmp_path / name)
    reading = source.read()
    pairs = zip(reading.channels, reading.statuses, strict=True)
    gone = {status for c, status in pairs if c.location == "expander-0-0"}
    assert gone == {Status.ABSENT}


@pytest.mark.parametrize(
    ("name", "group"),
    [("phy-2:7", "host2"), ("phy-2:1:30", "expander-2-1"), ("odd", "other")],
)
def test_phys_belong_to_hbas_or_expanders(name: str, group: str) -> None:
    assert group_of(name) == group
