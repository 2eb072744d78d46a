"""ZFS capacities against pools that OpenZFS itself has made.

tests/data/zfs-capacity.csv was written by tests/data/zfs_pool.c, which makes pools of
sparse files with the libzpool of OpenZFS 2.1.11 (Debian 12) and asks it for its sizes.
"""

import csv
from pathlib import Path

import pytest

from app.calc.zfs import MIRROR, STRIPE, ZFS, Vdev, pool_of
from instruments.errors import OptionError

_FILE = Path(__file__).parents[2] / "data/zfs-capacity.csv"
_POOLS = list(csv.DictReader(_FILE.read_text().splitlines()))
_METADATA = 8 * 2**20  # that an empty pool uses for itself


@pytest.mark.parametrize(
    "row",
    _POOLS,
    ids=["{layout}{parity}-{groups}x{width}-{bytes}".format(**row) for row in _POOLS],
)
def test_a_pool_is_as_large_as_openzfs_made_it(row: dict[str, str]) -> None:
    number = {key: int(value) for key, value in row.items() if key != "layout"}
    kind = row["layout"]
    if kind not in (STRIPE, MIRROR):
        kind += row["parity"]
    vdev = Vdev(
        kind,
        number["width"],
        number["bytes"],
        number["ashift"],
        number["data"],
        number["spares"],
    )
    pool = pool_of(vdev, number["groups"])
    assert vdev.asize == number["asize"]
    assert vdev.metaslabs == (number["metaslabs"], number["metaslab_shift"])
    assert vdev.deflate_ratio == number["deflate_ratio"]
    assert vdev.allocated(4096) == number["asize_4k"]
    assert vdev.allocated(128 * 1024) == number["asize_128k"]
    assert vdev.allocated(2**20) == number["asize_1m"]
    assert pool.size == number["zpool_size"]
    assert pool.space == number["dspace"]
    assert pool.slop == number["slop"]
    assert 0 <= pool.available - number["available"] < _METADATA


def test_small_records_on_raidz_take_more_than_parity() -> None:
    answer = ZFS.answer({"record": "8k", "layout": "raidz2"})
    assert answer.values["padding"] == pytest.approx(200)  # 2 data, 2 parity, 2 padding
    room = answer.values["records_tib"] or 0.0
    assert room < 0.5 * (answer.values["available_tib"] or 0.0)


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"drives": 61}, "drives"),
        ({"group": 2}, "group"),
        ({"layout": "draid2", "group": 10, "data": 8, "spares": 1}, "group"),
        ({"size": 0.0001}, "size"),
        ({"layout": "raidz9"}, "layout"),
        ({"spares": 55}, "drives"),
    ],
)
def test_what_makes_no_pool_is_said_at_its_input(
    given: dict[str, object], key: str
) -> None:
    with pytest.raises(OptionError) as caught:
        ZFS.answer(given)
    assert caught.value.option == key
