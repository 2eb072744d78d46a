"""Who a BMC says it is."""

import pytest

from instruments.errors import SourceError
from instruments.thermal.ipmi_identity import identity_of

DELL = bytes.fromhex("20 01 02 15 02 df a2 02 00 00 01 00 00 00 00")


def test_maker_product_and_firmware() -> None:
    identity = identity_of(DELL, "ab12", "192.0.2.20:623", "bmc")
    assert (identity.maker, identity.model) == ("Dell", "BMC 256")
    assert (identity.firmware, identity.serial) == ("2.15", "ab12")


def test_an_unknown_maker_is_its_number() -> None:
    data = DELL[:6] + b"\x91\x12\x00" + DELL[9:]
    assert identity_of(data, "", "", "bmc").maker == "IANA 4753"


def test_an_answer_that_is_too_short_is_no_bmc() -> None:
    with pytest.raises(SourceError, match="bmc: the BMC tells only 3 bytes"):
        identity_of(DELL[:3], "", "", "bmc")
