"""The guard's table: each row is made for real, and the guard is asked to let it be.

`python -m tests.workloads.guard` prints it; as root, on loop devices here, on
scsi_debug disks with md, LVM and multipath in the guest of `./run test-guard`.
"""

import contextlib
import subprocess
import tempfile
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from instruments.errors import BenchError
from tests.workloads.guard.engine_rows import SEEN, engine_row
from tests.workloads.guard.loops import loop
from tests.workloads.guard.rows import HOST, Blank, Make, State, python, row
from workloads.guard.arming import arm, check_armed
from workloads.guard.hold import Hold
from workloads.guard.look import look
from workloads.guard.objections import objections

ROWS: dict[str, Make] = {**row.made, **engine_row.made}
"""All rows that loop devices can show."""

ARMED, REFUSED, BROKEN = "armed", "refused", "NOT TRIED"


@dataclass(frozen=True)
class Outcome:
    """What came of one row.

    Attributes:
        title: The row.
        outcome: ARMED, REFUSED or BROKEN.
        rules: The rules that refused it.
        sentence: What the user was told.
        expected: Whether it came as it has to.
    """

    title: str
    outcome: str
    rules: tuple[str, ...]
    sentence: str
    expected: bool


@contextlib.contextmanager
def loop_disk() -> Iterator[str]:
    """A blank loop device with room for partitions."""
    with (
        tempfile.TemporaryDirectory() as folder,
        loop(Path(folder) / "disk.img", "--partscan") as path,
    ):
        yield path


def judge_all(blank: Blank, rows: dict[str, Make] | None = None) -> Iterator[Outcome]:
    """Make every row and judge it; a row that cannot be made does not end the table."""
    for title, make in (rows or ROWS).items():
        try:
            with tempfile.TemporaryDirectory() as folder:
                yield judge(title, make, blank, Path(folder))
        except Exception as error:  # noqa: BLE001  (the table goes on)
            told = traceback.format_exception_only(error)[-1].strip()
            yield Outcome(title, BROKEN, (), told, expected=False)


def judge(title: str, make: Make, blank: Blank, folder: Path) -> Outcome:
    """Make one row, and try to have it overwritten in every way there is."""
    with make(blank, folder) as state:
        if state.path.startswith("as nobody "):
            return _as_nobody(title, state)
        if state.attempt is not None:
            return _by_engine(title, state)
        typed = state.path.removeprefix("mistyped ")
        try:
            found = look(HOST, typed)
            rules = tuple(
                dict.fromkeys(objection.rule for objection in objections(found))
            )
            if state.armed is not None:
                rules = rules or ("changed",)
                check_armed(state.armed, found)
                with Hold(state.armed):
                    pass
            word = found.disk.word if typed == state.path else "Z1X2Y3"
            names = [signature.type for signature in found.signatures]
            armed = arm(typed, found, word, [] if state.needs_name else names)
            with Hold(armed):
                check_armed(armed, look(HOST, typed, held=True))
        except BenchError as error:
            return _refused(title, state, str(error), locals().get("rules"))
        return Outcome(title, ARMED, (), "", expected=not state.rule)


def _by_engine(title: str, state: State) -> Outcome:
    """Let an engine try it; what it was not to touch has to be as it was."""
    assert state.attempt is not None
    rules = tuple(dict.fromkeys(o.rule for o in objections(look(HOST, state.path))))
    before = _begin_of(state.path)
    try:
        state.attempt()
    except BenchError as error:
        said = str(error)
        if state.told:
            rules = (state.rule,) if state.told in said else ()
        same = _begin_of(state.path) == before
        return Outcome(title, REFUSED, rules, said, same and state.rule in rules)
    return Outcome(title, ARMED, (), "", expected=False)


def _begin_of(path: str) -> bytes:
    with Path(path).open("rb") as disk:
        return disk.read(SEEN)


def _refused(
    title: str, state: State, sentence: str, rules: tuple[str, ...] | None
) -> Outcome:
    if state.rule == "no device":
        rules = ("no device",)
    elif state.rule == "word":
        rules = ("word",)
    elif state.rule == "changed":
        rules = ("changed",) if "not the disk that was armed" in sentence else rules
    said = rules or ()
    return Outcome(title, REFUSED, said, sentence, expected=state.rule in said)


_AS_NOBODY = """
import sys
from instruments.errors import BenchError
from instruments.tools.hosts import LocalHost
from workloads.guard.look import look
from workloads.guard.arming import arm
found = look(LocalHost(), sys.argv[1])
try:
    arm(sys.argv[1], found, found.disk.word)
except BenchError as error:
    print(error)
"""


def _as_nobody(title: str, state: State) -> Outcome:
    disk = state.path.removeprefix("as nobody ")
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    done = subprocess.run(
        [*user, *python("-c", _AS_NOBODY, disk)],
        check=False,
        capture_output=True,
        text=True,
    )
    said = done.stdout.strip()
    refused = "it cannot be judged" in said
    rules = ("unseen",) if refused else ()
    told = said or done.stderr.strip()[-200:]
    return Outcome(title, REFUSED if refused else ARMED, rules, told, refused)


def table_text(outcomes: list[Outcome]) -> str:
    """Write outcomes as a Markdown table."""
    lines = [
        "| state of the disk | outcome | rule | what is said |",
        "|---|---|---|---|",
    ]
    for outcome in outcomes:
        sign = outcome.outcome if outcome.expected else f"{outcome.outcome} (WRONG)"
        said = outcome.sentence.replace("|", "/").replace("\n", " ")
        lines.append(
            f"| {outcome.title} | {sign} | {', '.join(outcome.rules)} | {said} |"
        )
    return "\n".join(lines)
