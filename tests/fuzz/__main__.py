"""`python -m tests.fuzz MINUTES`: try each target in turn, print what was found."""

import argparse
import importlib
import math
import pkgutil
import sys
import time
from contextlib import suppress
from types import ModuleType

from app.cli.output import Parser
from instruments.errors import BadInput
from tests import fuzz


def targets() -> dict[str, ModuleType]:
    """Find the targets among the modules of this folder, by their names."""
    names = sorted(each.name for each in pkgutil.iter_modules(fuzz.__path__))
    modules = [
        importlib.import_module(f"tests.fuzz.{name}")
        for name in names
        if name != "__main__" and not name.startswith("test_")
    ]
    return {module.NAME: module for module in modules if hasattr(module, "NAME")}


def _minutes(text: str) -> float:
    with suppress(ValueError):
        if 0 < float(text) < math.inf:
            return float(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number of minutes above 0")


def main() -> int:
    """Try what was asked for, all by default; 1 where something was found."""
    known = targets()
    parser = Parser(prog="./run fuzz", description=__doc__)
    parser.add_argument("minutes", type=_minutes, metavar="MINUTES", help="in all")
    parser.add_argument(
        "targets", nargs="*", default=[], metavar="TARGET", help=", ".join(known)
    )
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    wanted = options.targets or list(known)
    if unknown := set(wanted) - set(known):
        parser.error(f"there is no target {', '.join(sorted(unknown))}")
    cases, finds = 0, 0
    for name in wanted:
        seconds = 60.0 * options.minutes / len(wanted)
        tried, found = known[name].run(seconds, options.seed)
        print(f"{name}: {tried} cases, {len(found)} finds, seed {options.seed}")
        for one in found:
            print(f"  {one}")
        sys.stdout.flush()
        cases += tried
        finds += len(found)
    print(f"in all: {cases} cases, {finds} finds")
    return 1 if finds else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BadInput as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(error.exit_code)
