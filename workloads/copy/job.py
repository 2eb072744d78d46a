"""A file copy step: what is copied, where to, and how."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from instruments.errors import BadInput, OptionError
from instruments.files.foreign_text import home_path
from instruments.settings import Kind, Option, Settings, read_step

OPTIONS = (
    Option("source", "file or folder to copy; by default the scratch file"),
    Option("target", "folder to copy to; by default that of the scratch file"),
    Option("bs", "bytes of one read and write", Kind.SIZE, "1m", low=4096, high=2**30),
    Option("direct", "direct I/O on both sides", Kind.FLAG, False),
    Option(
        "passes",
        "number of copies; 0 copies until the runtime is over",
        Kind.INTEGER,
        1,
        low=0,
        high=1_000_000,
    ),
    Option("fsync", "fsync of each file counts", Kind.FLAG, True),
    Option(
        "verify",
        "what is checked of every copy",
        Kind.CHOICE,
        "size",
        choices=("size", "sha256"),
    ),
    Option("drop_cache", "read from the disk, not memory", Kind.FLAG, True),
)
"""What [step.copy] may say."""

# What is read there is no disk, and what is written there is no copy.
_DEVICES = (Path("/dev"), Path("/proc"), Path("/sys"))


@dataclass(frozen=True, slots=True)
class CopyJob:
    """One file copy step."""

    label: str
    scratch: Path
    runtime_s: float  # what it takes with passes = 0, else what it may take
    ramp_s: float  # with passes = 0 only
    options: Mapping[str, str]

    @property
    def checked(self) -> Settings:
        """Get its options with their defaults."""
        return check(self.options)

    @property
    def source(self) -> Path:
        """Get the file or folder that is copied."""
        return _place(self.checked.text("source")) or self.scratch

    @property
    def target(self) -> Path:
        """Get the folder that it is copied to."""
        return _place(self.checked.text("target")) or self.scratch.parent

    @property
    def is_timed(self) -> bool:
        """Whether it goes on until the runtime is over."""
        return self.checked.integer("passes") == 0


def _place(given: str) -> Path | None:
    return home_path(given).absolute() if given else None


def check(options: Mapping[str, str]) -> Settings:
    """Check the options of a step.

    Raises:
        OptionError: A key is unknown, or a value is wrong.
    """
    settings = read_step("copy", OPTIONS, options)
    for key in ("source", "target"):
        text = settings.text(key)
        if not text:
            continue
        try:
            path = home_path(text)
        except BadInput as error:
            raise OptionError(key, error.what, error.way_out) from error
        if not path.is_absolute():
            raise OptionError(
                key, f"{text} is not an absolute path", "Begin it with / or ~."
            )
        if any(path == top or top in path.parents for top in _DEVICES):
            raise OptionError(
                key, f"{text} is not a file or folder on a disk", "Name one on a disk."
            )
    if settings.flag("direct") and settings.integer("bs") % 4096:
        raise OptionError(
            "bs", f"bs is {options.get('bs')}", "Direct I/O needs multiples of 4k."
        )
    return settings
