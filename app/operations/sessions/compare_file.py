"""Write a comparison to a file: as text to be read, or as JSON for programs."""

import json
from pathlib import Path

from app.analysis.compare import Comparison
from app.operations.sessions.compare import comparison_json, comparison_text
from instruments.errors import BadInput, plain_words

SUFFIXES = (".txt", ".json")


def write_comparison(comparison: Comparison, path: Path) -> None:
    """Write tables, differences, crossings and notes; a file that is there goes.

    Args:
        comparison: The sessions side by side.
        path: Ends in one of SUFFIXES, which chooses the form.

    Raises:
        BadInput: The form is none of ours, or the file cannot be written.
    """
    if path.suffix not in SUFFIXES:
        raise BadInput(
            f'a comparison has no form "{path.suffix}"',
            where=str(path),
            way_out=f"Use one of {', '.join(SUFFIXES)}.",
        )
    text = comparison_text(comparison)
    if path.suffix == ".json":
        text = json.dumps(comparison_json(comparison), indent=2) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(
            f"cannot be written, {plain_words(error)}",
            where=str(path),
            way_out="Choose another folder.",
        ) from error
