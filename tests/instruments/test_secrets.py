"""Passwords: the environment first, then a keyring that may hang or fail."""

import threading

import keyring
import pytest
from keyring.backend import KeyringBackend

from instruments import secrets
from instruments.errors import BenchError, SourceError
from instruments.secrets import has_password, password, source_password


class Odd(KeyringBackend):
    """A keyring that fails in a way of its own, or waits for somebody."""

    priority = 1.0

    def __init__(self, free: threading.Event | None = None) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._free = free

    def get_password(self, service: str, username: str) -> str | None:
        if self._free is None:
            raise RuntimeError("the bus is gone")
        self._free.wait(60.0)
        return "late"

    def set_password(self, service: str, username: str, password: str) -> None:
        raise NotImplementedError

    def delete_password(self, service: str, username: str) -> None:
        raise NotImplementedError


def test_the_environment_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_BMC_1", "word")
    assert password("bmc-1") == "word"
    assert has_password("bmc-1")


def test_none_is_a_sentence_that_names_the_variable() -> None:
    with pytest.raises(BenchError, match="BAYSCOPE_PASSWORD_BMC"):
        password("bmc")
    with pytest.raises(SourceError, match=r"bmc \(192\.0\.2\.1\): it needs"):
        source_password("bmc", "bmc (192.0.2.1)")


def test_a_keyring_that_fails_or_hangs_has_no_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = keyring.get_keyring()
    free = threading.Event()
    monkeypatch.setattr(secrets, "_UNLOCK_S", 0.05)
    try:
        keyring.set_keyring(Odd())
        assert not has_password("bmc")
        keyring.set_keyring(Odd(free))
        assert not has_password("bmc")
    finally:
        free.set()
        keyring.set_keyring(before)
