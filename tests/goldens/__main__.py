"""Write down what the program does, or compare it with what was written down.

    python -m tests.goldens record [NAME ...]    write tests/goldens/records/NAME.txt
    python -m tests.goldens compare [NAME ...]   run again and print what differs

Every template runs on the simulated bench in short form, every import of the fixtures
is made, by the program as a user starts it; what it prints and exports is kept with
numbers, times and ids masked. Takes about a quarter of an hour: nothing for ./run test.
"""

import difflib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from app.plan.campaign import load_campaign
from resources import read_text
from tests.goldens.masks import masked, masked_csv, masked_json
from tests.s3_server import s3_server

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RECORDS = HERE / "records"
STANDINS = ROOT / "tests" / "standins"
IMPORTS = ROOT / "tests" / "fixtures" / "imports"
CAMPAIGNS = ROOT / "resources" / "campaigns"
SECONDS = 45.0
"""So long a shortened campaign is to last, as far as its rows allow."""

_MIN_ROW_S = 1.5
_SWEPT = "left by a Bayscope that has ended"
"""Is said of what others left on this machine."""


class Program:
    """The program, with a home of its own.

    Args:
        folder: An empty folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {
            **os.environ,
            "HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_DATA_HOME": str(folder / "data"),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "COLUMNS": "240",
            "TZ": "UTC",
            "WARP_ACCESS_KEY": "tester",
            "WARP_SECRET_KEY": "not-secret",
        }
        for engine in ("vdbench", "warp"):
            script = folder / engine
            words = f'"{sys.executable}" "{STANDINS / engine}.py"'
            script.write_text(f'#!/bin/sh\nexec {words} "$@"\n', "utf-8")
            script.chmod(0o755)
            self.env[f"BAYSCOPE_{engine.upper()}"] = str(script)

    def run(self, *words: str) -> tuple[int, str]:
        """Run a command; return its exit code and all that it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "app", *words],
            cwd=ROOT,
            env=self.env,
            text=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        lines = done.stderr.splitlines(keepends=True)
        errors = "".join(line for line in lines if _SWEPT not in line)
        return done.returncode, f"{done.stdout}{errors}"

    def told(self, session: Path) -> Iterator[str]:
        """Give all that is told of a session, masked, part by part."""
        lab = self.run("show", "--lab", str(session))
        for title, (code, text) in (
            ("show", self.run("show", str(session))),
            ("show --lab", lab),
        ):
            yield f"## {title}: exit {code}\n{masked(text, self.folder)}\n"
        code, text = self.run("show", "--json", str(session))
        yield f"## show --json: exit {code}\n{masked_json(text, self.folder)}\n"
        to = self.folder / "exported"
        code, _ = self.run(
            "export", str(session), "--format", "csv,md,html", "--to", str(to)
        )
        yield f"## export: exit {code}\n"
        for path in sorted(to.rglob("*")):
            if path.suffix in (".csv", ".md", ".html"):
                text = path.read_text("utf-8")
                mask = masked_csv if path.suffix == ".csv" else masked
                yield f"## {path.suffix}\n{mask(text, self.folder)}\n"


def template(name: str, folder: Path) -> str:
    """Run a template in short form and write down what is told of it."""
    campaign = load_campaign(CAMPAIGNS / f"{name}.toml")
    longest = max(SECONDS, _MIN_ROW_S * len(campaign.runs))
    divisor = max(1.0, campaign.duration_s / longest)
    program = Program(folder)
    with s3_server() as address:
        text = read_text("campaigns", f"{name}.toml").replace("127.0.0.1:9000", address)
        path = folder / f"{name}.toml"
        path.write_text(text, "utf-8")
        code, _ = program.run(
            "run", str(path), "--shorten", f"{divisor:g}", "--answer", "*=done",
            "--out", str(folder / "out"), "--erase-bucket", "bayscope-bench",
        )  # fmt: skip
    parts = [f"# {name}\nrun: exit {code}\n"]
    for session in sorted((folder / "out").glob("*.bayscope")):
        parts += program.told(session)
    return "".join(parts)


def imported(name: str, folder: Path) -> str:
    """Import a fixture and write down what is told of it."""
    program = Program(folder)
    source = IMPORTS / name
    files = sorted(source.iterdir()) if source.is_dir() else [source]
    code, text = program.run(
        "import", *map(str, files), "--out", str(folder / "out"), "--zone", "UTC",
        "--date", "2020-01-01",
    )  # fmt: skip
    parts = [f"# import {name}\nimport: exit {code}\n{masked(text, folder)}\n"]
    for session in sorted((folder / "out").glob("*.bayscope")):
        parts += program.told(session)
    return "".join(parts)


def scenarios() -> Mapping[str, tuple[str, str]]:
    """Get kind and name of all that is written down, by the name of its record."""
    found = {path.stem: ("template", path.stem) for path in CAMPAIGNS.glob("*.toml")}
    del found["demo-loop"]  # it goes on until it is stopped
    del found["sss-pts"]  # how many rounds it takes is a matter of chance
    for path in IMPORTS.iterdir():
        if path.name != "README.md":
            found[f"import-{path.name}"] = ("import", path.name)
    return dict(sorted(found.items()))


def main(words: list[str]) -> int:
    """Carry out a command line; 1 if anything differs."""
    command, names = (words[0] if words else ""), words[1:]
    if command not in ("record", "compare"):
        print(__doc__)
        return 2
    RECORDS.mkdir(exist_ok=True)
    differs = False
    for name, (kind, source) in scenarios().items():
        if names and name not in names:
            continue
        with tempfile.TemporaryDirectory(prefix="bayscope-golden-") as folder:
            make = template if kind == "template" else imported
            text = make(source, Path(folder))
        record = RECORDS / f"{name}.txt"
        if command == "record":
            record.write_text(text, "utf-8")
            print(f"{name}: {len(text.splitlines())} lines", flush=True)
            continue
        before = record.read_text("utf-8").splitlines() if record.exists() else []
        change = [*difflib.unified_diff(before, text.splitlines(), name, "now", n=0)]
        print(f"{name}: {'differs' if change else 'as before'}", *change, sep="\n")
        differs = differs or bool(change)
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
