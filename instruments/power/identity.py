"""Who answers to *IDN?, and whether it is the meter that was meant."""

import re
from dataclasses import dataclass

from instruments.reading import Identity
from instruments.scpi import Scpi

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Family:
    """The meters that a dialect is for.

    Attributes:
        maker: Expression that the first field of *IDN? matches, whatever its case.
        model: Expression that the second field matches, whatever its case.
        title: What a person calls them.
    """

    maker: str
    model: str
    title: str


def identify(scpi: Scpi, address: str, family: Family) -> Identity:
    """Ask *IDN? and refuse what is another instrument.

    Raises:
        SourceError: No answer, or another instrument.
    """
    return parse_identity(scpi, scpi.ask("*IDN?"), address, family)


def parse_identity(scpi: Scpi, answer: str, address: str, family: Family) -> Identity:
    """Read an answer to *IDN?: maker, model, serial number, firmware and more.

    Raises:
        SourceError: It is another instrument.
    """
    fields = [field.strip().strip('"') for field in answer.split(",")]
    title = family.title
    if len(fields) < 3 or not re.fullmatch(family.maker, fields[0], re.IGNORECASE):
        raise scpi.refuse(f'"{answer[:_SHOWN]}" answers there, no {title}')
    if not re.fullmatch(family.model, fields[1], re.IGNORECASE):
        raise scpi.refuse(f"the model {fields[1]} answers there, no {title}")
    return Identity(
        maker=fields[0],
        model=fields[1],
        serial=fields[2],
        firmware=" ".join(fields[3:]),
        address=address,
        simulated=fields[2].startswith("SIM"),
    )
