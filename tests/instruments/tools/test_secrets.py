"""Passwords: the environment first, then a keyring that may hang or fail."""

import shutil
import threading
from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

from instruments.errors import BenchError, SourceError
from instruments.files.kept import kept_path
from instruments.tools import secrets
from instruments.tools.secrets import (
    NeverUsedError,
    check_address,
    has_password,
    password,
    password_or,
    source_password,
    store_password,
)

HERE, ELSEWHERE = "ipmi://admin@192.0.2.1:623", "ipmi://admin@192.0.2.66:623"


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


class Memory(KeyringBackend):
    """A keyring that lasts as long as the test."""

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[str, str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get(username)

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.kept.pop(username, None) is None:
            raise PasswordDeleteError(username)


@pytest.fixture
def memory() -> Iterator[Memory]:
    before, found = keyring.get_keyring(), Memory()
    keyring.set_keyring(found)
    yield found
    keyring.set_keyring(before)


def test_the_environment_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_BMC_1", "word")
    assert password("bmc-1", HERE) == "word"
    assert has_password("bmc-1", HERE)


def test_none_is_a_sentence_that_names_the_variable() -> None:
    with pytest.raises(BenchError, match="BAYSCOPE_PASSWORD_BMC"):
        password("bmc", HERE)
    with pytest.raises(SourceError, match=r"bmc \(192\.0\.2\.1\): it needs"):
        source_password("bmc", HERE, "bmc (192.0.2.1)")


def test_a_variable_is_for_the_address_that_it_was_first_used_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_BMC", "word")
    assert password("bmc", HERE) == "word"
    assert kept_path("address-of-BMC").stat().st_mode & 0o777 == 0o600
    for _ in range(2):
        assert not has_password("bmc", ELSEWHERE)
        with pytest.raises(SourceError, match="BAYSCOPE_ADDRESS_BMC"):
            source_password("bmc", ELSEWHERE, "bmc")
        with pytest.raises(SourceError, match="is not sent to"):
            password_or("bmc", ELSEWHERE, "bmc", "public")
    assert password("bmc", HERE) == "word"
    # Only who sets both variables may say otherwise.
    monkeypatch.setenv("BAYSCOPE_ADDRESS_BMC", ELSEWHERE)
    assert password("bmc", ELSEWHERE) == "word"
    assert not has_password("bmc", HERE)


def test_a_look_decides_for_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAYSCOPE_PASSWORD_BMC", "word")
    for address in (ELSEWHERE, HERE, ELSEWHERE):
        assert has_password("bmc", address)
        with pytest.raises(NeverUsedError):
            check_address("bmc", address, "a campaign", is_use=False)
    assert not kept_path("address-of-BMC").exists()
    assert password("bmc", HERE) == "word"
    assert not has_password("bmc", ELSEWHERE)
    check_address("bmc", HERE, "a campaign", is_use=False)


@pytest.mark.parametrize("damage", ["no folder", "no text", "a folder"])
def test_where_nothing_can_be_kept_it_is_sent_nowhere(
    monkeypatch: pytest.MonkeyPatch, memory: Memory, damage: str
) -> None:
    place = kept_path("address-of-BMC")
    if damage == "no folder":
        shutil.rmtree(place.parent)
        place.parent.write_text("a file in its place")
    elif damage == "no text":
        place.write_bytes(b"\xff\xfe")
    else:
        place.mkdir()
    monkeypatch.setenv("BAYSCOPE_PASSWORD_BMC", "word")
    with pytest.raises(SourceError, match="sent to none") as refused:
        source_password("bmc", HERE, "bmc")
    assert "Set BAYSCOPE_ADDRESS_BMC to that address" in refused.value.way_out
    with pytest.raises(BenchError, match="sent to none"):
        check_address("bmc", HERE, "a campaign")
    monkeypatch.setenv("BAYSCOPE_ADDRESS_BMC", HERE)
    assert password("bmc", HERE) == "word"
    with pytest.raises(BenchError, match="is not sent to"):
        password("bmc", ELSEWHERE)


def test_a_stored_password_is_for_its_address_alone(memory: Memory) -> None:
    store_password("bmc", HERE, "word")
    assert password("bmc", HERE) == "word"
    for other in (
        ELSEWHERE,
        "ipmi://root@192.0.2.1:623",
        "ipmi://admin@192.0.2.1:624",
        "http://admin@192.0.2.1",
        f"{HERE} by root@192.0.2.66",
    ):
        assert not has_password("bmc", other)
        assert password_or("bmc", other, "bmc", "public") == "public"


def test_a_password_of_an_earlier_version_is_asked_for_anew(memory: Memory) -> None:
    memory.kept["bmc"] = "old"
    assert not has_password("bmc", HERE)
    with pytest.raises(BenchError, match="saved by an earlier version"):
        password("bmc", HERE)
    store_password("bmc", HERE, "new")
    assert password("bmc", HERE) == "new"
    assert memory.kept == {f"bmc {HERE}": "new"}


def test_a_keyring_that_fails_or_hangs_has_no_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = keyring.get_keyring()
    free = threading.Event()
    monkeypatch.setattr(secrets, "_UNLOCK_S", 0.05)
    try:
        keyring.set_keyring(Odd())
        assert not has_password("bmc", HERE)
        keyring.set_keyring(Odd(free))
        assert not has_password("bmc", HERE)
    finally:
        free.set()
        keyring.set_keyring(before)
