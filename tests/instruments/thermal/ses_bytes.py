"""SES pages as bytes: one JBOD built by the standard, and the forms tools print."""

import json
from pathlib import Path

FIXTURES = Path(__file__).parents[2] / "fixtures" / "ses"
PAGES = {"cf": 0x01, "es": 0x02, "th": 0x05, "ed": 0x07, "aes": 0x0A}
STATES = (
    "Unsupported",
    "OK",
    "Critical",
    "Noncritical",
    "Unrecoverable",
    "Not installed",
    "Unknown",
    "Not available",
    "No access allowed",
)
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


def _signed(number: bytes) -> int:
    """Read 64 bits as sg3_utils 1.49 prints them: with a sign."""
    return int.from_bytes(number, "big", signed=True)


def as_json(pages: dict[str, bytes], page: str) -> str:
    """Print a page as sg_ses 1.49 does, by what its source says; see the README."""
    generation = int.from_bytes(pages["cf"][4:8], "big")
    make = {"cf": _cf, "es": _es, "ed": _ed, "aes": _aes}[page]
    name, body = make(pages)
    document = {
        "json_format_version": [0, 0],
        "utility_invoked": {"name": "sg_ses", "exit_status": 0},
        name: {"generation_code": generation, **body},
    }
    return json.dumps(document, indent=2)


def _groups(pages: dict[str, bytes]) -> list[tuple[int, int]]:
    cf = pages["cf"]
    start = 8 + cf[11] + 4
    return [(cf[k], cf[k + 1]) for k in range(start, start + 4 * cf[10], 4)]


def _head(kind: int) -> dict[str, object]:
    return {
        "element_type": {"i": kind, "meaning": f"type {kind}"},
        "subenclosure_identifier": {"i": 0, "meaning": "primary"},
    }


def _cf(pages: dict[str, bytes]) -> tuple[str, dict[str, object]]:
    cf = pages["cf"]
    enclosure = {
        "subenclosure_identifier": {"i": 0, "meaning": "primary"},
        "enclosure_logical_identifier": _signed(cf[12:20]),
        "enclosure_vendor_identification": cf[20:28].decode(),
        "product_identification": cf[28:44].decode(),
        "product_revision_level": cf[44:48].decode(),
    }
    types = [
        {
            "element_type": {"i": kind, "meaning": f"type {kind}"},
            "number_of_possible_elements": count,
            "subenclosure_identifier": 0,
        }
        for kind, count in _groups(pages)
    ]
    return "configuration_diagnostic_page", {
        "enclosure_descriptor_list": [enclosure],
        "type_descriptor_header_and_text_list": types,
    }


def _es(pages: dict[str, bytes]) -> tuple[str, dict[str, object]]:
    es, place, groups = pages["es"], 8, []
    for kind, count in _groups(pages):
        each = [_status(kind, es[k : k + 4]) for k in range(place, len(es), 4)]
        place += 4 * (count + 1)
        lists = {
            "overall_descriptor": each[0],
            "individual_status_element_list": each[1 : count + 1],
        }
        groups.append(_head(kind) | lists)
    return "enclosure_status_diagnostic_page", {"status_descriptor_list": groups}


def _status(kind: int, s: bytes) -> dict[str, object]:
    said: dict[str, object] = {
        "prdfail": int(bool(s[0] & 0x40)),
        "disabled": int(bool(s[0] & 0x20)),
        "swap": int(bool(s[0] & 0x10)),
        "status": {"i": s[0] & 15, "meaning": STATES[s[0] & 15]},
    }
    number = int.from_bytes(s[2:], "big")
    low = {"fail": int(bool(s[1] & 0x40))}
    if kind == FAN:
        raw = (s[1] & 7) << 8 | s[2]
        said |= {
            "fan_speed_factor": s[1] >> 3 & 3,
            "actual_fan_speed": raw,
            "calculated_fan_speed": raw * 10,
            "fail": int(bool(s[3] & 0x40)),
            "off": int(bool(s[3] & 0x10)),
            "actual_fan_code": {"i": s[3] & 7, "meaning": "at some speed"},
        }
    elif kind == TEMPERATURE:
        said |= low | {
            "temperature": {"i": s[2], "meaning": f"{s[2] - 20} C"},
            "ot_failure": int(bool(s[3] & 8)),
            "ot_warning": int(bool(s[3] & 4)),
        }
    elif kind in (VOLT, AMPERE):
        volts = {"raw_value": number, "value": f"{number / 100:.2f}"}
        said |= low | {"voltage" if kind == VOLT else "current": volts}
    elif kind == SUPPLY:
        said |= {"fail": int(bool(s[3] & 0x40)), "ac_fail": int(bool(s[3] & 2))}
        said |= {"off": int(bool(s[3] & 0x10))}
    return said


def _ed(pages: dict[str, bytes]) -> tuple[str, dict[str, object]]:
    ed, place, groups = pages["ed"], 8, []
    for kind, count in _groups(pages):
        texts = []
        for _ in range(count + 1):
            length = int.from_bytes(ed[place + 2 : place + 4], "big")
            texts.append(ed[place + 4 : place + 4 + length].decode().strip("\0"))
            place += 4 + length
        each = [{"descriptor": text} for text in texts[1:]]
        lists = {"overall_descriptor": texts[0], "element_descriptor": each}
        groups.append(_head(kind) | lists)
    key = "element_descriptor_by_type_list"
    return "element_descriptor_diagnostic_page", {key: groups}


def _aes(pages: dict[str, bytes]) -> tuple[str, dict[str, object]]:
    aes, place, groups = pages["aes"], 8, []
    for kind, count in _groups(pages):
        if kind != SLOT:
            continue
        each = []
        for _ in range(count):
            length = aes[place + 1] + 2
            d = aes[place : place + length]
            place += length
            phy = {
                "attached_sas_address": _signed(d[12:20]),
                "sas_address": _signed(d[20:28]),
            }
            told = {
                "invalid": 0,
                "element_index": d[3],
                "device_slot_number": d[7],
                "phy_descriptor_list": [phy],
            }
            each.append({"additional_element_status_descriptor": told})
        key = "additional_element_status_descriptor_list"
        groups.append(_head(kind) | {key: each})
    key = "additional_element_status_by_element_type_list"
    return "additional_element_status_diagnostic_page", {key: groups}
