"""One run of fio in three forms: JSON, text and terse have to make equal rows.

Jobs are made by chance from a seed. What is expected is computed here from the JSON in
the plainest way, apart from the readers of the program.
"""

import json
import random
import re
import subprocess
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.operations.sessions.import_files import import_files
from app.record.imports.answers import parse_answers
from app.record.imports.recognise import read_file
from app.record.store import Session
from instruments.errors import BadInput
from instruments.metric import (
    BOTH,
    PERCENTILES,
    READ,
    WRITE,
    max_name,
    mean_name,
    percentile_name,
)

RUNS = 16
SEED = 20
ANSWERS = parse_answers(zone="UTC", day="2024-05-06", offsets=("0",))
PERCENTILE = re.compile(r"(_p\d[\d_]*|_completion_(mean|max))_ms$")
MEANS = [mean_name(of) for of in (BOTH, READ, WRITE, "trim")]

US_MS = 1e-3
FAILING = ("filename=/dev/full", "ioengine=psync", "rw=write", "size=64k", "bs=4k")

Row = dict[str, float | str]


@dataclass(frozen=True)
class Run:
    """A run: what its JSON says, and the files of its forms."""

    name: str
    document: Mapping[str, Any]
    paths: Mapping[str, Path]

    @property
    def is_sure_in_terse(self) -> bool:
        """Whether terse output tells all.

        It has no trims, and tells jobs of one group from runs only
        where disks were busy.
        """
        jobs = self.document["jobs"]
        if any(job.get("trim", {}).get("runtime") for job in jobs):
            return False
        groups = {job["groupid"] for job in jobs}
        try:
            return read_file(self.paths["terse"]).found is not None
        except BadInput:
            if len(groups) == len(jobs):
                raise
            return False


def job_file(name: str, rng: random.Random, folder: Path) -> str:
    """Make a job file of one to three phases, which names of jobs begin with."""
    lines = ["[global]"]
    for option, choices in {
        "unified_rw_reporting": ("0", "0", "0", "1", "both"),
        "slat_percentiles": ("0", "1"),
        "disable_lat": ("0", "0", "0", "0", "1"),
        "significant_figures": ("4", "4", "6"),
        "kb_base": ("1024", "1024", "1000"),
        "unit_base": ("0", "0", "1"),
        "thread": ("0", "1"),
    }.items():
        lines.append(f"{option}={rng.choice(choices)}")
    # Terse output does not say which it has, where there are both.
    kinds = ("clat_percentiles=0\nlat_percentiles=1", "clat_percentiles=0")
    lines += rng.choice(([], [], [kinds[0]], [kinds[1]]))
    lines += ["group_reporting"] * (rng.random() < 0.4)
    for phase in range(rng.randint(1, 3)):
        alone, failing = rng.random() < 0.5, rng.random() < 0.1
        if failing:  # What failed has a count and no latency, which JSON only tells.
            lines += [f"[{name}p{phase}a]", *["stonewall"][:phase], *FAILING]
            continue
        for letter in "a" if alone else "abc"[: rng.randint(1, 3)]:
            lines.append(f"[{name}p{phase}{letter}]")
            lines += ["stonewall"] * (letter == "a" and phase > 0)
            lines += section(rng, folder, 1 if alone else rng.randint(1, 2))
    return "\n".join(lines) + "\n"


def section(rng: random.Random, folder: Path, clones: int) -> list[str]:
    engine = rng.choice(("null", "null", "psync"))
    found = [
        f"ioengine={engine}",
        f"iodepth={rng.choice((1, 16))}",
        f"rw={rng.choice(('randread', 'write', 'randrw', 'randtrim', 'rw'))}",
        f"bs={rng.choice(('512', '4k', '7k', '128k', '2m'))}",
        "size=64m",
        f"numjobs={clones}",
    ]
    if engine == "psync":
        kind = rng.choice(("randread", "randrw"))
        found[2:5] = [f"rw={kind}", "bs=4k", "size=1m", f"filename={folder / 'data'}"]
        found.append(f"fsync={rng.choice((0, 8))}")
    if rng.random() < 0.4:
        count = rng.randint(1, 12)
        return [*found, f"rate_iops={rng.choice((7, 20, 55))}", f"number_ios={count}"]
    return [*found, f"number_ios={rng.randint(30, 9000)}", "time_based=0"]


def made(number: int, folder: Path) -> Run:
    rng = random.Random(f"{SEED} {number}")
    name = f"r{number:02}"
    own = folder / name
    own.mkdir()
    (own / "data").write_bytes(bytes(2**20))
    (own / "job.fio").write_text(job_file(name, rng, own))
    done = subprocess.run(
        ["fio", "--output-format=normal,json,terse", "job.fio"],
        capture_output=True,
        text=True,
        cwd=own,
        check=False,
    )
    lines = done.stdout.splitlines(keepends=True)
    first, last = lines.index("{\n"), lines.index("}\n")
    forms = {
        "json": lines[first : last + 1],
        "terse": [line for line in lines if line.startswith("3;")],
        "text": [
            line
            for at, line in enumerate(lines)
            if not first <= at <= last and not line.startswith("3;")
        ],
        "all": lines,
    }
    paths = {form: own / f"{name}.{form}" for form in forms}
    for form, text in forms.items():
        paths[form].write_text("".join(text))
    return Run(name, json.loads("".join(forms["json"])), paths)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    folder = tmp_path_factory.mktemp("forms")
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(lambda number: made(number, folder), range(RUNS)))


def expected(run: Run) -> dict[str, Row]:
    """Compute the row of each phase from the JSON alone."""
    rows: dict[str, Row] = {}
    phases: dict[str, list[Mapping[str, Any]]] = {}
    for job in run.document["jobs"]:
        phases.setdefault(job["jobname"][: len("r00p0")], []).append(job)
    for phase, jobs in phases.items():
        errors = [job["error"] for job in jobs if job["error"]]
        row: Row = {"fault": "ERROR" if errors else ""}
        both: list[Mapping[str, Any]] = []
        for direction in ("read", "write", "trim", "mixed"):
            own = [job[direction] for job in jobs if direction in job]
            own = [side for side in own if side["runtime"]]
            if not own or (direction == "mixed" and "read" in jobs[0]):
                continue
            rate, mb_s = rates(own)
            if direction != "mixed":
                row[f"{direction}_iops"] = rate
                row[f"{direction}_mb_s"] = mb_s
                row |= latencies(direction, own)
            if direction == "trim":
                continue
            both += own
            row |= dict(zip(("iops", "bandwidth_mb_s"), rates(both), strict=True))
        rows[phase] = row | latencies(BOTH, both)
    return rows


def rates(sides: list[Mapping[str, Any]]) -> tuple[float, float]:
    """Compute IOPS and MB/s over the longest of their times."""
    seconds = max(side["runtime"] for side in sides) / 1000
    ios, moved = (sum(s[key] for s in sides) for key in ("total_ios", "io_bytes"))
    return ios / seconds, moved / seconds / 1e6


def latencies(of: str, sides: list[Mapping[str, Any]]) -> Row:
    """Compute mean and maximum, and percentiles where they are of one side."""
    timed = [side for side in sides if side["lat_ns"]["N"]]
    if not timed:
        return {}
    lats = [side["lat_ns"] for side in timed]
    weighed = sum(lat["mean"] * lat["N"] for lat in lats)
    found: Row = {
        mean_name(of): weighed / sum(lat["N"] for lat in lats) / 1e6,
        max_name(of): max(lat["max"] for lat in lats) / 1e6,
    }
    told = timed[0]["clat_ns"].get("percentile") or lats[0].get("percentile") or {}
    for percent in PERCENTILES if len(timed) == 1 else ():
        if value := told.get(f"{percent:.6f}"):
            found[percentile_name(of, percent)] = (
                min(value, timed[0]["lat_ns"]["max"]) / 1e6
            )
    return found


def imported(runs: list[Run], form: str, out: Path) -> dict[str, Row]:
    """Import a form of all runs; get the rows, and notes as "NAME note"."""
    paths = [run.paths[form] for run in runs]
    result = import_files(paths, out / form, ANSWERS)
    rows: dict[str, Row] = {}
    with Session.open(result.session) as session:
        for step in session.steps():
            row: Row = {"fault": step.verdict or ""}
            for found in session.results(step.id):
                if found.value is not None:
                    row[found.name] = found.value
                if found.note:
                    row[f"{found.name} note"] = found.note
            phase = step.label[: len("r00p0")]
            assert phase not in rows
            rows[phase] = row
    return rows


def compared(
    runs: list[Run], found: Mapping[str, Row], agree: Callable[..., object]
) -> int:
    """Compare all that is expected; return the number of values."""
    wanted = {phase: row for run in runs for phase, row in expected(run).items()}
    assert found.keys() == wanted.keys()
    values = 0
    for phase, row in wanted.items():
        for name, value in row.items():
            values += 1
            own = found[phase].get(name)
            told = found[phase].get(f"{name} note", "")
            assert agree(name, value, own, told), (phase, name, value, own, told)
        more = found[phase].keys() - row.keys() - {"duration_s", "buffered"}
        more = {n for n in more if not n.endswith("note")}
        assert not {n for n in more if not PERCENTILE.search(n)}, phase
    return values


def test_json_makes_the_rows_that_it_says(runs: list[Run], tmp_path: Path) -> None:
    def agree(_: str, value: object, own: object, __: object) -> bool:
        return own == (value if isinstance(value, str) else pytest.approx(value))

    assert compared(runs, imported(runs, "json", tmp_path), agree) > 5 * RUNS


@pytest.mark.parametrize("form", ["text", "all"])
def test_text_makes_the_rows_of_its_json(
    runs: list[Run], tmp_path: Path, form: str
) -> None:
    def agree(name: str, value: object, own: object, _: object) -> bool:
        if isinstance(value, str):
            return own == value
        if name.endswith("iops"):
            return own == pytest.approx(value, rel=1e-9)
        # Three digits of a size, and whole units of a percentile.
        wide = 1e-2 if PERCENTILE.search(name) else 6e-3
        wide = 2e-3 if name in MEANS else wide
        near = US_MS if name.endswith("_ms") and name not in MEANS else 2e-6
        return own == pytest.approx(value, rel=wide, abs=near)

    assert compared(runs, imported(runs, form, tmp_path), agree) > 5 * RUNS


def test_terse_makes_the_rows_that_it_can_tell(runs: list[Run], tmp_path: Path) -> None:
    sure = [run for run in runs if run.is_sure_in_terse]
    assert len(sure) > RUNS // 4

    def agree(name: str, value: object, own: object, told: object) -> bool:
        if isinstance(value, str):
            return own == value
        assert isinstance(value, float)
        if own is None and name.endswith(("iops", "mb_s")):
            low, high = re.findall(r"(\S+) to (\S+) [1B]/s", str(told))[0]
            scale = 1e6 if name.endswith("mb_s") else 1
            return float(low) <= value * scale * 1.00001 <= float(high) * 1.00002
        if name.endswith("iops"):
            return isinstance(own, float) and own <= value * 1.001 < own * 1.02 + 1
        if own is None:
            weighed = name in MEANS and "weighted" in str(told)
            return weighed or PERCENTILE.search(name) is not None
        if name.endswith("_ms") and name not in MEANS:
            return own == pytest.approx(value, abs=US_MS)
        return own == pytest.approx(value, rel=1e-2, abs=1e-6)

    assert compared(sure, imported(sure, "terse", tmp_path), agree) > 4 * len(sure)
