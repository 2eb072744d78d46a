"""Find an HMC8015: at USB and serial ports, and at a typed-in address."""

from instruments.power.discovery import ROHDE_SCHWARZ_ID, finder
from instruments.power.hmc8015_instrument import Instrument
from instruments.power.identity import Family
from instruments.reading import Identity
from instruments.scpi import Scpi
from instruments.transport import TIMEOUT_S, TransportFactory, VisaTransport

MODELS = ("HMC8015",)
FAMILY = Family(r"HAMEG|Rohde\s?&\s?Schwarz", "HMC8015", "R&S HMC8015")
"""Its USB device shares its number with sisters: *IDN? decides."""

discover = finder((ROHDE_SCHWARZ_ID,), (FAMILY,))


def identify(
    resource: str,
    models: tuple[str, ...] = MODELS,
    transport: TransportFactory = VisaTransport,
) -> Identity:
    """Ask at an address who is there, and send nothing else.

    Raises:
        SourceError: Nobody, or another instrument.
    """
    link = Scpi(transport(resource, TIMEOUT_S), resource)
    instrument = Instrument(link, lambda _: None)
    try:
        return instrument.identify(resource, models)
    finally:
        instrument.drop()
