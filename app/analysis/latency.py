"""Histograms of a row's latency, merged over its jobs, devices and hosts."""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.analysis.again.rows import Row, row_of
from app.record.imports.again import told_again
from app.record.store import Session, StepRow, Window
from instruments.files.foreign_text import MISSHAPEN
from instruments.metric import BOTH, READ, WRITE
from workloads.fio.kept import part_counted
from workloads.fio.output import Counters, counters, percentiles_of, together
from workloads.fio.table import OUTPUT
from workloads.hosts.servers import OUTPUT as OUTPUT_OF_CLIENT
from workloads.hosts.servers import client_results

_WAYS = (READ, WRITE)
_EVER = 2**62
"""After the end of any load: its last document may be made a little later."""

_LEAST_SHARE = 0.9
_MOST = 2**28
"""Bytes of what fio's client prints, once unpacked."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LatencyHistogram:
    """How many I/Os of a row took how long, from submission to completion.

    Attributes:
        counted: By "read" and "write", each with its counts by the value of their
            bucket in ns; fio has 64 buckets an octave.
        window: The time that they are of.
        parts: Of how many outputs they are the sum: one a host.
    """

    counted: Mapping[str, Counters]
    window: Window
    parts: int

    def bins(self, of: str) -> Mapping[int, int]:
        """Get the counts of READ, WRITE or BOTH."""
        return self._counters(of).bins

    def _counters(self, of: str) -> Counters:
        if of == BOTH:
            return together(list(self.counted.values()))
        return self.counted[of]

    @property
    def ways(self) -> list[str]:
        """The directions in which anything was counted."""
        return [way for way in _WAYS if sum(self.counted[way].bins.values()) > 0]

    def percentiles(self, of: str, percents: Sequence[float]) -> dict[float, float]:
        """Get percentiles of the merged counts in ms, as the row has them."""
        found = percentiles_of(self._counters(of), percents)
        return {percent: value / 1e6 for percent, value in found.items()}

    def grouped(self, edges_ms: Floats, of: str) -> Floats:
        """Count I/Os between edges in ms; a bucket counts where its value lies."""
        bins = self.bins(of)
        values = np.array(list(bins), dtype=np.float64) / 1e6
        counts = np.array(list(bins.values()), dtype=np.float64)
        found, _ = np.histogram(values, edges_ms, weights=np.maximum(counts, 0.0))
        return np.asarray(found, dtype=np.float64)

    def edges_ms(self, a_decade: int = 16) -> Floats:
        """Get edges around all counts, this many a decade of latency."""
        values = [value for value, count in self.bins(BOTH).items() if count > 0]
        low, high = (np.log10(max(1, end(values)) / 1e6) for end in (min, max))
        first = np.floor(low * a_decade)
        last = np.floor(high * a_decade) + 1
        edges: Floats = 10 ** (np.arange(first, last + 1) / a_decade)
        return edges


def histogram_of(session: Session, step: StepRow) -> LatencyHistogram | None:
    """Merge what was counted in a row.

    Returns:
        None where nothing is kept that has a histogram: other engines than fio, a row
        that is a part of a load on several hosts, damaged output, or no I/O at all; of
        an imported row, what fio did not write as json+.
    """
    if session.info.is_imported:
        return _imported(session, step)
    row = row_of(session, step)
    if row is None:
        return None
    try:
        found = list(_parts(row))
    except (*MISSHAPEN, zlib.error):
        return None
    if not found:
        return None
    counted = {way: together([part[way] for part in found]) for way in _WAYS}
    histogram = LatencyHistogram(counted, row.window, len(found))
    return histogram if histogram.ways else None


def _imported(session: Session, step: StepRow) -> LatencyHistogram | None:
    """Get what an imported file has of a row; its files are read once for all rows."""
    told = session.once_at_all(told_again).steps.get(step.id)
    if told is None or step.window_start_ns is None or step.window_end_ns is None:
        return None
    counted = {way: told.counted.get(way, together([])) for way in _WAYS}
    window = step.window_start_ns, step.window_end_ns
    histogram = LatencyHistogram(counted, window, told.hosts)
    return histogram if histogram.ways else None


def _parts(row: Row) -> Iterator[Mapping[str, Counters]]:
    """Get what each output counted that is kept of a row."""
    is_whole = row.whole == row.window
    part = (row.whole[0], _EVER) if is_whole else row.window
    for name, packed in row.outputs.items():
        if name == OUTPUT or (is_whole and name.endswith(f"-{OUTPUT}")):
            found = part_counted({OUTPUT: packed}, row.whole, part)
            if found is not None and (is_whole or found.share >= _LEAST_SHARE):
                yield found.counters
        elif name == OUTPUT_OF_CLIENT and is_whole:
            text = zlib.decompressobj().decompress(packed, _MOST)
            for jobs in client_results(text.decode("utf-8", "replace")).values():
                yield {way: counters(jobs, way) for way in _WAYS}
