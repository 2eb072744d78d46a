"""The hosts of [load] as lines of a table; no Qt."""

from dataclasses import dataclass, replace

from app.operations.bench.load_try import HostTry
from app.ui.kit.rows_model import Column
from app.ui.kit.states import Look

_LOOKS = {
    "untried": Look("not tried", "circle-dashed", "muted"),
    "asking": Look("being asked", "activity", "accent"),
    "ok": Look("answers", "circle-check", "ok"),
    "warns": Look("answers, warns", "triangle-alert", "warn"),
    "key": Look("unknown key", "key-round", "warn"),
    "lost": Look("cannot be used", "octagon-x", "error"),
}


@dataclass(frozen=True, slots=True)
class LoadRow:
    """One host that loads come from.

    Attributes:
        name: Its [[host]].
        address: Where it is reached.
        targets: What its loads run on; none for that of the device under test.
        question: Number of the question that it is being asked, 0 for none.
        tried: What it answered, None before.
    """

    name: str
    address: str
    targets: tuple[str, ...] = ()
    question: int = 0
    tried: HostTry | None = None

    @property
    def state(self) -> str:
        """Say in a word how it stands."""
        if self.question:
            return "asking"
        if self.tried is None:
            return "untried"
        if self.tried.key is not None:
            return "key"
        if self.tried.trouble:
            return "lost"
        return "warns" if self.tried.warnings else "ok"

    @property
    def targets_text(self) -> str:
        """What its loads run on, in few words."""
        if not self.targets:
            return "as the device under test"
        if len(self.targets) == 1:
            return self.targets[0]
        return f"{len(self.targets)}: {self.targets[0]} ... {self.targets[-1]}"

    def aimed(self, targets: tuple[str, ...]) -> "LoadRow":
        """Derive it with other targets; what it answers is of the ones before."""
        if targets == self.targets:
            return self
        return replace(self, targets=targets).forgotten()

    def forgotten(self) -> "LoadRow":
        """Derive it without its answer, and without the one that is under way."""
        return replace(self, question=0, tried=None)


def load_columns() -> list[Column[LoadRow]]:
    """Make the columns of the list of hosts."""
    return [
        Column("Host", lambda one: one.name),
        Column("State", lambda one: one.state, look=lambda one: _LOOKS[one.state]),
        Column("Address", lambda one: one.address),
        Column(
            "Targets",
            lambda one: one.targets_text,
            tip=lambda one: "\n".join(one.targets),
        ),
    ]


def read_targets(text: str) -> tuple[str, ...]:
    """Read targets, one a line; each counts once."""
    return tuple(
        dict.fromkeys(line.strip() for line in text.splitlines() if line.strip())
    )
