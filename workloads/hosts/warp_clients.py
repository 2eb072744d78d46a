"""WARP with its own clients on the load hosts, started over SSH and reached by tunnels.

`warp client` asks nobody who they are, and WARP sends it the keys of the S3 server: so
it listens on the loopback of its host only, and the way to it is SSH.
"""

import contextlib
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from instruments.errors import BadInput, BenchError
from instruments.host.clock import Clock
from instruments.reading import Channel
from instruments.tools.command import run
from instruments.tools.started import Started
from workloads.base import Emit, End, LoadCause, LoadOutcome, LoadResult, Say
from workloads.hosts.clocks import ClockPair
from workloads.hosts.place import Place
from workloads.hosts.verdict import hosts_artefact
from workloads.warp.job import WarpJob
from workloads.warp.load import Warp, program

PORT = 7761
"""The port of the first client on its host; WARP's own default is the same."""

_TIMEOUT_S = 15.0


@dataclass(slots=True)
class _Client:
    """A client on a host, with the way to it."""

    place: Place
    process: Started
    address: str
    clock: ClockPair

    def trouble(self) -> str:
        """Say that it is gone, "" while it runs."""
        try:
            code = self.process.wait(0)
        except BenchError as error:
            return error.what
        return "" if code is None else f"its warp client has ended (code {code})"


class WarpOnHosts:
    """One WARP benchmark whose load comes from several hosts; see `Warp`.

    The option warp-client of its step is set by this.
    """

    driver = "warp"

    def __init__(
        self,
        job: WarpJob,
        places: Sequence[Place],
        name: str = "warp",
        erase: Collection[str] = (),
    ) -> None:
        self.name = name
        self.job = job
        self._places = tuple(places)
        self._erase = erase

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Get the channels of its counters."""
        return Warp(self.job, self.name).channels

    def run(self, emit: Emit, say: Say, stop: threading.Event) -> LoadResult:
        """Run WARP to its end, or stop it.

        Raises:
            BenchError: A host cannot be reached, has no WARP or another version.
        """
        with contextlib.ExitStack() as stack:
            clients = [
                stack.enter_context(_client(place, number))
                for number, place in enumerate(self._places)
            ]
            named = ",".join(client.address for client in clients)
            job = replace(self.job, options={**self.job.options, "warp-client": named})
            result = Warp(job, self.name, self._erase).run(emit, say, stop)
            lost = {c.place.name: why for c in clients if (why := c.trouble())}
            for client in clients:
                if client.place.name not in lost:
                    client.clock.end(client.place.host)
        for name, why in lost.items():
            say("error", f"{name} was lost: {why}")
        kept = (*result.artefacts, hosts_artefact(_facts(clients, lost)))
        result = replace(result, artefacts=kept)
        if lost and result.cause.outcome in (LoadOutcome.DONE, LoadOutcome.FAILED):
            losses = (f"{name} was lost: {why}" for name, why in lost.items())
            reason = "; ".join(filter(None, (*losses, result.reason)))
            end = End(LoadCause.HOST, reason)
            result = end.result(result.window, result.values, kept)
        return result


def _facts(
    clients: Sequence[_Client], lost: Mapping[str, str]
) -> dict[str, dict[str, object]]:
    return {
        c.place.name: {
            "host": str(c.place.host),
            **c.clock.facts(),
            **({"trouble": lost[c.place.name]} if c.place.name in lost else {}),
        }
        for c in clients
    }


@contextlib.contextmanager
def _client(place: Place, number: int) -> Iterator[_Client]:
    """Start WARP's client on a host, and hold the way to it open."""
    from instruments.ssh.tunnel import tunnel  # noqa: PLC0415  (loads asyncssh)

    if place.account is None:
        raise BadInput(
            "it is this machine, where WARP runs anyway",
            where=f'host "{place.name}"',
            way_out="Remove it from [load], or a host with driver ssh.",
        )
    host, port = place.host, PORT + number
    try:
        _same_version(place)
        clock = ClockPair(Clock.REALTIME)
        clock.begin(host)
        here = f"127.83.{number // 250}.{number % 250 + 1}"
        with (
            host.start(["warp", "client", f"127.0.0.1:{port}"]) as process,
            tunnel(place.account, port, here) as (address, own),
        ):
            yield _Client(place, process, f"{address}:{own}", clock)
    finally:
        host.close()


def _same_version(place: Place) -> None:
    """Check that WARP there is the one that is here; raises BadInput."""
    there = place.host.run(["warp", "--version"], _TIMEOUT_S)
    here = run([program(), "--version"], _TIMEOUT_S)
    words = [done.stdout.strip() for done in (here, there) if not done.code]
    if len(set(words)) > 1:
        raise BadInput(
            f'WARP is "{words[1][:60]}" there and "{words[0][:60]}" here',
            where=str(place.host),
            way_out="Install the same version of WARP on both.",
        )
