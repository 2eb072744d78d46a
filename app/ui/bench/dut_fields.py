"""The fields of the dialog of a device under test: titles, options, what is new."""

from app.operations.run.arming_disks import read_paths
from instruments.settings import Kind, Option, Value
from instruments.thermal.layout import names
from workloads.guard.device import is_device
from workloads.sizes import format_size

FIELDS = (
    ("bench", "&Bench", Option("bench", "What this bench is called.", required=True)),
    (
        "name",
        "&Device under test",
        Option(
            "name",
            "What the report calls it.",
            required=True,
            example="JBOD 60-bay",
        ),
    ),
    (
        "target",
        "&Target",
        Option(
            "target",
            "What loads read and write: a file that Bayscope makes, or a disk; several "
            "with commas between them.",
            required=True,
            example="/mnt/dut/scratch.dat",
        ),
    ),
    (
        "size",
        "S&ize of it",
        Option("size", "Bytes of it that loads use; left out, all of a disk."),
    ),
    ("model", "&Model", Option("model", "The vendor's name for it.")),
    (
        "drives",
        "D&rives",
        Option("drives", "How many drives it has.", Kind.INTEGER, low=0, high=9999),
    ),
    (
        "layout",
        "&Layout of its bays",
        Option(
            "layout",
            f"How its slots are arranged, seen from where you stand: "
            f"{', '.join(names())}, rows x columns, or the path of a .toml file.",
            example="4x15",
        ),
    ),
    (
        "capacity_tb",
        "Ca&pacity",
        Option(
            "capacity_tb",
            "Raw capacity of all its drives, in TB of 10^12 bytes, for W/TB.",
            Kind.NUMBER,
            low=0.0,
            unit="TB",
        ),
    ),
    (
        "price_per_kwh",
        "Pri&ce of a kWh",
        Option(
            "price_per_kwh",
            "What a kWh costs, for the cost of a year.",
            Kind.NUMBER,
            low=0.0,
        ),
    ),
    (
        "currency",
        "Curre&ncy",
        Option("currency", "In which the price is said.", default="EUR"),
    ),
)
COST = ("price_per_kwh", "currency")
"""Fields that stand in [cost], not in [dut]."""
NEW = {
    "bench": "New bench",
    "target": "~/Bayscope/scratch.dat",
    "size": format_size(2**30),
}
"""What the dialog of a new bench shows."""


def is_disk(keys: dict[str, Value]) -> bool:
    """Tell whether the first target is a disk; raises BadInput."""
    return is_device(read_paths(str(keys["target"]))[0])


def targets_of(keys: dict[str, Value]) -> Value:
    """Get the targets as they are spelled: one, or several."""
    names = [part.strip() for part in str(keys["target"]).split(",") if part.strip()]
    return names[0] if len(names) == 1 else tuple(names)
