"""Drives behind a RAID controller: the tool is chosen, and with it the source."""

from instruments.base import Source
from instruments.driver import HOST, Driver, period
from instruments.errors import BadInput
from instruments.settings import Kind, Option, Settings
from instruments.thermal.drives.raid_search import find_controllers
from instruments.thermal.drives.raid_smart import RaidSmart
from instruments.thermal.drives.raid_tool import Arcconf, Storcli
from instruments.thermal.drives.smart import UNDER_LOAD


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
