"""Calls into a driver, where a bug of ours is a lost source and not a dead thread."""

import logging
from collections.abc import Callable
from typing import TypeVar

from instruments.errors import SourceError

T = TypeVar("T")
_log = logging.getLogger(__name__)


def blamed(name: str, action: Callable[[], T]) -> T:
    """Call a driver; whatever it raises is a SourceError of the source.

    Args:
        name: Name of the source.
        action: What is called.
    """
    try:
        return action()
    except SourceError:
        raise
    except Exception as error:
        _log.exception("the driver of %s failed", name)
        raise SourceError(
            f"the driver failed ({error!r})",
            where=name,
            way_out="This is a mistake in Bayscope; please report it.",
        ) from error
