"""The driver of described meters: its keys depend on the descriptions there are."""

from collections.abc import Mapping

from instruments.driver import Driver
from instruments.errors import BadInput
from instruments.power.dialects.described import Described, Description
from instruments.power.options import RESOURCE, STALE_AFTER
from instruments.power.polled import PolledMeter
from instruments.settings import Kind, Option, Settings


def described_driver(meters: Mapping[str, Description | BadInput]) -> Driver:
    """Make the driver that offers some descriptions.

    Args:
        meters: Each description by its name; a mistake in place of one that has one,
            so that nobody looks in vain for a meter that is left out.
    """

    def build(settings: Settings) -> PolledMeter:
        meter = settings.text("meter")
        found = meters[meter]
        if isinstance(found, BadInput):
            raise BadInput(
                f'the description of "{meter}" has a mistake, {found.where}: '
                f"{found.what}",
                where="meter",
                way_out=found.way_out,
            )
        dialect, end = Described(found), found.line_end
        return PolledMeter(settings, "described", dialect, found.timing, line_end=end)

    return Driver(
        "power",
        "described",
        "A meter described in a file of yours",
        (
            Option(
                "meter",
                "Name of the description: its file without .toml.",
                Kind.CHOICE,
                required=True,
                choices=tuple(meters),
            ),
            RESOURCE,
            STALE_AFTER,
        ),
        build,
    )
