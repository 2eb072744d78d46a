"""Print the guard's table of outcomes: `python -m tests.workloads.guard`."""

import sys

from tests.workloads.guard.table import judge_all, loop_disk, table_text


def main() -> int:
    """Make each row, judge it, print the table; 1 where a row came out wrong."""
    outcomes = list(judge_all(loop_disk))
    print(table_text(outcomes))
    return 0 if all(one.expected for one in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
