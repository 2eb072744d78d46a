"""[guard] of the bench: which disks may be overwritten, and how much may be written."""

from dataclasses import dataclass

from app.plan.toml_table import TomlTable

SECTION = "guard"


@dataclass(frozen=True, slots=True)
class Guard:
    """What a bench lets its loads do; each disk has to be armed all the same.

    Attributes:
        allow: Serial numbers or WWNs of the disks that may be overwritten; any disk
            where it is empty.
        write_budget: Bytes that the loads of one run may write, None for any number.
    """

    allow: tuple[str, ...] = ()
    write_budget: int | None = None


def parse_guard(table: TomlTable) -> Guard:
    """Read [guard]; raises BadInput."""
    guard = Guard(tuple(table.texts("allow")), table.size("write_budget", "10t"))
    table.finish()
    return guard
