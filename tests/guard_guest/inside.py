"""What runs in the guest: the table on scsi_debug disks, also rows of md and LVM."""

import sys
from collections.abc import Sequence

from instruments.errors import BadInput
from tests.guard_guest.disks import Pool
from tests.guard_guest.path_rows import GUEST_ROWS
from tests.workloads.guard.rows import Make
from tests.workloads.guard.table import ROWS, judge_all, table_text


def chosen(words: Sequence[str]) -> dict[str, Make]:
    """Get the rows whose title has one of these words; without words all of them.

    Raises:
        BadInput: A word is in the title of no row.
    """
    rows = {**ROWS, **GUEST_ROWS}
    for word in words:
        if not any(word in title for title in rows):
            raise BadInput(
                f'no row of the table has "{word}" in its title',
                where="./run test-guard",
                way_out="Give a word of a title, such as mounted, or none for all.",
            )
    return {
        title: make
        for title, make in rows.items()
        if not words or any(word in title for word in words)
    }


def main() -> int:
    """Make each row, judge it, print the table; 1 where a row came out wrong.

    Words on the command line choose the rows that have one of them.
    """
    pool, rows = Pool(), chosen(sys.argv[1:])
    outcomes = []
    for outcome in judge_all(pool.blank, rows):
        print(f"  {outcome.outcome:<9} {outcome.title}", flush=True)
        outcomes.append(outcome)
    print(table_text(outcomes), flush=True)
    return 0 if all(one.expected for one in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
