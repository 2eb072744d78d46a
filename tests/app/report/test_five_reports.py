"""The tables of five published reports, cell by cell as they stand in print.

What is printed stands below; Bayscope makes its side from the figures that it ships.
"""

from pathlib import Path

import pytest

from app.__main__ import main
from app.operations.sessions.together import together
from app.record.store import Session
from app.report.document import Document

Printed = dict[str, list[str]]

JBOD = {
    "60x RAID0 physical drive (Windows; Adaptec 3254)": """
Sequential write 4M	700		13200
Sequential read 4M	690		14500
Random write 4k	580	38700
Random read 4k	780	9700
Mixed 4k/64k/256k/2M	750	6100	1800
Idle (Idle, RAID background)	580
Temperature ambient	26 °C
Temperature HDD min.	30 °C
Temperature HDD max.	46 °C""",
    "60x RAID10 logical volume (Windows; Adaptec 3254)": """
Sequential write 4M	700		7000
Sequential read 4M	680		12900
Random write 4k	580	6800
Random read 4k	600	27200
Mixed 4k/64k/256k/2M	620	4500	1300
File copy	600		450/450
Idle
Temperature ambient	26 °C
Temperature HDD min.	29 °C
Temperature HDD max.	45 °C""",
    "60 single devices multipath (Linux; HBA9500-16e)": """
Sequential write 4M	670		8700
Sequential read 4M	670		6700
Random write 4k	600	36400
Random read 4k	600	14800
Mixed 4k/64k/256k/2M	620	9200	2700
Temperature ambient	26 °C
Temperature HDD min.	30 °C
Temperature HDD max.	46 °C""",
}
STATES = """
Off, BMC active	15 W
On without drives	140 W
Start-up peak, highest mean over 500 ms (Cold start)	1300 W
Noise of the start (Cold start)	>90dB
Idle	580 W
Lambda (P/S) (Idle)	0.975
Noise (Idle)	54 dB(A)
Ambient (Idle)	26 °C"""
POOLS = {
    "RAID-Z2 6x10; sync disabled": ("1570 3830", "1000 1270 740", "220"),
    "RAID-Z2 6x10; sync to write log": ("790 3880", "970 1270 730", "220"),
    "RAID-Z2 6x10; sync in pool": ("152 3850", "360 1270 360", "107"),
    "3-way mirror 20x3; sync disabled": ("1270 2480", "890 1360 890", "260"),
    "3-way mirror 20x3; sync to write log": ("640 2530", "870 1360 890", "890"),
    "2-way mirror 30x2; sync disabled": ("1680 4280", "1000 1450 870", "260"),
    "2-way mirror 30x2; sync to write log": ("600 4330", "990 1310 890", "260"),
}
"""Sequential write and read in MB/s; IOPS of random write, read, mixed; its MB/s."""

BLOCKS = """
4k	80000	320	11200	45
8k	52000	416	10800	86
16k	30000	480	10000	160
32k	15000	480	9200	294
64k	7100	454	8100	518
128k	3750	480	6900	883
256k	2300	589	5400	1382
512k	1500	768	2800	1434
1M	1050	1075	1425	1459
2M	590	1208	715	1464
4M	330	1352	410	1679
8M	170	1393	235	1925
16M	90	1475	145	2376
32M	45	1475	85	2785
64M	23	1507	46	3015"""
COST = """
Net capacity (TB)	9.6	28.8
Power (W)	90	230
Energy of a year (kWh, PUE 1)	788	2015
Cost of a year (EUR, 0.07 per kWh, PUE 1.3)	72	183"""
PER_TB = """
IBM TS3500 5 frames 3.2 PB, Load	1600	0.500
DellEMC SC7020 2.5 PB, Load	12120	4.85
EMC Isilon 16 nodes 2.95 PB, Load	13730	4.65
EMC VNX 12 nodes 2.36 PB, Load	5100	2.16
Hitachi VSP 2 PB, Load	18300	9.15
EMC Isilon 15 nodes 1.43 PB, Load	12880	9.01
EMC CX4-960 1.5 PB, Load	14900	9.93"""
"""As printed but for W/TB, which the report cuts to a digit or two: 4.8, 4.6, 2.2."""

WHOLE = """
JBOD 70 disks, Idle	830	0.988	1.52
JBOD 70 disks, Load	860	1.02	1.64
JBOD 70 disks, Load, maximum	960	1.14	1.76
server, Idle	200
server, Load	270
switch, Idle	246
switch, Load	246"""
"""Printed 1.12 for 860 W, which is 1.126 by TiB cut off; 1.75, which is 1.757 cut off,
with server and switch and the JBOD at its "Max 960"."""

DRIVE = """
Idle_B	3.55
Sequential write	8.79
Sequential read	8.30
Random write	6.74
Random read	9.92"""


def cells(text: str) -> list[list[str]]:
    lines = [line.split("\t") for line in text.strip("\n").split("\n")]
    width = max(map(len, lines))
    return [line + [""] * (width - len(line)) for line in lines]


@pytest.fixture(scope="module")
def paths(published: list[Path]) -> dict[str, Path]:
    found = {}
    for path in published:
        with Session.open(path) as session:
            found[session.info.name] = path
    return found


def made(form: str, *paths: Path) -> Document:
    def failed(error: Exception) -> None:
        raise error

    return together(paths, form, failed)


@pytest.mark.parametrize("name", JBOD)
def test_a_set_up_of_the_jbod_report(paths: dict[str, Path], name: str) -> None:
    document = made("lab", paths[name])
    assert document.table.heads == ["Workload", "Power (W)", "IOPS", "Bandwidth (MB/s)"]
    shown = [row for row in document.table.texts() if any(row[1:]) or "Idle" in row[0]]
    printed = cells(JBOD[name])
    if not any(row[0].startswith("Idle") for row in printed):
        shown = [row for row in shown if row[0] != "Idle"]
    assert shown == printed


def test_the_states_of_the_enclosure(paths: dict[str, Path]) -> None:
    document = made("enclosure", paths["enclosure"])
    shown = [row for row in document.table.texts() if row[1]]
    assert shown == cells(STATES)


@pytest.mark.parametrize("name", POOLS)
def test_a_pool_of_the_zfs_report(paths: dict[str, Path], name: str) -> None:
    sequential, random, mixed = POOLS[name]
    write, read = sequential.split()
    write_iops, read_iops, iops = random.split()
    assert [row[2:] for row in made("lab", paths[name]).table.texts()[:5]] == [
        ["", write],
        ["", read],
        [write_iops, ""],
        [read_iops, ""],
        [iops, mixed],
    ]


def test_all_pools_are_one_matrix(paths: dict[str, Path]) -> None:
    document = made("configurations", *(paths[name] for name in POOLS))
    tables = {document.caption: document.table, **dict(document.more)}
    rate = tables["Bandwidth (MB/s)"]
    assert rate.heads[1:] == list(POOLS)
    assert rate.texts()[0][1:] == [one[0].split()[0] for one in POOLS.values()]
    iops = {row[0]: row[1:] for row in tables["IOPS"].texts()}
    assert iops["Random read 4k"] == [one[1].split()[1] for one in POOLS.values()]


def test_block_sizes_of_two_systems(paths: dict[str, Path]) -> None:
    names = "8x SATA SSD RAID6", "24x 10k SAS RAID10"
    document = made("block-sizes", *(paths[name] for name in names))
    assert document.table.heads == [
        "Block size",
        *(f"{what} {name}" for name in names for what in ("IOPS", "MB/s")),
    ]
    assert document.table.texts() == cells(BLOCKS)


def test_a_mixed_load_of_two_systems(paths: dict[str, Path]) -> None:
    names = "8x SATA SSD RAID6", "24x 10k SAS RAID10"
    document = made("block-sizes", *(paths[name] for name in names))
    [(_, table)] = document.more
    assert table.texts() == [
        ["4k/20:64k/50:256k/20:2M/10", "2400", "800", "3300", "980"]
    ]


def test_the_power_of_one_drive(paths: dict[str, Path]) -> None:
    document = made("measured", paths["drive MG10SFA22TE"])
    place = document.table.heads.index("Power (W)")
    assert [[row[0], row[place]] for row in document.table.texts()] == cells(DRIVE)


def test_the_live_demo(paths: dict[str, Path]) -> None:
    [name] = (one for one in paths if one.startswith("live demo"))
    table = made("lab", paths[name]).table
    assert [row[3] for row in table.texts()[:2]] == ["5000", "2500"]


def test_the_cost_of_two_systems(paths: dict[str, Path]) -> None:
    names = "8x SATA SSD RAID6", "24x 10k SAS RAID10"
    document = made("operating-cost", *(paths[name] for name in names))
    assert document.table.heads[1:] == list(names)
    assert document.table.texts() == cells(COST)


def test_power_for_a_terabyte(paths: dict[str, Path]) -> None:
    printed = cells(PER_TB)
    names = [row[0].removesuffix(", Load") for row in printed]
    document = made("power-per-terabyte", *(paths[name] for name in names))
    assert [row[:3] for row in document.table.texts()] == printed
    names = ["JBOD 70 disks", "server", "switch"]
    table = made("power-per-terabyte", *(paths[name] for name in names)).table
    assert table.texts() == cells(WHOLE)


def test_an_archive_at_full_transfer_size(paths: dict[str, Path]) -> None:
    names = [f"ME484 70 disks XFS, {tool}" for tool in ("VDBench", "IOzone")]
    document = made("transfer-sizes", *(paths[name] for name in names))
    for name, (title, table) in zip(
        names, [(document.caption, document.table), *document.more], strict=True
    ):
        assert title.endswith(f"percent, {name}")
        assert [table.heads, *table.texts()] == [
            ["Transfer size", "read/write"],
            ["2048k", "6000"],
        ]


def test_transfer_sizes_and_objects(paths: dict[str, Path]) -> None:
    (name,) = (one for one in paths if one.startswith("6 MinIO"))
    document = made("object-sizes", paths[name])
    assert document.table.texts() == [["1 MiB to 1 GiB", "12067"]]
    assert document.table.heads[1] == "PUT"


def test_the_command_puts_sessions_into_one_table(
    paths: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = [str(paths[n]) for n in ("8x SATA SSD RAID6", "24x 10k SAS RAID10")]
    command = ["compare", *chosen, "--form", "block-sizes"]
    assert main(command) == 0
    assert "80000" in capsys.readouterr().out
    assert main([*command, "--format", "md,csv", "--to", str(tmp_path)]) == 0
    assert (
        "| 64k | 7100 | 454 | 8100 | 518 |" in (tmp_path / "block-sizes.md").read_text()
    )
    assert "64k,7100,454,8100,518" in (tmp_path / "block-sizes.csv").read_text()
    assert main([*command, "--format", "txt"]) == 2
