"""A file that is being written when the program is killed is the old one, alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from instruments.errors import BadInput
from instruments.files.kept import kept_path
from instruments.files.own_folder import sweep
from instruments.files.whole_file import check_folder, save_file, write_whole

KILLED = """
import os, signal, sys
from pathlib import Path
from instruments.files.kept import read_or_make
from instruments.files.whole_file import write_whole
def kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)
Path.replace = os.link = kill
if len(sys.argv) > 1:
    write_whole(Path(sys.argv[1]), b"new")
read_or_make("test.key", lambda: b"key")
"""


@pytest.mark.parametrize("what", ["file", "key"])
def test_a_kill_leaves_the_old_one_and_nothing_beside_it(
    what: str, tmp_path: Path
) -> None:
    path = tmp_path / "bench.toml" if what == "file" else kept_path("test.key")
    before = set(path.parent.iterdir()) | {path}
    if what == "file":
        write_whole(path, b"old")
    words = [str(path)] if what == "file" else []
    done = subprocess.run([sys.executable, "-c", KILLED, *words], check=False)
    assert done.returncode == -9
    assert len(set(path.parent.iterdir()) - before) == 1
    assert len(sweep()) == 1
    assert set(path.parent.iterdir()) <= before
    assert what == "key" or path.read_bytes() == b"old"


def test_a_new_one_has_the_usual_permissions(tmp_path: Path) -> None:
    path = tmp_path / "bench.toml"
    mask = os.umask(0o027)
    try:
        write_whole(path, b"x")
    finally:
        os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(OSError, match="deep"):
        write_whole(tmp_path / "deep" / "bench.toml", b"x")


@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_an_old_one_keeps_its_permissions_and_its_owner(
    mode: int, tmp_path: Path
) -> None:
    path = tmp_path / "bench.toml"
    path.write_bytes(b"old")
    if is_root := os.geteuid() == 0:
        os.chown(path, 65534, 65534)
    path.chmod(mode)
    write_whole(path, b"new")
    found = path.stat()
    assert (path.read_bytes(), found.st_mode & 0o7777) == (b"new", mode)
    assert not is_root or (found.st_uid, found.st_gid) == (65534, 65534)


def test_an_own_link_stays_one_and_a_foreign_one_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    file = tmp_path / "kept" / "lab.toml"
    file.write_bytes(b"old")
    file.chmod(0o600)
    first, link = tmp_path / "first", tmp_path / "bench.toml"
    first.symlink_to(file)
    link.symlink_to("first")
    write_whole(link, b"new")
    assert link.is_symlink()
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"new", 0o600)
    file.unlink()
    write_whole(link, b"again")
    assert (link.is_symlink(), file.read_bytes()) == (True, b"again")
    if os.geteuid() == 0:
        os.chown(link, 65534, 65534, follow_symlinks=False)
        write_whole(link, b"own")
        assert not link.is_symlink()
        assert file.read_bytes() == b"again"
        assert link.stat().st_mode & 0o111 == 0


def test_it_is_on_the_disk_before_the_old_one_goes(tmp_path: Path) -> None:
    path = tmp_path / "bench.toml"
    script = f"""
import os, sys
from pathlib import Path
from instruments.files.whole_file import write_whole
def hook(event, words):
    if event == "os.rename":
        print("rename", os.path.basename(words[1]))
fsync = os.fsync
os.fsync = lambda fd: (print("fsync", os.fstat(fd).st_size), fsync(fd))[1]
sys.addaudithook(hook)
write_whole(Path({str(path)!r}), b"new")
"""
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == ["fsync 3", "rename bench.toml"]


def test_a_file_for_somebody_makes_its_folder_or_says_why_not(tmp_path: Path) -> None:
    path = tmp_path / "new" / "report.md"
    save_file(path, "\N{DEGREE SIGN}C")
    assert path.read_bytes() == "\N{DEGREE SIGN}C".encode()
    with pytest.raises(BadInput, match="Not a directory") as caught:
        save_file(path / "below.md", b"")
    assert str(path / "below.md") in str(caught.value)


def test_a_folder_is_tried_where_it_would_begin_and_nothing_stays(
    tmp_path: Path,
) -> None:
    check_folder(tmp_path / "new" / "deep")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("x")
    for bad in (tmp_path / "file", tmp_path / "file" / "deep", Path("/proc/none")):
        with pytest.raises(BadInput, match=f"^{bad}: files cannot be written there"):
            check_folder(bad)
