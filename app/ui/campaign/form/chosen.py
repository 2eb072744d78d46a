"""The steps that are chosen, as one: what they have in common and where they differ."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.plan.edit import Path, value_at
from instruments.settings import written


@dataclass(frozen=True, slots=True)
class Chosen:
    """Steps as they stand in the file; none where nothing is chosen."""

    steps: tuple[Mapping[str, object], ...] = ()

    @property
    def engine(self) -> str:
        """The engine of all of them, "" where they have several."""
        engines = {str(step.get("engine", "")) for step in self.steps}
        return engines.pop() if len(engines) == 1 else ""

    @property
    def is_several(self) -> bool:
        """Whether there is more than one."""
        return len(self.steps) > 1

    def value(self, path: Path) -> object:
        """Get what stands at a path of the first one, None where nothing does."""
        return value_at(self.steps[0], path) if self.steps else None

    def differs(self, path: Path, default: str = "") -> bool:
        """Tell whether a key has several values; left out, it is its default."""
        found = {written(value_at(step, path)) or default for step in self.steps}
        return len(found) > 1

    def has(self, path: Path) -> bool:
        """Tell whether a key stands in any of them."""
        return any(value_at(step, path) is not None for step in self.steps)

    def share(self, table: str) -> float:
        """Get which share of them has a table, 0 to 1."""
        having = sum(table in step for step in self.steps)
        return having / len(self.steps) if self.steps else 0.0

    @property
    def axes(self) -> set[str]:
        """The options that a sweep changes in all of them."""
        swept = [step.get("sweep") for step in self.steps]
        found = [set(one) if isinstance(one, Mapping) else set() for one in swept]
        return set.intersection(*found) if found else set()
