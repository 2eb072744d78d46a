"""Write resources/fio/options.json: what the fio of this machine says of its options.

Run it with a fio of the release that Bayscope is tried with, and look at the change.
"""

import json
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from workloads.fio_access import ENGINES, OPTIONS, Kind

TARGET = Path(__file__).resolve().parent.parent / "resources" / "fio" / "options.json"
_LISTED = re.compile(r"^ *([\w-]+) *: .*$", re.MULTILINE)
_FIELD = re.compile(r"^ *(?P<key>[\w -]*?): ?(?P<value>.*)$")
_RANGE = re.compile(r"min=(?P<low>-?[\d.]+)(?:, max=(?P<high>-?[\d.]+))?")
_TYPES = {
    "empty or boolean": "switch",
    "boolean": "flag",
    "integer": "integer",
    "list of floating": "numbers",
    "one to three ranges": "range",
    "string with possible": "size",
    "string with time": "duration",
    # fio 3.33 has no words for sizes that may be a share ("50%") or zones ("3z").
    "(null)": "size",
    "no argument": "switch",
}

Described = dict[str, object]


def described(text: str) -> Described | None:
    """Read what `--cmdhelp=NAME` prints; None where it describes no option."""
    fields: dict[str, str] = {}
    choices: dict[str, str] = {}
    head, *lines = [_FIELD.match(line) for line in text.splitlines()] or [None]
    for match in filter(None, lines):
        key, value = match["key"].strip(), match["value"].strip()
        if key in ("valid values", ""):
            word, _, told = value.partition(" ")
            choices[word] = told.strip()
        else:
            fields.setdefault(key, value)
    if head is None or "type" not in fields:
        return None
    own = (kind for start, kind in _TYPES.items() if fields["type"].startswith(start))
    found: Described = {
        "name": head["key"].strip(),
        "type": "choice" if choices else next(own, "text"),
        "help": head["value"].strip(),
    }
    if limits := _RANGE.search(fields.get("range", "")):
        found["low"] = float(limits["low"])
        # fio writes -1 for a limit that is not there.
        if limits["high"] and float(limits["high"]) >= float(limits["low"]):
            found["high"] = float(limits["high"])
    if fields.get("default", "no default") != "no default":
        found["default"] = fields["default"]
    if "alias" in fields:
        found["alias"] = fields["alias"]
    return found | ({"choices": choices} if choices else {})


def _ask(argument: str) -> str:
    done = subprocess.run(
        ["fio", argument], capture_output=True, text=True, check=False
    )
    return done.stdout


def main() -> None:
    """Ask fio for every option, one a call, and write the file."""
    common = _LISTED.findall(_ask("--cmdhelp=all"))
    known = {name.replace("-", "_") for name in common}
    # Some options are not in fio's own list, such as softrandommap of fio 3.33.
    allowed = (n for n, one in OPTIONS.items() if one.kind in (Kind.OPEN, Kind.ARMED))
    names = [*common, *(name for name in allowed if name not in known)]
    owners: dict[str, list[str]] = {}
    for engine in ENGINES:
        for name in _LISTED.findall(_ask(f"--enghelp={engine}")):
            owners.setdefault(name, []).append(engine)
    asked = [f"--cmdhelp={name}" for name in names]
    asked += [f"--enghelp={engines[0]},{name}" for name, engines in owners.items()]
    with ThreadPoolExecutor(4) as pool:
        told = [one for one in map(described, pool.map(_ask, asked)) if one]
    options = {str(one["name"]): one for one in told}
    for name, engines in owners.items():
        options[name]["engines"] = engines
    rows = ",\n".join(json.dumps(one) for one in options.values())
    TARGET.write_text(f"[\n{rows}\n]\n", "utf-8")


if __name__ == "__main__":
    main()
