"""Drives behind a RAID controller: the tool is chosen, and with it the source."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from instruments.base import Source
from instruments.driver import HOST, Driver, Found, period
from instruments.errors import BadInput, SourceError
from instruments.files.foreign_text import parsed_json
from instruments.reading import Status
from instruments.settings import Kind, Option, Settings
from instruments.sizes import counted
from instruments.thermal.drives.drive_list import Drive
from instruments.thermal.drives.drive_tool import run_tool
from instruments.thermal.drives.raid_tool import Arcconf, Storcli
from instruments.thermal.drives.smart import UNDER_LOAD, Smart
from instruments.thermal.drives.smart_report import STANDBY_CODE, read_report
from instruments.tools.hosts import Host

# smartctl(8), option -d.
_TYPES = re.compile(r"(sat\+)?(megaraid,\d+|cciss,\d+|aacraid,\d+,\d+,\d+)")


class RaidSmart(Smart):
    """Drives that smartctl distinguishes by type, such as "megaraid,3".

    The drives of some controllers share one world wide name: their serial numbers
    tell them apart.

    Args:
        settings: Name, host of smartctl and options.

    Raises:
        BadInput: A type is not that of a RAID controller, or there is no type.
    """

    driver = "raid"

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.nodes = settings.texts("types")
        if not self.nodes:
            raise BadInput(
                "types is missing",
                where="types",
                way_out='Expected smartctl\'s types, such as ["megaraid,0"].',
            )
        for kind in self.nodes:
            if not _TYPES.fullmatch(kind):
                raise BadInput(
                    f'types has "{kind}"',
                    where="types",
                    way_out="Expected megaraid,N, cciss,N or aacraid,H,L,ID, with "
                    "sat+ before it for SATA drives where smartctl wants it.",
                )
        self._device = settings.text("device") or "/dev/bus/0"

    def find(self) -> list[Drive]:
        """Get the drives and their serial numbers, without waking one."""
        return [self._identify(Drive(self._device, kind)) for kind in self.nodes]

    def _identify(self, drive: Drive) -> Drive:
        standby = f"standby,{STANDBY_CODE}"
        words = ["smartctl", "-j", "-n", standby, "-i", "-d", drive.kind, drive.node]
        try:
            done = run_tool(self.host, words, self.timeout_s)
        except SourceError as error:
            if error.status is Status.TIMEOUT:
                return drive  # it is asked again in its turn
            raise
        report = read_report(done.stdout, done.code)
        return replace(drive, serial=report.serial, model=report.model)


_TIMEOUT_S = 10.0


def find_controllers(host: Host) -> list[Found]:
    """Find ways to drives behind controllers; tools that are missing find none.

    A drive may be reached by two of them: which one is used is for a person to say.
    """
    sources: list[Found] = []
    searches: tuple[Callable[[Host], list[Found]], ...] = (
        _by_storcli,
        _by_arcconf,
        _by_smartctl,
    )
    for search in searches:
        try:
            sources += search(host)
        except SourceError:
            continue  # the tool is not there, or has no controller
    return sources


def _defaults(host: Host) -> Settings:
    return DRIVER.settings("raid", {}, host)


def _by_storcli(host: Host) -> list[Found]:
    drives, _ = Storcli(_defaults(host)).ask()
    label = f"{counted(len(drives), 'drive')} behind a controller (storcli)"
    return [Found(label, {"controller": "storcli"})]


def _by_arcconf(host: Host) -> list[Found]:
    drives, _ = Arcconf(_defaults(host)).ask()
    label = f"{counted(len(drives), 'drive')} behind controller 1 (arcconf)"
    return [Found(label, {"controller": "arcconf", "number": 1})] if drives else []


def _by_smartctl(host: Host) -> list[Found]:
    # --scan looks at what the controllers say; it asks no drive.
    done = run_tool(host, ["smartctl", "--scan", "-j"], _TIMEOUT_S)
    types: dict[str, list[str]] = {}
    try:
        for device in parsed_json(done.stdout).get("devices", ()):
            if "," in device["type"]:
                types.setdefault(device["name"], []).append(device["type"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return []
    return [
        Found(
            f"{counted(len(kinds), 'drive')} behind {device} (smartctl)",
            {"controller": "smartctl", "device": device, "types": tuple(kinds)},
        )
        for device, kinds in types.items()
    ]


_TOOLS: Mapping[str, Callable[[Settings], Source]] = {
    "storcli": Storcli,
    "arcconf": Arcconf,
    "smartctl": RaidSmart,
}

DRIVER = Driver(
    "thermal",
    "raid",
    "Drives behind RAID controllers (storcli, arcconf, smartctl)",
    (
        Option(
            "controller",
            "The tool that reaches the drives.",
            Kind.CHOICE,
            "storcli",
            choices=tuple(_TOOLS),
        ),
        Option(
            "number", "Number of the controller for arcconf.", Kind.INTEGER, 1, low=1
        ),
        Option(
            "types",
            "What smartctl's -d is given for each drive.",
            Kind.TEXTS,
            example="megaraid,0",
        ),
        Option(
            "device",
            "The device that smartctl reaches them through.",
            example="/dev/bus/0",
        ),
        period(60.0, 10.0),
        HOST,
        UNDER_LOAD,
    ),
    lambda settings: _TOOLS[settings.text("controller")](settings),
    find_controllers,
)
