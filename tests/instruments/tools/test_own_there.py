"""What is ours on another machine goes with its program, or at the next use after that.

The machine is a real SSH server on loopback.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.operations.sweeping import sweep_up
from instruments.errors import BenchError
from instruments.files.notes import notes
from instruments.files.own_folder import sweep
from instruments.ssh.host import SshHost
from instruments.tools.hosts import LocalHost
from instruments.tools.own_there import folder_there, left_there
from tests.sshd import Sshd, sshd

ROOT = Path(__file__).parents[3]
HOLDS = """
import sys
from pathlib import Path
from instruments.tools.hosts import LocalHost
from instruments.tools.own_there import folder_there
from instruments.ssh.host import SshHost
from instruments.ssh.target import Target
host = LocalHost()
if len(sys.argv) > 1:
    address, user, port, key, known = sys.argv[1:]
    host = SshHost("x", Target(address, user, int(port), key, known))
own = folder_there(host, "bayscope-test-")
Path(own.path, "file").write_text("x")
print(own.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, on both machines."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def server(tmp_path: Path, temporary: Path) -> Iterator[Sshd]:
    (tmp_path / "sshd").mkdir()
    run = f'ForceCommand TMPDIR={temporary} exec sh -c "$SSH_ORIGINAL_COMMAND"\n'
    with sshd(tmp_path / "sshd", more=run) as found:
        yield found


@pytest.fixture
def host(server: Sshd) -> Iterator[SshHost]:
    found = SshHost("head", server.target)
    yield found
    found.close()


def killed(*words: str) -> Path:
    """Let a program make a folder, and kill it; return where that is."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        assert process.stdout is not None
        path = Path(process.stdout.readline().strip())
        assert (path / "file").exists()
        assert sweep() == []
        assert left_there() == {}
        process.kill()
    return path


def test_it_goes_when_it_is_closed(host: SshHost, temporary: Path) -> None:
    with folder_there(host, "bayscope-test-") as own:
        path = Path(own.path)
        assert path.parent == temporary
        assert path.stat().st_mode & 0o777 == 0o700
        assert left_there() == {}
    assert list(temporary.iterdir()) == []
    assert list(notes().iterdir()) == []
    assert own.told == ""


def test_of_a_killed_program_it_goes_at_the_next_use_of_its_machine(
    server: Sshd, host: SshHost, temporary: Path
) -> None:
    own = server.target
    path = killed(own.address, own.user, str(own.port), own.key, own.known_hosts)
    other = temporary / "bayscope-test-of-another"
    other.mkdir()
    assert left_there() == {str(host): 1}
    assert any(str(host) in told for told in sweep_up().told)
    assert path.exists()
    with folder_there(host, "bayscope-other-") as next_one:
        assert not path.exists()
        assert "1 temporary folder" in next_one.told
    assert list(temporary.iterdir()) == [other]
    assert left_there() == {}
    assert not any(str(host) in told for told in sweep_up().told)


def test_of_a_lost_connection_it_goes_at_the_next_use(
    server: Sshd, host: SshHost, temporary: Path
) -> None:
    """The same program goes on."""
    own = folder_there(host, "bayscope-test-")
    server.stop()
    own.close()
    assert len(list(temporary.iterdir())) == 1
    with pytest.raises(BenchError):
        folder_there(host, "bayscope-test-")
    server.start()
    with folder_there(host, "bayscope-test-") as again:
        assert "1 temporary folder" in again.told
        assert [str(path) for path in temporary.iterdir()] == [again.path]
    assert list(notes().iterdir()) == []


def test_what_is_a_link_by_now_is_not_followed(
    server: Sshd, host: SshHost, tmp_path: Path
) -> None:
    own = server.target
    path = killed(own.address, own.user, str(own.port), own.key, own.known_hosts)
    theirs = path.rename(tmp_path / "theirs")
    path.symlink_to(theirs)
    with folder_there(host, "bayscope-test-") as again:
        assert again.told == ""
    assert (theirs / "file").exists()


def test_on_this_machine_the_next_start_removes_it(temporary: Path) -> None:
    path = killed()
    assert path.parent == temporary
    assert sweep() == [path]
    with folder_there(LocalHost(), "bayscope-test-") as own:
        assert [str(one) for one in temporary.iterdir()] == [own.path]
    assert list(temporary.iterdir()) == []
