"""`python -m tests.fuzz MINUTES`: try each target in turn, print what was found."""

import argparse
import importlib
import pkgutil
import sys
import time
from types import ModuleType

from tests import fuzz


def targets() -> dict[str, ModuleType]:
    """Find the targets among the modules of this folder, by their names."""
    names = sorted(each.name for each in pkgutil.iter_modules(fuzz.__path__))
    modules = [
        importlib.import_module(f"tests.fuzz.{name}")
        for name in names
        if name != "__main__" and not name.startswith("test_")
    ]
    return {one.NAME: one for one in modules if hasattr(one, "NAME")}


def main() -> int:
    """Try what was asked for, all by default; 1 where something was found."""
    known = targets()
    parser = argparse.ArgumentParser(prog="./run fuzz", description=__doc__)
    parser.add_argument("minutes", type=float, metavar="MINUTES", help="in all")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(known))
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
    sys.exit(main())
