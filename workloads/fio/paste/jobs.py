"""The jobs of a pasted script: its fio commands with what fio makes of each."""

from collections import Counter
from collections.abc import Callable, Sequence

from instruments.errors import BadInput
from workloads.fio.paste.file import read_job_file
from workloads.fio.paste.finding import Finding, Weight
from workloads.fio.paste.options import ReadOptions, read_options
from workloads.fio.paste.parsed import (
    PROGRAM,
    Pair,
    Parsed,
    ParsedJob,
    divided,
    doubled,
)
from workloads.fio.paste.script import FioCommand, Script, read_script


def read_pasted(text: str, read: Callable[[str], str] | None = None) -> Parsed:
    """Read the jobs of a shell script, a batch file or lines of a document.

    Args:
        text: What was pasted.
        read: Reads a job file that a command names; None where none may be.
    """
    script = read_script(text)
    return _Jobs(script, read).read()


class _Jobs:
    def __init__(self, script: Script, read: Callable[[str], str] | None) -> None:
        self._script = script
        self._read = read
        self._findings = list(script.findings)
        self._outputs: dict[str, tuple[int, int]] = {}

    def read(self) -> Parsed:
        usual = self._usual()
        groups: list[tuple[ParsedJob, ...]] = []
        number = 0
        for commands in self._script.groups:
            together: list[tuple[ParsedJob, ...]] = []
            for command in commands:
                number += 1
                options = read_options(command, usual)
                self._findings.extend(options.findings)
                together.append(self._jobs(command, options, number))
                groups.extend(self._files(options))
            jobs = tuple(job for one in together for job in one)
            if len(commands) > 1:
                self._beside(commands)
            groups.extend(divided(jobs))
        return Parsed(tuple(group for group in groups if group), tuple(self._findings))

    def _usual(self) -> dict[str, str]:
        """Get the value that most commands give to each option."""
        counted: dict[str, Counter[str]] = {}
        for command in (one for group in self._script.groups for one in group):
            for pair in read_options(command).pairs:
                counted.setdefault(pair.name, Counter())[pair.value] += 1
        return {name: count.most_common(1)[0][0] for name, count in counted.items()}

    def _jobs(
        self, command: FioCommand, options: ReadOptions, number: int
    ) -> tuple[ParsedJob, ...]:
        common: list[Pair] = []
        found: list[tuple[Pair, tuple[Pair, ...], list[Pair]]] = []
        program: list[Pair] = []
        for pair in options.pairs:
            if pair.name == "name":
                found.append((pair, tuple(common), []))
            elif pair.name in PROGRAM:
                program.append(pair)
            else:
                (found[-1][2] if found else common).append(pair)
        self._program(program, number)
        if not found and not options.files:
            self._nothing(command)
        for own in (common, *(own for _, _, own in found)):
            self._doubled(own)
        jobs = [
            ParsedJob(name.value, name.line, (*before, *own), f"command {number}")
            for name, before, own in found
        ]
        return self._once(jobs)

    def _doubled(self, pairs: Sequence[Pair]) -> None:
        for first, last in doubled(pairs):
            self._findings.append(
                Finding(
                    (last.line,),
                    f"--{first.quote} and --{last.quote}",
                    f"{first.name} stands twice in one job; fio takes the last one.",
                    f"So does Bayscope: {last.quote}.",
                    Weight.TRAP,
                )
            )

    def _nothing(self, command: FioCommand) -> None:
        self._findings.append(
            Finding(
                (command.line,),
                "fio without --name",
                'fio runs nothing, and writes "No job(s) defined" into the file of '
                "--output.",
                "No step is made of it.",
                weight=Weight.LEFT_OUT,
                decide=True,
            )
        )

    def _once(self, jobs: Sequence[ParsedJob]) -> tuple[ParsedJob, ...]:
        """Leave out a job that stands again, with the same name and options."""
        kept: list[ParsedJob] = []
        for job in jobs:
            same = [one for one in kept if one.name == job.name and _same(one, job)]
            if not same:
                kept.append(job)
                continue
            each = job.last("numjobs") or "1"
            self._findings.append(
                Finding(
                    (job.line,),
                    f"--name={job.name}",
                    "The name stands twice in one command with the same options, so "
                    f"fio runs both jobs at the same time: 2 x {each}.",
                    f"Taken once, with numjobs={each}, as a slip in the text.",
                    weight=Weight.TRAP,
                    decide=True,
                )
            )
        return tuple(kept)

    def _files(self, options: ReadOptions) -> list[tuple[ParsedJob, ...]]:
        groups: list[tuple[ParsedJob, ...]] = []
        for word in options.files:
            written = self._script.files.get(word.text)
            try:
                text = written.text if written else self._file(word.text)
            except BadInput as error:
                self._findings.append(
                    Finding(
                        (word.line,),
                        word.raw,
                        "fio takes the word for a job file.",
                        f"Left out: {error.what}. Import that file itself.",
                        weight=Weight.LEFT_OUT,
                        decide=True,
                    )
                )
                continue
            first = written.line if written else 1
            parsed = read_job_file(text, word.text, self._read, first=first)
            self._findings.extend(parsed.findings)
            groups.extend(parsed.groups)
        return groups

    def _file(self, name: str) -> str:
        if self._read is None:
            raise BadInput("it is not at hand")
        return self._read(name)

    def _program(self, pairs: Sequence[Pair], number: int) -> None:
        """Tell of outputs that overwrite each other, and of the program's options."""
        outputs = [pair for pair in pairs if pair.name == "output"]
        if len(outputs) > 1:
            self._findings.append(
                Finding(
                    tuple(pair.line for pair in outputs),
                    " ".join(f"--output={pair.value}" for pair in outputs),
                    "fio makes all these files and writes into the last one only.",
                    "Left out: Bayscope keeps the output in the session.",
                )
            )
        for pair in outputs[-1:]:
            line, earlier = self._outputs.get(pair.value, (pair.line, number))
            if earlier != number:
                self._findings.append(
                    Finding(
                        (pair.line,),
                        f"--output={pair.value}",
                        f"The command of line {line} has the same --output: the second "
                        "overwrites the first, whose result is lost.",
                        "Each step keeps its own result, so nothing is lost here.",
                        weight=Weight.TRAP,
                    )
                )
            self._outputs[pair.value] = (pair.line, number)
        for pair in pairs:
            if pair.name in ("client", "server", "remote_config", "section"):
                self._findings.append(
                    Finding(
                        (pair.line,),
                        f"--{pair.quote}",
                        "fio runs the jobs on another machine."
                        if pair.name != "section"
                        else "fio runs only this section of its job files.",
                        "Left out.",
                        weight=Weight.LEFT_OUT,
                        decide=True,
                    )
                )
        told = [p for p in pairs if p.name not in ("client", "server", "section")]
        if told:
            self._findings.append(
                Finding(
                    tuple(sorted({pair.line for pair in told})),
                    "",
                    "Options of the program fio say how it prints and where to.",
                    "Left out: Bayscope reads and keeps fio's output itself.",
                )
            )

    def _beside(self, commands: Sequence[FioCommand]) -> None:
        self._findings.append(
            Finding(
                tuple(command.line for command in commands),
                "&",
                f"The shell runs {len(commands)} commands at the same time.",
                "Taken as jobs of one group.",
            )
        )


def _same(one: ParsedJob, other: ParsedJob) -> bool:
    return _values(one) == _values(other)


def _values(job: ParsedJob) -> dict[str, str]:
    return {name: pair.value for name, pair in job.options().items()}
