"""The jobs of a pasted script: its fio commands with what fio makes of each.

What fio does was tried with fio 3.33: getopt takes one dash for two, completes names
that begin only one option, stops at "--", and takes every other word for a job file.
"""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from instruments.errors import BadInput
from instruments.settings import closest
from workloads.fio.paste.file import read_job_file
from workloads.fio.paste.finding import Notes, Weight
from workloads.fio.paste.parsed import (
    KNOWN,
    PROGRAM,
    PROGRAM_SWITCHES,
    SWITCHES,
    Pair,
    Parsed,
    ParsedJob,
    divided,
    plain,
    tell_doubled,
)
from workloads.fio.paste.script import FioCommand, Script, read_script
from workloads.fio.paste.words import Argument

# numjobs4: an option and its value without the "=".
_RUN_TOGETHER = re.compile(r"([A-Za-z_-]+?)(\d.*)")
_MEANT = {"rwmix": "rwmixread"}
"""Names that are none, with what older texts mean by them."""

_REFUSED = "fio has no such option and runs nothing."
# Options of the program that change which jobs run, or where.
_ELSEWHERE = ("client", "server", "remote_config", "section")

Read = Callable[[str], str]


def read_pasted(text: str, name: str = "pasted", read: Read | None = None) -> Parsed:
    """Read the jobs of a shell script or of lines of a document.

    Raises:
        BadInput: It has a statement that is not read; names the line.
    """
    script = read_script(text, name)
    jobs = _Jobs(read, _usual(script))
    groups: list[tuple[ParsedJob, ...]] = []
    for together in script.groups:
        made = tuple(job for command in together for job in jobs.of(command, groups))
        if len(together) > 1:
            jobs.notes.tell(
                together[0].line,
                "&",
                f"The shell runs {len(together)} commands at the same time.",
                "Taken as jobs of one group.",
            )
        groups.extend(divided(made))
    findings = (*script.findings, *jobs.notes.found)
    return Parsed(tuple(group for group in groups if group), findings)


def _usual(script: Script) -> dict[str, str]:
    """Get the value that a script gives to each option most often."""
    counts: dict[str, Counter[str]] = {}
    for command in itertools.chain.from_iterable(script.groups):
        for pair in Options(command, Notes()).pairs:
            counts.setdefault(pair.name, Counter())[pair.value] += 1
    return {name: count.most_common(1)[0][0] for name, count in counts.items()}


class _Jobs:
    def __init__(self, read: Read | None, usual: Mapping[str, str]) -> None:
        self.notes = Notes()
        self._read = read
        self._usual = usual
        self._outputs: dict[str, tuple[int, int]] = {}
        self._number = 0

    def of(
        self, command: FioCommand, groups: list[tuple[ParsedJob, ...]]
    ) -> list[ParsedJob]:
        """Get the jobs of a command; those of job files become their own groups."""
        self._number += 1
        options = Options(command, self.notes, self._usual)
        self._program([pair for pair in options.pairs if pair.name in PROGRAM])
        common, jobs = _by_job(options.pairs)
        if not jobs and not options.files:
            self.notes.drop(
                command.line,
                "fio without --name",
                'fio runs nothing, and writes "No job(s) defined" into the file of '
                "--output.",
                "No step is made of it.",
            )
        for pairs in (common, *(pairs for _, pairs in jobs)):
            tell_doubled(pairs, self.notes, "--")
        for word in options.files:
            self._file(word, groups)
        place = f"command {self._number}"
        return self._once(
            [
                ParsedJob(name.value, name.line, (*common, *pairs), place)
                for name, pairs in jobs
            ]
        )

    def _once(self, jobs: Sequence[ParsedJob]) -> list[ParsedJob]:
        """Exclude a job that is repeated with the same name and options."""
        kept: list[ParsedJob] = []
        for job in jobs:
            if not any(each.name == job.name and _same(each, job) for each in kept):
                kept.append(job)
                continue
            each = job.last("numjobs") or "1"
            self.notes.trap(
                job.line,
                f"--name={job.name}",
                "The name appears twice in one command with the same options, so fio "
                f"runs both jobs at the same time: 2 x {each}.",
                f"Taken once, with numjobs={each}, as a slip in the text.",
            )
        return kept

    def _file(self, word: Argument, groups: list[tuple[ParsedJob, ...]]) -> None:
        try:
            if self._read is None:
                raise BadInput("it is not available")
            text = self._read(word.text)
        except BadInput as error:
            self.notes.drop(
                word.line,
                word.raw,
                "fio takes the word for a job file.",
                f"Excluded: {error.what}. Import that file itself.",
            )
            return
        parsed = read_job_file(text, word.text, self._read, word.line)
        self.notes.found.extend(parsed.findings)
        groups.extend(parsed.groups)

    def _program(self, pairs: Sequence[Pair]) -> None:
        """Tell of the options of the program, which are in no step."""
        self._tell_outputs([pair for pair in pairs if pair.name == "output"])
        for pair in pairs:
            if pair.name in _ELSEWHERE:
                self.notes.drop(
                    pair.line,
                    f"--{pair.quote}",
                    "fio runs the jobs on another machine, or only some of them.",
                    "Excluded.",
                )
        lines = {pair.line for pair in pairs if pair.name not in _ELSEWHERE}
        if lines:
            self.notes.tell(
                sorted(lines),
                "",
                "These options of the program tell fio how and where to print.",
                "Excluded: Bayscope reads and keeps fio's output itself.",
            )

    def _tell_outputs(self, outputs: Sequence[Pair]) -> None:
        """Tell of outputs that overwrite each other."""
        if len(outputs) > 1:
            self.notes.tell(
                [pair.line for pair in outputs],
                " ".join(f"--output={pair.value}" for pair in outputs),
                "fio makes all these files and writes into the last one only.",
                "Excluded: Bayscope keeps the output in the session.",
            )
        for pair in outputs[-1:]:
            line, earlier = self._outputs.get(pair.value, (pair.line, self._number))
            if earlier != self._number:
                self.notes.tell(
                    pair.line,
                    f"--output={pair.value}",
                    f"The command of line {line} has the same --output: the second "
                    "overwrites the first, whose result is lost.",
                    "Each step keeps its own result, so nothing is lost here.",
                    weight=Weight.TRAP,
                )
            self._outputs[pair.value] = (pair.line, self._number)


def _by_job(pairs: Sequence[Pair]) -> tuple[list[Pair], list[tuple[Pair, list[Pair]]]]:
    """Divide options at each name: those for all jobs, and each name with its own."""
    common: list[Pair] = []
    jobs: list[tuple[Pair, list[Pair]]] = []
    for pair in pairs:
        if pair.name == "name":
            jobs.append((pair, []))
        elif pair.name not in PROGRAM:
            (jobs[-1][1] if jobs else common).append(pair)
    return common, jobs


def _same(job: ParsedJob, other: ParsedJob) -> bool:
    values = [
        {name: pair.value for name, pair in each.options().items()}
        for each in (job, other)
    ]
    return values[0] == values[1]


def _is_known(word: Argument) -> bool:
    return plain(word.text.partition("=")[0]) in KNOWN


def _completed(name: str) -> str:
    """Get the only option that begins so, "" where there is none or there are more."""
    begins = [option for option in KNOWN if option.startswith(name)]
    return begins[0] if len(begins) == 1 else ""


class Options:
    """The options of one fio command, read as its getopt does, slips explained.

    Args:
        command: The command.
        notes: Where findings go.
        usual: Values that most commands of the text give to an option, to guess what
            a typing error means.

    Attributes:
        pairs: Options in their order, `name` among them.
        files: Words that are job files.
    """

    def __init__(
        self, command: FioCommand, notes: Notes, usual: Mapping[str, str] | None = None
    ) -> None:
        self.pairs: list[Pair] = []
        self.files: list[Argument] = []
        self._notes = notes
        self._usual = usual or {}
        self._words = list(reversed(command.arguments))
        has_ended = False
        while self._words:
            word = self._words.pop()
            if word.text == "--":
                has_ended = self._stop(word) or has_ended
            elif re.match("-.", word.text) and not has_ended:
                if re.match("-[^-].", word.text):
                    self._tell(word, "fio takes one dash for two.", "So does Bayscope.")
                self._option(word, word.text.lstrip("-"))
            elif has_ended and _is_known(word):
                self._option(word, word.text)
            else:
                self.files.append(word)

    def _stop(self, word: Argument) -> bool:
        """Look for options after a "--", where fio expects no more of them."""
        # The words still to come are kept in reverse.
        following = next(filter(_is_known, reversed(self._words)), None)
        if following is None:
            return False
        self._notes.trap(
            word.line,
            f"-- {following.raw}",
            'At "--" the options of fio end, so it looks for a job file named '
            f'"{following.text}", finds none and runs nothing.',
            f'Taken as "--{following.raw}".',
        )
        return True

    def _option(self, word: Argument, text: str) -> None:
        name, equals, value = text.partition("=")
        option, stuck = self._name(word, plain(name), value)
        if not option:
            return
        if stuck:
            value = stuck
        elif not equals and option not in SWITCHES | PROGRAM_SWITCHES:
            if not self._words or self._words[-1].text.startswith("-"):
                self._tell(
                    word,
                    f"fio refuses the command: {option} needs a value.",
                    "Excluded.",
                    Weight.EXCLUDED,
                )
                return
            value = self._words.pop().text
        self.pairs.append(Pair(option, value, word.line))

    def _name(self, word: Argument, name: str, value: str) -> tuple[str, str]:
        """Find the option that a word means, "" for none, and a value joined to it."""
        if name in KNOWN:
            return name, ""
        if (lower := name.lower()) in KNOWN:
            self._tell(word, _REFUSED, f'Taken as "{lower}".', Weight.TRAP)
            return lower, ""
        if option := _completed(name):
            self._tell(
                word,
                f"fio completes it to {option}; another version may know a second "
                "option that begins so.",
                f"Taken as {option}.",
            )
            return option, ""
        if meant := _MEANT.get(name):
            made = f"Taken as {meant}={value}, the share of reads."
            self._tell(word, _REFUSED, made, Weight.TRAP)
            return meant, ""
        match = _RUN_TOGETHER.fullmatch(name)
        if match and plain(match[1]) in KNOWN and not value:
            return self._separated(word, plain(match[1]), match[2])
        close = closest(name, sorted(KNOWN))
        hint = f" Perhaps {close} is meant." if close else ""
        self._tell(word, _REFUSED, f"Excluded.{hint}", Weight.EXCLUDED)
        return "", ""

    def _separated(self, word: Argument, option: str, digits: str) -> tuple[str, str]:
        """Separate an option and its value, between which the "=" is lost."""
        usual = self._usual.get(option, "")
        # Perhaps a key was hit twice, too: iodepth2566.
        twice = digits[:-1] == usual and digits[-1:] == digits[-2:-1]
        value = usual if twice else digits
        more = f"; the literal reading is {option}={digits}" if twice else ""
        made = f"Taken as {option}={value}{more}."
        self._tell(word, _REFUSED, made, Weight.TRAP)
        return option, value

    def _tell(
        self, word: Argument, fio: str, made: str, weight: Weight = Weight.NOTE
    ) -> None:
        """Add a finding on a word; the user decides on all but notes."""
        decide = weight is not Weight.NOTE
        self._notes.tell(word.line, word.raw, fio, made, weight=weight, decide=decide)
