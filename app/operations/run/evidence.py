"""What is looked at before and after each step, outside its measured window."""

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import platformdirs

import resources
from app.bench.accuracy import FOLDER as ACCURACY
from app.bench.accuracy import parse_accuracy
from app.bench.build import build_host
from app.bench.model import Bench, SourceConfig
from app.campaign.run.runner import StepHook
from app.operations.bench.in_time import Job, in_time
from app.operations.bench.machine_looks import (
    STORAGE,
    Seen,
    see_clock,
    see_machine,
    see_paths,
    see_slots,
    see_smart,
    see_storage,
    target_drives,
)
from app.record.recorder import Recorder
from app.record.store import Writer
from instruments.errors import BadInput, BenchError
from instruments.files.foreign_text import home_path, read_text
from instruments.thermal.drives.sas_path import SasHealth, compare
from instruments.thermal.drives.smart_report import compare_reports
from instruments.tools.hosts import Host

_FOLDERS = {"described": ("meter", "meters"), "snmp": ("profile", "snmp")}
"""By driver: the key that names a file, and the folder of settings that it lies in."""


def texts_used(bench: Bench) -> dict[str, str]:
    """Get the text of every file that decides what a bench's readings mean.

    Returns:
        Text by a name such as "meters/pa1000.toml". What is not a file, such as a
        layout that is written as "4x15" and ships nowhere, is left out.
    """
    texts: dict[str, str] = {}
    for source in bench.sources:
        key, folder = _FOLDERS.get(source.driver.name, ("", ""))
        if key and (name := str(source.keys.get(key, ""))):
            _add(texts, folder, f"{name}.toml")
        if source.section == "power":
            _add(texts, ACCURACY, f"{source.driver.name}.toml")
    if layout := bench.dut.layout:
        with suppress(BadInput):
            path = home_path(layout)
            if path.suffix and path.is_file():
                texts[f"layouts/{path.name}"] = read_text(path)
            else:
                _add(texts, "layouts", f"{layout}.toml")
    return texts


def _add(found: dict[str, str], folder: str, name: str) -> None:
    own = platformdirs.user_config_path("bayscope", appauthor=False) / folder / name
    with suppress(OSError, BadInput):
        if own.is_file():
            found[f"{folder}/{name}"] = read_text(own)
        else:
            found[f"{folder}/{name}"] = resources.read_text(folder, name)


LOOK_S = 10.0
"""Longest look at paths and clocks, which is done twice a step."""

CAPTURE_S = 120.0
"""Longest look at all that SMART says, which is done twice a run."""

_ON_PATHS = ("ses", "sas", "smart", "drives")
_ON_DRIVES = ("smart", "drives")
_IN_SLOTS = ("ses", "smart", "drives")
_MOST_CHANGES = 3
"""So many changes of SAS paths are named in a sentence; a fault may change all."""


class Evidence(StepHook):
    """Keeps what tells whether a step's figures can be believed.

    SAS path health and clock offsets before and after each step, SMART before the
    first and after the last, the slots and the machines once, and how the storage is
    put together whenever that has changed. All of it is bounded in time, and nothing
    of it ends a run: what failed is an event.
    """

    def __init__(
        self,
        bench: Bench,
        recorder: Recorder,
        cancel: threading.Event,
        *,
        host_of: Callable[[str], Host] | None = None,
        look_s: float = LOOK_S,
        capture_s: float = CAPTURE_S,
    ) -> None:
        self._bench = bench
        self._recorder = recorder
        self._cancel = cancel
        self._host_of = host_of or (lambda name: build_host(bench, name))
        self._look_s = look_s
        self._capture_s = capture_s
        self._paths: dict[str, SasHealth] = {}
        self._failed: set[str] = set()
        self._drives: dict[tuple[str, str], str] = {}
        remote = [s for s in bench.sources if s.section == "host"]
        self._clocks = [s.name for s in remote if s.driver.name == "ssh"]
        on_paths = {s.host for s in _of(bench, _ON_PATHS)}
        self._on_paths = sorted(on_paths | set(self._clocks))
        self._machines = sorted({"", *self._on_paths})
        self._storage: dict[tuple[str, str], str] = {}

    def start(self) -> None:
        """Keep what holds for the whole run, and look at drives before its steps."""
        for name, text in texts_used(self._bench).items():
            self._keep(None, name, "application/toml", text)
            if name.startswith(f"{ACCURACY}/"):
                try:
                    parse_accuracy(text, name)
                except BadInput as error:
                    self._recorder.event("warning", ACCURACY, str(error))
        places = sorted({source.host for source in _of(self._bench, _IN_SLOTS)})
        jobs = [self._job("slots", host, see_slots) for host in places]
        jobs += [self._job("machine", host, see_machine) for host in self._machines]
        jobs += self._smart("before")
        self._drives = _reports(self._look(jobs, self._capture_s))

    def before(self, step_id: int, label: str) -> None:
        """Look at storage, paths and clocks before a step."""
        self._paths, moment = {}, _Moment(step_id, label, "before")
        jobs = [self._job("storage", host, see_storage) for host in self._machines]
        self._look(jobs, self._look_s, moment)
        for seen in self._look(self._jobs(), self._look_s, moment):
            if seen.paths is not None:
                self._paths[seen.name] = seen.paths

    def after(self, step_id: int, label: str) -> list[str]:
        """Look again after a step; return what changed meanwhile."""
        changes: list[str] = []
        moment = _Moment(step_id, label, "after")
        for seen in self._look(self._jobs(), self._look_s, moment):
            if seen.paths is None or seen.name not in self._paths:
                continue
            place = f"{seen.name} " if seen.name else ""
            for line in compare(self._paths[seen.name], seen.paths):
                changes.append(f"{place}{line}")
                self._recorder.event("warning", seen.name or "sas", f"{label}: {line}")
        more = [f"and {len(changes) - _MOST_CHANGES} more changes of SAS paths"]
        return changes[:_MOST_CHANGES] + (more if len(changes) > _MOST_CHANGES else [])

    def finish(self) -> None:
        """Look at drives after the last step, and tell whose counts of errors grew."""
        looks = self._look(self._smart("after"), self._capture_s)
        for (host, drive), text in _reports(looks).items():
            for line in compare_reports(self._drives.get((host, drive), ""), text):
                change = f"{drive}: {line} than before the first step"
                self._recorder.event("warning", host or "smart", change)

    def _jobs(self) -> list[Job[Seen]]:
        jobs = [self._job("paths", host, see_paths) for host in self._on_paths]
        return jobs + [self._job("clock", host, see_clock) for host in self._clocks]

    def _smart(self, when: str) -> list[Job[Seen]]:
        nodes: dict[str, set[str]] = {}
        for source in _of(self._bench, _ON_DRIVES):
            devices = source.keys.get("devices")
            wanted = devices if isinstance(devices, tuple) else ()
            nodes.setdefault(source.host, set()).update(wanted)
        if "" not in nodes and (disks := target_drives(self._bench)):
            nodes[""] = disks  # No source reads them, and what is written to counts.
        return [
            self._job("smart", host, see_smart(sorted(wanted), when))
            for host, wanted in nodes.items()
        ]

    def _job(self, what: str, name: str, look: Callable[[Host], Seen]) -> Job[Seen]:
        def act() -> Seen:
            # A host of its own: the one of a look that hung is not used again.
            host = self._host_of(name)
            try:
                return look(host)
            finally:
                host.close()

        return Job(f"{what} of {name or 'this machine'}", act)

    def _look(
        self, jobs: Sequence[Job[Seen]], limit: float, moment: "_Moment | None" = None
    ) -> list[Seen]:
        """Look at all at once, store what was seen and tell once what failed."""
        found: list[Seen] = []
        looks = in_time(jobs, limit, cancel=self._cancel)
        for job, seen in zip(jobs, looks, strict=True):
            if isinstance(seen, BenchError):
                if job.name not in self._failed and not self._cancel.is_set():
                    self._recorder.event("warning", "evidence", f"{job.name}: {seen}")
                self._failed.add(job.name)
                continue
            self._failed.discard(job.name)
            found.append(seen)
            self._store(seen, moment or _Moment())
        return found

    def _store(self, seen: Seen, moment: "_Moment") -> None:
        place = f"-{seen.name}" if seen.name else ""
        for name, text in seen.texts.items():
            if name in STORAGE or name == "mdstat.txt":
                if self._storage.get((seen.name, name)) == text:
                    continue
                self._storage[seen.name, name] = text
            self._keep(moment.step_id, f"{name}{place}", _media(name), text)
        if seen.paths is not None and (lines := seen.paths.lines()):
            text = "\n".join(lines) + "\n"
            name = f"sas-{moment.when}{place}.txt"
            self._keep(moment.step_id, name, "text/plain", text)
        if seen.offset is not None:
            offset, spread = seen.offset
            # Not under the source's own name: its readings are on our clock.
            name = f"{seen.name}.clock"
            how = f"round trips {moment.when} {moment.label}"
            self._recorder.post(lambda w: w.offset(name, offset, spread, how))

    def _keep(self, step_id: int | None, name: str, media: str, text: str) -> None:
        def keep(writer: Writer) -> None:
            writer.artefact(step_id, name, media, text.encode())

        self._recorder.post(keep)


@dataclass(frozen=True, slots=True)
class _Moment:
    """Before or after which step was looked; of the whole run, none."""

    step_id: int | None = None
    label: str = ""
    when: str = ""


def _reports(looks: Iterable[Seen]) -> dict[tuple[str, str], str]:
    """Get what SMART says of drives, by host and drive."""
    return {
        (seen.name, drive): text
        for seen in looks
        for drive, text in seen.reports.items()
    }


def _of(bench: Bench, names: Iterable[str]) -> list[SourceConfig]:
    thermal = [source for source in bench.sources if source.section == "thermal"]
    return [source for source in thermal if source.driver.name in names]


def _media(name: str) -> str:
    endings = {"json": "application/json", "csv": "text/csv"}
    return endings.get(name.rpartition(".")[2], "text/plain")
