"""What runs in the guest: the table on scsi_debug disks, also rows of md and LVM."""

import sys

from tests.guard_guest.disks import Pool
from tests.guard_guest.path_rows import GUEST_ROWS
from tests.workloads.guard.table import ROWS, judge_all, table_text


def main() -> int:
    """Make each row, judge it, print the table; 1 where a row came out wrong.

    Words on the command line choose the rows that have one of them.
    """
    pool, words = Pool(), sys.argv[1:]
    rows = {
        title: make
        for title, make in {**ROWS, **GUEST_ROWS}.items()
        if not words or any(word in title for word in words)
    }
    outcomes = []
    for outcome in judge_all(pool.blank, rows):
        print(f"  {outcome.outcome:<9} {outcome.title}", flush=True)
        outcomes.append(outcome)
    print(table_text(outcomes), flush=True)
    return 0 if all(one.expected for one in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
