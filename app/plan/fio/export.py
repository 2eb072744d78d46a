"""A step as a job file for the plain fio, without Bayscope."""

import re
from dataclasses import dataclass

from app.plan.campaign import Campaign
from app.plan.step import Step
from instruments.errors import OptionError
from workloads.fio.job_check import check_options

TARGET = "${TARGET}"
SIZE = "${SIZE}"
"""Variables of the environment in an exported file: fio refuses it without them."""

# In a job file these end the name of a job, or begin a comment.
_UNSAFE = re.compile(r"[\[\]#;=\r\n]+")


@dataclass(frozen=True, slots=True)
class ExportedJob:
    """One job file: its name, its text, and the row it is of."""

    file: str
    text: str
    label: str


def export_jobs(
    campaign: Campaign, target: str = TARGET, size: str = SIZE
) -> tuple[list[ExportedJob], list[str]]:
    """Write the job files of a campaign, one for each fio step and point of a sweep.

    Args:
        campaign: The campaign; steps that are switched off are left out.
        target: What stands for filename.
        size: What stands for size, "" for none: all of a disk.

    Returns:
        The files, and what was left out with the reason.
    """
    made: list[ExportedJob] = []
    left_out: list[str] = []
    for step in campaign.steps:
        if step.engine != "fio" or not step.enabled:
            why = (
                "it is switched off" if step.engine == "fio" else "it is not a fio step"
            )
            left_out.append(f"{step.label}: {why}")
            continue
        for label, point in _points(step):
            text = job_text(point, label, campaign.name, target, size)
            slug = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")[:60] or "fio"
            made.append(ExportedJob(f"{len(made) + 1:02}-{slug}.fio", text, label))
    return made, left_out


def job_text(
    step: Step, label: str, campaign: str, target: str = TARGET, size: str = SIZE
) -> str:
    """Write a step as a job file.

    Raises:
        OptionError: The step has an option that must not reach fio.
    """
    check_options(step.options)
    wanted = [
        f'{name}="..."'
        for name, value in (("TARGET", target), ("SIZE", size))
        if value == f"${{{name}}}"
    ]
    command = " ".join([*wanted, "fio", "FILE"])
    name = _plain(label)
    lines = [
        f"; {name}, a step of {_plain(campaign)}",
        f"; Run it with: {command}",
        "; fio writes to whatever stands in filename, and asks nobody.",
    ]
    if step.repeat > 1:
        lines.append(f"; The campaign runs it {step.repeat} times.")
    options = {"ioengine": "libaio", "direct": "1", **step.options}
    lines += [
        "[global]",
        f"filename={target}",
        *([f"size={size}"] if size else []),
        "thread=1",
        "group_reporting=1",
        "time_based=1",
        f"runtime={_time(step.runtime_s)}",
        *([f"ramp_time={_time(step.ramp_s)}"] if step.ramp_s else []),
        "",
        f"[{name}]",
        *(f"{option}={value}" for option, value in options.items()),
    ]
    return "\n".join(lines) + "\n"


def escaped(path: str) -> str:
    r"""Write a path as fio's filename wants it, with "\:" for a colon.

    Raises:
        OptionError: fio would cut it off, or hand it to a shell.
    """
    if re.search(r"[#;$`\r\n\0]", path) or path != path.strip():
        raise OptionError(
            "filename",
            f'the name "{path}" cannot stand in a job file',
            "Give a link to it a name without blanks at the ends, #, ;, $ or `.",
        )
    return path.replace(":", "\\:")


def _points(step: Step) -> list[tuple[str, Step]]:
    """Get each point of a sweep once, or the step itself."""
    if step.sweep is None:
        return [(step.label, step)]
    return [
        (
            point.label,
            Step(
                label=point.label,
                engine=step.engine,
                runtime_s=step.runtime_s,
                ramp_s=step.ramp_s,
                repeat=step.repeat,
                options={**step.options, **point.options},
            ),
        )
        for point in step.sweep.points(step.label)
    ]


def _plain(text: str) -> str:
    return _UNSAFE.sub(" ", text).strip() or "fio"


def _time(seconds: float) -> str:
    return f"{seconds:.0f}s" if seconds == int(seconds) else f"{seconds * 1000:.0f}ms"
