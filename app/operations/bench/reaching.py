"""Reach the sources of a bench: try each one, then record them."""

from collections.abc import Sequence

from app.bench.build import build_source, build_sources
from app.bench.model import Bench
from app.operations.bench.in_time import Job, in_time
from app.operations.sessions.facts import describing
from app.record.recorder import Recorder
from instruments.base import Source
from instruments.errors import BenchError
from instruments.reading import Identity

_OPEN_S = 60.0
"""Longest opening of one source; drives that spin up take their time."""


class UnreachableError(BenchError):
    """A source that has to be recorded does not answer; a run can do without it."""

    def __init__(self, source: str, error: BenchError) -> None:
        super().__init__(
            f"{source} cannot be recorded: {error.what}",
            where=error.where,
            way_out=f"{error.way_out} Or run --without {source}.".strip(),
        )
        self.source = source
        self.error = error


def reach(bench: Bench, without: Sequence[str]) -> None:
    """Try every source once, before anything is written or takes its time.

    Raises:
        UnreachableError: One does not open, and `without` does not name it.
    """
    wanted = [config for config in bench.sources if config.name not in without]
    sources = [build_source(bench, config) for config in wanted]
    tries = [_try(source) for source in sources]
    for source, found in zip(sources, in_time(tries, _OPEN_S), strict=True):
        if isinstance(found, BenchError):
            raise UnreachableError(source.name, found) from found


def _try(source: Source) -> Job[Identity]:
    def act() -> Identity:
        try:
            return source.open()
        finally:
            source.close()

    return Job(source.name, act)


def watch(recorder: Recorder, bench: Bench, without: Sequence[str]) -> list[str]:
    """Record every source; return the names of those that are not there.

    One that --without names is tried again while the run goes on; its channels have
    a gap until then.

    Raises:
        UnreachableError: One does not open, and `without` does not name it.
    """
    absent = []
    for source, config in zip(build_sources(bench), bench.sources, strict=True):
        try:
            identity = recorder.watch(source, required=source.name not in without)
        except BenchError as error:
            raise UnreachableError(source.name, error) from error
        if identity is None:
            absent.append(source.name)
            told = recorder.health()[source.name].last_error
            recorder.event("warning", source.name, f"the run starts without it: {told}")
        recorder.call(describing(source, identity, config))
    return absent
