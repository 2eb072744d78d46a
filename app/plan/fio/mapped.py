"""What a step takes of one fio job, and what was done with the rest."""

from workloads.fio.paste.finding import Notes

DEFAULT_RUNTIME_S = 60.0
"""Seconds of a step whose job says none."""


class NoStepError(ValueError):
    """A job of which no step can be made: (line, what stands there, why)."""

    def __init__(self, line: int, quote: str, why: str) -> None:
        super().__init__(why)
        self.line = line
        self.quote = quote
        self.why = why


class Mapped(Notes):
    """What a step takes of a job, and what was done with the rest.

    Attributes:
        options: For [step.fio].
        runtime_s: Its measured window in seconds.
        ramp_s: Seconds before it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.options: dict[str, str] = {}
        self.runtime_s = DEFAULT_RUNTIME_S
        self.ramp_s = 0.0
