"""Print the guard's tables of outcomes: `python -m tests.workloads.guard`."""

import sys
import tempfile
from pathlib import Path

from tests.workloads.guard.table import judge_all, loop_disk, table_text
from tests.workloads.guard.twin_matrix import matrix_text


def main() -> int:
    """Make each row, judge it, print the table; 1 where a row came out wrong."""
    outcomes = list(judge_all(loop_disk))
    print(table_text(outcomes))
    with tempfile.TemporaryDirectory() as folder:
        print("", matrix_text(Path(folder)), sep="\n")
    return 0 if all(outcome.expected for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
