"""Find an HMC8015: at USB and serial ports, and at a typed-in address."""

from collections.abc import Sequence

from instruments.link.scpi import Scpi
from instruments.link.transport import TransportFactory, VisaTransport
from instruments.power.connect import connect
from instruments.power.discovery import ROHDE_SCHWARZ_ID, finder
from instruments.power.identity import Family
from instruments.reading import Identity

MODELS = ("HMC8015",)
FAMILY = Family(r"HAMEG|Rohde\s?&\s?Schwarz", "HMC8015", "R&S HMC8015")
"""Its USB device shares its number with sisters: *IDN? decides."""

_VENDORS = ("HAMEG", "ROHDE&SCHWARZ")

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
    scpi, identity = connect(
        resource,
        resource,
        transport,
        lambda scpi: identify_meter(scpi, resource, models),
    )
    scpi.close()
    return identity


def identify_meter(scpi: Scpi, resource: str, models: Sequence[str]) -> Identity:
    """Ask who is there; raises SourceError where it is another instrument."""
    answer = scpi.ask("*IDN?")
    fields = [field.strip() for field in answer.split(",")]
    if len(fields) not in (4, 5) or fields[0].upper() not in _VENDORS:
        raise scpi.refuse(f'"{answer[:60]}" answers there, no R&S power analyser')
    if fields[1].upper() not in models:
        wanted = " or ".join(models)
        raise scpi.refuse(f"the model {fields[1]} answers there, not an {wanted}")
    return Identity(
        maker=fields[0],
        model=fields[1],
        serial=fields[2],
        firmware=" ".join(reversed(fields[3:])),
        address=resource,
        simulated=fields[2].startswith("SIM"),
    )
