"""Enclosures are found by what the kernel says, never by trying all nodes."""

from pathlib import Path

import pytest

from instruments.errors import BadInput
from instruments.thermal.ses.nodes import find_nodes, plain_id
from tests.instruments.thermal.rooted import RootedHost, tool

LSSCSI = """\
[0:0:0:0]    disk    SEAGATE  ST4000NM0043     MS03  /dev/sda   /dev/sg0
[0:0:75:0]   enclosu DELL     EN-8435A-E6EBD   3535  -          /dev/sg76
[1:0:31:0]   enclosu HGST     H4060-J          4013  -          /dev/sg33
"""


def test_type_13_is_an_enclosure(host: RootedHost) -> None:
    for number, kind in ((2, "13"), (10, "13"), (3, "0"), (4, "5")):
        path = f"/sys/class/scsi_generic/sg{number}/device/type"
        host.write(path, f"{kind}\n")
    host.write("/sys/class/scsi_generic/sg11/dev", "21:11\n")  # its type is gone
    assert find_nodes(host) == ["/dev/sg2", "/dev/sg10"]


def test_lsscsi_tells_where_the_kernels_list_is_missing(
    host: RootedHost, bin_folder: Path
) -> None:
    tool(bin_folder, "lsscsi", f"cat <<'X'\n{LSSCSI}X\n")
    assert find_nodes(host) == ["/dev/sg76", "/dev/sg33"]


@pytest.mark.usefixtures("no_tools")
def test_a_machine_without_scsi_has_none(host: RootedHost) -> None:
    assert find_nodes(host) == []


@pytest.mark.parametrize(
    "text",
    [
        "500a098000000424",
        "0x500A098000000424",
        "naa.500a098000000424",
        "50:0a:09:80:00:00:04:24",
    ],
)
def test_an_identifier_may_be_written_in_many_ways(text: str) -> None:
    assert plain_id(text) == "500a098000000424"


@pytest.mark.parametrize("text", ["sg5", "0x5", "500a09800000042z"])
def test_what_is_no_identifier_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="device is"):
        plain_id(text)
