"""What is looked at before and after each step, outside its measured window."""

from typing import Protocol


class Around(Protocol):
    """Looks at what tells whether a step's figures can be believed.

    Nothing of it raises, and all of it is bounded in time.
    """

    def before(self, step_id: int, label: str) -> None:
        """Look before a step begins."""
        ...

    def after(self, step_id: int, label: str) -> list[str]:
        """Look after a step has ended; return what is to be noted of it."""
        ...


class NothingAround:
    """Looks at nothing."""

    def before(self, step_id: int, label: str) -> None:
        """Do nothing; see `Around`."""

    def after(self, step_id: int, label: str) -> list[str]:  # noqa: ARG002
        """Do nothing; see `Around`."""
        return []
