"""The capacity of a ZFS pool, step by step as OpenZFS works it out.

Sources are of OpenZFS 2.1: module/zfs/vdev.c, vdev_raidz.c, vdev_draid.c,
metaslab.c and spa_misc.c; figures of pools that its libzpool made are in
tests/data/zfs-capacity.csv.
"""

from dataclasses import dataclass

from app.calc.calculator import TB, TIB, Answer, Calculator, Output, wrong
from app.calc.raid import DRIVES, ROUNDED_FIRST, rounded_first, without_spares
from instruments.settings import Kind, Option, Settings
from instruments.sizes import counted

_KIB, _MIB, _GIB = 2**10, 2**20, 2**30
_LABEL = 256 * _KIB
_LABELS = 4 * _LABEL + 7 * _MIB // 2  # vdev_impl.h: four labels and the boot block
_RATIO_BLOCK = 128 * _KIB  # vdev_set_deflate_ratio: SPA_OLD_MAXBLOCKSIZE
_SECTOR_SHIFT = 9  # SPA_MINBLOCKSHIFT
_COUNT, _LEAST_COUNT, _MOST_COUNT = 200, 16, 131072  # zfs_vdev_*_ms_count*
_SHIFT, _LEAST_SHIFT, _MOST_SHIFT = 29, 24, 34  # zfs_vdev_*_ms_shift
_LOG_FROM = 64  # zfs_embedded_slog_min_ms
_SLOP_SHIFT, _LEAST_SLOP, _MOST_SLOP = 5, 128 * _MIB, 128 * _GIB  # spa_*_slop
_ROW, _REFLOW = 16 * _MIB, 32 * _MIB  # VDEV_DRAID_ROWHEIGHT, _REFLOW_RESERVE

STRIPE, MIRROR = "stripe", "mirror"
_KINDS = (STRIPE, MIRROR, *(f"{k}{n}" for k in ("raidz", "draid") for n in (1, 2, 3)))


@dataclass(frozen=True, slots=True)
class Vdev:
    """A top-level vdev; a pool is some equal ones.

    Attributes:
        kind: One of "stripe", "mirror", "raidz1" ... "draid3".
        drives: How many drives it has, distributed spares with them.
        drive_bytes: Of each drive or partition.
        ashift: Base-2 logarithm of the sector.
        data: Data drives in a group of a dRAID.
        spares: Distributed spares of a dRAID.
    """

    kind: str
    drives: int
    drive_bytes: int
    ashift: int = 12
    data: int = 0
    spares: int = 0

    @property
    def parity(self) -> int:
        """Drives that may fail in a group; of a mirror all but one."""
        if self.kind == MIRROR:
            return self.drives - 1
        return int(self.kind[-1]) if self.kind != STRIPE else 0

    @property
    def is_draid(self) -> bool:
        """Whether it is a dRAID."""
        return self.kind.startswith("draid")

    @property
    def asize(self) -> int:
        """Bytes that can be allocated, parity with them (vdev_open)."""
        child = self.drive_bytes // _LABEL * _LABEL - _LABELS
        if child < 64 * _MIB:
            return 0  # SPA_MINDEVSIZE
        if self.kind in (STRIPE, MIRROR):
            return child
        if not self.is_draid:
            return child * self.drives
        child = (child - _REFLOW) // _ROW * _ROW
        group = (self.data + self.parity) * _ROW
        return child * (self.drives - self.spares) // group * group

    def allocated(self, block: int) -> int:
        """Get the bytes that a block takes, with parity and padding.

        vdev_raidz_asize rounds up to a multiple of parity + 1 sectors, so that no hole
        is too small to be used; vdev_draid_asize rounds up to full stripes.
        """
        sectors = ((block - 1) >> self.ashift) + 1
        if self.kind in (STRIPE, MIRROR):
            return sectors << self.ashift
        if self.is_draid:
            rows = -(-sectors // self.data)
            return rows * (self.data + self.parity) << self.ashift
        sectors += self.parity * -(-sectors // (self.drives - self.parity))
        multiple = self.parity + 1
        return -(-sectors // multiple) * multiple << self.ashift

    @property
    def deflate_ratio(self) -> int:
        """By which asize is turned into what `zfs list` counts, in 1/512."""
        return _RATIO_BLOCK // (self.allocated(_RATIO_BLOCK) >> _SECTOR_SHIFT)

    @property
    def metaslabs(self) -> tuple[int, int]:
        """How many there are, and the logarithm of their size (vdev_metaslab_set_size).

        What is left over behind the last one is not used.
        """
        asize = self.asize
        count = asize >> _SHIFT
        shift = _SHIFT
        if count < _LEAST_COUNT:
            shift = (asize // _LEAST_COUNT).bit_length()
        elif count > _COUNT:
            shift = (asize // _COUNT).bit_length()
        shift = max(shift, _LEAST_SHIFT)
        if shift > _MOST_SHIFT:
            shift = _MOST_SHIFT
            if asize >> shift > _MOST_COUNT:
                shift = (asize // _MOST_COUNT).bit_length()
        return asize >> shift, shift

    @property
    def spaces(self) -> tuple[int, int]:
        """Bytes of all metaslabs, and of the one kept for the log (0 for none)."""
        count, shift = self.metaslabs
        whole = count << shift
        first = 1 << shift
        if self.is_draid:  # vdev_draid_metaslab_init: aligned to full stripes
            stripe = (self.data + self.parity) << self.ashift
            first = first // stripe * stripe
            whole = sum(
                (((n + 1) << shift) - -(-(n << shift) // stripe) * stripe)
                // stripe
                * stripe
                for n in range(count)
            )
        return whole, first if count >= _LOG_FROM else 0

    def deflated(self, space: int) -> int:
        """Turn allocated bytes into what `zfs list` counts (vdev_deflated_space)."""
        return (space >> _SECTOR_SHIFT) * self.deflate_ratio


@dataclass(frozen=True, slots=True)
class Pool:
    """What `zpool list` and `zfs list` say of an empty pool, in bytes."""

    size: int  # zpool list: SIZE, of raidz and draid with parity
    space: int  # spa_get_dspace
    slop: int  # what is kept back, spa_get_slop_space

    @property
    def available(self) -> int:
        """`zfs list`: AVAIL of the root, but for a few MB of its own metadata."""
        return self.space - self.slop


def pool_of(vdev: Vdev, count: int) -> Pool:
    """Work out what a pool of this many equal vdevs comes to."""
    whole, log = vdev.spaces
    space = count * vdev.deflated(whole - log)
    slop = min(space >> _SLOP_SHIFT, _MOST_SLOP)
    slop -= min(count * vdev.deflated(log), slop >> 1)
    slop = max(slop, min(space >> 1, _LEAST_SLOP))
    return Pool(count * whole, space, slop)


OPTIONS = (
    Option(
        "layout",
        "Redundancy of a vdev.",
        Kind.CHOICE,
        "raidz2",
        choices=_KINDS,
    ),
    *DRIVES,
    Option(
        "group",
        "Drives in a vdev: of a mirror its copies, of a dRAID all including spares.",
        Kind.INTEGER,
        10,
        low=1,
        high=255,
        name="Drives in a group",
    ),
    Option(
        "spares",
        "Hot spares; for a dRAID the distributed spares of each vdev.",
        Kind.INTEGER,
        0,
        low=0,
        high=100,
    ),
    Option(
        "data",
        "Drives with data in a redundancy group of a dRAID, as in draid2:8d.",
        Kind.INTEGER,
        8,
        low=1,
        high=255,
        name="Data drives",
    ),
    Option(
        "ashift",
        "Base-2 logarithm of the sector: 12 is 4 KiB.",
        Kind.INTEGER,
        12,
        low=9,
        high=16,
    ),
    Option(
        "record", "Record or volume block size.", Kind.SIZE, "128k", name="Record size"
    ),
    Option(
        "fill",
        "How full the pool may get.",
        Kind.NUMBER,
        80.0,
        low=1.0,
        high=100.0,
        unit="%",
        name="Filled up to",
    ),
)

_CODE = "OpenZFS module/zfs"
OUTPUTS = (
    Output("gross_tb", "Gross", "TB", "drives x size"),
    Output("gross_tib", "Gross", "TiB", "gross / 1.0995"),
    Output("vdevs", "Vdevs", "", "(drives - hot spares) / group"),
    Output(
        "net_tb",
        "Net of parity, copies and spares",
        "TB",
        "vdevs x (group - parity) x size; of a dRAID vdevs x (group - spares) x data / "
        "(data + parity) x size",
    ),
    Output("net_tib", "Net of parity, copies and spares", "TiB", "net / 1.0995"),
    Output("share", "Net of gross", "%", "net / gross"),
    Output(
        "pool_tib",
        "zpool list: SIZE",
        "TiB",
        "whole metaslabs of all vdevs; of raidz and draid with parity",
        f"{_CODE}/vdev.c, vdev_metaslab_set_size",
    ),
    Output(
        "space_tib",
        "Space of the pool",
        "TiB",
        "metaslabs less the one for the log x 128 KiB / allocated for 128 KiB",
        f"{_CODE}/vdev.c, vdev_set_deflate_ratio",
    ),
    Output(
        "slop_gib",
        "Slop",
        "GiB",
        "1/32 of space, at most 128 GiB, less the log",
        f"{_CODE}/spa_misc.c, spa_get_slop_space",
    ),
    Output("available_tib", "zfs list: AVAIL, empty", "TiB", "space - slop"),
    Output("available_tb", "zfs list: AVAIL, empty", "TB", "space - slop"),
    Output(
        "padding",
        "Parity and padding of a record",
        "%",
        "allocated for a record / record - 1",
        f"{_CODE}/vdev_raidz.c, vdev_raidz_asize; vdev_draid.c, vdev_draid_asize",
    ),
    Output(
        "records_tib",
        "Room for records of this size",
        "TiB",
        "metaslabs x record / allocated for a record, less slop",
    ),
    Output("usable_tb", "Net up to the fill", "TB", "net x fill"),
    Output("usable_tib", "Net up to the fill", "TiB", "net x fill"),
    Output(
        "filled_tib",
        "Room for records up to the fill",
        "TiB",
        "room for records x fill",
    ),
    Output("efficiency", "Room for records of gross", "%", "room / gross"),
    *ROUNDED_FIRST,
)


def _vdev_of(settings: Settings) -> tuple[Vdev, int, int]:
    """Get the vdev, how many there are, and its data drives."""
    kind, group = settings.text("layout"), settings.integer("group")
    drives, spares = settings.integer("drives"), settings.integer("spares")
    data = settings.integer("data")
    if kind == STRIPE:
        group = 1
    size = round(settings.number("size") * TB)
    is_draid = kind.startswith("draid")
    vdev = Vdev(
        kind,
        group,
        size,
        settings.integer("ashift"),
        data if is_draid else 0,
        spares if is_draid else 0,
    )
    least = vdev.parity + (data + spares if is_draid else 1)
    if group < max(least, 2 if kind == MIRROR else 1):
        raise wrong(
            "group",
            f"a {kind} of {counted(group, 'drive')} has no room for its data",
            f"Expected {max(least, 2)} drives or more.",
        )
    left = drives if is_draid else without_spares(drives, spares)
    if left < group or left % group:
        raise wrong(
            "drives",
            f"{counted(left, 'drive')} cannot be parted into vdevs of {group}",
            f"Expected a multiple of {group}{'' if is_draid else ' and the spares'}.",
        )
    if not vdev.asize:
        raise wrong("size", "the drive is too small for ZFS", "Expected 0.001 TB up.")
    net = group - vdev.parity
    if is_draid:
        net_share = data / (data + vdev.parity)
        return vdev, left // group, round((group - spares) * net_share * size)
    return vdev, left // group, net * size


def _work(settings: Settings) -> Answer:
    vdev, count, net_bytes = _vdev_of(settings)
    pool = pool_of(vdev, count)
    record = settings.integer("record")
    fill = settings.number("fill") / 100
    gross = settings.integer("drives") * settings.number("size") * TB
    net = float(count * net_bytes)
    taken = vdev.allocated(record)
    whole, log = vdev.spaces
    room = max(0.0, count * (whole - log) * record / taken - pool.slop)
    values = {
        "gross_tb": gross / TB,
        "gross_tib": gross / TIB,
        "vdevs": count,
        "net_tb": net / TB,
        "net_tib": net / TIB,
        "share": 100 * net / gross,
        "pool_tib": pool.size / TIB,
        "space_tib": pool.space / TIB,
        "slop_gib": pool.slop / _GIB,
        "available_tib": pool.available / TIB,
        "available_tb": pool.available / TB,
        "padding": 100 * (taken / record - 1),
        "records_tib": room / TIB,
        "usable_tb": net * fill / TB,
        "usable_tib": net * fill / TIB,
        "filled_tib": room * fill / TIB,
        "efficiency": 100 * room / gross,
        **rounded_first(settings.number("size"), gross / TB, net / TB, fill),
    }
    notes = [
        "Compression, snapshots, metadata of the data and a partition table are not "
        "in it.",
    ]
    if record != _RATIO_BLOCK:
        notes.append(
            "zfs list counts as if all records had 128 KiB; with these they may take "
            "more or less than it says."
        )
    return Answer(values, tuple(notes))


ZFS = Calculator(
    "zfs",
    "ZFS capacity",
    "What a ZFS pool holds: parity, padding, slop and what zpool and zfs list say.",
    OPTIONS,
    OUTPUTS,
    _work,
    {"drives": "dut.drives"},
    {
        "group": ("layout", tuple(one for one in _KINDS if one != STRIPE)),
        "data": ("layout", tuple(one for one in _KINDS if one.startswith("draid"))),
    },
)
