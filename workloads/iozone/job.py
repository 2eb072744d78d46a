"""An IOzone step: its options, and the command line that Bayscope makes of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from instruments.errors import OptionError
from instruments.settings import Kind, Option, Settings, read_step
from instruments.sizes import parse_size

TESTS = {
    "write": "0",
    "read": "1",
    "random": "2",
    "backward": "3",
    "record-rewrite": "4",
    "stride": "5",
    "fwrite": "6",
    "fread": "7",
}
"""IOzone's tests by its own numbers (-i); write is write and rewrite, and so on."""

OPTIONS = (
    Option(
        "t",
        "processes of the throughput mode; 0 is the matrix mode",
        Kind.INTEGER,
        0,
        low=0,
        high=1024,
    ),
    Option("r", "record size; several with commas", default="64k"),
    Option("s", "size of a file; by default all of the scratch file"),
    Option("i", f"tests, by name or number: {', '.join(TESTS)}", default="write,read"),
    Option("I", "direct I/O, past the page cache", Kind.FLAG, True),
    Option("e", "fsync counts", Kind.FLAG, True),
    Option("c", "close counts", Kind.FLAG, False),
    Option("o", "every write is synchronous", Kind.FLAG, False),
    Option("O", "results in operations a second", Kind.FLAG, False),
    Option("j", "stride, in records", Kind.INTEGER, 17, low=1, high=1_000_000),
)
"""What [step.iozone] may say, spelled as IOzone's own letters."""

# Letters of IOzone that a plan may not set, with what to do instead.
_OURS = {
    "f": "set target of [dut] in the bench",
    "F": "set target of [dut] in the bench",
    "a": "the matrix mode is what t = 0 means",
    "R": "Bayscope reads the text itself",
    "b": "Bayscope reads the text itself",
    "w": "Bayscope removes its own files",
}
_PARTS = 4096
"""Bytes that sizes are multiples of: a page, as direct I/O needs it."""


@dataclass(frozen=True, slots=True)
class IozoneJob:
    """One IOzone step on a scratch file."""

    label: str
    target: Path
    size: int
    runtime_s: float  # planned, and at most: IOzone has no time limit
    direct: bool
    options: Mapping[str, str]

    @property
    def threads(self) -> int:
        """Processes of the throughput mode, 0 in the matrix mode."""
        return check(self.options).integer("t")

    @property
    def tests(self) -> tuple[str, ...]:
        """Numbers of the tests; write is always the first, others need its files."""
        return _tests(check(self.options).text("i"))

    @property
    def file_size(self) -> int:
        """Bytes of each file: as planned, else its share of the scratch file."""
        given = check(self.options).text("s")
        if given:
            return parse_size(given)
        share = self.size // max(1, self.threads)
        return max(_PARTS, share // 2**20 * 2**20 or share // _PARTS * _PARTS)

    @property
    def records(self) -> tuple[int, ...]:
        """Record sizes in bytes."""
        return _records(check(self.options).text("r"))

    def files(self, folder: Path) -> tuple[Path, ...]:
        """Name the files that it writes, in a folder of Bayscope's own."""
        count = max(1, self.threads)
        return tuple(folder / f"iozone-{number}.dat" for number in range(1, count + 1))

    def argv(self, program: str, folder: Path) -> list[str]:
        """Make the command line.

        Raises:
            OptionError: The files do not fit into the size of the device under test.
        """
        self._check_size()
        options = check(self.options)
        argv = [program]
        argv += ["-t", str(self.threads)] if self.threads else ["-a"]
        argv += ["-s", f"{self.file_size // 1024}k"]
        for record in self.records:
            argv += ["-r", f"{record // 1024}k"]
        for test in self.tests:
            argv += ["-i", test]
        argv += ["-I"] if self.direct else []
        argv += [f"-{flag}" for flag in "ecoO" if options.flag(flag)]
        if "5" in self.tests:  # the stride test
            argv += ["-j", options.text("j")]
        # -F takes a file for each process, and all words up to the end.
        files = map(str, self.files(folder))
        return [*argv, "-F" if self.threads else "-f", *files]

    def _check_size(self) -> None:
        total = self.file_size * max(1, self.threads)
        if total > self.size:
            raise OptionError(
                "s",
                f"its files need {total} bytes and [dut] size has {self.size}",
                "Give a smaller s or t, or a larger size in [dut].",
            )


def check(options: Mapping[str, str]) -> Settings:
    """Check the options of a step.

    Raises:
        OptionError: A key is unknown, or a value is not one that IOzone takes.
    """
    settings = read_step("iozone", OPTIONS, options, _OURS)
    records = _records(settings.text("r"))
    if settings.integer("t") and len(records) > 1:
        raise OptionError(
            "r",
            "the throughput mode has one record size",
            "Make a step of each, or remove t for the matrix.",
        )
    _tests(settings.text("i"))
    if settings.text("s"):
        _file_size(settings.text("s"), max(records))
    return settings


def _records(text: str) -> tuple[int, ...]:
    sizes = []
    for part in text.split(","):
        try:
            size = parse_size(part)
        except ValueError:
            raise OptionError(
                "r",
                f"{part.strip() or 'nothing'} is not a record size",
                "Expected 64k,1m.",
            ) from None
        # IOzone counts records in kB; direct I/O wants whole pages.
        if size % _PARTS or size > 2**30:
            raise OptionError(
                "r", f"{part.strip()} is not a record size", "Expected 4k to 1g, in 4k."
            )
        sizes.append(size)
    return tuple(sizes)


def _tests(text: str) -> tuple[str, ...]:
    numbers = []
    for part in (part.strip() for part in text.split(",")):
        number = TESTS.get(part, part)
        if number not in TESTS.values():
            raise OptionError(
                "i",
                f"{part or 'nothing'} is not a test",
                f"Expected {', '.join(TESTS)}.",
            )
        numbers.append(number)
    return ("0", *(number for number in dict.fromkeys(numbers) if number != "0"))


def _file_size(text: str, record: int) -> None:
    try:
        size = parse_size(text)
    except ValueError:
        raise OptionError(
            "s", f"{text} is not a size", "Expected 512m or 4g."
        ) from None
    if size < record:
        raise OptionError(
            "s", "a file is smaller than a record", "Give a larger s or a smaller r."
        )
