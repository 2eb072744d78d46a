"""Paths in the job file of a fio that runs on another machine."""

import re

from instruments.errors import BadInput

_PLAIN = re.compile(r"[A-Za-z0-9_./\\:@+=,-]+")


def escaped(path: str) -> str:
    r"""Write a path as fio's option filename takes it: ":" divides files there.

    So "C:\\scratch.bin" becomes "C\\:\\scratch.bin", as its HOWTO says; a raw disk of
    Windows, "\\\\.\\PhysicalDrive3", is taken as it is.

    Raises:
        BadInput: It has characters that fio or its job file would change.
    """
    if not _PLAIN.fullmatch(path):
        raise BadInput(
            "it has characters that cannot be given to a fio that runs elsewhere",
            where=f"target {path}",
            way_out="Expected letters, digits and . _ - + = @ , / only.",
        )
    return path.replace(":", "\\:")
