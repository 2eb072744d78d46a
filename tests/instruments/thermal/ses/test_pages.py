"""The pages of an enclosure as bytes: what the built shelf does not have."""

import math

import pytest

from instruments.reading import Status
from instruments.thermal.ses import pages
from instruments.thermal.ses.element import Bay
from tests.instruments.thermal.ses_bytes import FAN, VOLT, build

PORTS = bytes(range(1, 9)), bytes(range(11, 19))
PHY = bytes(4) + PORTS[0] + PORTS[1] + bytes(8)


def _bay(descriptor: bytes) -> Bay:
    """Read what an enclosure says of its first bay."""
    built = build()
    body = bytes((descriptor[0], len(descriptor) - 2)) + descriptor[2:]
    page = bytes((0x0A, 0, 0, 4 + len(body))) + bytes(4) + body
    return pages.bays(page, pages.configuration(built["cf"]))[0, 0]


@pytest.mark.parametrize(
    ("descriptor", "bay"),
    [
        # Invalid; SAS with and without an element index; two ports; NVMe; Fibre
        # Channel; a controller.
        (bytes((0x96, 0, 0, 0, 1, 0, 0, 7)) + PHY, Bay(None)),
        (bytes((0x16, 0, 0, 0, 1, 0, 0, 7)) + PHY, Bay(7, (PORTS[1].hex(),))),
        (bytes((0x06, 0, 1, 0)) + PHY, Bay(None, (PORTS[1].hex(),))),
        (bytes((0x16, 0, 0, 0, 2, 0, 0, 9)) + 2 * PHY, Bay(9, (PORTS[1].hex(),))),
        (
            bytes((0x1B, 0, 0, 0, 1, 0x20, 0, 5, 0, 0, 0x44, 0x14))
            + b"SERIAL 1".ljust(20)
            + b"MODEL".ljust(40)
            + bytes(8),
            Bay(5, (), "SERIAL 1"),
        ),
        (bytes((0x10, 0, 0, 0, 0, 0, 0, 3)) + bytes(8), Bay(3)),
        (bytes((0x16, 0, 0, 0, 1, 0x40, 0, 7)) + PHY, Bay(None)),
    ],
)
def test_a_bay_is_read_whatever_it_is_attached_by(descriptor: bytes, bay: Bay) -> None:
    assert _bay(descriptor) == bay


@pytest.mark.parametrize(
    ("kind", "word", "value", "status"),
    [
        (FAN, (1, 0x08 | 0x02, 0xD0, 3), 27_680.0, Status.OK),  # factor of SES-4
        (FAN, (1, 0x10 | 0x02, 0xD0, 3), 72_000.0, Status.OK),
        (FAN, (1, 0x18 | 0x02, 0xD0, 3), math.nan, Status.OK),
        (FAN, (1, 0, 1, 0x40), 10.0, Status.CRIT),
        (FAN, (0x41, 0, 1, 0), 10.0, Status.WARN),  # predicted failure
        (VOLT, (1, 0x08, 0xFB, 0x50), -12.0, Status.WARN),
        (VOLT, (1, 0x01, 4, 0xB0), 12.0, Status.CRIT),
        (VOLT, (12, 0, 4, 0xB0), 12.0, Status.ERROR),  # a reserved state
    ],
)
def test_the_bits_of_an_element(
    kind: int, word: tuple[int, ...], value: float, status: Status
) -> None:
    built = build()
    known = pages.configuration(built["cf"])
    header = next(n for n, group in enumerate(known.groups) if group.code == kind)
    place = 8 + sum(4 + 4 * group.count for group in known.groups[:header]) + 4
    page = bytearray(built["es"])
    page[place : place + 4] = bytes(word)
    element = pages.statuses(bytes(page), known).elements[header, 0]
    assert element.status is status
    assert element.value == pytest.approx(value, nan_ok=True)
