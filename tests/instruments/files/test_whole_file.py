"""A file that is being written when the program is killed is the old one, alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from instruments.files.kept import kept_path
from instruments.files.own_folder import sweep
from instruments.files.whole_file import write_whole

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
