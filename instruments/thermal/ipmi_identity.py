"""Who a BMC says it is: Get Device ID of IPMI 2.0, section 20.1."""

from instruments.errors import SourceError
from instruments.reading import Identity

_MAKERS = {
    2: "IBM",
    11: "HP",
    343: "Intel",
    674: "Dell",
    2011: "Huawei",
    2623: "ASUSTeK",
    5771: "Cisco",
    6653: "Tyan",
    7244: "Quanta",
    10368: "Fujitsu",
    10876: "Supermicro",
    15370: "GIGABYTE",
    19046: "Lenovo",
    37945: "Inspur",
    47196: "HPE",
    47488: "Supermicro",
}
"""Makers of servers among IANA's private enterprise numbers."""


def identity_of(device_id: bytes, guid: str, address: str, where: str) -> Identity:
    """Read maker, product and firmware; a product is a number of its maker.

    Args:
        device_id: Data of the answer.
        guid: The BMC's identifier, "" where it has none.
        address: How it was reached.
        where: Source and address, for errors.

    Raises:
        SourceError: The answer is too short.
    """
    if len(device_id) < 11:
        raise SourceError(
            f"the BMC tells only {len(device_id)} bytes of itself",
            where=where,
            way_out="Is it a BMC that is reached there?",
        )
    maker = int.from_bytes(device_id[6:9], "little")
    product = int.from_bytes(device_id[9:11], "little")
    firmware = f"{device_id[2] & 0x7F}.{device_id[3]:02x}"
    named = _MAKERS.get(maker, f"IANA {maker}")
    return Identity(named, f"BMC {product}", guid, firmware, address)
