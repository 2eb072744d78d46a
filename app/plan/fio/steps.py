"""From fio jobs as they stand in a text to the steps of a campaign."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.plan.fio.mapping import Mapped, NoStepError, map_job
from app.plan.fio.targets import (
    LETTER,
    NamedTarget,
    is_disk,
    named_targets,
    own_targets,
)
from app.plan.matrix import MOST_LABEL
from app.plan.passes import ends_as_pass
from app.plan.step import Step
from instruments.errors import printable
from workloads.fio.paste.finding import Finding, Weight, merged
from workloads.fio.paste.parsed import Parsed, ParsedJob

_WORDS: Mapping[str, str] = {
    "read": "Sequential read",
    "write": "Sequential write",
    "randread": "Random read",
    "randwrite": "Random write",
    "rw": "Sequential mix",
    "readwrite": "Sequential mix",
    "randrw": "Random mix",
}
_MOST_NAME = MOST_LABEL - 10
"""Letters that a step takes from its job; a number may follow them."""

_WHERE = frozenset(("filename", "directory", "opendir", "description"))


@dataclass(frozen=True, slots=True)
class FioSteps:
    """The steps that were made, the findings, and the targets of the text.

    Attributes:
        steps: The steps.
        lines: Where the job of each begins.
        findings: What was taken otherwise, or not at all.
        targets: Files and disks of the jobs.
    """

    steps: tuple[Step, ...]
    lines: tuple[int, ...]
    findings: tuple[Finding, ...]
    targets: tuple[NamedTarget, ...]


def make_steps(parsed: Parsed) -> FioSteps:
    """Make a step of each group of jobs that run at the same time."""
    maker = _Maker(parsed)
    for group in parsed.groups:
        maker.group(group)
    jobs = [job for group in parsed.groups for job in group]
    targets = named_targets(jobs)
    return FioSteps(
        tuple(maker.steps),
        tuple(maker.lines),
        merged([*parsed.findings, *maker.findings, *_target_findings(targets)]),
        targets,
    )


def _target_findings(targets: Sequence[NamedTarget]) -> list[Finding]:
    """Say once that targets are not taken over."""
    if not targets:
        return []
    lines = tuple(sorted({line for target in targets for line in target.lines}))
    names = ", ".join(target.path for target in targets[:3])
    more = f" and {len(targets) - 3} more" if len(targets) > 3 else ""
    sizes = sorted({target.size for target in targets if target.size})
    size = f", size {' or '.join(sizes)}" if sizes else ""
    return [
        Finding(
            lines,
            f"{names}{more}{size}",
            "fio runs its jobs there.",
            "Excluded: a campaign has no target. The bench says what is tested and "
            "how much of it ([dut] target and size).",
        )
    ]


class _Maker:
    def __init__(self, parsed: Parsed) -> None:
        self.steps: list[Step] = []
        self.lines: list[int] = []
        self.findings: list[Finding] = []
        names = [group[0].name for group in parsed.groups]
        named = all(_is_label(name) and not is_disk(name) for name in names)
        self._named = named and len(set(names)) == len(names)
        self._labels: set[str] = set()

    def group(self, jobs: Sequence[ParsedJob]) -> None:
        """Make the step of jobs that run at the same time, or say why there is none."""
        job = jobs[0]
        numjobs = ""
        if len(jobs) > 1:
            loads = {_load(one) for one in jobs}
            if len(loads) > 1:
                self._refuse(
                    job.line,
                    ", ".join(one.name for one in jobs[:4]),
                    f"fio runs these {len(jobs)} jobs at the same time, and they "
                    f"differ in {_difference(jobs)}.",
                    "No step is made: a step is one kind of load. Put stonewall into "
                    "each job to run them one after the other.",
                )
                return
            numjobs = self._together(jobs)
        self._step(job, numjobs)

    def _together(self, jobs: Sequence[ParsedJob]) -> str:
        """Say what becomes of equal jobs; get the numjobs of a step of them all."""
        places = {tuple(path for path, _ in own_targets(one)) for one in jobs}
        job = jobs[0]
        each = job.last("numjobs") or "1"
        if len(places) == len(jobs):
            self.findings.append(
                Finding(
                    (job.line,),
                    f"{len(jobs)} jobs",
                    f"fio runs one such job on each of {len(jobs)} targets at the same "
                    "time.",
                    "One step: it runs one job on each target of the bench. Set these "
                    f"{len(jobs)} as its targets, [dut] target = [...].",
                    decide=True,
                )
            )
            return ""
        total = str(int(each) * len(jobs)) if each.isdecimal() else each
        self.findings.append(
            Finding(
                (job.line,),
                ", ".join(one.name for one in jobs[:4]),
                f"fio runs {len(jobs)} equal jobs at the same time.",
                f"One step with numjobs={total}.",
            )
        )
        return total

    def _step(self, job: ParsedJob, numjobs: str) -> None:
        try:
            mapped = map_job(job)
        except NoStepError as error:
            self._refuse(
                error.line,
                error.quote,
                "fio would run it.",
                f"No step is made of the job: {error.why}.".replace("..", "."),
            )
            return
        if numjobs:
            mapped.options["numjobs"] = numjobs
        self._several(job, mapped)
        self.findings.extend(mapped.found)
        self.lines.append(job.line)
        self.steps.append(
            Step(
                label=self._label(job, mapped),
                engine="fio",
                runtime_s=mapped.runtime_s,
                ramp_s=mapped.ramp_s,
                options=mapped.options,
            )
        )

    def _several(self, job: ParsedJob, mapped: Mapped) -> None:
        """Tell of one job on several files."""
        own = own_targets(job)
        named = job.options().get("filename")
        if named is not None and LETTER.search(named.value):
            mapped.tell(
                named.line,
                named.quote,
                "fio divides names at every colon, and so takes this for two files.",
                'Taken as one name; fio wants "\\:" for a colon.',
                weight=Weight.TRAP,
            )
        jobs = mapped.options.get("numjobs", "1")
        if named is None and not is_disk(job.name) and jobs != "1":
            mapped.trap(
                job.line,
                f"{job.name}, numjobs={jobs}",
                f"Without a filename fio gives each of the {jobs} jobs a file of its "
                "own.",
                "The jobs of a step share the target of the bench.",
            )
        if len(own) < 2:
            return
        line = own[0][1]
        mapped.trap(
            line,
            ":".join(path for path, _ in own)[:60],
            f"fio deals the I/O of one job out to {len(own)} files.",
            "A step on several targets of the bench runs one job on each instead.",
        )

    def _refuse(self, line: int, quote: str, fio: str, made: str) -> None:
        self.findings.append(
            Finding((line,), quote, fio, made, Weight.EXCLUDED, decide=True)
        )

    def _label(self, job: ParsedJob, mapped: Mapped) -> str:
        base = job.name if self._named else describe(mapped.options)
        base = base.replace("{", "(").replace("}", ")").strip()[:_MOST_NAME] or "fio"
        label, number = base, 2
        while label in self._labels:
            label, number = f"{base} #{number}", number + 1
        self._labels.add(label)
        return label


def _is_label(name: str) -> bool:
    """Tell whether a campaign takes the name of a job for the label of a step."""
    is_line = 0 < len(name) <= _MOST_NAME and printable(name) == name
    return is_line and not ends_as_pass(name)


def describe(options: Mapping[str, str]) -> str:
    """Name a load by what it does, such as "Random read 4k QD256, 64 jobs"."""
    rw = options.get("rw", "read").split(":")[0]
    words = [_WORDS.get(rw, rw)]
    if "bssplit" in options:
        sizes = options["bssplit"].split(",")[0].split(":")
        words.append("/".join(size.split("/")[0] for size in sizes))
    else:
        words.append(options.get("bsrange", options.get("bs", "4k")))
    if rw in ("rw", "readwrite", "randrw"):
        share = options.get("rwmixread", "")
        if not share and options.get("rwmixwrite", "").isdecimal():
            share = str(100 - int(options["rwmixwrite"]))
        words.append(f"{share or 50}% read")
    if options.get("iodepth", "1") != "1":
        words.append(f"QD{options['iodepth']}")
    jobs = options.get("numjobs", "1")
    return " ".join(words) + (f", {jobs} jobs" if jobs != "1" else "")


def _load(job: ParsedJob) -> tuple[tuple[str, str], ...]:
    """Get what a job does, but for where and under which name."""
    found = [
        (name, pair.value)
        for name, pair in job.options().items()
        if name not in _WHERE and name not in ("stonewall", "wait_for", "new_group")
    ]
    return tuple(sorted(found))


def _difference(jobs: Sequence[ParsedJob]) -> str:
    loads = [dict(_load(job)) for job in jobs]
    names = sorted({name for load in loads for name in load})
    differ = [name for name in names if len({load.get(name) for load in loads}) > 1]
    return ", ".join(differ[:5])
