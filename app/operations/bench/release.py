"""Give the meters of a bench back: what a run that was killed has left running."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.bench.build import build_source
from app.bench.model import Bench, SourceConfig
from app.operations.bench.in_time import Job, in_time
from app.operations.bench.lock import only_program
from instruments.base import Shared
from instruments.errors import BadInput, BenchError
from instruments.exclusion import whole
from instruments.reading import Identity
from instruments.settings import did_you_mean

DEADLINE_S = 20.0
"""Longest time for one meter."""


@dataclass(frozen=True, slots=True)
class Released:
    """What came of one meter.

    Attributes:
        name: Its name on the bench.
        identity: Who it is, None where it was not reached.
        error: The sentence of what went wrong, "" where nothing did.
    """

    name: str
    identity: Identity | None = None
    error: str = ""

    @property
    def text(self) -> str:
        """Say it in a line."""
        if self.identity is None:
            return f"{self.name}: FAILED. {self.error}"
        who = " ".join(filter(None, (self.identity.maker, self.identity.model)))
        return f"{self.name}: {who} was released"


def release_bench(bench: Bench, names: Sequence[str] = ()) -> list[Released]:
    """Stop the integrators of a bench's meters and give their front panels back.

    Raises:
        BadInput: There is no such meter.
        BenchError: Another Bayscope is using the bench.
    """
    meters = _meters(bench)
    for name in names:
        if name not in meters:
            known = ", ".join(meters) or "none"
            raise BadInput(
                f'there is no meter "{name}" that could be released'
                f"{did_you_mean(name, meters)}",
                where=bench.file,
                way_out=f"Available: {known}.",
            )
    jobs = [
        Job(name, source.free)
        for name, source in meters.items()
        if not names or name in names
    ]
    with only_program(bench):
        found = in_time(jobs, DEADLINE_S)
    return [
        Released(job.name, error=str(each))
        if isinstance(each, BenchError)
        else Released(job.name, each)
        for job, each in zip(jobs, found, strict=True)
    ]


def _meters(bench: Bench) -> dict[str, Shared]:
    sources = {config.name: _shared(bench, config) for config in bench.sources}
    return {name: source for name, source in sources.items() if source is not None}


def _shared(bench: Bench, config: SourceConfig) -> Shared | None:
    if config.wants_simulator:
        return None  # it begins and ends with each run
    source = whole(build_source(bench, config))
    return source if isinstance(source, Shared) else None


def released_text(found: Sequence[Released]) -> str:
    """Write what came of it for people, a line each."""
    nothing = "The bench has no meter that could be released."
    return "\n".join(one.text for one in found) or nothing


def released_as_json(found: Sequence[Released]) -> list[dict[str, object]]:
    """Write what came of it as plain values."""
    return [
        {"name": one.name, "released": not one.error, "error": one.error or None}
        for one in found
    ]
