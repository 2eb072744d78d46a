"""What each file is: told by what is in it, never by its name alone."""

import codecs
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.record.imports.fio_json import is_fio, read_fio
from app.record.imports.fio_logs import FoundLog, read_found_log
from app.record.imports.found import Found
from app.record.imports.iozone import is_iozone, read_iozone
from app.record.imports.meter import read_meter
from app.record.imports.vdbench import (
    is_flatfile,
    is_report,
    read_flat,
    read_report,
)
from app.record.imports.warp import ZSTANDARD, is_csv, read_warp, unpacked
from app.record.imports.warp import is_json as is_warp_json
from instruments.errors import BadInput
from instruments.files.foreign_text import MISSHAPEN, read_content
from instruments.power.hmc8015.csv import looks_like_log as looks_like_meter
from workloads.fio.read.logs import KINDS as LOG_KINDS
from workloads.fio.read.logs import log_name
from workloads.fio.read.logs import looks_like_log as looks_like_fio_log

LONGEST_BYTES = 2**30
"""A longer file would not fit into the memory of a small machine."""

_HEAD_BYTES = 65_536
KNOWN = (
    "fio JSON, terse and text, fio logs, VDBench flatfile and totals, IOzone output, "
    "WARP results and logs of an HMC8015"
)


@dataclass(frozen=True, slots=True)
class Read:
    """One file as it was read.

    Attributes:
        path: The file.
        content: Its bytes.
        found: What it holds; a log of fio waits for the run that it is of. None for
            an empty log, such as fio writes of slat with a synchronous engine.
        sha256: The hash of the file.
    """

    path: Path
    content: bytes
    found: Found | FoundLog | None
    sha256: str = field(init=False)

    def __post_init__(self) -> None:
        digest = hashlib.sha256(self.content).hexdigest()
        object.__setattr__(self, "sha256", digest)


_Reader = Callable[[Path, str, bool], Found]


def read_file(path: Path, *, keep_rest: bool = False) -> Read:
    """Read one file.

    Args:
        path: The file.
        keep_rest: Leave out what is damaged in it, where something is whole.

    Raises:
        BadInput: It cannot be read, is none of the known, or is damaged.
    """
    content = read_content(path, LONGEST_BYTES)
    try:
        return _read(path, content, keep_rest=keep_rest)
    except MISSHAPEN as error:  # what no reader thought of; a file may say anything
        raise BadInput(
            f"it is damaged: what it says cannot be ({error})",
            where=str(path),
            way_out="Fetch it once more, or leave it out.",
        ) from error


def _read(path: Path, content: bytes, *, keep_rest: bool) -> Read:
    plain = content
    if content[:4] == ZSTANDARD:
        plain = unpacked(path, content)
    head = plain[:_HEAD_BYTES].decode("utf-8", "replace")
    first = head.lstrip("\ufeff \t\r\n")
    name = log_name(path)
    if not content and name is not None:
        return Read(path, content, None)
    if not first:
        raise BadInput("it is empty", where=str(path), way_out="Leave it out.")
    # A row of a histogram has too many numbers to look like one of the other logs.
    if name is not None and (name.kind not in LOG_KINDS or looks_like_fio_log(head)):
        return Read(path, content, read_found_log(path, content))
    if looks_like_meter(head):
        found = read_meter(path, _text(plain), keep_rest=keep_rest)
        return Read(path, content, found)
    text = _text(plain)
    for fits, read in _KINDS:
        if fits(text):
            return Read(path, content, read(path, text, keep_rest))
    if looks_like_fio_log(head):
        return Read(path, content, read_found_log(path, content))
    raise BadInput(
        "it is none of the files that can be imported",
        where=str(path),
        way_out=f"Known are {KNOWN}.",
    )


def _text(content: bytes) -> str:
    # A redirection in PowerShell writes UTF-16.
    is_utf16 = content[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return content.decode("utf-16" if is_utf16 else "utf-8-sig", "replace")


def _fio(path: Path, text: str, keep_rest: bool) -> Found:
    return read_fio(path, text, keep_rest=keep_rest)


def _warp(path: Path, text: str, _: bool) -> Found:
    return read_warp(path, text)


def _vdbench_flat(path: Path, text: str, keep_rest: bool) -> Found:
    return read_flat(path, text, keep_rest=keep_rest)


def _vdbench_report(path: Path, text: str, keep_rest: bool) -> Found:
    return read_report(path, text, keep_rest=keep_rest)


def _iozone(path: Path, text: str, keep_rest: bool) -> Found:
    return read_iozone(path, text, keep_rest=keep_rest)


_KINDS: Sequence[tuple[Callable[[str], bool], _Reader]] = (
    (lambda text: is_csv(text) or is_warp_json(text), _warp),
    (is_fio, _fio),
    (is_flatfile, _vdbench_flat),
    (is_report, _vdbench_report),
    (is_iozone, _iozone),
)
