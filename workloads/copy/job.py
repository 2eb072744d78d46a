"""A file copy step: what is copied, where to, and how."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from instruments.errors import OptionError
from workloads.options import EngineOption, OptionKind, Options

OPTIONS = (
    EngineOption(
        "source",
        OptionKind.TEXT,
        "",
        "file or folder that is copied; left out, the scratch file",
    ),
    EngineOption(
        "target",
        OptionKind.TEXT,
        "",
        "folder that it is copied to; left out, the one of the scratch file",
    ),
    EngineOption(
        "bs", OptionKind.SIZE, "1m", "bytes of one read and write", 4096, 2**30
    ),
    EngineOption("direct", OptionKind.FLAG, "0", "direct I/O on both sides"),
    EngineOption(
        "passes",
        OptionKind.COUNT,
        "1",
        "how often it is copied; 0 is as often as the runtime lets it",
        high=1_000_000,
    ),
    EngineOption("fsync", OptionKind.FLAG, "1", "fsync of each file counts"),
    EngineOption(
        "verify",
        OptionKind.CHOICE,
        "size",
        "what is checked of every copy",
        choices=("size", "sha256"),
    ),
    EngineOption("drop_cache", OptionKind.FLAG, "1", "read from the disk, not memory"),
)
"""What [step.copy] may say."""

_DEVICES = (Path("/dev"), Path("/proc"), Path("/sys"))


@dataclass(frozen=True, slots=True)
class CopyJob:
    """One file copy step.

    Attributes:
        label: What the step is called.
        scratch: The scratch file of the device under test.
        runtime_s: Seconds that it may take, or takes with passes = 0.
        ramp_s: Seconds before they are measured, with passes = 0 only.
        options: Its options as in the plan.
    """

    label: str
    scratch: Path
    runtime_s: float
    ramp_s: float
    options: Mapping[str, str]

    @property
    def checked(self) -> Options:
        """Get its options with their defaults."""
        return check(self.options)

    @property
    def source(self) -> Path:
        """Get the file or folder that is copied."""
        given = self.checked.text("source")
        return Path(given).expanduser().absolute() if given else self.scratch

    @property
    def target(self) -> Path:
        """Get the folder that it is copied to."""
        given = self.checked.text("target")
        return Path(given).expanduser().absolute() if given else self.scratch.parent

    @property
    def is_timed(self) -> bool:
        """Whether it goes on until the runtime is over."""
        return self.checked.count("passes") == 0


def check(options: Mapping[str, str]) -> Options:
    """Check the options of a step.

    Raises:
        OptionError: A key is unknown, or a value is wrong.
    """
    found = Options("copy", OPTIONS, options)
    for key in ("source", "target"):
        text = found.text(key)
        if not text:
            continue
        path = Path(text).expanduser()
        if not path.is_absolute():
            raise OptionError(key, f"{text} is no whole path", "Begin it with / or ~.")
        if any(path == top or top in path.parents for top in _DEVICES):
            raise OptionError(
                key, f"{text} is no file or folder to copy", "Name one on a disk."
            )
    if found.flag("direct") and found.size("bs") % 4096:
        raise OptionError(
            "bs", f"bs is {found.text('bs')}", "Direct I/O wants whole 4k."
        )
    return found
