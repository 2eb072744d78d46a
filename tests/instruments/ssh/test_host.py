"""Against a real sshd on loopback: started, frozen, killed and swapped."""

import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from instruments.errors import BadInput, BenchError
from instruments.ssh import connection as ssh_connection
from instruments.ssh import started as ssh_started
from instruments.ssh.host import SshHost
from instruments.ssh.target import Target
from instruments.tools import command
from instruments.tools.command import Completed
from instruments.tools.hosts import Host, LocalHost
from tests.sshd import Sshd, sshd


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    with sshd(tmp_path_factory.mktemp("sshd")) as server:
        yield server


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Sshd]:
    """Start a server that the test may break."""
    with sshd(tmp_path) as server:
        yield server


@pytest.fixture
def host(shared: Sshd) -> Iterator[SshHost]:
    found = SshHost("head", _target(shared))
    yield found
    found.close()


@pytest.fixture(params=["here", "there"])
def either(request: pytest.FixtureRequest, host: SshHost) -> Host:
    return host if request.param == "there" else LocalHost()


def _target(server: Sshd, **other: str | int) -> Target:
    own = {"key": str(server.key), "known_hosts": str(server.known_hosts)}
    return Target("127.0.0.1", server.user, server.port, **{**own, **other})  # type: ignore[arg-type]


def _broken(server: Sshd, **other: str | int) -> BenchError:
    host = SshHost("head", _target(server, **other))
    try:
        with pytest.raises(BenchError) as caught:
            host.run(["true"], 60)
    finally:
        host.close()
    assert "\n" not in str(caught.value)
    return caught.value


def _ends(pid: int) -> bool:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return True
        if stat.rpartition(")")[2].split()[0] in "ZX":
            return True
        time.sleep(0.02)
    return False


def test_arguments_arrive_as_they_are(either: Host) -> None:
    odd = ["a b", "$HOME", "'", '"', "*", "", "\\", "a\nb", "-x", "ü"]
    done = either.run(["printf", "%s|", *odd], 60)
    assert done == Completed("|".join(odd) + "|", "", 0)


def test_output_complaints_and_code_come_back(either: Host) -> None:
    done = either.run(["sh", "-c", "echo out; echo oops >&2; exit 3"], 60)
    assert done == Completed("out\n", "oops\n", 3)
    assert either.run(["sh", "-c", "kill -SEGV $$"], 60).code == -signal.SIGSEGV


def test_much_output_comes_back_whole(either: Host) -> None:
    text = either.run(["seq", "300000"], 20).stdout
    assert len(text.splitlines()) == 300_000


def test_variables_are_set_and_not_shown(either: Host) -> None:
    script = 'echo "$PASS"; tr "\\0" " " </proc/$$/cmdline; cat'
    done = either.run(["sh", "-c", script], 5, env={"PASS": "a 'b' $c"})
    secret, arguments = done.stdout.split("\n", 1)
    assert secret == "a 'b' $c"
    assert "'b'" not in arguments


def test_a_missing_tool_is_the_same_sentence(either: Host) -> None:
    with pytest.raises(BenchError, match="not installed, or not on the PATH") as caught:
        either.run(["no-such-tool"], 60)
    assert "apt install no-such-tool" in caught.value.way_out


def test_a_file_that_is_no_program_is_a_sentence(either: Host, tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/no/such/interpreter\n")
    tool.chmod(0o755)
    with pytest.raises(BenchError, match=r"cannot be started \(No such file"):
        either.run([str(tool)], 60)


def test_a_tool_that_may_not_be_executed_is_not_called_missing(
    either: Host, shared: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(shared.tools), prepend=":")
    locked = shared.tool("locked-tool", "echo it ran")
    locked.chmod(0o644)
    shared.tool("true", "echo it ran").chmod(0o644)
    try:
        for name in ("locked-tool", str(locked)):
            for begin in (either.start, lambda argv: either.run(argv, 60)):
                with pytest.raises(BenchError, match="is not executable") as caught:
                    begin([name])
                assert str(caught.value).startswith(f"{locked}")
                assert "Check whether you may execute it" in caught.value.way_out
        # Behind one that is not executable, another is found on the PATH.
        assert either.run(["true"], 60) == Completed("", "", 0)
    finally:
        locked.unlink()
        (shared.tools / "true").unlink()


def test_a_tool_is_ended_at_its_deadline_with_its_helpers(
    either: Host, tmp_path: Path
) -> None:
    script = f"sleep 600 & echo $! $$ > {tmp_path}/pids; wait"
    with pytest.raises(BenchError, match=r"did not finish within 2 s"):
        either.run(["sh", "-c", script], 2)
    pids = (tmp_path / "pids").read_text().split()
    assert [_ends(int(pid)) for pid in pids] == [True, True]


def test_files_and_folders_are_read(either: Host, tmp_path: Path) -> None:
    (tmp_path / "a b").write_text("one\ntwo")
    (tmp_path / ".c").mkdir()
    assert either.list_folder(str(tmp_path)) == [".c", "a b"]
    assert either.list_folder(str(tmp_path / "none")) == []
    assert either.read_text(str(tmp_path / "a b")) == "one\ntwo"
    with pytest.raises(BenchError, match=r"cannot be read \(No such file"):
        either.read_text(str(tmp_path / "none"))
    with pytest.raises(BenchError, match=r"cannot be read \(Not a directory"):
        either.list_folder(str(tmp_path / "a b"))


def test_many_files_are_read_at_once(either: Host, tmp_path: Path) -> None:
    contents = {
        "a": "1\n2\n",
        "b:c": "no break",
        "e": "",
        "bin": "\0\x01x\n",
        "d": None,
    }
    wanted = {}
    for name, text in contents.items():
        path = tmp_path / name
        (path.mkdir() if text is None else path.write_text(text))
        ends = text if not text or text.endswith("\n") else f"{text}\n"
        wanted[str(path)] = ends
    wanted[str(tmp_path / "none")] = None
    assert either.read_many(wanted) == wanted
    assert either.read_many([]) == {}


def test_more_paths_than_a_command_line_takes(host: SshHost, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\n")
    paths = [f"{tmp_path}/{number}/{'z' * 200}" for number in range(700)]
    found = host.read_many([*paths, str(tmp_path / "a")])
    assert len(found) == 701
    assert [text for text in found.values() if text] == ["x\n"]


def test_sources_of_one_account_share_a_connection(own: Sshd) -> None:
    hosts = [SshHost(f"head{number}", _target(own)) for number in range(3)]
    for host in hosts:
        host.run(["true"], 60)
    # Two processes for each connection as root, which sheds its rights; else one.
    alone = own.signal_connections(signal.Signals.SIGCONT)
    assert alone in (1, 2)
    hosts[0].close()
    hosts[0].close()
    assert hosts[1].run(["echo", "on"], 60).stdout == "on\n"
    assert hosts[0].run(["echo", "again"], 60).stdout == "again\n"
    assert own.signal_connections(signal.Signals.SIGCONT) == alone
    for host in hosts:
        host.close()


def test_two_threads_use_a_host_that_is_closed_under_them(
    own: Sshd, tmp_path: Path
) -> None:
    host = SshHost("head", _target(own))
    begun, go = tmp_path / "begun", tmp_path / "go"
    begun.mkdir()
    wait = 'touch "$0/$1"; while ! [ -e "$2" ]; do sleep 0.05; done; echo "$1"'
    with ThreadPoolExecutor(2) as pool:
        running = [
            pool.submit(host.run, ["sh", "-c", wait, str(begun), name, str(go)], 60)
            for name in ("one", "two")
        ]
        wait_until(lambda: len(list(begun.iterdir())) == 2)
        assert own.signal_connections(signal.Signals.SIGCONT) in (1, 2)
        host.close()
        go.touch()
        said = [one.result().stdout for one in running]
    assert said == ["one\n", "two\n"]
    wait_until(lambda: not own.signal_connections(signal.Signals.SIGCONT))


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_more_sources_than_the_server_allows_sessions(shared: Sshd) -> None:
    hosts = [SshHost(f"head{number}", _target(shared)) for number in range(20)]
    codes: list[int] = []
    work = [
        threading.Thread(
            target=lambda h=h: codes.append(h.run(["sleep", "0.1"], 60).code)
        )
        for h in hosts
    ]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    for host in hosts:
        host.close()
    assert codes == [0] * 20


def test_an_unknown_host_key_is_refused_with_the_command(shared: Sshd) -> None:
    error = _broken(shared, known_hosts="")
    assert "is not known" in error.what
    assert "SHA256:" in error.what
    assert f"ssh-keyscan -p {shared.port} 127.0.0.1 >> ~/.ssh" in error.way_out


def test_the_users_known_hosts_are_read(shared: Sshd, home: Path) -> None:
    (home / ".ssh").mkdir()
    (home / ".ssh" / "known_hosts").write_text(shared.known_hosts.read_text())
    host = SshHost("head", _target(shared, known_hosts=""))
    assert host.run(["true"], 60).code == 0
    host.close()


def test_a_changed_host_key_is_refused(own: Sshd) -> None:
    host = SshHost("head", _target(own))
    assert host.run(["true"], 60).code == 0
    own.change_host_key()
    with pytest.raises(
        BenchError, match="its host key has changed to SHA256:"
    ) as caught:
        host.run(["true"], 60)
    assert f"ssh-keygen -R '[127.0.0.1]:{own.port}' -f {own.known_hosts}" in str(
        caught.value
    )
    host.close()


def test_a_host_key_of_another_kind_is_refused(own: Sshd) -> None:
    own.change_host_key("ecdsa_key")
    error = _broken(own)
    assert "its host key has changed to SHA256:" in error.what
    assert f"ssh-keygen -R '[127.0.0.1]:{own.port}'" in error.way_out


def test_known_hosts_that_are_none(shared: Sshd, tmp_path: Path) -> None:
    assert isinstance(_broken(shared, known_hosts=str(tmp_path / "no")), BadInput)
    bad = tmp_path / "bad"
    bad.write_text("nonsense\n")
    assert "not a file of known hosts" in str(_broken(shared, known_hosts=str(bad)))


def test_a_key_that_is_not_accepted(shared: Sshd) -> None:
    error = _broken(shared, key=str(shared.key.with_name("other_key")))
    assert "refused the login" in error.what
    assert f"ssh-copy-id -p {shared.port} {shared.user}@127.0.0.1" in error.way_out


def test_a_key_with_a_passphrase_is_the_agents(
    shared: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = tmp_path / "locked"
    command.run(["cp", str(shared.key), str(key)], 60)
    change = ["ssh-keygen", "-q", "-p", "-P", "", "-N", "words", "-f", str(key)]
    assert command.run(change, 20).code == 0
    error = _broken(shared, key=str(key))
    assert "has a passphrase" in error.what
    assert f"ssh-add {key}" in error.way_out
    socket = tmp_path / "agent"
    monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
    with command.start(["ssh-agent", "-D", "-a", str(socket)]) as agent:
        assert agent.stdout.readline()
        assert command.run(["ssh-add", "-q", str(shared.key)], 60).code == 0
        host = SshHost("head", _target(shared, key=""))
        assert host.run(["true"], 60).code == 0
        host.close()


def test_an_alias_of_the_users_configuration(shared: Sshd, home: Path) -> None:
    (home / ".ssh").mkdir()
    (home / ".ssh" / "config").write_text(
        f"Host head\n HostName 127.0.0.1\n Port {shared.port}\n"
        f" User {shared.user}\n IdentityFile {shared.key}\n"
    )
    host = SshHost("head", Target("head", known_hosts=str(shared.known_hosts)))
    assert host.run(["echo", "on"], 60).stdout == "on\n"
    host.close()


def test_a_key_that_is_none(shared: Sshd, tmp_path: Path) -> None:
    assert isinstance(_broken(shared, key=str(tmp_path / "none")), BadInput)
    bad = tmp_path / "bad"
    bad.write_text("-----BEGIN nonsense\n")
    assert "cannot be read" in _broken(shared, key=str(bad)).what


def test_a_host_that_refuses_or_is_not_there(own: Sshd) -> None:
    own.stop()
    assert "cannot be reached (Connection refused)" in _broken(own).what
    host = SshHost("head", Target("no-such-host.invalid"))
    with pytest.raises(BenchError, match="cannot be reached"):
        host.run(["true"], 60)
    host.close()


def test_a_server_killed_in_mid_command_is_lost_and_found_again(own: Sshd) -> None:
    host = SshHost("head", _target(own))
    host.run(["true"], 60)
    killer = threading.Timer(0.3, own.signal_connections, (signal.Signals.SIGKILL,))
    killer.start()
    with pytest.raises(BenchError, match="connection was lost"):
        host.run(["sleep", "600"], 60)  # else it would not finish within this time
    killer.join()
    assert host.run(["echo", "back"], 60).stdout == "back\n"
    host.close()


def test_a_cut_network_ends_at_the_deadline(own: Sshd) -> None:
    host = SshHost("head", _target(own))
    host.run(["true"], 60)
    assert own.signal_connections(signal.Signals.SIGSTOP) > 0
    with pytest.raises(BenchError, match="does not answer any more"):
        host.run(["true"], 0.3)
    # The next use makes a connection of its own; the frozen one is left behind.
    assert host.run(["echo", "back"], 60).stdout == "back\n"
    host.close()


def test_a_started_program_streams_and_takes_signals(either: Host) -> None:
    trap = "trap 'echo got; exit 7' INT; echo oops >&2; echo $$"
    script = f"{trap}; while :; do sleep 0.05; done"
    with either.start(["sh", "-c", script], env={"A": "b"}) as running:
        assert int(running.stdout.readline()) == running.pid
        assert running.wait(0) is None
        running.send_signal(signal.SIGINT)
        assert running.stdout.readline() == b"got\n"
        assert running.wait(60) == 7
        assert running.stderr_text() == "oops\n"
        assert running.stdout.read() == b""
    running.send_signal(signal.SIGINT)
    running.close()


def test_leaving_kills_a_started_program_with_its_helpers(
    either: Host, tmp_path: Path
) -> None:
    with either.start(
        ["sh", "-c", "pwd; sleep 600 & echo $!; wait"], cwd="/"
    ) as running:
        assert running.stdout.readline() == b"/\n"
        helper = int(running.stdout.readline())
    assert _ends(running.pid)
    assert _ends(helper)
    assert running.wait(60) == -signal.SIGKILL


def test_a_program_that_cannot_be_started_is_a_sentence(
    either: Host, tmp_path: Path
) -> None:
    with pytest.raises(BenchError, match="apt install no-such-tool"):
        either.start(["no-such-tool"])


def test_a_lost_connection_leaves_nothing_running(own: Sshd) -> None:
    host = SshHost("head", _target(own))
    with host.start(["sh", "-c", "sleep 600 & echo $!; wait"]) as running:
        helper = int(running.stdout.readline())
        own.signal_connections(signal.Signals.SIGKILL)
        with pytest.raises(BenchError, match="connection was lost"):
            running.wait(60)
        assert running.stdout.read() == b""
    assert _ends(running.pid)
    assert _ends(helper)


def test_a_cut_network_leaves_nothing_running(
    own: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh_connection, "_KEEPALIVE_S", 0.3)
    host = SshHost("head", _target(own), life_s=3.0)
    with host.start(["sh", "-c", "sleep 600 & echo $!; wait"]) as running:
        helper = int(running.stdout.readline())
        assert running.wait(3.5) is None  # signs of life keep it alive
        own.signal_connections(signal.Signals.SIGSTOP)
        with pytest.raises(BenchError, match="connection was lost"):
            running.wait(60)
        assert _ends(running.pid)
        assert _ends(helper)


SUDO = """
[ "$1" = -n ] || exit 9
shift
while [ "${1#--}" != "$1" ]; do kept=$1; shift; [ "$kept" = -- ] && break; done
AS=root "$@"
"""


def test_a_shell_that_greets_is_not_taken_for_the_tool(own: Sshd) -> None:
    # bash reads this file when sshd starts it; other shells have their own.
    (own.key.parent / ".bashrc").write_text("echo Hello; echo there >&2\n")
    host = SshHost("head", _target(own))
    done = host.run(["sh", "-c", "echo out; echo oops >&2"], 60)
    assert done == Completed("out\n", "oops\n", 0)
    with host.start(["sh", "-c", "echo out; echo oops >&2"]) as running:
        assert running.stdout.read() == b"out\n"
        assert running.wait(60) == 0
        assert running.stderr_text() == "oops\n"
    host.close()


def test_an_account_without_a_shell_is_a_sentence(own: Sshd) -> None:
    # As nologin does: it says something and ends, whatever it was told.
    (own.key.parent / ".bashrc").write_text("echo not available; exit 1\n")
    host = SshHost("head", _target(own))
    with pytest.raises(BenchError, match=r"does not do what it is told \(not avail"):
        host.read_many(["/proc/stat"])
    host.close()


def test_a_shell_that_greets_and_hangs_is_given_up(
    own: Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh_started, "_PID_S", 0.3)
    (own.key.parent / ".bashrc").write_text("echo Hello; echo; sleep 600\n")
    host = SshHost("head", _target(own))
    with pytest.raises(BenchError, match="cannot be started"):
        host.start(["true"])


def test_many_that_wait_for_a_dead_machine_share_one_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ssh_connection, "CONNECT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        target = Target("127.0.0.1", "lab", silent.getsockname()[1])
        hosts = [SshHost(f"head{n}", target) for n in range(6)]
        began = time.monotonic()
        with ThreadPoolExecutor(len(hosts)) as pool:
            found = list(pool.map(_trouble, hosts))
        assert time.monotonic() - began < 2
    assert all("did not answer within" in text for text in found)


def _trouble(host: SshHost) -> str:
    try:
        host.run(["true"], 60)
    except BenchError as error:
        return str(error)
    finally:
        host.close()
    return ""


def test_sudo_runs_tools_as_root(own: Sshd) -> None:
    own.tool("sudo", SUDO)
    host = SshHost("head", _target(own), sudo=True)
    done = host.run(["sh", "-c", "echo $AS $A"], 5, env={"A": "b"})
    assert done.stdout == "root b\n"
    with host.start(["sh", "-c", "echo $AS; sleep 600 & echo $!; wait"]) as running:
        assert running.stdout.readline() == b"root\n"
        helper = int(running.stdout.readline())
        running.send_signal(signal.SIGTERM)
        assert running.wait(60) == -signal.SIGTERM
    assert _ends(helper)
    own.tool("sudo", 'echo "sudo: a password is required" >&2; exit 1')
    refused = r"sudo refused .*\(a password is required\)"
    with pytest.raises(BenchError, match=refused):
        host.run(["true"], 60)
    with pytest.raises(BenchError, match=refused):
        host.start(["true"])
    host.close()


def test_a_tool_that_prints_without_end_is_stopped_there(host: SshHost) -> None:
    with pytest.raises(BenchError, match="MiB"):
        host.run(["cat", "/dev/zero"], 300)
    assert host.run(["echo", "a"], 60).stdout == "a\n"
