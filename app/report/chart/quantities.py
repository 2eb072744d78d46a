"""What channels are called that no chart of every session shows."""

from app.report.chart.panels_heat import place_of
from instruments.power.hmc8015.functions import FUNCTIONS
from instruments.reading import Channel

_METERED = {one.quantity: one.title for one in FUNCTIONS} | {
    "U_range": "Voltage range",
    "I_range": "Current range",
}

_WORDS = {
    "1min": "over 1 min",
    "bw": "throughput",
    "cpu": "CPU",
    "io": "I/O",
    "iops": "IOPS",
    "lat": "latency",
    "net": "network",
    "rx": "received",
    "tx": "sent",
}
"""Parts of names that are no words."""


def quantity_name(channel: Channel) -> str:
    """Get what a channel is called by what it measures, such as "Disk busy: Sda"."""
    quantity = channel.quantity
    parts = (_WORDS.get(part, part) for part in quantity.split("_"))
    words = " ".join(filter(None, parts))
    name = _METERED.get(quantity, words[:1].upper() + words[1:] or quantity)
    return f"{name}: {place_of(channel)}" if channel.location else name
