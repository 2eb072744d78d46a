"""SES pages as bytes: one JBOD built by the standard, and captured ones."""

from pathlib import Path

FIXTURES = Path(__file__).parents[2] / "fixtures" / "ses"
PAGES = {"cf": 0x01, "es": 0x02, "th": 0x05, "ed": 0x07, "aes": 0x0A}
SLOT, SUPPLY, FAN, TEMPERATURE, MODULE, VOLT, AMPERE = 0x17, 2, 3, 4, 7, 0x12, 0x13
JBOD = (
    (SLOT, [(f"Slot {n:02d}", [1 if n < 10 else 5, 0, 0, 0]) for n in range(12)]),
    (SUPPLY, [("PSU A", [1, 0, 0, 0x20]), ("PSU B", [2, 0, 0, 0x42])]),
    (
        FAN,
        [
            ("FAN ENCL 1", [1, 0x02, 0xD0, 0x23]),
            ("FAN ENCL 2", [3, 0x01, 0x00, 0x21]),
            ("FAN ENCL 3", [5, 0, 0, 0x10]),
            ("FAN PSU A", [1, 0, 0, 0x25]),
        ],
    ),
    (
        TEMPERATURE,
        [
            ("TEMP Inlet", [1, 0, 20 + 24, 0]),
            ("TEMP Exhaust", [1, 0, 20 + 51, 0]),
            ("TEMP IOM A", [1, 0, 0, 0]),
            ("", [3, 0, 20 + 61, 0x04]),
        ],
    ),
    (MODULE, [("IOM A", [1, 0, 1, 0]), ("IOM B", [1, 0, 0, 0])]),
    (VOLT, [("PSU A 12V", [1, 0, 4, 0xB0]), ("PSU B 12V", [1, 0, 0xFF, 0xFF])]),
    (AMPERE, [("PSU A 12V", [1, 0, 6, 0x40]), ("PSU B 12V", [6, 0, 0, 0])]),
)
LIMITS = {TEMPERATURE: bytes((70 + 20, 50 + 20, 5 + 20, 20))}
WWN = 0x5000C500A0000000


def build(
    generation: int = 5, logical_id: int = 0x500A098000000424
) -> dict[str, bytes]:
    """Build the five pages of a JBOD with 12 bays as SES-3 lays them out."""
    head = generation.to_bytes(4, "big")
    enclosure = logical_id.to_bytes(8, "big") + b"MAKER   " + b"JBOD-12 TWIN    01.7"
    cf = b"\x11\x00" + bytes((len(JBOD), len(enclosure))) + enclosure
    cf += b"".join(bytes((kind, len(each), 0, 0)) for kind, each in JBOD)
    es, th, ed, aes = b"", b"", b"", b""
    index = 0
    for kind, each in JBOD:
        es += bytes(4) + b"".join(bytes(status) for _, status in each)
        th += bytes(4) + LIMITS.get(kind, bytes(4)) * len(each)
        texts = ["", *(name for name, _ in each)]
        ed += b"".join(len(t).to_bytes(4, "big") + t.encode() for t in texts)
        for number, (_, status) in enumerate(each):
            if kind == SLOT:
                wwn = (WWN + 0x10 * number + 1) if status[0] == 1 else 0
                phy = bytes((0x10, 0, 0, 8)) + (logical_id + 0x3F).to_bytes(8, "big")
                phy += wwn.to_bytes(8, "big") + bytes(8)
                aes += bytes((0x16, 6 + 28, 0, index, 1, 0, 0, number)) + phy
            index += 1
    pages = {"cf": cf, "es": es, "th": th, "ed": ed, "aes": aes}
    return {
        name: bytes((PAGES[name], 0)) + (len(body) + 4).to_bytes(2, "big") + head + body
        for name, body in pages.items()
    }


def as_hex(pages: dict[str, bytes]) -> str:
    """Print pages as `sg_ses -HHHH` does."""
    return "\n".join(f"# {name}\n{page.hex(' ')}\n" for name, page in pages.items())


def read_hex(path: Path) -> dict[str, bytes]:
    """Read pages that `sg_ses --page=all -HHHH` printed."""
    lines = (line for line in path.read_text().splitlines() if line[:1] != "#")
    data = bytes.fromhex(" ".join(lines))
    names = {code: name for name, code in PAGES.items()}
    found, place = {}, 0
    while place < len(data):
        length = int.from_bytes(data[place + 2 : place + 4], "big") + 4
        if data[place] in names:
            found[names[data[place]]] = data[place : place + length]
        place += length
    return found
