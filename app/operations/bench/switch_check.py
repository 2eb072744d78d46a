"""Check the switches of a bench: who answers, what is on, what may be done."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from app.bench.build import build_switch
from app.bench.model import SIMULATED, Bench, SwitchConfig
from app.operations.bench.in_time import Job, in_time
from app.operations.bench.simulate import running_bench
from instruments.errors import BenchError
from instruments.reading import Identity

DEADLINE_S = 30.0


@dataclass(frozen=True, slots=True)
class SwitchCheck:
    """What one switch answered; nothing of it was changed.

    Attributes:
        config: As in bench.toml.
        identity: What it said of itself, None where it did not answer.
        states: State of each place, "" for the whole; empty where it tells none.
        error: The sentence of what went wrong, "" where nothing did.
    """

    config: SwitchConfig
    identity: Identity | None = None
    states: dict[str, str] = field(default_factory=dict)
    error: str = ""

    @property
    def ok(self) -> bool:
        """Whether it was identified and its states were read."""
        return not self.error

    @property
    def text(self) -> str:
        """Its states in a line, such as "on", or "on 1-5, 7; off 6"."""
        places: dict[str, list[str]] = {}
        for place, state in self.states.items():
            places.setdefault(state, []).append(place)
        return "; ".join(
            f"{state} {_ranges(found)}".strip() for state, found in places.items()
        )


def _ranges(places: Sequence[str]) -> str:
    """Write numbers shortly: 1-5, 7."""
    parts: list[list[str]] = []
    for place in places:
        follows = parts and place.isdecimal() and parts[-1][-1].isdecimal()
        if follows and int(place) == int(parts[-1][-1]) + 1:
            parts[-1].append(place)
        else:
            parts.append([place])
    return ", ".join(
        f"{part[0]}-{part[-1]}" if len(part) > 2 else ", ".join(part) for part in parts
    )


def check_switches(
    bench: Bench,
    progress: Callable[[str], None] = lambda _: None,
) -> list[SwitchCheck]:
    """Ask every switch of a bench who it is and what is on, several at once.

    Returns:
        One entry a switch, in the order of the bench.

    Raises:
        BenchError: The simulator did not start.
    """
    wants = any(switch.address == SIMULATED for switch in bench.switches)
    reach = running_bench if wants else contextlib.nullcontext
    with reach(bench) as ready:
        jobs = [
            Job(switch.name, partial(_ask, ready, switch)) for switch in ready.switches
        ]
        found = in_time(jobs, DEADLINE_S, progress)
    return [
        SwitchCheck(config, error=str(one)) if isinstance(one, BenchError) else one
        for config, one in zip(ready.switches, found, strict=True)
    ]


def _ask(bench: Bench, config: SwitchConfig) -> SwitchCheck:
    switch = build_switch(bench, config.name).switch
    try:
        identity = switch.open()
        states = {place: switch.state(place) for place in switch.places()}
    finally:
        switch.close()
    return SwitchCheck(config, identity, states)


def switches_as_json(checks: Sequence[SwitchCheck]) -> list[dict[str, object]]:
    """Write switches as plain values, beside the sources of a check."""
    return [
        {
            "name": check.config.name,
            "section": "switch",
            "driver": check.config.driver.name,
            "address": check.config.address,
            "host": check.config.host or None,
            "ok": check.ok,
            "identity": None
            if (who := check.identity) is None
            else {
                "maker": who.maker,
                "model": who.model,
                "serial": who.serial,
                "firmware": who.firmware,
            },
            "states": check.states,
            "allowed": list(check.config.allowed),
            "not_allowed": list(check.config.forbidden),
            "error": check.error or None,
        }
        for check in checks
    ]


def switches_text(checks: Sequence[SwitchCheck]) -> str:
    """Write switches for the terminal: a paragraph a switch."""
    return "".join(f"{line}\n" for check in checks for line in _lines(check))


def _lines(check: SwitchCheck) -> Iterator[str]:
    config, who = check.config, check.identity
    place = f" on {config.host}" if config.host else ""
    address = config.address or "no address"
    head = f"{config.name} (switch {config.driver.name}, {address}{place}): "
    if check.error:
        yield f"{head}FAILED"
        yield f"  {check.error}"
    else:
        yield f"{head}OK{f', {check.text}' if check.text else ''}"
    if who and (model := " ".join(filter(None, (who.maker, who.model)))):
        yield f"  {model}"
    yield f"  allowed: {', '.join(config.allowed) or 'nothing'}"
    if config.forbidden:
        yield f"  not allowed: {', '.join(config.forbidden)}"
