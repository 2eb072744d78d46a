r"""What a fio job would open: its targets, found the way fio finds them.

Tried against fio 3.33, whose `--debug=file` says which files it adds:

* every `filename` adds to the list, one of [global] as well; `:` divides names and
  `\:` is a colon;
* `directory` stands before every name, also before an absolute one, and its own list
  is dealt out to the clones of numjobs;
* without a name the job is its own target where its name is that of something that
  exists and is no regular file, such as a disk; otherwise names are made by
  `filename_format`, which may spell out a disk, too;
* everything below `opendir` is a target.
"""

import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from instruments.errors import BadInput
from workloads.fio_access import OPTIONS, Kind, engine_trouble, ruling, value_trouble

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


MOST = 4096
"""Files of one job that are followed; a job with more is not taken."""

_DEFAULT_FORMAT = "$jobname.$jobnum.$filenum"
_READS = ("", "read", "randread")
_HANDLED = frozenset(
    ("filename", "directory", "filename_format", "opendir", "name", "description")
)


@dataclass(frozen=True, slots=True)
class JobTargets:
    """What one job would open, and what else it would do.

    Attributes:
        job: Its name.
        paths: Each path it would open, without doubles, as fio would pass it to
            the system; relative ones are relative to fio's folder.
        destroys: Whether it writes, trims or resets zones.
        closed: Options that are closed, with the reason.
    """

    job: str
    paths: tuple[str, ...]
    destroys: bool
    closed: tuple[str, ...] = ()


_WRITTEN = ("output", "write_bw_log", "write_lat_log", "write_iops_log")


def job_targets(section: Section, folder: Path) -> JobTargets:
    """Find the targets of a job that fio would run in a folder.

    Args:
        section: The job.
        folder: The folder fio runs in, from which it sees relative paths.
    """
    closed = list(dict.fromkeys(_closed(section)))
    paths: list[str] = []
    for path in _paths(section, folder):
        if path not in paths:
            paths.append(path)
        if len(paths) > MOST:
            closed.append(f"it opens more than {MOST} files")
            break
    destroys = section.last("rw", "readwrite").split(":")[0].strip() not in _READS
    erases = any(ruling(name).kind is Kind.ARMED for name, _ in section.pairs)
    return JobTargets(section.name, tuple(paths), destroys or erases, tuple(closed))


def _closed(section: Section) -> Iterator[str]:
    for name, value in section.pairs:
        found = ruling(name)
        if found.kind is Kind.CLOSED:
            yield f"{name}: {found.reason}"
        elif name not in _HANDLED and (trouble := value_trouble(name, value)):
            yield trouble
        elif name in _WRITTEN and "/" in value:
            yield f'{name}: it writes to "{value}"'
    engine = section.last("ioengine")
    if engine and (trouble := engine_trouble(engine)):
        yield f"ioengine={engine}: {trouble}"


def _paths(section: Section, folder: Path) -> Iterator[str]:
    folders = [one for text in section.each("directory")[-1:] for one in split(text)]
    folders = folders or [""]
    named = [one for text in section.each("filename") for one in split(text)]
    opened = [p for text in section.each("opendir") for p in _below(folder, text)]
    yield from opened
    for name in named:
        yield from (_join(one, name) for one in folders)
    if not named and not opened:
        yield from _own(section, folder, folders)


def _own(section: Section, folder: Path, folders: list[str]) -> Iterator[str]:
    """Find the targets of a job that names none."""
    names = [section.name]
    itself = [name for name in names if _is_special(folder / name)]
    if itself:
        for name in itself:
            yield from (_join(one, name) for one in folders)
        return
    pattern = section.last("filename_format") or _DEFAULT_FORMAT
    jobs = _count(section.last("numjobs"))
    files = _count(section.last("nrfiles"))
    # The name of the job, and what it is called: versions differ in which counts.
    names += [name for name in section.each("name") if name != section.name]
    for name in names:
        for job in range(jobs):
            place = folders[job % len(folders)]
            for file in range(files):
                yield _join(place, _made(pattern, name, job, file))


def _made(pattern: str, name: str, job: int, file: int) -> str:
    keys = {"$jobname": name, "$jobnum": str(job), "$filenum": str(file)}
    keys["$clientuid"] = ""
    found = re.compile("|".join(re.escape(key) for key in keys))
    return found.sub(lambda match: keys[match[0]], pattern)


def _count(text: str) -> int:
    """Read a number of jobs or files; what is none counts as more than are followed."""
    if not text:
        return 1
    try:
        return max(1, min(int(text, 0), MOST + 1))
    except ValueError:
        return MOST + 1


def split(text: str) -> list[str]:
    r"""Divide a list of names at its colons; "\:" is a colon that stays.

    Any other backslash stays as it is, so Windows' names come through.
    """
    parts = re.split(r"(?<!\\):", text.strip())
    return [part.replace("\\:", ":") for part in parts if part]


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _is_special(path: Path) -> bool:
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def _below(folder: Path, text: str) -> Iterator[str]:
    """Go through every file below a folder, as opendir does."""
    for place, _, files in os.walk(folder / text):
        relative = os.path.relpath(place, folder)
        start = place if text.startswith("/") else relative
        yield from (os.path.join(start, name) for name in sorted(files))  # noqa: PTH118
