"""The jobs of a fio job file or command line, as fio itself puts them together."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from instruments.errors import BadInput
from workloads.fio_access import OPTIONS

_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_MOST_INCLUDES = 16
_PLAIN_FLAGS = frozenset(
    ["thread", "time_based", "group_reporting", "minimal", "readonly", "parse_only"]
)

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """One job: all options that it gets, its own after those of [global].

    Attributes:
        name: What stands in the brackets, or after --name.
        pairs: Options in the order in which fio takes them; some add up, so none is
            left out.
    """

    name: str
    pairs: Pairs

    def last(self, *names: str) -> str:
        """Get the value that counts where the last one does, "" where none is set."""
        found = [value for name, value in self.pairs if name in names]
        return found[-1] if found else ""

    def each(self, *names: str) -> list[str]:
        """Get the values of an option that adds up."""
        return [value for name, value in self.pairs if name in names]


def file_sections(
    text: str,
    read: Callable[[str], str] | None = None,
    variables: Mapping[str, str] | None = None,
) -> list[Section]:
    """Read a job file.

    [global] may stand anywhere and counts for the jobs after it; `include` takes its
    file in where it stands; ${NAME} is a variable of the environment; # and ; end a
    line.

    Args:
        text: The job file.
        read: Reads an included file by its name, None where none may be.
        variables: The environment that fio will have, None for ours.

    Raises:
        BadInput: It is no job file, or an include cannot be followed.
    """
    reader = _FileReader(read, os.environ if variables is None else variables)
    reader.take(text, 0)
    return reader.sections()


class _FileReader:
    def __init__(
        self, read: Callable[[str], str] | None, variables: Mapping[str, str]
    ) -> None:
        self._read = read
        self._variables = variables
        self._globals: list[tuple[str, str]] = []
        self._found: list[tuple[str, Pairs, list[tuple[str, str]]]] = []
        self._into: list[tuple[str, str]] | None = None

    def sections(self) -> list[Section]:
        return [Section(name, (*before, *own)) for name, before, own in self._found]

    def take(self, text: str, depth: int) -> None:
        for number, raw in enumerate(text.splitlines(), 1):
            line = re.split("[#;]", raw, maxsplit=1)[0].strip()
            if not line:
                continue
            if line.startswith("["):
                # fio takes the last character for the bracket, whatever it is.
                self._begin(line[1:-1])
            elif line.startswith("include") and line[7:8] in (" ", "\t"):
                self._include(line[8:].strip(), depth)
            elif self._into is None:
                raise BadInput(
                    f'line {number} stands before any job, "{line[:60]}"',
                    way_out="Begin a job with its name in brackets.",
                )
            else:
                name, _, value = line.partition("=")
                pair = (plain(name), self._expand(value.strip()))
                self._into.append(pair)

    def _begin(self, name: str) -> None:
        if name.strip().lower() == "global":
            self._into = self._globals
            return
        own: list[tuple[str, str]] = []
        self._found.append((name, tuple(self._globals), own))
        self._into = own

    def _include(self, name: str, depth: int) -> None:
        if self._read is None or depth >= _MOST_INCLUDES:
            raise BadInput(
                f'the included file "{name}" is not followed',
                way_out="Put its lines where the include stands.",
            )
        self.take(self._read(name), depth + 1)

    def _expand(self, value: str) -> str:
        return _VARIABLE.sub(lambda m: self._variables.get(m[1], ""), value)


def command_sections(
    argv: Sequence[str], read: Callable[[str], str] | None = None
) -> tuple[list[Section], Pairs]:
    """Read the arguments of a fio command line.

    Options before the first --name count for all jobs, as those of [global] do. One
    dash does as well as two, names may be cut short where that is not ambiguous, and
    what is no option is a job file.

    Returns:
        The jobs, and the options of the program itself, such as output.

    Raises:
        BadInput: An option is ambiguous, or a job file cannot be read.
    """
    sections: list[Section] = []
    common: list[tuple[str, str]] = []
    found: list[tuple[str, Pairs, list[tuple[str, str]]]] = []
    words = list(argv)
    while words:
        word = words.pop(0)
        if not word.startswith("-") or word == "-":
            if read is None:
                raise BadInput(f'the job file "{word}" is not followed')
            sections.extend(file_sections(read(word), read))
            continue
        name, equals, value = word.lstrip("-").partition("=")
        name = _whole(plain(name))
        takes = not equals and name not in _PLAIN_FLAGS and words
        if takes and not words[0].startswith("-"):
            value = words.pop(0)
        if name == "name":
            found.append((value, tuple(common), []))
        (found[-1][2] if found else common).append((name, value))
    sections.extend(Section(name, (*before, *own)) for name, before, own in found)
    return sections, tuple(common)


def _whole(name: str) -> str:
    """Complete a name that was cut short, as getopt does."""
    if name in OPTIONS or not name:
        return name
    meant = [option for option in OPTIONS if option.startswith(name)]
    if len(meant) > 1:
        raise BadInput(
            f'the option "{name}" may be {", ".join(sorted(meant)[:4])}',
            way_out="Write its whole name.",
        )
    return meant[0] if meant else name


def plain(name: str) -> str:
    """Write the name of an option as the table of options does."""
    return name.strip().lower().replace("-", "_")


def reader_below(folder: Path) -> Callable[[str], str]:
    """Get what reads job files beside a job file.

    Raises:
        BadInput: When the file cannot be read.
    """

    def read(name: str) -> str:
        try:
            return (folder / name).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(
                f"the job file cannot be read ({error})",
                where=name,
                way_out="See whether it is there.",
            ) from error

    return read
