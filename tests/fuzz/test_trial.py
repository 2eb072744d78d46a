"""The hunt itself: what goes wrong is found, and what is refused is none."""

import os
import signal
import subprocess
import time

import pytest
from hypothesis import strategies as st

from instruments.errors import BadInput
from tests.fuzz.__main__ import main, targets
from tests.fuzz.trial import MEMORY, hunt


def _refused(case: bytes) -> None:
    raise BadInput("no")


def _wrong(case: bytes) -> None:
    if b"!" in case:
        raise KeyError("!")


def _hang(case: bytes) -> None:
    while True:
        time.sleep(1.0)


def _spin(case: bytes) -> None:
    while True:
        pass


def _stopped(case: bytes) -> None:
    """Get no processor for a while, as on a machine that is too busy."""
    own = os.getpid()
    waker = f"sleep 3; kill -CONT {own}"
    with subprocess.Popen(["/bin/sh", "-c", waker]):
        os.kill(own, signal.SIGSTOP)


def _bomb(case: bytes) -> None:
    bytes(2 * MEMORY)


@pytest.mark.parametrize("words", [["abc"], ["nan"], ["1", "none"], []])
def test_a_wrong_word_gets_one_sentence(
    monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["fuzz", *words])
    with pytest.raises(BadInput) as refused:
        main()
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.slow
def test_what_is_refused_is_no_find() -> None:
    tried, finds = hunt(_refused, st.binary(), 3.0, 1)
    assert tried > 0
    assert finds == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("read", "what"),
    [
        (_wrong, "KeyError"),
        (_hang, "hangs"),
        (_spin, "hangs"),
        (_bomb, "MemoryError"),
    ],
)
def test_what_goes_wrong_is_found_with_its_case(read, what: str) -> None:  # type: ignore[no-untyped-def]
    _, finds = hunt(read, st.just(b"a!"), 60.0, 1, hang_s=1.0, most_finds=1)
    assert len(finds) == 1
    assert what in finds[0]
    assert "a!" in finds[0]


@pytest.mark.slow
def test_a_case_that_is_given_no_processor_hangs_not() -> None:
    tried, finds = hunt(_stopped, st.just(b"a"), 1.0, 1, hang_s=1.0)
    assert tried > 0
    assert finds == []


def test_every_target_has_a_name_of_its_own() -> None:
    assert {"plans", "jobs", "imports", "answers", "streams"} <= targets().keys()
