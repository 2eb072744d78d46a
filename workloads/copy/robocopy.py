"""Robocopy, which copies on a Windows load host: its command line and its report.

Built and tested as text only; no Windows was at hand. Options, exit codes and the
form of the report are those of Microsoft's public page on robocopy.
"""

import re
from dataclasses import dataclass

SUCCESS_BELOW = 8
"""Exit codes are bits: 1 copied, 2 extras, 4 mismatches; from 8 on something failed."""

_ROW = re.compile(r"^[ \t]*+(Dirs|Files|Bytes)[ \t]*+:[ \t]*+(.*+)$", re.MULTILINE)
_SPEED = re.compile(r"^[ \t]*Speed[ \t]*:([\d.,' \u00a0\t]*)Bytes/sec", re.MULTILINE)
_MEANS = (
    (16, "a serious error, nothing was copied"),
    (8, "some files could not be copied"),
    (4, "some files or folders do not match"),
    (2, "the target has files of its own"),
    (1, "files were copied"),
)
_HEADS = ("total", "copied", "skipped", "mismatch", "failed", "extras")


@dataclass(frozen=True, slots=True)
class RobocopyReport:
    """What robocopy says at its end.

    Attributes:
        files: Counts of files by heading, such as "copied".
        bytes_: Counts of bytes by heading.
        bytes_s: Its own speed in bytes a second, None where it says none.
    """

    files: dict[str, int]
    bytes_: dict[str, int]
    bytes_s: float | None

    @property
    def is_whole(self) -> bool:
        """Whether everything was copied and nothing failed, by files and by bytes."""
        return all(
            table.get("total", -1) == table.get("copied", 0) and not table.get("failed")
            for table in (self.files, self.bytes_)
        )


def robocopy_argv(source: str, target: str, *, unbuffered: bool = True) -> list[str]:
    """Make the command line that copies a folder.

    Bytes are printed in full (/BYTES), lists and percentages are not printed, and
    nothing is tried again, because a retry would be measured as a slow copy.

    Args:
        source: Folder on that host.
        target: Folder that it is copied to; made where it does not exist.
        unbuffered: Whether the system's cache is bypassed (/J).
    """
    for path in (source, target):
        if '"' in path or (path.endswith("\\") and not path.endswith(":\\")):
            raise ValueError(f"robocopy misreads this path: {path}")
    argv = ["robocopy", source, target, "/E", "/BYTES", "/R:0", "/W:0"]
    argv += ["/NP", "/NFL", "/NDL", "/COPY:DAT", "/DCOPY:DAT"]
    return [*argv, "/J"] if unbuffered else argv


def read_report(text: str) -> RobocopyReport:
    """Read the table at the end of robocopy's output; needs /BYTES.

    Raises:
        ValueError: There is no table: it was stopped, or is none of robocopy's.
    """
    rows: dict[str, dict[str, int]] = {}
    for name, cells in _ROW.findall(text):
        numbers = cells.split()
        if len(numbers) == len(_HEADS) and all(each.isdecimal() for each in numbers):
            rows[name] = dict(zip(_HEADS, map(int, numbers), strict=True))
    if "Files" not in rows or "Bytes" not in rows:
        raise ValueError("there is no table of files and bytes in what robocopy said")
    speed = _SPEED.search(text)
    digits = re.sub(r"\D", "", speed[1]) if speed else ""
    return RobocopyReport(
        rows["Files"], rows["Bytes"], float(digits) if digits else None
    )


def has_succeeded(code: int) -> bool:
    """Tell whether an exit code of robocopy means that nothing failed."""
    return 0 <= code < SUCCESS_BELOW


def explain_code(code: int) -> str:
    """Say what an exit code means, in words."""
    if code == 0:
        return "nothing had to be copied"
    told = [text for bit, text in _MEANS if code & bit]
    return "; ".join(told) or f"exit code {code}"
