"""`python -m tests.benchmarks`: measure the program and print a table."""

import argparse
import tempfile
from pathlib import Path

from tests.benchmarks.acquisition import many_channels, meter, repeats
from tests.benchmarks.alignment import alignment
from tests.benchmarks.clicking import clicking
from tests.benchmarks.event_loop import event_loop
from tests.benchmarks.figure import Figure
from tests.benchmarks.fio_documents import documents
from tests.benchmarks.fio_overhead import overhead
from tests.benchmarks.importing import importing
from tests.benchmarks.opening import opening
from tests.benchmarks.writing import ingest, paced, seals, size

MEASURES = {
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
    "live": event_loop,
    "importing": importing,
    "overhead": overhead,
    "documents": documents,
}


def main() -> None:
    """Run the measures that were asked for, all by default."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(MEASURES)}")
    parser.add_argument("--dir", type=Path, help="folder for the files (scratch)")
    options = parser.parse_args()
    for name in options.names:
        if name not in MEASURES:
            parser.error(f"there is no measure {name}, only {', '.join(MEASURES)}")
    figures: list[Figure] = []
    for name in options.names or MEASURES:
        print(f"measuring {name} ...", flush=True)
        with tempfile.TemporaryDirectory(dir=options.dir, prefix="bench-") as folder:
            figures += MEASURES[name](Path(folder))
    print(_table(figures))


def _table(figures: list[Figure]) -> str:
    rows = [("Measure", "Figure", "Target", "How")]
    rows += [(f.what, f"{f.value} {f.unit}".strip(), f.target, f.how) for f in figures]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(line.rstrip() for line in lines)


if __name__ == "__main__":
    main()
