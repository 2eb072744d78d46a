"""What a session keeps of a load, from which its results can be made again."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from instruments.files.foreign_text import parsed_json
from workloads.base import Artefact

COUNTS = "engine-counts.json"
"""The artefact with what an engine, or the kernel, counted and no output tells."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a load.

    Attributes:
        outputs: The artefacts of its step by name.
        options: The options of its engine.
        window: Its measured window, in monotonic ns.
        ramp_s: Seconds before that, as planned.
    """

    outputs: Mapping[str, bytes]
    options: Mapping[str, str] = field(default_factory=dict)
    window: tuple[int, int] = (0, 0)
    ramp_s: float = 0.0

    def text(self, name: str) -> str:
        """Get an artefact as text; "" where it is not there."""
        return self.outputs.get(name, b"").decode("utf-8", "replace")

    @property
    def counts(self) -> Mapping[str, Any] | None:
        """What was counted; None where it was not kept.

        Raises:
            ValueError: It is damaged.
        """
        text = self.outputs.get(COUNTS)
        counts = parsed_json(text) if text is not None else None
        if counts is not None and not isinstance(counts, Mapping):
            raise ValueError("its counts are damaged")
        return counts


def counts_artefact(table: Mapping[str, object]) -> Artefact:
    """Keep counts."""
    return Artefact(COUNTS, "application/json", json.dumps(table, indent=1).encode())
