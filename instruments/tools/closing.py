"""What is closed at the end of a `with` block."""

from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """Leaving a `with` block closes it, however the block ends."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what is held."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
