"""The harness itself: what is whole is no find, and what goes wrong is one."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from instruments.errors import BadInput
from tests.fuzz import sessions


def _wrong(_: Path) -> None:
    raise KeyError("!")


def _greedy(_: Path) -> None:
    bytearray(b"x" * sessions.MOST_BYTES)


def _dead(_: Path) -> None:
    os._exit(3)


def _slow(_: Path) -> None:
    end = time.process_time() + 0.2
    while time.process_time() < end:
        pass


def _refused(_: Path) -> None:
    raise BadInput("no")


def test_whole_sessions_are_no_find(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "damage", lambda *_: "nothing")
    path, _ = sessions.reproduce(tmp_path, "1/1")
    assert sessions._try(path) is None


@pytest.mark.parametrize(
    ("action", "what"),
    [(_wrong, "KeyError"), (_greedy, "MiB"), (_dead, "ended"), (_slow, "took")],
)
def test_what_goes_wrong_is_found(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    action: Callable[[Path], None],
    what: str,
) -> None:
    monkeypatch.setattr(sessions, "LONGEST_S", 0.1 if action is _slow else 60.0)
    monkeypatch.setattr(sessions, "_ACTIONS", (_refused, action))
    found = sessions._try(tmp_path / "x.bayscope")
    assert found is not None
    assert what in found[1]


def test_a_case_is_made_again_by_its_name(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
    first = sessions.reproduce(one, "3/6")
    again = sessions.reproduce(other, "3/6")
    assert first[1] == again[1]
    assert first[0].read_bytes() == again[0].read_bytes()
