"""Where the limit is: drives, SAS, PCIe or the network."""

import math

from app.calc.calculator import Answer, Calculator, Chart, Course, Output, wrong
from instruments.settings import Kind, Option, Settings

_SAS = {"3": 3 * 0.8, "6": 6 * 0.8, "12": 12 * 0.8, "22.5": 22.5 * 128 / 150}
"""Gbit/s of data a lane: 8b/10b to SAS-3, 128b/150b with its error correction in
SAS-4 (INCITS 534, SPL-4)."""

_PCIE = {
    "1": 2.5 * 8 / 10,
    "2": 5 * 8 / 10,
    "3": 8 * 128 / 130,
    "4": 16 * 128 / 130,
    "5": 32 * 128 / 130,
    "6": 64 * 242 / 256,
}
"""Gbit/s a lane: 8b/10b to 2.0, 128b/130b to 5.0; of a 256 byte FLIT of 6.0, 236 carry
packets and 6 the link's own (PCI Express Base Specification 6.0, 4.2.3)."""

_PREAMBLE, _HEADER, _GAP = 8, 14 + 4, 12
"""Bytes around each Ethernet frame (IEEE 802.3)."""
_TCP = 20 + 20 + 12
"""Bytes of IPv4, TCP and its time stamps in each frame."""

NONE = "none"

OPTIONS = (
    Option("drives", "Drives behind the link.", Kind.INTEGER, 60, low=1, high=100000),
    Option(
        "drive_rate",
        "What a drive delivers alone.",
        Kind.NUMBER,
        230.0,
        low=0.001,
        high=1e6,
        unit="MB/s",
    ),
    Option(
        "sas",
        "Rate of a SAS lane.",
        Kind.CHOICE,
        "12",
        choices=(NONE, *_SAS),
        unit="Gbit/s",
        name="SAS lane",
    ),
    Option(
        "sas_lanes",
        "Total SAS lanes; a wide port has 4.",
        Kind.INTEGER,
        8,
        low=1,
        high=1024,
        name="SAS lanes",
    ),
    Option(
        "sas_share",
        "Share of the SAS data rate that is reached.",
        Kind.NUMBER,
        91.7,
        low=1.0,
        high=100.0,
        unit="%",
        name="SAS reached",
    ),
    Option(
        "pcie",
        "Generation of PCI Express.",
        Kind.CHOICE,
        "3",
        choices=(NONE, *_PCIE),
        name="PCI Express",
    ),
    Option(
        "pcie_lanes",
        "Total PCI Express lanes.",
        Kind.INTEGER,
        8,
        low=1,
        high=1024,
        name="PCI Express lanes",
    ),
    Option(
        "pcie_share",
        "Share of the PCI Express data rate that is reached.",
        Kind.NUMBER,
        81.25,
        low=1.0,
        high=100.0,
        unit="%",
        name="PCI Express reached",
    ),
    Option(
        "ethernet",
        "Total rate of the network; 0 for no network.",
        Kind.NUMBER,
        0.0,
        low=0.0,
        high=1e6,
        unit="Gbit/s",
    ),
    Option(
        "mtu",
        "Largest packet of the network.",
        Kind.INTEGER,
        9000,
        low=576,
        high=65535,
        unit="bytes",
        name="MTU",
    ),
)

_KISTI = "KISTI ME484 report: 2200 of 2400 MB/s and 6400 of 7877 MB/s in practice"
OUTPUTS = (
    Output("drives_mb_s", "Drives", "MB/s", "drives x drive rate"),
    Output("sas_raw_mb_s", "SAS, of the line", "MB/s", "lanes x Gbit/s / 8"),
    Output(
        "sas_mb_s",
        "SAS, data",
        "MB/s",
        "lanes x Gbit/s x 8/10 / 8; of 22.5 Gbit/s 128/150",
        "SAS-3 8b/10b, SPL-4 128b/150b",
    ),
    Output("sas_reached_mb_s", "SAS, reached", "MB/s", "data x share", _KISTI),
    Output("pcie_raw_mb_s", "PCI Express, of the line", "MB/s", "lanes x GT/s / 8"),
    Output(
        "pcie_mb_s",
        "PCI Express, data",
        "MB/s",
        "lanes x GT/s x 8/10 (1, 2), 128/130 (3 to 5) or 242/256 (6) / 8",
        "PCI Express Base Specification",
    ),
    Output("pcie_reached_mb_s", "PCI Express, reached", "MB/s", "data x share", _KISTI),
    Output(
        "ethernet_mb_s",
        "Network, data of TCP",
        "MB/s",
        "Gbit/s / 8 x (MTU - 52) / (MTU + 38)",
        "IEEE 802.3; IPv4, TCP, time stamps",
    ),
    Output("limit_mb_s", "The limit", "MB/s", "the least of those reached"),
    Output(
        "saturate",
        "Drives that saturate the links",
        "",
        "least of the links / drive rate, rounded up",
    ),
    Output(
        "below",
        "Drives that run at full rate",
        "",
        "least of the links / drive rate, rounded down",
    ),
    Output("exact", "Links over drives", "", "least of the links / drive rate"),
    Output("each_mb_s", "Left per drive", "MB/s", "limit / drives"),
)


def _links(settings: Settings) -> tuple[dict[str, float | None], dict[str, float]]:
    """Get what is shown of each link, and by its title what it reaches in MB/s."""
    values: dict[str, float | None] = {}
    reached: dict[str, float] = {}
    for word, title, table in (("sas", "SAS", _SAS), ("pcie", "PCI Express", _PCIE)):
        chosen = settings.text(word)
        if chosen == NONE:
            continue
        lanes = settings.integer(f"{word}_lanes")
        raw = {"1": 2.5, "2": 5, "3": 8, "4": 16, "5": 32, "6": 64}
        line = float(chosen) if word == "sas" else raw[chosen]
        values[f"{word}_raw_mb_s"] = lanes * line * 1000 / 8
        data = values[f"{word}_mb_s"] = lanes * table[chosen] * 1000 / 8
        share = settings.number(f"{word}_share") / 100
        reached[title] = values[f"{word}_reached_mb_s"] = data * share
    if network := settings.number("ethernet"):
        mtu = settings.integer("mtu")
        frame = mtu + _PREAMBLE + _HEADER + _GAP
        reached["Network"] = network * 1000 / 8 * (mtu - _TCP) / frame
        values["ethernet_mb_s"] = reached["Network"]
    return values, reached


def _work(settings: Settings) -> Answer:
    drives, rate = settings.integer("drives"), settings.number("drive_rate")
    values, reached = _links(settings)
    values["drives_mb_s"] = drives * rate
    if not reached:
        raise wrong("sas", "there is no link", "Choose SAS, PCI Express or a network.")
    name = min(reached, key=lambda one: reached[one])
    link = reached[name]
    limit = min(link, drives * rate)
    values |= {
        "limit_mb_s": limit,
        "saturate": math.ceil(link / rate),
        "below": math.floor(link / rate),
        "exact": link / rate,
        "each_mb_s": limit / drives,
    }
    what = "the drives" if drives * rate <= link else name
    most = max(drives, math.ceil(1.25 * link / rate))
    steps = sorted({1, drives, most, *(round(most * n / 60) or 1 for n in range(61))})
    courses = [
        Course(
            "Drives behind the links", tuple((n, min(n * rate, link)) for n in steps)
        )
    ]
    courses += [
        Course(title, ((1, one), (most, one))) for title, one in reached.items()
    ]
    note = f"The limit is {what}, at {limit:.0f} MB/s."
    return Answer(values, (note,), Chart("Drives", "MB/s", tuple(courses)))


LINK = Calculator(
    "link",
    "Link bottleneck",
    "What limits the bandwidth: the drives, SAS, PCI Express or the network.",
    OPTIONS,
    OUTPUTS,
    _work,
    {"drives": "dut.drives"},
    {
        **dict.fromkeys(("sas_lanes", "sas_share"), ("sas", tuple(_SAS))),
        **dict.fromkeys(("pcie_lanes", "pcie_share"), ("pcie", tuple(_PCIE))),
    },
)
