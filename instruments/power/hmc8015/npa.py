"""The R&S NPA101, NPA501 and NPA701: an HMC8015 by another name.

No meter was at hand. A public driver of the NPA101 shows the same functions, cells,
ranges and answers as the HMC8015's; that the integrator and the sister models follow,
too, is assumed. It is known to be used through its USB serial port.
"""

from instruments.driver import Driver
from instruments.power.discovery import ROHDE_SCHWARZ_ID, finder
from instruments.power.hmc8015.driver import HMC8015
from instruments.power.hmc8015.options import OPTIONS, config_from
from instruments.power.identity import Family
from instruments.settings import Settings

FAMILY = Family(r"Rohde\s?&\s?Schwarz", r"NPA[157]01", "R&S NPA", hardware_first=True)


class NPA(HMC8015):
    """One analyser as a source of section "power"; all else is the HMC8015's."""

    driver = "npa"
    family = FAMILY


def _build(settings: Settings) -> NPA:
    return NPA(settings.name, settings.text("resource"), config_from(settings))


DRIVER = Driver(
    "power",
    "npa",
    "Rohde & Schwarz NPA101, NPA501, NPA701",
    # What is known of accuracy is the HMC8015's.
    tuple(option for option in OPTIONS if not option.key.startswith("accuracy")),
    _build,
    finder((ROHDE_SCHWARZ_ID,), (FAMILY,)),
)
