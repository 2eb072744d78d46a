"""A WARP step: its options, and the command line that Bayscope makes of them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from instruments.errors import OptionError
from instruments.settings import Kind, Option, Settings, read_step
from instruments.sizes import format_size

OPERATIONS = ("get", "put", "mixed")

OPTIONS = (
    Option(
        "operation",
        "what is done with objects",
        Kind.CHOICE,
        "mixed",
        choices=OPERATIONS,
    ),
    Option("host", "S3 servers, host:port with commas", required=True),
    Option("bucket", "a bucket for this alone: all in it is deleted", required=True),
    Option(
        "erase",
        "the name of the bucket once more, to confirm that all in it is deleted",
        required=True,
    ),
    Option("obj.size", "size of an object", Kind.SIZE, "1m", low=1, high=5 * 2**40),
    Option(
        "objects", "objects to prepare; 0 for WARP's own number", Kind.INTEGER, 0, low=0
    ),
    Option(
        "concurrent",
        "operations at once, for each client",
        Kind.INTEGER,
        20,
        low=1,
        high=65535,
    ),
    Option("get-distrib", "mixed: share of GET", Kind.NUMBER, 45.0, low=0),
    Option("put-distrib", "mixed: share of PUT", Kind.NUMBER, 15.0, low=0),
    Option("stat-distrib", "mixed: share of STAT", Kind.NUMBER, 30.0, low=0),
    Option("delete-distrib", "mixed: share of DELETE", Kind.NUMBER, 10.0, low=0),
    Option("tls", "HTTPS", Kind.FLAG, False),
    Option("insecure", "accept any certificate", Kind.FLAG, False),
    Option("region", "region of the bucket", default="us-east-1"),
    Option("disable-multipart", "no multipart uploads", Kind.FLAG, False),
    Option("warp-client", "load hosts that run 'warp client', host:port with commas"),
    Option("full", "keep every request (csv.zst), for percentiles", Kind.FLAG, False),
)
"""What [step.warp] may say, spelled as WARP does."""

# Flags of WARP that a plan may not set, with what to do instead.
_OURS = {
    "duration": "Set runtime of the step",
    "access-key": "Set the variable WARP_ACCESS_KEY",
    "secret-key": "Set the variable WARP_SECRET_KEY",
    "benchdata": "Bayscope keeps the results in the session",
    "serve": "Bayscope reads its status service",
    "noclear": "WARP has to clear its bucket after the run",
    "autoterm": "The runtime of the step is the measured window",
    "influxdb": "Bayscope keeps the results in the session",
    "syncstart": "The step begins when it begins",
}
# {1...8} is WARP's own way to name several servers.
_HOST = re.compile(r"[A-Za-z0-9_.\[\]:{}-]+(?::\d+)?")
# Names as S3 has them: 3 to 63 small letters, digits, dots and hyphens.
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_MIX = ("get-distrib", "put-distrib", "stat-distrib", "delete-distrib")
_FLAGS = ("tls", "insecure", "disable-multipart", "full")


@dataclass(frozen=True, slots=True)
class WarpJob:
    """One WARP step on a bucket."""

    label: str
    runtime_s: float
    ramp_s: float
    options: Mapping[str, str]

    @property
    def checked(self) -> Settings:
        """Get its options with their defaults."""
        return check(self.options)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The S3 servers."""
        return _list(self.checked.text("host"))

    @property
    def clients(self) -> tuple[str, ...]:
        """The load hosts; none where WARP itself makes the load."""
        return _list(self.checked.text("warp-client"))

    @property
    def bucket(self) -> str:
        """The bucket whose content is deleted."""
        return self.checked.text("bucket")

    def argv(self, program: str, serve: str, data: str) -> list[str]:
        """Make the command line; keys go by the environment, never here."""
        options = self.checked
        operation = options.text("operation")
        # WARP has no ramp; that part of its duration is taken off its results.
        duration = f"{round(self.ramp_s + self.runtime_s)}s"
        argv = [
            program,
            operation,
            f"--host={','.join(self.hosts)}",
            f"--bucket={self.bucket}",
            f"--obj.size={_warp_size(options.integer('obj.size'))}",
            f"--concurrent={options.integer('concurrent')}",
            f"--duration={duration}",
            f"--region={options.text('region')}",
            f"--benchdata={data}",
            f"--serve={serve}",
            "--no-color",
        ]
        if operation != "put" and options.integer("objects"):
            argv.append(f"--objects={options.integer('objects')}")
        if operation == "mixed":
            argv += [f"--{key}={options.number(key):g}" for key in _MIX]
        argv += [f"--{key}" for key in _FLAGS if options.flag(key)]
        if self.clients:
            argv.append(f"--warp-client={','.join(self.clients)}")
        return argv


def check(options: Mapping[str, str]) -> Settings:
    """Check the options of a step; the bucket has to be named twice.

    Raises:
        OptionError: A key is unknown, a value is wrong, or `erase` does not confirm.
    """
    settings = read_step("warp", OPTIONS, options, _OURS)
    bucket = settings.text("bucket")
    if not _BUCKET.fullmatch(bucket):
        raise OptionError(
            "bucket", f'"{bucket}" is not a bucket name', "Expected a-z, 0-9, - and ."
        )
    if settings.text("erase") != bucket:
        raise OptionError(
            "erase",
            f'erase is "{settings.text("erase")}" and the bucket is "{bucket}"',
            "WARP deletes all that is in its bucket: give it its own bucket and "
            "its name in erase once more.",
        )
    for key in ("host", "warp-client"):
        for host in _list(settings.text(key)):
            if not _HOST.fullmatch(host):
                raise OptionError(
                    key,
                    f'"{host}" is not an address',
                    "Expected host:port, with commas.",
                )
    if settings.text("operation") == "mixed":
        _check_mix(settings)
    elif given := [key for key in _MIX if key in options]:
        raise OptionError(given[0], f"{given[0]} is for mixed", "Remove it.")
    return settings


def _check_mix(settings: Settings) -> None:
    total = sum(settings.number(key) for key in _MIX)
    if abs(total - 100) > 1e-6:
        raise OptionError(
            "get-distrib", f"the shares sum to {total:g}", "Expected a sum of 100."
        )
    if settings.number("delete-distrib") > settings.number("put-distrib"):
        raise OptionError(
            "delete-distrib",
            "more is deleted than put",
            "Expected a share not above put-distrib.",
        )


def _list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _warp_size(size: int) -> str:
    """Write a size as WARP reads it: KiB, MiB and GiB are powers of 1024."""
    text = format_size(size)
    return f"{text[:-1]}{text[-1].upper()}iB" if text[-1].isalpha() else f"{text}B"
