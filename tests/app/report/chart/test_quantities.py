"""What channels are called that no chart shows."""

import pytest

from app.report.chart.quantities import quantity_name
from instruments.reading import Channel


@pytest.mark.parametrize(
    ("quantity", "location", "name"),
    [
        ("I_peak_max", "", "Highest current"),
        ("U_range", "", "Voltage range"),
        ("P_h3", "2", "Harmonic 3 of P: 2"),
        ("memory_available", "", "Memory available"),
        ("disk_read_iops", "sda", "Disk read IOPS: Sda"),
        ("cpu_busy", "core07", "CPU busy: Core 07"),
        ("read_bw", "", "Read throughput"),
        ("_", "", "_"),
    ],
)
def test_it_is_called_by_what_it_measures(
    quantity: str, location: str, name: str
) -> None:
    assert quantity_name(Channel("any", quantity, "W", location)) == name
