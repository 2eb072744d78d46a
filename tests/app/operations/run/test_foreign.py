"""A session from elsewhere, made of a real one that was cut off: it does nothing."""

import base64
import hmac
import json
import shutil
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.bench.file import default_bench
from app.cli.main import run
from app.operations.run.foreign import UnconfirmedError, check_confirmed
from app.operations.run.resume import unfinished
from app.operations.run.run import run_campaign
from app.operations.sessions.export import export_sessions
from app.operations.sessions.showing import show_json
from app.record.own_key import own_key
from app.record.store import Session
from tests.app.ui.cut_off import PLAN, cut_off_session
from tests.conftest import KEY

COMMAND = """
[[step]]
label = "Evil"
engine = "command"
[step.command]
run = "touch {mark}"
"""


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cut_off_session(tmp_path_factory.mktemp("cut"))


@pytest.fixture
def path(cut: Path, tmp_path: Path) -> Path:
    """A real session that a kill left behind."""
    for file in cut.parent.glob(f"{cut.name}*"):
        shutil.copy(file, tmp_path)
    return tmp_path / cut.name


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """What the command of a forged session makes."""
    return tmp_path / "mark"


def change(path: Path, *statements: str) -> None:
    """Change a session as a script would, with its write-ahead log."""
    with closing(sqlite3.connect(path)) as connection:
        for sql in statements:
            connection.execute(sql)
        connection.commit()


@pytest.fixture
def forged(path: Path, mark: Path) -> Path:
    """The same session with a command as its next row."""
    step = COMMAND.format(mark=mark).replace("'", "''")
    change(
        path,
        f"UPDATE session SET campaign = campaign || '{step}'",
        "INSERT INTO step (position, label, engine, plan) VALUES (0, 'Evil', "
        "'command', '')",
    )
    return path


def moved_away(home: Path) -> None:
    """Be another user, or another computer."""
    (home / ".config" / KEY).write_bytes(bytes(32))


def refused(
    path: Path, capsys: pytest.CaptureFixture[str], *words: str
) -> dict[str, object]:
    capsys.readouterr()
    assert run(["resume", str(path), *words, "--json"]) == 2
    told: dict[str, object] = json.loads(capsys.readouterr().out)
    return told


def test_a_command_in_a_forged_session_is_not_run(
    forged: Path, mark: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = refused(forged, capsys)
    assert {"deed": "run", "what": f"touch {mark}"} in told["deeds"]  # type: ignore[operator]
    for code in ("", "AAAA-AAAA", str(told["confirm"])[:-1], "\xe4", "\udce4"):
        refused(forged, capsys, "--confirm", code)
    left = unfinished(forged)
    with pytest.raises(UnconfirmedError):
        run_campaign(left.campaign, left.bench, forged.parent, resume=forged)
    assert not mark.exists()
    # In the terminal the list is there as well, before the sentence.
    assert run(["resume", str(forged)]) == 2
    shown = capsys.readouterr().err
    assert f"  run: touch {mark}\n" in shown
    assert str(told["confirm"]) in shown


def test_whoever_read_the_list_may_go_on(
    forged: Path, mark: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = str(refused(forged, capsys)["confirm"])
    assert run(["resume", str(forged), "--confirm", code.lower(), "--json"]) == 0
    assert mark.exists()


def test_a_code_is_for_one_list_and_one_user(
    forged: Path, mark: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = str(refused(forged, capsys)["confirm"])
    change(
        forged, "UPDATE session SET campaign = replace(campaign, 'touch', 'touch -c')"
    )
    assert refused(forged, capsys, "--confirm", code)["confirm"] != code
    change(
        forged, "UPDATE session SET campaign = replace(campaign, 'touch -c', 'touch')"
    )
    assert refused(forged, capsys)["confirm"] == code
    moved_away(home)
    assert refused(forged, capsys, "--confirm", code)["confirm"] != code
    assert not mark.exists()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE session SET bench = replace(bench, 'size = \"32m\"', 'size = \"64m\"')",
        "UPDATE session SET campaign = campaign || ' '",
        "UPDATE session SET boot_id = 'another'",
        "UPDATE step SET cause = 'needs' WHERE label = 'End'",
        "UPDATE step SET cause = 'crashed' WHERE label = 'Idle'",
        "UPDATE step SET cause = 'stopped' WHERE label = 'Idle'",
        "UPDATE step SET outcome = 'DONE', verdict = 'PASS' WHERE label = 'Rest'",
        "UPDATE step SET label = 'Rest', outcome = 'planned' WHERE label = 'Idle'",
        "DELETE FROM step WHERE label = 'Idle'",
        "INSERT INTO journal VALUES (999, 0, 'switched off', 'x')",
        "UPDATE inventory SET value = 'x' WHERE kind = 'session'",
        "DELETE FROM inventory WHERE kind = 'session'",
        "UPDATE step SET plan = plan || '#' WHERE label = 'Idle'",
    ],
)
def test_any_change_of_what_is_acted_upon_makes_it_foreign(
    path: Path, sql: str
) -> None:
    assert unfinished(path).foreign is None
    change(path, sql)
    found = unfinished(path).foreign
    assert found is not None
    assert found.deeds


def test_a_session_of_another_user_or_computer_is_foreign(
    path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert unfinished(path).foreign is None
    other = tmp_path / "machine-id"
    other.write_text("another\n")
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr("app.record.own_key._MACHINE", other)
        assert unfinished(path).foreign is not None
    moved_away(home)
    found = unfinished(path)
    assert found.foreign is not None
    assert "not recorded by you" in found.warnings[0]
    # Opening it has signed nothing.
    assert unfinished(path).foreign is not None


def test_a_text_cannot_hide_what_stands_beside_it(path: Path) -> None:
    step = COMMAND.format(mark="x\\u200b\\u00ad\\ue000")
    change(path, f"UPDATE session SET campaign = campaign || '{step}'")
    found = unfinished(path).foreign
    assert found is not None
    assert found.lines[0] == r"run: touch x\u200b\xad\ue000"
    assert all(line.isprintable() for line in found.lines)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A BMC of the attacker's: it takes connections and hears what comes."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def test_nothing_reaches_an_address_of_a_foreign_session(
    path: Path,
    listener: socket.socket,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It names a source of the user's at another address; its password stays here."""
    port = listener.getsockname()[1]
    bmc = (
        '\n[[thermal]]\nname = "bmc"\ndriver = "redfish"\nuser = "admin"\n'
        f'address = "http://127.0.0.1:{port}"\n'
    )
    change(path, f"UPDATE session SET bench = bench || '{bmc}'")
    monkeypatch.setenv("BAYSCOPE_PASSWORD_BMC", "s3cret")
    told = refused(path, capsys)
    assert any(f"http://127.0.0.1:{port}" in str(one) for one in told["deeds"])  # type: ignore[attr-defined]
    found = unfinished(path).foreign
    assert found is not None
    assert any(str(port) in line for line in found.lines_not_in(default_bench()))
    # Neither does anything else that is done with a session.
    show_json(path)
    assert run(["compare", str(path), str(path), "--json"]) in (0, 2)
    export_sessions([path], ["csv", "html"], tmp_path / "out")
    assert run(["sessions", str(path.parent), "--json"]) == 0
    with pytest.raises(BlockingIOError):
        listener.accept()


@pytest.mark.parametrize("left", ["no folder", "an empty file"])
def test_without_a_key_no_code_confirms_anything(
    left: str,
    forged: Path,
    mark: Path,
    home: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whoever made the file can tell the code that is made with an empty key."""
    key = home / ".config" / KEY
    key.write_bytes(b"")
    if left == "no folder":
        shutil.rmtree(key.parent)
        key.parent.write_text("not a folder")
    found = unfinished(forged).foreign
    assert found is not None
    with Session.open(forged) as session:
        info = session.info
    whole = json.dumps([found.deeds, info.campaign, info.bench, []])
    digest = hmac.digest(b"", whole.encode(), "sha256")
    told = base64.b32encode(digest[:5]).decode()
    for code in ("", " ", "-", told, f"{told[:4]}-{told[4:]}"):
        assert refused(forged, capsys, f"--confirm={code}")["confirm"] == ""
        with pytest.raises(UnconfirmedError, match=KEY.name) as raised:
            check_confirmed(found, code, str(forged))
        assert "XDG_CONFIG_HOME" in raised.value.way_out
    assert not mark.exists()
    # Nothing is signed by such a key either, so that nothing passes for our own.
    with Session.open(forged) as session:
        assert not session.is_signed(own_key())


def test_what_was_recorded_here_goes_on_without_a_question(path: Path) -> None:
    assert run(["resume", str(path), "--json"]) == 0
    with Session.open(path) as session:
        assert session.state == "complete"
    assert "name" in PLAN
