"""Install the privileged helper: root's own copy, which nobody else can change.

    sudo python3 packaging/helper/install.py             with pkexec, asks in the window
    sudo python3 packaging/helper/install.py --sudo GROUP   members need no password
    sudo python3 packaging/helper/install.py --remove

A rule for sudo or pkexec that named files of the checkout would let everybody who can
write there become root. So the few modules that the helper needs are copied.
"""

import argparse
import ast
import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT))

from workloads.guard.root_only import is_roots  # noqa: E402  (found by then)

PROGRAM = "usr/local/lib/bayscope/bayscope-helper"
POLICY = "usr/share/polkit-1/actions/org.bayscope.helper.policy"
SUDOERS = "etc/sudoers.d/bayscope-helper"
_START = "workloads.helper.program"
_OWN = ("workloads", "instruments")
_LAUNCHER = """#!/usr/bin/python3 -IS
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "{library}")
from workloads.helper.program import main

sys.exit(main())
"""
_RULE = """# Members of {group} may have Bayscope's helper read and overwrite disks.
%{group} ALL=(root) NOPASSWD: /{program} ""
Defaults!/{program} !requiretty, env_reset
"""


def needed(start: str = _START) -> list[Path]:
    """Find the modules that the helper stands on, relative to the checkout."""
    wanted, found = [start], dict[str, Path]()
    while wanted:
        name = wanted.pop()
        if name in found or name.split(".")[0] not in _OWN:
            continue
        plain = Path(*name.split("."))
        path = next(
            (
                p
                for p in (plain.with_suffix(".py"), plain / "__init__.py")
                if (ROOT / p).is_file()
            ),
            None,
        )
        if path is None:  # a name in a module, and no module
            continue
        found[name] = path
        parts = name.split(".")
        wanted += [".".join(parts[:count]) for count in range(1, len(parts))]
        for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"))):
            if isinstance(node, ast.Import):
                wanted += [one.name for one in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                wanted += [
                    node.module,
                    *(f"{node.module}.{n.name}" for n in node.names),
                ]
    return sorted(set(found.values()))


def install(prefix: Path, group: str = "") -> list[Path]:
    """Copy the helper, its policy and, for a group, its sudo rule below a prefix."""
    program = prefix / PROGRAM
    library = program.parent
    shutil.rmtree(library, ignore_errors=True)
    written = [
        _write(library / path, (ROOT / path).read_text("utf-8"), 0o644)
        for path in needed()
    ]
    written.append(_write(program, _LAUNCHER.format(library=library), 0o755))
    policy = (ROOT / "packaging/helper/org.bayscope.helper.policy").read_text("utf-8")
    written.append(_write(prefix / POLICY, policy, 0o644))
    if group:
        rule = _RULE.format(group=group, program=PROGRAM)
        written.append(_write(prefix / SUDOERS, rule, 0o440))
    return written


def remove(prefix: Path) -> None:
    """Take all of it away again."""
    shutil.rmtree((prefix / PROGRAM).parent, ignore_errors=True)
    for path in (POLICY, SUDOERS):
        (prefix / path).unlink(missing_ok=True)


def _write(path: Path, text: str, mode: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


def main() -> int:
    """Carry out the command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--sudo", default="", metavar="GROUP", help="also a sudo rule")
    parser.add_argument("--remove", action="store_true", help="take it away again")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        print("Only root can install the helper: start this with sudo.")
        return 2
    if not all(one.isalnum() or one in "-_" for one in arguments.sudo):
        print("The name of a group has letters, digits, - and _.")
        return 2
    if arguments.remove:
        remove(Path("/"))
        print("The helper is gone.")
        return 0
    place = next(one for one in (Path("/") / PROGRAM).parents if one.exists())
    if not is_roots(place):
        print(
            f"Not only root can change {place} or a folder above it, and so the "
            f"helper. Let root alone: chown root {place}; chmod go-w {place}"
        )
        return 2
    os.umask(0o022)
    for path in install(Path("/"), arguments.sudo):
        print(f"Wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
