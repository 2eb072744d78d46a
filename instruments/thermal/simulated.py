"""The simulated enclosure: slots, inlet, exhaust, fans and modules, once a second."""

from instruments.driver import Driver
from instruments.simulated.bays import MODULES
from instruments.simulated.source import ADDRESS, Measured, SimulatedSource

SLOTS = 60
FANS = 6

_PLACES = (*(f"slot{slot:02d}" for slot in range(SLOTS)), "inlet", "exhaust")

ENCLOSURE = Measured(
    "thermal",
    ("TEMP?", "FAN?", "STAT?"),
    (
        *(("temperature", "degC", place) for place in _PLACES),
        *(("fan", "1/min", f"fan{number}") for number in range(1, FANS + 1)),
        *(("state", "", module) for module in MODULES),
    ),
)
"""Values are momentary: no averaging window, no latency.

States are element status codes of SES-3, as those of the source "ses".
"""

DRIVER = Driver(
    "thermal",
    "simulated",
    "Simulated 60-bay enclosure",
    (ADDRESS,),
    lambda settings: SimulatedSource(
        settings.name, settings.text("address"), ENCLOSURE
    ),
)
