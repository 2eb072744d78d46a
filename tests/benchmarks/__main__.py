"""`python -m tests.benchmarks`: measure the program and print a table.

Every measure is made twice, so that each figure stands beside the machine's own noise.
Without names the long ones are left out and named.
"""

import sys
import tempfile
from collections.abc import Iterable, Sequence
from itertools import repeat
from pathlib import Path

from app.cli.output import Parser
from instruments.errors import BadInput
from tests.benchmarks.acquisition import many_channels, meter, repeats
from tests.benchmarks.alignment import alignment
from tests.benchmarks.clicking import clicking
from tests.benchmarks.comparing import comparing
from tests.benchmarks.event_loop import event_loop
from tests.benchmarks.figure import Figure
from tests.benchmarks.fio_documents import documents
from tests.benchmarks.fio_overhead import overhead
from tests.benchmarks.importing import importing
from tests.benchmarks.library import library
from tests.benchmarks.opening import opening
from tests.benchmarks.reports import reports
from tests.benchmarks.samples import samples
from tests.benchmarks.starting import starting
from tests.benchmarks.writing import ingest, paced, seals, size

MEASURES = {
    "starting": starting,
    "ingest": ingest,
    "seals": seals,
    "size": size,
    "paced": paced,
    "opening": opening,
    "meter": meter,
    "repeats": repeats,
    "channels": many_channels,
    "alignment": alignment,
    "window": clicking,
    "compare": comparing,
    "live": event_loop,
    "importing": importing,
    "library": library,
    "overhead": overhead,
    "documents": documents,
    "samples": samples,
    "reports": reports,
}

Row = tuple[Figure, Figure | None]
"""A figure, and the same measured again."""

LONG = {
    "meter": "ten minutes at 10 Hz",
    "repeats": "two minutes",
    "channels": "two minutes",
    "reports": "a session of 24 h as PDF, HTML and workbook: three minutes",
    "samples": "40 million samples beside other writers: four minutes",
    "alignment": "20 runs, three quarters of an hour",
    "overhead": "18 rounds of fio, with and without Bayscope: five minutes",
}
"""Measures that are made by name alone, and once: they repeat by themselves."""


def main() -> None:
    """Run the measures that were asked for, the short ones by default."""
    parser = Parser(prog="./run benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", default=[], help=f"of {', '.join(MEASURES)}"
    )
    parser.add_argument("--dir", type=Path, help="folder for the files (scratch)")
    options = parser.parse_args()
    for name in options.names:
        if name not in MEASURES:
            parser.error(f"there is no measure {name}, only {', '.join(MEASURES)}")
    rows: list[Row] = []
    for name in options.names or (name for name in MEASURES if name not in LONG):
        found = [_measured(name, options.dir) for _ in range(1 if name in LONG else 2)]
        again: Iterable[Figure | None] = found[1] if len(found) > 1 else repeat(None)
        rows += zip(found[0], again, strict=False)
    print(_table(rows))
    if not options.names:
        print("\nBy name alone, such as ./run benchmarks meter:")
        for name, told in LONG.items():
            print(f"  {name:9}  {told}")


def _measured(name: str, folder: Path | None) -> list[Figure]:
    print(f"measuring {name} ...", flush=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix="bench-") as place:
        return MEASURES[name](Path(place))


def _table(found: Sequence[Row]) -> str:
    rows = [("Measure", "Figure", "Again", "Target", "How")]
    rows += [
        (
            one.what,
            f"{one.value} {one.unit}".strip(),
            again.value if again else "",
            one.target,
            one.how,
        )
        for one, again in found
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(line.rstrip() for line in lines)


if __name__ == "__main__":
    try:
        main()
    except BadInput as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(error.exit_code)
