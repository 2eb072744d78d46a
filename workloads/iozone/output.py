"""What IOzone prints: the matrix and the throughput report, as values.

Formats as IOzone 3.489 writes them (tried), without its spreadsheet blocks.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

KB = 1024
"""IOzone's kB is 1024 bytes, as its source says."""

_COLUMNS = {
    "0": ("write", "rewrite"),
    "1": ("read", "reread"),
    "2": ("random_read", "random_write"),
    "3": ("backward_read",),
    "4": ("record_rewrite",),
    "5": ("stride_read",),
    "6": ("fwrite", "frewrite"),
    "7": ("fread", "freread"),
}
"""The columns that each test fills; those of tests that did not run are blank."""

# Tabs and blanks before "=" differ by test and version. The children's sum, and not
# the parent's rate: that one has their start and end in it.
_CHILDREN = re.compile(
    r"Children see throughput for\s{1,9}(\d{1,9})\s{1,9}([^=\n]{1,40}?)\s{0,9}="
    r"\s{0,9}(\d{1,15}(?:\.\d{1,9})?)\s{0,9}(kB|ops)/sec"
)
# What "Children see throughput for 2 ..." calls each test.
_THROUGHPUT = {
    "initial writers": "write",
    "rewriters": "rewrite",
    "readers": "read",
    "re-readers": "reread",
    "reverse readers": "backward_read",
    "stride readers": "stride_read",
    "random readers": "random_read",
    "random writers": "random_write",
    "mixed workload": "mixed",
    "fwriters": "fwrite",
    "refwriters": "frewrite",
    "freaders": "fread",
    "refreaders": "freread",
    "pwrite writers": "pwrite",
    "pread readers": "pread",
}
TESTS = tuple(
    dict.fromkeys(
        (
            *(name for names in _COLUMNS.values() for name in names),
            *_THROUGHPUT.values(),
        )
    )
)
"""The tests that are known, in IOzone's own order."""

#     8192      64  1897317  2011214  ...: file size, record size, results in kB/s.
_ROW = re.compile(r"^\s+(\d{1,15})\s+(\d{1,15})((?:\s+\d{1,15})*+)\s*$")
# Printed at its very end; after a stop it says "exiting iozone".
_COMPLETE = "iozone test complete."


@dataclass(frozen=True, slots=True)
class Cell:
    """One result of IOzone.

    Attributes:
        test: What was done, such as "random_read".
        file_kb: Size of a file in kB, 0 where it is not given.
        record_kb: Record size in kB, 0 where it is not given.
        processes: How many ran at once.
        value: In kB/s (kB is 1024 bytes) or operations a second.
    """

    test: str
    file_kb: int
    record_kb: int
    processes: int
    value: float


@dataclass(frozen=True, slots=True)
class IozoneOutput:
    """All that one run of IOzone prints.

    Attributes:
        complete: Whether it reports its own end, with whole rows.
        in_operations: Whether values are operations a second (-O), else kB/s.
        cells: Its results in the order of the output.
        version: Its version, "" where it is not given.
        command: The command line that it repeats.
    """

    complete: bool
    in_operations: bool
    cells: tuple[Cell, ...]
    version: str = ""
    command: str = ""


def parse(text: str) -> IozoneOutput:
    """Read the output of either mode; a torn row counts as not complete."""
    command = _match(r"Command line used: (.*)", text)
    version = _match(r"Version \$Revision: ([\d.]+)", text)
    # Its exit code does not tell: it is 0 after a stop as well.
    whole = _COMPLETE in text
    cells = list(_throughput(text))
    if not cells:
        expected = _expected(command)
        for row in _rows(text):
            values = [int(value) for value in row[3].split()]
            whole = whole and len(values) == len(expected)
            cells += [
                Cell(test, int(row[1]), int(row[2]), 1, float(value))
                for test, value in zip(expected, values, strict=False)
            ]
    operations = "OPS Mode" in text or " ops/sec" in text
    return IozoneOutput(
        whole and bool(cells), operations, tuple(cells), version, command
    )


def errors(text: str) -> list[str]:
    """Get the lines in which it reports that something went wrong.

    The words are those of IOzone's own messages; after them it prints the system's.
    """
    lines = [line.strip() for line in text.splitlines()]
    marks = ("Can not", "Error ", "error ", "fsync:", "interrupted")
    return [
        " ".join(part for part in (line, _system_error(lines[number + 1 :])) if part)
        for number, line in enumerate(lines)
        if any(mark in line for mark in marks)
    ]


def _system_error(after: list[str]) -> str:
    # perror(3) writes "word: the system's message" on the next line.
    line = after[0] if after else ""
    return f"({line})" if re.match(r"^\w+: \w", line) else ""


def _throughput(text: str) -> Iterator[Cell]:
    size = re.search(
        r"writes a (\d{1,15}) kByte file in (\d{1,15}) kByte records", text
    )
    file_kb, record_kb = (int(size[1]), int(size[2])) if size else (0, 0)
    for processes, words, value, _ in _CHILDREN.findall(text):
        name = _THROUGHPUT.get(words, re.sub(r"\W+", "_", words))
        yield Cell(name, file_kb, record_kb, int(processes), float(value))


def _rows(text: str) -> Iterator[re.Match[str]]:
    """Find the rows of the matrix: behind its header, before the closing line."""
    in_table = False
    for line in text.splitlines():
        if re.match(r"^\s+kB\s+reclen\b", line):
            in_table = True
        elif in_table and (match := _ROW.match(line)):
            yield match


def _expected(command: str) -> list[str]:
    """Tell the columns from the tests on the command line; all without any -i."""
    chosen = re.findall(r"-i\s*(\d{1,18})(?!\d)", command)
    # Columns stand in the order of the tests' numbers, however they were given.
    numbers = sorted(set(chosen)) if chosen else list(_COLUMNS)
    return [name for number in numbers for name in _COLUMNS.get(number, ())]


def _match(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    return match[1].strip() if match else ""
