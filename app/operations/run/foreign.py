"""What a session from elsewhere would do if it were continued, for a person to see.

A session file carries its campaign and its bench. Those of one that this program did
not record here, for this user, are somebody else's: commands, addresses, disks.
"""

import base64
import hmac
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum

from app.bench.file import parse_bench
from app.bench.model import Bench, SourceConfig, SwitchConfig
from app.plan.campaign import Campaign, parse_campaign
from app.record.own_key import KEY_NAME, own_key
from app.record.store import Session
from instruments.errors import BadInput, printable
from instruments.files.kept import kept_path
from workloads.engines import LOADS
from workloads.setup.made import Made


class Deed(StrEnum):
    """What going on with a session may do."""

    COMMAND = "run"
    PROMPT = "ask"
    LOAD = "load"
    STEP = "step"
    TARGET = "target"
    ADDRESS = "reach"
    SWITCH = "switch"
    UNDO = "take back"


@dataclass(frozen=True, slots=True)
class Foreign:
    """A session that was recorded by another program, user or computer.

    Attributes:
        deeds: What it would do, each with what it is done to.
        code: Confirms just this session with just these deeds; only this user's
            program on this computer can tell it. "" where there is no key to make it
            by: nothing confirms the session then.
    """

    deeds: tuple[tuple[Deed, str], ...]
    code: str

    @property
    def lines(self) -> list[str]:
        """The deeds as lines for a person."""
        return [f"{deed}: {text}" for deed, text in self.deeds]

    def lines_not_in(self, bench: Bench) -> list[str]:
        """Get the lines that say something which is not in the given bench as well."""
        known = {f"{deed}: {text}" for deed, text in _of_bench(bench)}
        return [line for line in self.lines if line not in known]


class UnconfirmedError(BadInput):
    """A session from elsewhere was to go on, and nobody confirmed what it would do."""

    def __init__(
        self, found: Foreign, what: str, *, where: str = "", way_out: str = ""
    ) -> None:
        super().__init__(what, where=where, way_out=way_out)
        self.facts = {
            "deeds": [{"deed": str(deed), "what": text} for deed, text in found.deeds],
            "confirm": found.code,
        }


def plan_in(session: Session) -> tuple[Campaign, Bench]:
    """Read the campaign and the bench that a session carries; raises BadInput."""
    info, name = session.info, session.path.name
    return (
        parse_campaign(info.campaign, f"the campaign in {name}"),
        parse_bench(info.bench, f"the bench in {name}"),
    )


def foreign(session: Session, made: Sequence[Made]) -> Foreign | None:
    """Tell what a session would do, None for one that was recorded here.

    Raises:
        BadInput: Its campaign or bench is none.
    """
    key = own_key()
    if session.is_signed(key):
        return None
    campaign, bench = plan_in(session)
    deeds = (*_of_campaign(campaign), *_of_bench(bench), *_of_made(made))
    info = session.info
    whole = [deeds, info.campaign, info.bench, [asdict(one) for one in made]]
    if not key:  # Anybody could tell a code that is made without one.
        return Foreign(deeds, "")
    digest = hmac.digest(key, json.dumps(whole).encode(), "sha256")
    code = base64.b32encode(digest[:5]).decode()
    return Foreign(deeds, f"{code[:4]}-{code[4:]}")


def check_confirmed(found: Foreign | None, confirmed: str, where: str) -> None:
    """Let only those go on that were recorded here, or that a person confirmed.

    Raises:
        BadInput: It is neither.
    """
    if found is None:
        return
    if not found.code:
        raise UnconfirmedError(
            found,
            "it was not recorded by this user on this computer, and nobody can confirm "
            "it, as the key for that can neither be read nor created",
            where=str(kept_path(KEY_NAME)),
            way_out="Make that folder writable, or set XDG_CONFIG_HOME to one that is. "
            "A file of that name with other content has to go.",
        )
    if hmac.compare_digest(found.code.encode(), _typed(confirmed)):
        return
    raise UnconfirmedError(
        found,
        "it was not recorded by this user on this computer, or was changed since, and "
        f"nobody confirmed what it would do here ({len(found.deeds)} things)",
        where=where,
        way_out="Read all of them; if they are meant, resume it with "
        f"--confirm {found.code}.",
    )


def check_plan(session: Session, campaign: Campaign, bench: Bench) -> None:
    """Check that a run which goes on is the run of its session.

    What is not acted upon, such as how the bench is written down, is not compared.

    Raises:
        BadInput: It is another one.
    """
    own, place = plan_in(session)
    same_plan = replace(own, text="") == replace(campaign, text="")
    if same_plan and _acted_upon(place) == _acted_upon(bench):
        return
    raise BadInput(
        f"the {'bench' if same_plan else 'campaign'} that was given is not the one of "
        "this session",
        where=str(session.path),
        way_out="Resume with its own; anything new needs a new session.",
    )


def _acted_upon(bench: Bench) -> tuple[object, ...]:
    configs = *map(_config, bench.sources), *map(_config, bench.switches)
    return *_of_bench(bench), *configs, bench.dut, bench.guard, bench.interlocks


def _typed(code: str) -> bytes:
    return code.strip().upper().encode("utf-8", "replace")


def _of_campaign(campaign: Campaign) -> Iterator[tuple[Deed, str]]:
    """List commands and prompts one by one, and what loads are told by engine."""
    values_of: dict[str, dict[str, dict[str, None]]] = {}
    deeds: dict[tuple[Deed, str], None] = {}
    for _, step in campaign.runs:
        if step.engine == "command":
            deeds[Deed.COMMAND, printable(step.options["run"])] = None
        elif step.engine == "prompt":
            deeds[Deed.PROMPT, _keys(step.options)] = None
        elif step.options or step.is_load:
            own = values_of.setdefault(step.engine, {})
            for key, value in step.options.items():
                own.setdefault(key, {})[value] = None
    yield from deeds
    for engine, keys in values_of.items():
        values = _keys({key: " or ".join(each) for key, each in keys.items()})
        yield (Deed.LOAD if engine in LOADS else Deed.STEP), f"{engine}: {values}"


def _of_bench(bench: Bench) -> Iterator[tuple[Deed, str]]:
    for target in bench.dut.targets:
        yield Deed.TARGET, printable(str(target))
    if bench.dut.layout:
        yield Deed.TARGET, f"layout {printable(bench.dut.layout)}"
    if bench.guard.allow:
        yield Deed.TARGET, f"overwrite only {printable(', '.join(bench.guard.allow))}"
    if bench.load is not None:
        yield Deed.ADDRESS, f"load hosts: {printable(str(bench.load))}"
    for source in bench.sources:
        if not source.wants_simulator:
            yield Deed.ADDRESS, f"{source.section} {_config(source)}"
    for switch in bench.switches:
        allow = ", ".join(switch.allow)
        yield Deed.SWITCH, f"{_config(switch)}; allowed: {allow or 'nothing'}"


def _config(config: SourceConfig | SwitchConfig) -> str:
    usual = {option.key: option.default for option in config.driver.options}
    given = {k: v for k, v in config.keys.items() if v != usual.get(k)}
    host = {"host": config.host} if config.host else {}
    return f"{config.name}: {config.driver.name}, {_keys({**given, **host})}"


def _of_made(made: Sequence[Made]) -> Iterator[tuple[Deed, str]]:
    for one in made:
        yield Deed.UNDO, printable(f"{one.kind} {one.name} ({one.own} {one.number})")


def _keys(values: Mapping[str, object]) -> str:
    return printable(", ".join(f"{key} = {value}" for key, value in values.items()))
