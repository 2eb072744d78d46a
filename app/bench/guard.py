"""[guard] of the bench: which disks may be overwritten, and how much may be written."""

from dataclasses import dataclass

from app.plan.toml_table import TomlTable
from instruments.sizes import parse_size

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
    budget: int | None = None
    if "write_budget" in table.values:
        text = table.text("write_budget")
        try:
            budget = parse_size(text)
        except ValueError:
            table.fail(
                "write_budget",
                f'write_budget is "{text}"',
                'Expected a size such as "10t".',
            )
    guard = Guard(tuple(table.texts("allow")), budget)
    table.finish()
    return guard
