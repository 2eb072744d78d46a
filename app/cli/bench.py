"""The commands about what is connected, from check to switch."""

import argparse
import contextlib
import getpass
import sys
from pathlib import Path

from app.bench.build import build_host, login_of
from app.bench.file import load_bench
from app.cli.output import Add, show
from app.operations.bench.check import check_bench, check_dut
from app.operations.bench.check_report import checks_as_json, checks_text
from app.operations.bench.discover import (
    discover,
    discoveries_as_json,
    discoveries_text,
)
from app.operations.bench.driver_list import (
    drivers_as_json,
    drivers_markdown,
    drivers_text,
    find_drivers,
)
from app.operations.bench.lock import only_program
from app.operations.bench.microphone import calibrate_source
from app.operations.bench.release import release_bench, released_as_json, released_text
from app.operations.bench.switch_check import (
    check_switches,
    switches_as_json,
    switches_text,
)
from app.operations.bench.switching import act, acted_as_json
from app.operations.bench.targets import list_targets, targets_as_json, targets_text
from app.terminal import say
from instruments.errors import BadInput
from instruments.tools.secrets import SERVICE, store_password


def add_commands(add: Add) -> None:
    """Add the commands to the parser."""
    command = add("check", "Connect, identify and read each source once.", _check)
    command.add_argument("bench", type=Path, nargs="?", metavar="BENCH")
    command = add("release", "Release meters that a killed run left in use.", _release)
    command.add_argument("bench", type=Path, metavar="BENCH")
    command.add_argument(
        "meters", nargs="*", default=[], metavar="NAME", help="only these"
    )
    command = add("discover", "Look for possible sources.", _discover)
    _add_host(command)
    command.add_argument(
        "--section",
        action="append",
        default=[],
        choices=("host", "power", "thermal", "noise"),
        help="look only for these",
    )
    command = add("targets", "List the disks, and why each is a target.", _targets)
    _add_host(command)
    command = add("drivers", "List what a bench may have, with its keys.", _drivers)
    command.add_argument("words", nargs="*", default=[], metavar="WORD")
    command.add_argument("--markdown", action="store_true", help="print the manual's")
    command = add("switch", "Switch an outlet, a chassis, a fan or a light.", _switch)
    command.add_argument("bench", type=Path, metavar="BENCH")
    command.add_argument("name", metavar="NAME", help="a [[switch]] of the bench")
    command.add_argument("action", metavar="ACTION", help='such as "off" or "locate"')
    command.add_argument("place", nargs="?", default="", metavar="PLACE")
    command.add_argument(
        "--yes", action="store_true", help="power may be given or taken away"
    )
    command = add("calibrate", "Calibrate a microphone with a source.", _calibrate)
    command.add_argument("bench", type=Path, metavar="BENCH")
    command.add_argument("source", metavar="SOURCE", help="a [[noise]] of the bench")
    command.add_argument(
        "--level", type=float, default=94.0, metavar="DB", help="of the calibrator"
    )
    command.add_argument("--seconds", type=float, default=5.0, help="to listen")
    command.add_argument("--file", type=Path, help="a recording of the tone")
    command.add_argument(
        "--anew", action="store_true", help="the input gain has been turned"
    )
    command = add("password", "Store a source's password in the keyring.", _password)
    command.add_argument("source", metavar="SOURCE")
    command.add_argument(
        "--bench",
        type=Path,
        required=True,
        help="bench.toml with the address of the source; the password is for that "
        "address",
    )


def _add_host(command: argparse.ArgumentParser) -> None:
    command.add_argument("--bench", type=Path, help="bench.toml that has the host")
    command.add_argument("--host", default="", metavar="NAME", help="a [[host]] of it")


def _check(arguments: argparse.Namespace) -> int:
    bench = load_bench(arguments.bench)
    with only_program(bench):
        checks = [check_dut(bench), *check_bench(bench)]
        switches = check_switches(bench)
    show(
        arguments,
        (checks, switches),
        lambda both: [*checks_as_json(both[0]), *switches_as_json(both[1])],
        lambda both: checks_text(both[0]) + switches_text(both[1]),
    )
    answered = [check.ok for check in checks] + [switch.ok for switch in switches]
    return 0 if all(answered) else 3


def _release(arguments: argparse.Namespace) -> int:
    found = release_bench(load_bench(arguments.bench), arguments.meters)
    show(arguments, found, released_as_json, released_text)
    return 3 if any(one.error for one in found) else 0


def _discover(arguments: argparse.Namespace) -> int:
    if arguments.host and arguments.bench is None:
        raise BadInput(
            "--host names a [[host]] of a bench, and there is no bench",
            where="--host",
            way_out="Add --bench BENCH.",
        )
    host = build_host(load_bench(arguments.bench), arguments.host)
    with contextlib.closing(host):
        found = discover(host, sections=arguments.section)
    show(arguments, found, discoveries_as_json, discoveries_text)
    return 0


def _targets(arguments: argparse.Namespace) -> int:
    host = build_host(load_bench(arguments.bench), arguments.host)
    with contextlib.closing(host):
        found = list_targets(host)
    show(arguments, found, targets_as_json, targets_text)
    return 0


def _drivers(arguments: argparse.Namespace) -> int:
    if arguments.markdown:
        say(drivers_markdown())
        return 0
    show(arguments, find_drivers(arguments.words), drivers_as_json, drivers_text)
    return 0


def _switch(arguments: argparse.Namespace) -> int:
    def confirm(question: str) -> bool:
        if arguments.yes or not sys.stdin.isatty():
            return bool(arguments.yes)
        sys.stderr.write(f"{question} [y/N] ")
        sys.stderr.flush()
        return sys.stdin.readline().strip().lower() in ("y", "yes")

    bench = load_bench(arguments.bench)
    place = arguments.place
    record = act(bench, arguments.name, arguments.action, place, confirm=confirm)
    show(arguments, record, acted_as_json, lambda acted: acted.text)
    return 0


def _calibrate(arguments: argparse.Namespace) -> int:
    found = calibrate_source(
        arguments.bench,
        arguments.source,
        level=arguments.level,
        seconds=arguments.seconds,
        tone=arguments.file,
        anew=arguments.anew,
    )
    values = {
        **found.keys,
        "frequency_hz": found.frequency,
        "spread_db": found.spread,
        "residual_db": found.residual,
    }
    text = (
        f"{arguments.source}: {found.gain:.2f} dB at full scale, tone at "
        f"{found.frequency:.1f} Hz, steady to {found.spread:.2f} dB, "
        f"{-found.residual:.0f} dB above the noise. Wrote {arguments.bench}"
    )
    show(arguments, values, dict, lambda _: text)
    return 0


def _password(arguments: argparse.Namespace) -> int:
    source = arguments.source
    address = login_of(load_bench(arguments.bench), source)
    if sys.stdin.isatty():
        secret = getpass.getpass(f"Password of {source} ({address}): ")
    else:
        secret = sys.stdin.readline().rstrip("\r\n")
    if not secret:
        raise BadInput(
            "no password was given",
            where=source,
            way_out="Type it at the prompt, or write it to standard input.",
        )
    store_password(source, address, secret)
    stored = {"source": source, "address": address, "stored": True, "service": SERVICE}
    text = (
        f"The password of {source} is in this desktop's keyring now, for {address} "
        "and no other address."
    )
    show(arguments, stored, dict, lambda _: text)
    return 0
