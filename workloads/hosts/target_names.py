"""The targets of a load host by their names: patterns are resolved on the host."""

import glob
from collections.abc import Sequence

from instruments.errors import BadInput, BenchError
from instruments.files.foreign_text import MISSHAPEN, parsed_json
from instruments.tools.hosts import Host
from workloads.hosts.place import is_disk
from workloads.target.targets import check_once

_TIMEOUT_S = 20.0
_SCRIPT = r"""
import glob, json, os, re, sys
def natural(text):
    parts = re.findall(r"\d+|\D+", text)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
found = []
for name in sys.argv[1:]:
    path = os.path.expanduser(name)
    whole = os.path.lexists(path) or not glob.has_magic(path)
    found.append([path] if whole else sorted(glob.glob(path), key=natural))
print(json.dumps([[[p, os.path.realpath(p)] for p in each] for each in found]))
"""


def find_there(host: Host, names: Sequence[str]) -> tuple[str, ...]:
    """Resolve names and patterns such as "/scratch/dev*" to what is on a host.

    Matches are in natural order: dev2 comes before dev10. See
    `workloads.target.targets.find_targets`, which does so on this machine.

    Raises:
        BadInput: A pattern matches nothing, two names are one file or disk, files and
            disks are mixed, or there are too many.
        BenchError: The host cannot be asked.
    """
    if len(names) == 1 and not glob.has_magic(names[0]):
        return tuple(names)
    groups = _resolved(host, names)
    empty = [name for name in names if not groups[name]]

    def bad(what: str, name: object) -> BadInput:
        return BadInput(
            what,
            where=f"target {name or names[0]} on {host}",
            way_out="Name each file or disk of the host once in targets of [load], or "
            "a pattern that matches what is there.",
        )

    if empty:
        raise bad("nothing matches this pattern", empty[0])
    found = [pair for name in names for pair in groups[name]]
    check_once(found, bad)
    paths = tuple(path for path, _ in found)
    check_names(paths, str(host))
    return paths


def check_names(names: Sequence[str], where: str) -> None:
    """Check that all targets of a host are files, or all are disks.

    Raises:
        BadInput: They are mixed.
    """
    if len({is_disk(name) for name in names}) > 1:
        raise BadInput(
            "files and disks stand side by side",
            where=f"targets of {where}",
            way_out="Name only scratch files, or only disks.",
        )


def _resolved(host: Host, names: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """Ask for the paths of each name or pattern, and what they lead to."""
    done = host.run(["python3", "-I", "-c", _SCRIPT, *names], _TIMEOUT_S)
    try:
        groups = [
            [(str(path), str(real)) for path, real in group]
            for group in parsed_json(done.stdout)
        ]
        return dict(zip(names, groups, strict=True))
    except MISSHAPEN as error:
        raise BenchError(
            "it does not report its targets",
            where=str(host),
            way_out="Check whether python3 runs there.",
        ) from error
