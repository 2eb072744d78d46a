"""Whether a file lies on this computer or on a server."""

import os
import re
from pathlib import Path

_REMOTE = re.compile(
    r"nfs4?|cifs|smb3|smbfs|9p|ceph|afs|davfs|lustre"
    r"|fuse\.(sshfs|davfs|rclone|glusterfs|s3fs)"
)
"""Types of file systems whose server may go away, and whose locks hold nobody else."""

# A space in a path is written as \040, and so on (proc_pid_mountinfo(5)).
_ESCAPED = re.compile(r"\\([0-7]{3})")


def is_remote(path: Path) -> bool:
    """Tell whether a file lies on a server, as the mount table has it; asks no server.

    Args:
        path: The file, which need not be there. Links in it are not followed: that
            could ask the server.
    """
    absolute = os.path.abspath(path)  # noqa: PTH100 - follows no link
    best, kind = "", ""
    try:
        lines = Path("/proc/self/mountinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return False
    for line in lines:
        fields, _, source = line.partition(" - ")
        place = _ESCAPED.sub(lambda m: chr(int(m[1], 8)), fields.split(" ")[4])
        inside = absolute == place or absolute.startswith(place.rstrip("/") + "/")
        # The mount with the longest path wins; of equal ones the last, which lies on
        # top.
        if inside and len(place) >= len(best):
            best, kind = place, source.split(" ")[0]
    return _REMOTE.fullmatch(kind) is not None
