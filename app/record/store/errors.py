"""SQLite's errors, as sentences that the user can act on."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from instruments.errors import BadInput, BenchError, plain_words

_BUGS = ("SQLITE_ERROR", "SQLITE_MISUSE", "SQLITE_CONSTRAINT", "SQLITE_RANGE")
_UNREADABLE = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_IOERR", "SQLITE_CANTOPEN")
_LONGEST = 120
_FULL = ("SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE")


class StoreError(BenchError):
    """A session cannot be written any more; what is stored is kept."""


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into a StoreError while a session is written.

    Raises:
        StoreError: The disk is full, or the file cannot be written any more.
    """
    try:
        yield
    except (sqlite3.OperationalError, sqlite3.DatabaseError) as error:
        if is_bug(error):
            raise
        name = _name(error)
        if name in _FULL:
            raise StoreError(
                "the disk is full, the recording cannot go on",
                where=str(path),
                way_out="What is stored so far is kept; make room or choose another "
                "folder.",
            ) from error
        raise StoreError(
            f"the session cannot be stored ({error})",
            where=str(path),
            way_out="What is stored so far is kept; check the disk and its mount.",
        ) from error


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn SQLite's and decoding errors into a BadInput while a session is read.

    Raises:
        BadInput: The file is damaged or cannot be read.
    """
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.DatabaseError as error:
        if is_interrupted(error):
            raise BadInput(
                "reading the session takes longer than for any real recording",
                where=str(path),
                way_out="It was manipulated; fetch a copy from whoever recorded it.",
            ) from error
        if _name(error).startswith(_UNREADABLE):
            raise BadInput(
                f"the session cannot be read just now ({error})",
                where=str(path),
                way_out="Check its disk, and whether another program holds it.",
            ) from error
        raise damaged(path, _why(error)) from error
    except (ValueError, TypeError, OverflowError, LookupError) as error:
        raise damaged(path, _why(error)) from error  # values that cannot be


def _why(error: Exception) -> str:
    """Say what is wrong, without the words of Python's codecs and of SQLite's."""
    is_no_text = isinstance(error, UnicodeError) or "decode to UTF-8" in str(error)
    return "a text in it is not valid UTF-8" if is_no_text else plain_words(error)


def damaged(path: Path, why: str) -> BadInput:
    """Make the error for a session file that cannot be read."""
    # SQLite quotes what it stumbled over, which may be a page of text.
    reason = " ".join(why.split())
    reason = reason if len(reason) <= _LONGEST else f"{reason[:_LONGEST]} ..."
    return BadInput(
        f"the session file is damaged or cut short ({reason})",
        where=str(path),
        way_out="Get an intact copy; this file was not modified.",
    )


def is_held(error: sqlite3.Error) -> bool:
    """Tell whether another program holds a lock on the file."""
    return _name(error).startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def is_interrupted(error: sqlite3.Error) -> bool:
    """Tell whether a query took longer than it may."""
    return _name(error) == "SQLITE_INTERRUPT"


def _name(error: sqlite3.Error) -> str:
    return str(getattr(error, "sqlite_errorname", ""))


def is_bug(error: sqlite3.Error) -> bool:
    """Tell whether an error in writing is a mistake in our SQL, not of the disk."""
    return getattr(error, "sqlite_errorname", "SQLITE_MISUSE") in _BUGS
