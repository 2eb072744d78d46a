"""The catalogue of the fio installed here: asked for once per version, then kept."""

import functools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import platformdirs

from instruments.errors import BenchError
from instruments.files.foreign_text import parsed_json
from instruments.tools.command import run
from workloads.fio.options.catalogue import Catalogue, Choice, FioOption, ValueKind
from workloads.fio_access import ENGINES, OPTIONS, Kind

_LISTED = re.compile(r"^(?P<indent> *)(?P<name>[\w-]+) *: (?P<help>.*)$")
_FIELD = re.compile(r"^ *(?P<key>[\w -]*?): ?(?P<value>.*)$")
_RANGE = re.compile(r"min=(?P<low>-?[\d.]+)(?:, max=(?P<high>-?[\d.]+))?")

_KINDS = (
    ("empty or boolean", ValueKind.SWITCH),
    ("boolean", ValueKind.FLAG),
    ("integer", ValueKind.INTEGER),
    ("list of floating", ValueKind.NUMBERS),
    ("one to three ranges", ValueKind.RANGE),
    ("string with possible", ValueKind.SIZE),
    ("string with time", ValueKind.DURATION),
    # fio 3.33 has no words for sizes that may be a share ("50%") or zones ("3z").
    ("(null)", ValueKind.SIZE),
    ("no argument", ValueKind.SWITCH),
)


def listed(text: str) -> Iterator[tuple[str, str, str]]:
    """Read a list such as `--cmdhelp=all`: (name, option it belongs to, help)."""
    parent = ""
    for line in text.splitlines():
        match = _LISTED.match(line)
        if match is None:
            continue
        if not match["indent"]:
            parent = match["name"]
        yield match["name"], parent if match["indent"] else "", match["help"].strip()


def described(
    text: str, parent: str = "", engines: tuple[str, ...] = ()
) -> FioOption | None:
    """Read what `--cmdhelp=NAME` prints; None where it describes no option.

    Args:
        text: What fio printed.
        parent: The option that it belongs to.
        engines: The I/O engines that have it.
    """
    lines = text.splitlines()
    head = _FIELD.match(lines[0]) if lines else None
    if head is None or len(lines) < 2:
        return None
    fields: dict[str, str] = {}
    choices: list[Choice] = []
    for line in lines[1:]:
        match = _FIELD.match(line)
        if match is None:
            continue
        key = match["key"].strip()
        if key in ("valid values", ""):
            value, _, told = match["value"].strip().partition(" ")
            choices.append(Choice(value, told.strip()))
        else:
            fields.setdefault(key, match["value"].strip())
    if "type" not in fields:
        return None
    low, high = _limits(fields.get("range", ""))
    default = fields.get("default", "")
    return FioOption(
        name=head["key"].strip(),
        kind=ValueKind.CHOICE if choices else _kind(fields["type"]),
        low=low,
        high=high,
        choices=tuple(choices),
        default="" if default == "no default" else default,
        help=head["value"].strip(),
        alias=fields.get("alias", ""),
        parent=parent,
        engines=engines,
    )


def _kind(text: str) -> ValueKind:
    for start, kind in _KINDS:
        if text.startswith(start):
            return kind
    return ValueKind.TEXT


def _limits(text: str) -> tuple[float | None, float | None]:
    """Read "min=1, max=-1"; fio writes -1 for a limit that is not there."""
    match = _RANGE.search(text)
    if match is None:
        return None, None
    low = float(match["low"])
    high = float(match["high"]) if match["high"] else None
    return low, None if high is not None and high < low else high


_DEADLINE_S = 20.0
_AT_ONCE = 4
_FORM = 1
"""Counted up when the kept file changes its form, so that older ones are not read."""

Ask = Callable[[str], str]


def load_catalogue(folder: Path | None = None) -> Catalogue:
    """Get the catalogue of the installed fio.

    The first time for a version takes some seconds: fio describes one option a call.

    Args:
        folder: Where it is kept, None for the user's cache.

    Raises:
        BenchError: fio is not installed, or does not describe its options.
    """
    version = run(["fio", "--version"], _DEADLINE_S).stdout.strip()
    return _kept(version, _path(version, folder or _usual_folder()))


def kept_catalogue(folder: Path | None = None) -> Catalogue | None:
    """Get the options of the installed fio where it was asked before; else None.

    Args:
        folder: Where they are kept, None for the user's cache.
    """
    try:
        version = run(["fio", "--version"], _DEADLINE_S).stdout.strip()
    except BenchError:
        return None
    path = _path(version, folder or _usual_folder())
    return _kept(version, path) if path.is_file() else None


def _usual_folder() -> Path:
    return platformdirs.user_cache_path("bayscope", appauthor=False)


def _path(version: str, folder: Path) -> Path:
    return folder / f"{version or 'fio'}.options.json".replace("/", "-")


@functools.lru_cache(maxsize=8)
def _kept(version: str, path: Path) -> Catalogue:
    with suppress(OSError, ValueError, KeyError, TypeError):
        return _from_json(parsed_json(path.read_text("utf-8")), version)
    folder = path.parent
    catalogue = read_catalogue(version)
    with suppress(OSError):  # It only saves time.
        folder.mkdir(parents=True, exist_ok=True)
        aside = path.with_suffix(".new")
        aside.write_text(json.dumps(_to_json(catalogue)), encoding="utf-8")
        aside.replace(path)
    return catalogue


def read_catalogue(version: str, ask: Ask | None = None) -> Catalogue:
    """Ask fio for every option.

    Args:
        version: What it calls itself.
        ask: Takes an argument such as "--cmdhelp=rw" and gives what fio prints.

    Raises:
        BenchError: It does not describe its options.
    """
    told = ask or _ask
    names = list(listed(told("--cmdhelp=all")))
    if not names:
        raise BenchError(
            "it does not describe its options",
            where=version or "fio",
            way_out="Install fio 2.1 or newer.",
        )
    # Some options are not in fio's own list, such as softrandommap of fio 3.33.
    known = {name.replace("-", "_") for name, _, _ in names}
    open_ones = [n for n, one in OPTIONS.items() if one.kind in (Kind.OPEN, Kind.ARMED)]
    unlisted = [name for name in open_ones if name not in known]
    owners: dict[str, list[str]] = {}
    for engine in ENGINES:
        for name, _, _ in listed(told(f"--enghelp={engine}")):
            owners.setdefault(name, []).append(engine)

    def one(entry: tuple[str, str, str]) -> FioOption:
        name, parent, help_line = entry
        found = described(told(_question(name)), parent)
        return found or FioOption(name, help=help_line, parent=parent)

    def engines_own(name: str) -> FioOption | None:
        engines = tuple(owners[name])
        return described(told(f"--enghelp={engines[0]},{name}"), "", engines)

    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="fio-help") as pool:
        common = list(pool.map(one, names))
        more = [described(text) for text in pool.map(told, map(_question, unlisted))]
        own = [found for found in pool.map(engines_own, owners) if found]
    found = {option.name: option for option in more if option}
    found = {option.name: option for option in (*common, *found.values(), *own)}
    return Catalogue(version, found)


def _question(name: str) -> str:
    return f"--cmdhelp={name}"


def _ask(argument: str) -> str:
    return run(["fio", argument], _DEADLINE_S).stdout


def _to_json(catalogue: Catalogue) -> dict[str, object]:
    options = [asdict(option) for option in catalogue.options.values()]
    return {"form": _FORM, "version": catalogue.version, "options": options}


def _from_json(kept: Mapping[str, object], version: str) -> Catalogue:
    options = kept["options"]
    if kept["form"] != _FORM or kept["version"] != version:
        raise ValueError("of another version")
    if not isinstance(options, list) or not options:
        raise ValueError("no options")
    return Catalogue(version, {entry["name"]: _option(entry) for entry in options})


def _option(entry: Mapping[str, object]) -> FioOption:
    values = dict(entry)
    choices = values["choices"]
    engines = values["engines"]
    if not isinstance(choices, list) or not isinstance(engines, list):
        raise TypeError("no lists")
    values["kind"] = ValueKind(str(values["kind"]))
    values["choices"] = tuple(Choice(**choice) for choice in choices)
    values["engines"] = tuple(engines)
    return FioOption(**values)  # type: ignore[arg-type]
