"""Export in a separate process, so that whoever asks for it stays quick."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from instruments.errors import BadInput, BenchError
from instruments.tools.command import run

LONGEST_S = 1800.0
"""After so long it is taken to hang."""


@dataclass(frozen=True, slots=True)
class ExportPlan:
    """What is to be written: formats, folder, and how the report looks.

    Attributes:
        formats: Of `app.operations.sessions.export.FORMATS`, or of several sessions
            `app.operations.sessions.comparison_file.FORMS`.
        to: The folder.
        form: Of the tables, "" for that of the template.
        template: Name of the set of templates.
        language: Instead of that of the template, "" for its own.
        spread: Whether figures of a session have their uncertainty beside them.
    """

    formats: tuple[str, ...]
    to: Path
    form: str = ""
    template: str = "standard"
    language: str = ""
    spread: bool = False


def export_apart(paths: Sequence[Path], plan: ExportPlan) -> list[Path]:
    """Export a session, or compare several, by the command line; return the files.

    Raises:
        BadInput: What the command says is wrong.
        BenchError: It could not be run.
    """
    word = "compare" if len(paths) > 1 else "export"
    words = [word, *(str(path.absolute()) for path in paths), "--json"]
    words += ["--to", str(plan.to.absolute())]
    words += ["--format", ",".join(plan.formats), f"--form={plan.form}"]
    words += [f"--template={plan.template}", f"--language={plan.language}"]
    words += ["--uncertainty"] * plan.spread
    done = run([sys.executable, "-m", "app", *words], LONGEST_S)
    try:
        found = json.loads(done.stdout)
    except ValueError:
        last = done.stderr.strip().rpartition("\n")[2] or f"exit code {done.code}"
        raise BenchError(
            f"the export ended without an answer, {last}",
            where=str(paths[0]),
            way_out=f"Try it in a terminal: bayscope {word}.",
        ) from None
    if "error" in found:
        kind = BadInput if found["exit_code"] == BadInput.exit_code else BenchError
        parts = (str(found[key]) for key in ("what", "where", "way_out"))
        what, where, way_out = parts
        raise kind(what, where=where, way_out=way_out)
    if found.get("errors"):
        raise BadInput(f"not every session was compared: {found['errors'][0]}")
    return [Path(name) for name in found["files"]]
