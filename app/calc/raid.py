"""The capacity of a RAID set of a controller."""

from app.calc.calculator import TB, TIB, Answer, Calculator, Output, wrong
from instruments.settings import Kind, Option, Settings
from instruments.sizes import counted

_LOST = {"raid5": 1, "raid6": 2, "raid50": 1, "raid60": 2}
"""Drives' worth of parity in each group."""

_NESTED = ("raid50", "raid60")

_LEAST = {
    "raid0": 1,
    "raid1": 2,
    "raid5": 3,
    "raid6": 4,
    "raid10": 4,
    "raid50": 6,
    "raid60": 8,
}

DRIVES = (
    Option(
        "drives", "All drives, including spares.", Kind.INTEGER, 60, low=1, high=9999
    ),
    Option(
        "size",
        "Capacity of a drive.",
        Kind.NUMBER,
        20.0,
        low=0.001,
        high=1e5,
        unit="TB",
        name="Size of a drive",
    ),
)
"""How many drives of which size; those of any layout begin so."""

OPTIONS = (
    Option("level", "RAID level.", Kind.CHOICE, "raid6", choices=tuple(_LEAST)),
    *DRIVES,
    Option(
        "group",
        "Drives in a group of RAID 50 or 60.",
        Kind.INTEGER,
        10,
        low=3,
        high=9999,
        name="Drives in a group",
    ),
    Option("spares", "Hot spares.", Kind.INTEGER, 0, low=0, high=9999),
    Option(
        "fill",
        "How full it may get.",
        Kind.NUMBER,
        90.0,
        low=1.0,
        high=100.0,
        unit="%",
        name="Filled up to",
    ),
)

ROUNDED_FIRST = (
    Output(
        "rounded_tib",
        "Gross of rounded drives",
        "TiB",
        "gross / size x size rounded to 0.1 TiB",
    ),
    Output(
        "rounded_net_tib",
        "Net of rounded drives",
        "TiB",
        "net / size x size rounded to 0.1 TiB",
    ),
    Output(
        "rounded_usable_tib",
        "Rounded net up to the fill",
        "TiB",
        "net / size x size rounded to 0.1 TiB x fill",
    ),
)
"""What reports have that round the size of a drive before they count drives."""

OUTPUTS = (
    Output("gross_tb", "Gross", "TB", "drives x size"),
    Output("gross_tib", "Gross", "TiB", "gross / 1.0995"),
    Output(
        "net_tb",
        "Net of parity, copies and spares",
        "TB",
        "RAID 0: n x size; 1: size; 10: n/2 x size; 5 and 50: (n - groups) x size; "
        "6 and 60: (n - 2 x groups) x size; n without spares",
    ),
    Output("net_tib", "Net of parity, copies and spares", "TiB", "net / 1.0995"),
    Output("usable_tb", "Net up to the fill", "TB", "net x fill"),
    Output("usable_tib", "Net up to the fill", "TiB", "net x fill / 1.0995"),
    Output("efficiency", "Net of gross", "%", "net / gross"),
    Output(
        "failures",
        "Any drives that may fail",
        "",
        "smallest number whose failure loses data, minus one",
    ),
    *ROUNDED_FIRST,
)


def rounded_first(
    size: float, gross: float, net: float, fill: float
) -> dict[str, float]:
    """Get capacities in TiB of drives whose size is rounded before they are counted.

    Args:
        size: Of one drive, TB.
        gross: Of all, TB.
        net: Without parity, copies and spares, TB.
        fill: Up to which share that is filled.
    """
    drive_tib = round(size * TB / TIB, 1)
    return {
        "rounded_tib": gross / size * drive_tib,
        "rounded_net_tib": net / size * drive_tib,
        "rounded_usable_tib": net / size * drive_tib * fill,
    }


def without_spares(drives: int, spares: int) -> int:
    """Get how many drives are no hot spares; raises OptionError where none is."""
    if spares >= drives:
        raise wrong(
            "spares",
            f"{spares} of {counted(drives, 'drive')} cannot be spares",
            f"Expected fewer than {drives}.",
        )
    return drives - spares


def _work(settings: Settings) -> Answer:
    level = settings.text("level")
    drives, spares = settings.integer("drives"), settings.integer("spares")
    group, size = settings.integer("group"), settings.number("size")
    used = without_spares(drives, spares)
    if used < _LEAST[level]:
        raise wrong(
            "drives",
            f"{level} has {counted(used, 'drive')} without its spares",
            f"Expected {_LEAST[level]} or more.",
        )
    if level == "raid10" and used % 2:
        raise wrong("drives", f"raid10 has {used} drives", "Expected an even number.")
    groups = _groups(level, used, group) if level in _NESTED else 1
    match level:
        case "raid1":
            data = 1.0
        case "raid10":
            data = used / 2
        case _:
            data = float(used - groups * _LOST.get(level, 0))
    gross, net = drives * size, data * size
    fill = settings.number("fill") / 100
    failures = {"raid0": 0, "raid1": used - 1, "raid10": 1}.get(level)
    return Answer(
        {
            "gross_tb": gross,
            "gross_tib": gross * TB / TIB,
            "net_tb": net,
            "net_tib": net * TB / TIB,
            "usable_tb": net * fill,
            "usable_tib": net * fill * TB / TIB,
            "efficiency": 100 * net / gross,
            "failures": _LOST[level] if failures is None else failures,
            **rounded_first(size, gross, net, fill),
        }
    )


def _groups(level: str, used: int, group: int) -> int:
    """Get how many groups a nested level has; raises what `wrong` makes."""
    least = _LOST[level] + 2
    if group < least or used % group or used < 2 * group:
        raise wrong(
            "group",
            f"{counted(used, 'drive')} cannot be parted into two or more groups of "
            f"{group}",
            f"Expected a group of {least} or more that {used} is a multiple of.",
        )
    return used // group


RAID = Calculator(
    "raid",
    "RAID capacity",
    "What a RAID set holds, in TB and TiB.",
    OPTIONS,
    OUTPUTS,
    _work,
    {"drives": "dut.drives"},
    {"group": ("level", _NESTED)},
)
