"""What devices and their tools answer: enclosures, drives, controllers, meters."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from hypothesis import strategies as st

from instruments.errors import BenchError
from instruments.host.counters import disks, memory_available, networks, processors
from instruments.noise.dt8852_stream import Dt8852Stream
from instruments.noise.gm1356_protocol import parse_report
from instruments.power.scpi_values import parse_value, split_values
from instruments.thermal.drives.drive_list import list_drives
from instruments.thermal.drives.nvme import DRIVER, Nvme
from instruments.thermal.drives.raid_tool import complaint, read_arcconf, read_storcli
from instruments.thermal.drives.smart_report import read_report
from instruments.thermal.machine.sensors import list_values, parse
from instruments.thermal.redfish.answer import as_modelled, parsed
from instruments.thermal.redfish.tree import AUTO, Losses, find_resources
from instruments.thermal.ses import pages as ses_pages
from instruments.thermal.ses.element import Configuration
from instruments.tools.command import Completed
from tests.fuzz.texts import json_near, mutated
from tests.fuzz.trial import fixtures, hunt_each
from tests.instruments.given import given
from tests.instruments.thermal.ses_bytes import as_hex, build
from workloads.guard.look import look
from workloads.guard.nodes import list_disks
from workloads.guard.scan import scan
from workloads.hosts.servers import client_results
from workloads.hosts.site import stray_there
from workloads.hosts.target_names import find_there

NAME = "answers"

_NODES = json.dumps(
    {
        "blockdevices": [
            {
                **{"name": "sda", "kname": "sda", "path": "/dev/sda", "type": "disk"},
                **{"size": 4000787030016, "model": "X", "serial": "S1", "wwn": "0x5"},
                **{"pkname": None, "mountpoint": None, "ro": False, "rm": False},
                **{"tran": "sas", "rota": True, "vendor": "A", "maj:min": "8:0"},
                "children": [{"name": "sda1", "kname": "sda1", "type": "part"}],
            }
        ]
    }
).encode()
_NVME = json.dumps(
    {
        **{"mn": "Disk", "sn": "S1", "fr": "1.0", "wctemp": 343, "cctemp": 353},
        **{"temperature": 310, "temperature_sensor_1": 309, "critical_warning": 0},
        **{"avail_spare": 100, "percent_used": 1, "media_errors": 0},
    }
).encode()
_SENSORS = json.dumps(
    {
        "coretemp-isa-0000": {
            "Adapter": "ISA adapter",
            "Core 0": {"temp2_input": 41.0, "temp2_max": 80.0, "temp2_crit": 100.0},
            "fan1": {"fan1_input": 1200.0, "fan1_min": 300.0, "fan1_alarm": 0.0},
        }
    }
).encode()
_THERMAL = {
    "Temperatures": [
        {
            **{"@odata.id": "/t/0", "MemberId": "0", "Name": "Inlet"},
            **{"ReadingCelsius": 22, "UpperThresholdCritical": 45},
            "Status": {"State": "Enabled", "Health": "OK"},
        }
    ],
    "Fans": [{"MemberId": "1", "Name": "Fan", "Reading": 4000, "ReadingUnits": "RPM"}],
}
_POWER = {
    "PowerControl": [{"MemberId": "0", "PowerConsumedWatts": 300}],
    "PowerSupplies": [{"MemberId": "0", "PowerInputWatts": 150, "LineInputVoltage": 1}],
}
_TREE = json.dumps(
    {
        "/redfish/v1/": {"Chassis": {"@odata.id": "/c"}, "RedfishVersion": "1.6"},
        "/c": {"Members": [{"@odata.id": "/c/1"}], "Members@odata.nextLink": "/c"},
        "/c/1": {
            **{"Thermal": {"@odata.id": "/t"}, "Power": {"@odata.id": "/p"}},
            **{"Sensors": {"@odata.id": "/s"}, "Id": "1"},
        },
        "/t": _THERMAL,
        "/p": _POWER,
        "/s": {"Members": [{"@odata.id": "/s/1"}]},
        "/s/1": {
            **{"Id": "T1", "Name": "T", "Reading": 21.5, "ReadingType": "Temperature"},
            **{"ReadingUnits": "Cel", "Status": {"State": "Enabled"}},
        },
    }
).encode()
_PROC = (
    b"cpu  10 20 30 40 50 60 70 0 0 0\ncpu0 1 2 3 4 5 6 7 0 0 0\n"
    b"Inter-|   Receive\n eth0: 1 2 0 0 0 0 0 0 9 0 0 0 0 0 0 0\n"
    b"   8       0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\nMemAvailable: 5000 kB\n"
)
_PAGES = build()
_ROWS = b"2.3e2,1.5,NAN,9.91E37,9.9E37,INF,---,\n+1.0E+00,2,3\n"
_SCRIPTS = json.dumps(
    {"writers": [[12, "fio"]], "busy": [16, "used"], "unread": ""}
).encode()
_OPEN = json.dumps([[[8, 12]], [[[33188, 12, 8, 1, 0], "/x", True]]]).encode()


class _Told:
    """A machine on which every tool says the same."""

    name = "told"

    def __init__(self, text: str) -> None:
        self._text = text

    def run(
        self, argv: Sequence[str], timeout_s: float, *, env: object = None
    ) -> Completed:
        return Completed(self._text, "", 0)

    def read_text(self, path: str, timeout_s: float = 5.0) -> str:
        return self._text

    def read_many(
        self, paths: Iterable[str], timeout_s: float = 5.0
    ) -> Mapping[str, str | None]:
        return dict.fromkeys(paths, self._text)

    def list_folder(self, path: str, timeout_s: float = 5.0) -> list[str]:
        return ["nvme0", "sda"]

    def close(self) -> None:
        pass


def _text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda case: read(case.decode("utf-8", "replace"))


def _told(read: Callable[[_Told], object]) -> Callable[[bytes], object]:
    return lambda case: read(_Told(case.decode("utf-8", "replace")))


def _nvme(host: _Told) -> None:
    source = Nvme(given(DRIVER, "nvme", host))  # type: ignore[arg-type]
    source.open()
    source.read()


def _ses(text: str) -> None:
    known = ses_pages.configuration(_PAGES["cf"])
    readers: dict[str, Callable[[bytes, Configuration], object]] = {
        "es": ses_pages.statuses,
        "ed": ses_pages.names,
        "aes": ses_pages.bays,
        "th": ses_pages.thresholds,
        "cf": lambda page, _: ses_pages.configuration(page),
    }
    for name, read in readers.items():
        try:
            read(ses_pages.page_bytes(text, name), known)
        except ValueError:
            continue


def _sensors(text: str) -> None:
    chips = parse(text)
    if chips is not None:
        list_values(chips)


def _raid(text: str) -> None:
    complaint(text)
    read_storcli(text)


def _redfish(case: bytes) -> None:
    tree = parsed(case, {}, "bmc")

    def get(path: str) -> dict[str, object]:
        return parsed(json.dumps(tree.get(path, {})).encode(), {}, "bmc")

    with as_modelled("bmc"):
        for resource in find_resources(get, AUTO, "", Losses()):
            resource.read(get)


def _counters(text: str) -> None:
    processors(text)
    networks(text)
    disks(text)
    memory_available(text)


def _rows(text: str) -> None:
    for line in text.splitlines():
        for token in split_values(line):
            parse_value(token, "meter")


def _noise(case: bytes) -> None:
    Dt8852Stream().feed(case)
    parse_report(case[:8])


def _guard(host: _Told) -> None:
    for each in list_disks(host):  # type: ignore[arg-type]
        look(host, each.path)  # type: ignore[arg-type]


def _there(host: _Told) -> None:
    scan(host)  # type: ignore[arg-type]
    options = {"numbers": (), "folder": "/x", "writes": False}
    stray_there(host, 1, files=["/x"], **options)  # type: ignore[arg-type]


def run(seconds: float, seed: int) -> tuple[int, list[str]]:
    """Try for so long; return the cases tried, and what was found."""
    smart, storcli = fixtures("smart/*.json"), fixtures("raid/*.json")
    pages = [as_hex({name: page}).encode() for name, page in _PAGES.items()]
    clients = fixtures("imports/fio-3.33-client.json")

    def near(files: Sequence[bytes]) -> st.SearchStrategy[bytes]:
        return mutated(files) | json_near(files)

    readers = {
        "smart": (_text(lambda text: read_report(text, 0)), near(smart)),
        "storcli": (_text(_raid), near(storcli)),
        "arcconf": (
            _text(lambda t: read_arcconf(t, 1)),
            mutated(fixtures("raid/*.txt")),
        ),
        "ses": (_text(_ses), mutated(pages)),
        "sensors": (_text(_sensors), near([_SENSORS])),
        "nvme": (_told(_nvme), near([_NVME])),
        "lsblk": (_told(list_drives), near([_NODES])),  # type: ignore[arg-type]
        "guard": (_told(_guard), near([_NODES])),
        "scripts": (_told(_there), near([_SCRIPTS, _OPEN])),
        "redfish": (_redfish, near([_TREE])),
        "proc": (_text(_counters), mutated([_PROC])),
        "scpi": (_text(_rows), mutated([_ROWS])),
        "noise": (_noise, st.binary(max_size=200)),
        "client": (_text(client_results), near(clients)),
        "targets": (
            _told(lambda host: find_there(host, ["/dev/sd*"])),  # type: ignore[arg-type]
            near([b'[[["/dev/sda", "/dev/sda"], ["/dev/sdb", "/dev/sdb"]]]']),
        ),
    }
    return hunt_each(readers, seconds, seed, refusals=_REFUSALS)


_REFUSALS = (BenchError, ValueError)
"""Readers of pages say ValueError; who calls them makes it a sentence."""
