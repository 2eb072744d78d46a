"""Drives behind a RAID controller: the tool is chosen, and with it the source."""

import re
from collections.abc import Callable
from dataclasses import replace

from instruments.base import Source
from instruments.driver import HOST, Driver, Found, period
from instruments.errors import BadInput, SourceError
from instruments.files.foreign_text import parsed_json
from instruments.reading import Status
from instruments.settings import Kind, Option, Settings
from instruments.thermal.drives.drive_list import Drive, counted
from instruments.thermal.drives.drive_tool import run_tool
from instruments.thermal.drives.raid_tool import Arcconf, Storcli
from instruments.thermal.drives.smart import UNDER_LOAD, Smart
from instruments.thermal.drives.smart_report import STANDBY_CODE, read_report
from instruments.tools.hosts import Host

_TYPES = re.compile(r"(sat\+)?(megaraid,\d+|cciss,\d+|aacraid,\d+,\d+,\d+)")


class RaidSmart(Smart):
    """Drives that smartctl tells apart by type, such as "megaraid,3".

    The drives of some controllers share one world wide name: their serial numbers
    tell them apart.

    Args:
        name: Name of the source.
        host: Where smartctl runs.
        types: What -d is given for each drive.
        device: The device that they are reached through.
        period_s: Seconds until each drive is asked again.
        under_load: Whether drives are asked while a load runs.

    Raises:
        BadInput: A type is none of a RAID controller.
    """

    driver = "raid"

    def __init__(
        self,
        name: str,
        host: Host,
        types: tuple[str, ...],
        device: str = "",
        *,
        period_s: float = 60.0,
        under_load: bool = False,
    ) -> None:
        super().__init__(name, host, types, period_s=period_s, under_load=under_load)
        for kind in types:
            if not _TYPES.fullmatch(kind):
                raise BadInput(
                    f'types has "{kind}"',
                    where="types",
                    way_out="Expected megaraid,N, cciss,N or aacraid,H,L,ID, with "
                    "sat+ before it for SATA drives where smartctl wants it.",
                )
        self._device = device or "/dev/bus/0"

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
    found: list[Found] = []
    searches: tuple[Callable[[Host], list[Found]], ...] = (
        _by_storcli,
        _by_arcconf,
        _by_smartctl,
    )
    for search in searches:
        try:
            found += search(host)
        except SourceError:
            continue  # the tool is not there, or has no controller
    return found


def _by_storcli(host: Host) -> list[Found]:
    drives, _ = Storcli("raid", host).ask()
    label = f"{counted(len(drives))} behind a controller (storcli)"
    return [Found(label, {"controller": "storcli"})]


def _by_arcconf(host: Host) -> list[Found]:
    drives, _ = Arcconf("raid", host).ask()
    label = f"{counted(len(drives))} behind controller 1 (arcconf)"
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
            f"{counted(len(kinds))} behind {device} (smartctl)",
            {"controller": "smartctl", "device": device, "types": tuple(kinds)},
        )
        for device, kinds in types.items()
    ]


def _build(settings: Settings) -> Source:
    period_s, is_wanted = settings.number("period"), settings.flag("under_load")
    chosen, types = settings.text("controller"), settings.texts("types")
    if chosen == "smartctl":
        if not types:
            raise BadInput(
                "types is missing",
                where="types",
                way_out='Expected smartctl\'s types, such as ["megaraid,0"].',
            )
        return RaidSmart(
            settings.name,
            settings.host,
            types,
            settings.text("device"),
            period_s=period_s,
            under_load=is_wanted,
        )
    name, host = settings.name, settings.host
    if chosen == "storcli":
        return Storcli(name, host, period_s=period_s, under_load=is_wanted)
    number = settings.integer("number")
    return Arcconf(name, host, number, period_s=period_s, under_load=is_wanted)


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
            choices=("storcli", "arcconf", "smartctl"),
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
    _build,
    find_controllers,
)
