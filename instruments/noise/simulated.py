"""The simulated sound meter: level over one second and its fast maximum."""

from instruments.driver import Driver
from instruments.reading import SECOND
from instruments.simulated.source import ADDRESS, Measured, SimulatedSource

SOUND_METER = Measured(
    "noise", ("NOISE?",), (("LAeq", "dB", ""), ("LAFmax", "dB", "")), window_ns=SECOND
)
"""LAeq is the energy mean of the last second; LAFmax the highest fast-weighted (125 ms)
level in it."""

DRIVER = Driver(
    "noise",
    "simulated",
    "Simulated sound meter",
    (ADDRESS,),
    lambda settings: SimulatedSource(
        settings.name, settings.text("address"), SOUND_METER
    ),
)
