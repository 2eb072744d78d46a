"""`python -m tests.faults`: break each source in each way, print what happened."""

import os
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from app.cli.output import Parser
from instruments.errors import BadInput, BenchError
from instruments.tools import command
from tests.faults import meters, remote, services, tools
from tests.faults.part import Part
from tests.faults.trial import Outcome, try_fault

PARTS: dict[str, Callable[[Path], Part]] = {
    "hmc8015": meters.hmc8015,
    "described": meters.described,
    "simulated": meters.enclosure,
    "hmc8015 (serial)": meters.hmc8015_serial,
    "dt8852": meters.dt8852,
    "nsrt": meters.nsrt,
    "ipmi": services.ipmi,
    "redfish": services.redfish,
    "snmp": services.snmp,
    "sensors": tools.sensors,
    "ses": tools.ses,
    "smart": tools.smart,
    "hwmon": tools.hwmon,
    "ssh": remote.machine,
    "sensors (ssh)": remote.sensors,
}
_FAKED = ("sensors", "sg_ses", "smartctl", "lsblk")
_NOT_TRIED = (
    "USB-TMC and HID devices cannot be plugged in here: the tests of the GM1356 and of "
    "the meters on USB inject the handle.",
    "A temperature, a fan or a count that stands still may be right, so that only "
    "meters of power and noise are watched for frozen values.",
)
_HEADS = ("Driver", "Source", "Fault", "Gap", "Told after", "Missing", "Back after")


def main() -> None:
    """Try what was asked for, all by default."""
    parser = Parser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", default=[], metavar="DRIVER", help=", ".join(PARTS)
    )
    parser.add_argument("--fault", default="", help="only faults with this word")
    parser.add_argument("--markdown", action="store_true", help="a page with notes")
    parser.add_argument("--told", action="store_true", help="print the sentences, too")
    parser.add_argument("--at-once", type=int, default=5, help="drivers at once")
    options = parser.parse_args()
    wanted = options.parts or list(PARTS)
    if unknown := set(wanted) - set(PARTS):
        parser.error(f"there is no driver {', '.join(sorted(unknown))} here")
    with tempfile.TemporaryDirectory(prefix="faults-") as place:
        outcomes = try_all(wanted, Path(place), options.fault, options.at_once)
    print(report(outcomes) if options.markdown else table(outcomes))
    if options.told:
        for driver, one in outcomes:
            print(f"{driver}, {one.source}, {one.fault}: {one.told or 'nothing'}")


def try_all(
    names: Sequence[str], place: Path, word: str = "", at_once: int = 5
) -> list[tuple[str, Outcome]]:
    """Try the faults of some drivers, several drivers at once."""
    folders = {name: place / re.sub(r"\W+", "-", name) for name in names}
    for folder in folders.values():
        folder.mkdir()
    os.environ.update(services.PASSWORDS)
    parts = {name: PARTS[name](folder) for name, folder in folders.items()}
    _hide_tools(place, list(folders.values()))
    with ThreadPoolExecutor(at_once) as pool:
        found = pool.map(
            lambda name: _try_part(parts[name], folders[name], word), names
        )
    return [
        (name, one) for name, each in zip(names, found, strict=True) for one in each
    ]


def _hide_tools(place: Path, folders: Sequence[Path]) -> None:
    """Make a tool that is taken away really missing, whatever this machine has."""
    rest = place / "programs"
    rest.mkdir()
    for folder in os.environ["PATH"].split(os.pathsep):
        for program in Path(folder).glob("*"):
            known = program.name in _FAKED or (rest / program.name).exists()
            if program.is_file() and not known:
                (rest / program.name).symlink_to(program)
    bins = [str(folder / "machine" / "bin") for folder in folders]
    os.environ["PATH"] = os.pathsep.join((*bins, str(rest)))
    vars(command)["SYSTEM_FOLDERS"] = ()


def _try_part(part: Part, folder: Path, word: str) -> list[Outcome]:
    found: list[Outcome] = []
    try:
        for fault, acts in part.faults.items():
            if word not in fault:
                continue
            try:
                found += try_fault(part, fault, acts, folder)
            except BenchError as error:  # it did not even begin
                found.append(
                    Outcome(part.names[0], fault, (), str(error), None, None, 0)
                )
            sys.stderr.write(f"{part.names[0]}: {fault}\n")
    finally:
        part.close()
    return found


def table(outcomes: Sequence[tuple[str, Outcome]]) -> str:
    """Write outcomes as a table in Markdown."""
    lines = ["| " + " | ".join(_HEADS) + " |", "|" + "---|" * len(_HEADS)]
    for driver, one in outcomes:
        cells = (
            driver,
            one.source,
            one.fault,
            ", ".join(one.reasons) or "none",
            _seconds(one.noticed_s),
            f"{one.missing_s:.1f} s",
            _seconds(one.back_s),
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def report(outcomes: Sequence[tuple[str, Outcome]]) -> str:
    """Write a page in Markdown: the table, and what each source said."""
    quiet = [one for _, one in outcomes if one.missing_s > 0 and one.noticed_s is None]
    lines = [
        "# What happened under each fault",
        "",
        f"{len(outcomes)} faults of {len({driver for driver, _ in outcomes})} kinds of "
        "sources, each recorded for real on sockets, pseudo-terminals, processes and "
        "an sshd on loopback. A fault lasts 6 s, or as long as its name says.",
        "",
        table(outcomes),
        "",
        "Lost something without an event: "
        + (", ".join(f"{one.source} {one.fault}" for one in quiet) or "none")
        + ".",
        "",
        *_NOT_TRIED,
        "",
        "## What was told",
        "",
        *(
            f"- {driver}, {one.source}, {one.fault}: {one.told or 'nothing'}"
            for driver, one in outcomes
        ),
    ]
    return "\n".join(lines)


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} s"


if __name__ == "__main__":
    try:
        main()
    except BadInput as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(error.exit_code)
