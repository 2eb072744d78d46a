"""Who answers to *IDN?, and whether it is the meter that was meant."""

import re
from dataclasses import dataclass

from instruments.errors import SourceError
from instruments.link.scpi import Scpi
from instruments.reading import Identity

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Family:
    """The meters that a dialect is for.

    Attributes:
        maker: Expression that the first field of *IDN? matches, whatever its case.
        model: Expression that the second field matches, whatever its case.
        title: What a person calls them.
        hardware_first: Whether the hardware's version comes before the firmware's.
    """

    maker: str
    model: str
    title: str
    hardware_first: bool = False


def identify(scpi: Scpi, address: str, family: Family) -> Identity:
    """Ask *IDN? and refuse what is another instrument.

    Raises:
        SourceError: No answer, or another instrument.
    """
    return parse_family(scpi.ask("*IDN?"), address, scpi.where, family)


def parse_family(answer: str, address: str, where: str, family: Family) -> Identity:
    """Read an answer to *IDN?: maker, model, serial number, firmware and more.

    Raises:
        SourceError: It is another instrument.
    """
    fields = [field.strip().strip('"') for field in answer.split(",")]
    if len(fields) < 3 or not re.fullmatch(family.maker, fields[0], re.IGNORECASE):
        raise _other(f'"{answer[:_SHOWN]}"', where, family)
    if not re.fullmatch(family.model, fields[1], re.IGNORECASE):
        raise _other(f"the model {fields[1]}", where, family)
    return Identity(
        maker=fields[0],
        model=fields[1],
        serial=fields[2],
        firmware=" ".join(fields[3:][:: -1 if family.hardware_first else 1]),
        address=address,
        simulated=fields[2].startswith("SIM"),  # as the simulated meters number them
    )


def _other(who: str, where: str, family: Family) -> SourceError:
    return SourceError(
        f"{who} answers there instead of the expected {family.title}",
        where=where,
        way_out="Check the address and the driver.",
    )
