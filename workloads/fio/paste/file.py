"""A fio job file with the line of each option, divided where its jobs wait.

It may come from anywhere, so it learns nothing of this computer: no variable of the
environment, and of a file that it names only what is an option of fio.
"""

import re
from collections.abc import Callable

from instruments.errors import BadInput
from instruments.sizes import counted
from workloads.fio.paste.finding import Notes, Weight
from workloads.fio.paste.parsed import (
    KNOWN,
    Pair,
    Parsed,
    ParsedJob,
    divided,
    plain,
    tell_doubled,
)

# ${NAME} stands for a variable of the environment.
_VARIABLE = re.compile(r"\$\{([^}]{0,200})\}")
# Files that include each other must come to an end.
_MOST_INCLUDES = 16
# What says where the load goes: a step has its target from the bench.
_WHERE = frozenset(("filename", "directory", "size", "filesize"))

Read = Callable[[str], str]


def looks_like_jobs(text: str) -> bool:
    """Tell whether a text is a job file and no script: a section comes first."""
    for raw in text.lstrip("\ufeff").splitlines():
        line = raw.strip()
        if line and not line.startswith(("#", ";")):
            return line.startswith("[") or line.startswith("include ")
    return False


def _is_jobs(line: str) -> bool:
    """Tell whether a line of a file that is named belongs to a job file."""
    if line.startswith("["):
        return line.endswith("]")
    name = plain(line.partition("=")[0]).lower()
    return name in KNOWN or line.startswith("include ")


def read_job_file(
    text: str, name: str = "", read: Read | None = None, at: int = 0
) -> Parsed:
    """Read a job file.

    Args:
        text: The file.
        name: What it is called.
        read: Reads a file that it includes, None where none may be.
        at: The line of another text that names it, 0 where it is the text itself.

    Raises:
        BadInput: It has no job.
    """
    reader = _Reader(read)
    reader.take(text, 0, at, name)
    jobs = reader.jobs(name)
    if not jobs:
        raise BadInput(
            "it contains no job",
            where=name,
            way_out="A job begins with its name in square brackets.",
        )
    return Parsed(divided(jobs), tuple(reader.notes.found))


class _Reader:
    def __init__(self, read: Read | None) -> None:
        self.notes = Notes()
        self._read = read
        self._globals: list[Pair] = []
        self._found: list[tuple[str, int, tuple[Pair, ...], list[Pair]]] = []
        self._into: list[Pair] | None = None

    def jobs(self, place: str) -> list[ParsedJob]:
        made = []
        for name, line, before, pairs in self._found:
            tell_doubled(pairs, self.notes)
            made.append(ParsedJob(name, line, (*before, *pairs), place))
        tell_doubled(self._globals, self.notes)
        return made

    def take(self, text: str, depth: int, at: int, name: str) -> None:
        """Read lines; those of a file that is named count for the line that names it.

        Such a file may be any, so what is not an option of fio in it is not shown.
        """
        unknown = 0
        for count, raw in enumerate(text.lstrip("\ufeff").splitlines(), 1):
            number = at or count
            line = re.split("[#;]", raw, maxsplit=1)[0].strip()
            if not line:
                continue
            if at and not _is_jobs(line):
                unknown += 1
            elif line.startswith("["):
                self._begin(line, number)
            elif re.match(r"include\s", line):
                self._include(line[8:].strip(), depth, number)
            elif self._into is None:
                self.notes.trap(
                    number,
                    line[:60],
                    "It stands before any section, and fio refuses the file.",
                    "Taken as if it stood under [global].",
                )
                self._globals.append(self._pair(line, number))
            else:
                self._into.append(self._pair(line, number))
        if unknown:
            self.notes.drop(
                at,
                name,
                f"{counted(unknown, 'line')} of that file are not fio options.",
                "Excluded, and not shown.",
            )

    def _begin(self, line: str, number: int) -> None:
        if not line.endswith("]"):
            self.notes.tell(
                number,
                line,
                "The closing bracket is missing; fio takes the last letter for it.",
                f'The section is called "{line[1:-1]}".',
                weight=Weight.TRAP,
            )
        name = line[1:-1].strip()
        if name.lower() == "global":
            if self._found:
                self.notes.tell(
                    number,
                    line,
                    "A [global] after jobs applies only to the jobs below it.",
                    "Taken so.",
                )
            self._into = self._globals
            return
        pairs: list[Pair] = []
        self._found.append((name, number, tuple(self._globals), pairs))
        self._into = pairs

    def _pair(self, line: str, number: int) -> Pair:
        name, equals, value = line.partition("=")
        if equals and value[:1] in (" ", "\t") and plain(name) == "rw":
            self.notes.tell(
                number,
                line,
                'fio takes the blank after "=" as part of the value and refuses it.',
                "Taken without it.",
                weight=Weight.TRAP,
            )
        key = plain(name)
        value = self._without_variables(value.strip(), number, key)
        if key not in KNOWN and key.lower() in KNOWN:
            self.notes.trap(
                number,
                line,
                "fio is case-sensitive and refuses the job.",
                f'Taken as "{key.lower()}".',
            )
            key = key.lower()
        elif key == "rwmix":
            self.notes.trap(
                number,
                line,
                "fio has no such option and drops the job.",
                f"Taken as rwmixread={value}, the share of reads.",
            )
            key = "rwmixread"
        return Pair(key, value, number)

    def _without_variables(self, value: str, number: int, key: str) -> str:
        match = _VARIABLE.search(value)
        if match is None or key in _WHERE:  # Targets are only told, never taken over.
            return value
        self.notes.trap(
            number,
            match[0],
            "fio inserts a variable of its environment there.",
            "Bayscope inserts none, as it may be a password: write the value.",
        )
        return ""

    def _include(self, name: str, depth: int, number: int) -> None:
        try:
            if depth >= _MOST_INCLUDES:
                raise BadInput(f"more than {_MOST_INCLUDES} files include each other")
            if self._read is None:
                raise BadInput("file not available")
            text = self._read(name)
        except BadInput as error:
            self.notes.drop(
                number,
                f"include {name}",
                "fio reads that file here.",
                f"Excluded: {error.what}. Paste its contents in place of the include.",
            )
            return
        self.notes.tell(
            number, f"include {name}", "fio reads that file here.", "Read, too."
        )
        self.take(text, depth + 1, number, name)
