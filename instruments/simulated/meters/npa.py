"""The simulated R&S NPA101: an HMC8015 by another name."""

from instruments.simulated.meters.hmc8015 import Meter

IDENTITY = "Rohde&Schwarz,NPA101,SIM000007,HW00000000,SW01.000"


class NpaMeter(Meter):
    """One meter; its dialect is that of the HMC8015."""

    def handle(self, message: str) -> str | None:
        """Answer one line; see `Personality`."""
        if message.strip().upper() == "*IDN?":
            return IDENTITY
        return super().handle(message)
