"""Jobs as a text has them, before anything is made of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workloads.fio.options import fio_options
from workloads.fio.paste.finding import Finding, Notes, Weight
from workloads.fio_access import OPTIONS

ALIASES: Mapping[str, str] = {
    "start_delay": "startdelay",
    "numruns": "loops",
    "ss_interval": "steadystate_check_interval",
    **{o.alias: o.key for o in fio_options().values() if o.alias},
}
"""Second names of options; those first are of versions beyond the table's."""

SWITCHES = frozenset(
    name
    for option in fio_options().values()
    if option.type == "switch"
    for name in (option.key, option.alias)
    if name
)
"""Options that stand alone."""

_PROGRAM_SWITCHES = """
minimal append_terse version help showcmd readonly parse_only warnings_fatal
cpuclock_test merge_blktrace_only crctest server
"""
PROGRAM_SWITCHES = frozenset(_PROGRAM_SWITCHES.split())
"""Options of the program fio that need no value."""

_PROGRAM_VALUES = """
output output_format terse_version bandwidth_log status_interval eta eta_newline
eta_interval section alloc_size max_jobs client daemonize remote_config idle_prof
inflate_log trigger trigger_file trigger_timeout trigger_remote aux_path debug
cmdhelp enghelp
"""
PROGRAM = PROGRAM_SWITCHES | frozenset(_PROGRAM_VALUES.split())
"""Options of the program, which count for all of a command's jobs."""

KNOWN = frozenset(OPTIONS) | frozenset(ALIASES) | PROGRAM
"""Every name that is known, with "_" for "-"."""


def plain(name: str) -> str:
    """Write the name of an option as the tables do."""
    return name.strip().replace("-", "_")


@dataclass(frozen=True, slots=True)
class Pair:
    """One option of a job, and its line."""

    name: str
    value: str
    line: int

    @property
    def quote(self) -> str:
        """The words of the text, more or less."""
        return f"{self.name}={self.value}" if self.value else self.name


@dataclass(frozen=True, slots=True)
class ParsedJob:
    """One job: all its options in fio's order, those for all jobs first.

    Attributes:
        name: The name in brackets, or after --name.
        line: Where it begins.
        pairs: Its options.
        place: Where it comes from, which jobs of one command share.
    """

    name: str
    line: int
    pairs: tuple[Pair, ...]
    place: str = ""

    def options(self) -> dict[str, Pair]:
        """Get the options that count: of one given twice the last one."""
        options: dict[str, Pair] = {}
        for pair in self.pairs:
            name = ALIASES.get(pair.name, pair.name)
            options.pop(name, None)  # to stand where the last one stood
            options[name] = pair
        return options

    def last(self, name: str) -> str:
        """Get the value that counts, "" where there is none."""
        pair = self.options().get(name)
        return pair.value if pair is not None else ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """Jobs in the groups that fio runs one after the other, and what was found."""

    groups: tuple[tuple[ParsedJob, ...], ...]
    findings: tuple[Finding, ...]


def tell_doubled(pairs: Sequence[Pair], notes: Notes, dashes: str = "") -> None:
    """Report options that are given twice with different values.

    Filenames add up and are not double.
    """
    first: dict[str, Pair] = {}
    last: dict[str, Pair] = {}
    for pair in pairs:
        name = ALIASES.get(pair.name, pair.name)
        first.setdefault(name, pair)
        last[name] = pair
    for name, pair in first.items():
        if name != "filename" and last[name].value != pair.value:
            notes.tell(
                last[name].line,
                f"{dashes}{pair.quote} and {dashes}{last[name].quote}",
                f"{pair.name} appears twice in one job; fio takes the last one.",
                f"So does Bayscope: {last[name].quote}.",
                weight=Weight.TRAP,
            )


def divided(jobs: Sequence[ParsedJob]) -> tuple[tuple[ParsedJob, ...], ...]:
    """Divide jobs into those that run at the same time: where one waits for others."""
    groups: list[list[ParsedJob]] = []
    for job in jobs:
        waits = "stonewall" in job.options() and job.last("stonewall") != "0"
        if not groups or waits or job.last("wait_for"):
            groups.append([])
        groups[-1].append(job)
    return tuple(tuple(group) for group in groups)
