import os
import sys
from pathlib import Path

import pytest
import system_packages
from narrated import SetupError
from system_packages import Need, install, missing

MET = (
    Need(("python3-venv",), "reason", "module", "json"),
    Need(("sh",), "reason", "program", "sh"),
    Need(("libc6",), "reason", "library", "libc.so.6"),
)
UNMET = (
    Need(("old-name", "new-name"), "charts", "library", "libno-such.so.9"),
    Need(("tool",), "the load", "program", "no-such-program"),
    Need(("module",), "the load", "module", "no_such_module"),
)
APT = """#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
case "$*" in
    *" update") touch "$CALLS.updated"; echo "$UPDATE"; exit 0 ;;
    *" install "*) [ -z "$NEEDS_UPDATE" ] || [ -e "$CALLS.updated" ] ||
        { echo "E: Unable to fetch some archives" ; exit 100; } ;;
esac
[ -z "$BROKEN" ] || { echo "E: Unable to locate package tool"; exit 100; }
"""
CACHE = """#!/bin/sh
echo " new-name | 1.0 | somewhere main"
echo "     tool | 2.0 | somewhere main"
echo "   module | 2.0 | somewhere main"
"""
CALL = "apt-get -o DPkg::Lock::Timeout=120 "
NAMES = "new-name tool module"


@pytest.fixture
def apt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put an apt of our own on the path; return the file with what it was asked."""
    commands = tmp_path / "bin"
    commands.mkdir()
    for name, text in (("apt-get", APT), ("apt-cache", CACHE)):
        (commands / name).write_text(text)
        (commands / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}:/usr/bin:/bin")
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    monkeypatch.setenv("NEEDS_UPDATE", "")
    monkeypatch.setenv("BROKEN", "")
    monkeypatch.setenv("UPDATE", "")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return tmp_path / "calls"


def test_only_what_is_missing_is_named() -> None:
    assert missing(MET) == []
    assert missing((*MET, *UNMET)) == list(UNMET)


def test_it_installs_the_names_that_apt_knows_and_says_why(
    apt: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install(UNMET, tmp_path / "log")
    assert apt.read_text().splitlines() == [
        f"{CALL}install -y --no-install-recommends {NAMES}"
    ]
    said = capsys.readouterr().err
    assert "new-name for charts; tool module for the load" in said
    assert said.count("\n") == 1
    assert "install -y" in (tmp_path / "log").read_text()


def test_old_lists_are_fetched_anew_once(
    apt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEEDS_UPDATE", "1")
    install(UNMET, tmp_path / "log")
    assert [line.split()[3] for line in apt.read_text().splitlines()] == [
        "install",
        "update",
        "install",
    ]


def test_empty_lists_are_fetched_first(apt: Path, tmp_path: Path) -> None:
    (tmp_path / "bin" / "apt-cache").write_text("#!/bin/sh\n")
    install(UNMET, tmp_path / "log")
    assert [line.split()[3] for line in apt.read_text().splitlines()] == [
        "update",
        "install",
    ]


def test_a_failed_installation_is_one_sentence(
    apt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROKEN", "1")
    with pytest.raises(SetupError) as caught:
        install(UNMET, tmp_path / "log")
    assert "Unable to locate package tool" in str(caught.value)
    assert "apt-get install --no-install-recommends new-name" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_servers_that_cannot_be_reached_are_the_reason_given(
    apt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROKEN", "1")
    monkeypatch.setenv("UPDATE", "W: Failed to fetch InRelease  Temporary failure")
    with pytest.raises(SetupError, match=r"\(Failed to fetch InRelease"):
        install(UNMET, tmp_path / "log")


def test_a_user_without_rights_gets_the_command(
    apt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sudo = tmp_path / "bin" / "sudo"
    sudo.write_text("#!/bin/sh\nexit 1\n")
    sudo.chmod(0o755)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(SetupError, match="as root, then run this again") as caught:
        install(UNMET, tmp_path / "log")
    assert f"`apt-get install --no-install-recommends {NAMES}`" in str(caught.value)
    assert not apt.exists()


def test_a_user_with_sudo_needs_nothing_else(
    apt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sudo = tmp_path / "bin" / "sudo"
    sudo.write_text('#!/bin/sh\n[ "$2" = -v ] || { shift; exec "$@"; }\n')
    sudo.chmod(0o755)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    install(UNMET, tmp_path / "log")
    assert apt.read_text().endswith(f"{NAMES}\n")


def test_a_system_without_apt_gets_the_names_of_the_things(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupError, match=r"libno-such\.so\.9, no-such-program"):
        install(UNMET, tmp_path / "log")


def test_this_machine_meets_what_the_program_needs() -> None:
    assert missing(system_packages.TESTS) == []


def test_a_python_by_number_asks_for_its_own_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    major, minor = sys.version_info[:2]
    monkeypatch.setattr(sys, "executable", f"/usr/bin/python{major}.{minor}")
    assert system_packages._venv_package() == f"python{major}.{minor}-venv"
    monkeypatch.setattr(sys, "executable", "/usr/bin/python3")
    assert system_packages._venv_package() == "python3-venv"
