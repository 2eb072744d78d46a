"""Whether the bays of a device are as many as its drives."""

from app.bench.model import Dut
from instruments.sizes import counted
from instruments.thermal.layout import parse_layout


def other_count(dut: Dut) -> str:
    """Say where a layout has another number of bays than there are drives."""
    is_known = dut.drives and dut.layout
    if not is_known or dut.layout.endswith(".toml"):  # a file may be far away
        return ""
    bays = len(parse_layout(dut.layout).slots)
    if bays == dut.drives:
        return ""
    return f"{counted(bays, 'bay')} for {counted(dut.drives, 'drive')}"
