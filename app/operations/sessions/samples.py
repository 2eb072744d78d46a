"""Samples out of sessions, for other programs: CSV, Arrow, an archive of Parquet."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from app.analysis.interrupted import open_session
from app.record.store import Session
from app.report.samples import text_file
from app.report.samples.blocks import (
    Block,
    Grid,
    grid_blocks,
    read_blocks,
    utc_shift,
)
from app.report.samples.choice import Choice
from app.report.samples.columns import metadata_of, write_arrow, write_parquet
from app.report.samples.plain_tables import TABLES
from instruments.errors import BadInput, plain_words
from instruments.files.whole_file import whole_files
from instruments.reading import SECOND

MOST_CELLS = 2**27
"""Of a grid: four years of seconds, or two weeks of hundredths of one."""

_LAST_NS = 2**62
"""No time is further from 1970 than 146 years."""

ALL = Choice()
"""Every sample, as it was read."""

Progress = Callable[[int, int], None]
"""Takes how many channels are done, and of how many; raises to give up."""

FORMATS: Mapping[str, str] = {
    "csv": "CSV, one row a sample or a moment of the grid",
    "arrow": "Arrow (Feather)",
    "parquet": "Parquet, an archive of sessions",
}
"""What samples are written as, and what that is."""


@dataclass(frozen=True, slots=True)
class Written:
    """What became of the samples of a session.

    Attributes:
        session: The file they are of.
        folder: Where they were written to.
        files: What was written.
        rows: How many rows of samples there are.
    """

    session: Path
    folder: Path
    files: Sequence[Path]
    rows: int


def check_formats(formats: Sequence[str]) -> None:
    """Check the names of formats; raises BadInput naming those there are."""
    for name in formats or [""]:
        if name not in FORMATS:
            raise BadInput(
                f'samples have no format "{name}"' if name else "no format is named",
                where="--format",
                way_out=f"Use one or more of {', '.join(FORMATS)}.",
            )


def export_samples(
    path: Path,
    formats: Sequence[str],
    to: Path,
    choice: Choice = ALL,
    *,
    name: str = "",
    told: Progress = lambda _done, _total: None,
) -> Written:
    """Write the samples of a session into a folder, whole or not at all.

    CSV and Arrow are files named like the session. Parquet is an archive for many
    sessions: a folder for each table, such as `samples` and `results`, and in it one
    for each session, `session=NAME`, as DuckDB, pandas, Spark and Trino read them.

    Args:
        path: The session.
        formats: Of FORMATS.
        to: The folder, made where it is not there.
        choice: Which samples.
        name: What the files are called; "" for the name of the session file.
        told: Takes how far it is.

    Raises:
        BadInput: A format, the session, the choice or the folder is not good.
    """
    check_formats(formats)
    with open_session(path) as session:
        work = _Work(session, choice, told, len(formats))
        with _writing(to), whole_files(to) as fresh:
            rows = [work.write(one, name or path.stem, fresh, to) for one in formats]
            files = sorted(one for one in fresh.rglob("*") if one.is_file())
            placed = [to / one.relative_to(fresh) for one in files]
    return Written(path, to, placed, max(rows))


@contextmanager
def _writing(to: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        # Arrow tells the number of the error in its own words only.
        number = re.search(r"\[errno (\d+)\]", str(error))
        told = os.strerror(int(number[1])) if number else plain_words(error)
        raise BadInput(
            f"the samples cannot be written, {told}",
            where=str(to),
            way_out="Choose another folder, with room.",
        ) from error


class _Work:
    """Writes what is chosen of one session."""

    def __init__(
        self, session: Session, choice: Choice, progress: Progress, rounds: int
    ) -> None:
        self._session = session
        self._channels = choice.channels_of(session)
        self._window = choice.window_of(session)
        self._utc = utc_shift(session)
        self._grid = (
            Grid(choice.grid_ns, self._utc) if choice.grid_ns is not None else None
        )
        self._check_times()
        self._progress = progress
        self._done, self._total = 0.0, rounds * len(self._channels)
        self._about = about_samples(session, choice)

    def _check_times(self) -> None:
        """Refuse what no clock says, and grids that nobody reads to the end."""
        start, end = self._window
        known = (self._utc, start, end, start + self._utc, end + self._utc)
        if max(map(abs, known)) > _LAST_NS:
            raise BadInput(
                "it has impossible times",
                where=str(self._session.path),
                way_out="Fetch a whole copy of it, or export a part of it.",
            )
        width = self._grid.width if self._grid is not None else end - start + 1
        if (end - start) // width > MOST_CELLS:
            raise BadInput(
                f"a grid of {width / SECOND:g} s over {(end - start) / SECOND:.3g} s "
                f"has more than {MOST_CELLS:,} cells",
                where=str(self._session.path),
                way_out="Choose a wider grid or a shorter time.",
            )

    def write(self, form: str, name: str, fresh: Path, to: Path) -> int:
        """Write one format into a place for new files; return how many rows."""
        if form == "parquet":
            return self._write_archive(fresh, free_name(to, name, self._about))
        path = fresh / f"{name}-samples.{form}"
        if form == "arrow":
            return self._columns(write_arrow, path)
        with path.open("wb") as file:
            if self._grid is None:
                return text_file.write_samples(file, self._blocks(), self._utc)
            return text_file.write_grid(
                *(file, self._session, self._channels, self._window, self._grid),
                progress=self._tell,
            )

    def _columns(self, write: Callable[..., int], path: Path) -> int:
        return write(path, self._channels, self._blocks(), self._utc, self._about)

    def _write_archive(self, fresh: Path, name: str) -> int:
        def place(table: str) -> Path:
            path = partition(fresh, table, name)
            path.parent.mkdir(parents=True)
            return path

        for table in TABLES:
            table.write(place(table.name), self._session, self._about)
        return self._columns(write_parquet, place("samples"))

    def _blocks(self) -> Iterator[Block]:
        read: Callable[..., Iterator[Block]] = read_blocks
        if self._grid is not None:
            read = partial(grid_blocks, grid=self._grid)
        for channel in self._channels:
            yield from read(self._session, channel, self._window)
            self._tell(1)

    def _tell(self, channels: float) -> None:
        self._done += channels
        self._progress(round(self._done), self._total)


def about_samples(session: Session, choice: Choice = ALL) -> dict[str, Any]:
    """Say of what samples are, as plain values: they are stored with them."""
    info = session.info
    return {
        "session": info.name,
        "dut": info.dut,
        "recording": f"{info.boot_id} {info.monotonic_ns} {info.name}",
        "sha256": session.sha256(),
        "state": session.state,
        "simulated": info.simulated,
        "app_version": info.app_version,
        "channels": list(choice.channels),
        "step": choice.step,
        "from_s": choice.from_s,
        "until_s": choice.until_s,
        "grid_s": (choice.grid_ns or 0) / SECOND,
    }


def partition(archive: Path, table: str, name: str) -> Path:
    """Get the file of a session in a table of an archive."""
    return archive / table / f"session={quote(name, safe='')}" / f"{table}.parquet"


def free_name(archive: Path, stem: str, about: Mapping[str, Any]) -> str:
    """Choose the name of a session in an archive, so that none replaces another."""
    name, number = stem, 1
    while True:
        path = partition(archive, "sessions", name)
        if (
            not path.exists()
            or metadata_of(path).get("recording") == about["recording"]
        ):
            return name
        number += 1
        name = f"{stem}-{number}"
