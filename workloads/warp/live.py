"""WARP while it runs: its status service, asked once or twice a second.

`GET /v1/status` answers with counters that advance once a second; they are
differenced, and a change is taken to end when it is seen (WARP 1.3.1).
"""

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import httpx

from instruments.files.foreign_text import parsed_json
from instruments.reading import SECOND, Channel, Reading, Status
from instruments.timebase import monotonic_ns
from workloads.base import Emit
from workloads.warp.bounded_http import BoundedTransport

PERIOD_NS = SECOND
# WARP's status service shares its processor; a late answer is a gap and not waited for.
_TIMEOUT_S = 1.0
_QUANTITIES = (
    ("read_iops", "1/s"),
    ("read_bw", "B/s"),
    ("write_iops", "1/s"),
    ("write_bw", "B/s"),
    ("iops", "1/s"),
    ("errors", "1/s"),
)
# It ends at once where it heard the request.
_LONGEST_END_S = 10.0
READ_OPS, WRITE_OPS = ("GET",), ("PUT",)


class Totals(NamedTuple):
    """Counters of all operations of a kind since the benchmark began."""

    requests: int = 0
    bytes_: int = 0
    errors: int = 0


def totals(table: Mapping[str, Any] | None) -> Totals:
    """Read the counters of one operation, zeros where there is none."""
    counters = table or {}
    return Totals(
        int(counters.get("total_requests") or 0),
        int(counters.get("total_bytes") or 0),
        int(counters.get("total_errors") or 0),
    )


class StatusService:
    """The status service of a running WARP: asked, and ended."""

    def __init__(self, address: str, source: str, emit: Emit) -> None:
        self._base = f"http://{address}/v1"
        self._emit = emit
        self._client = httpx.Client(
            timeout=_TIMEOUT_S, trust_env=False, transport=BoundedTransport()
        )
        self._seen_ns = 0
        self._before: dict[str, Totals] = {}
        self._asked_to_end = 0.0
        self.channels = channels(source)
        self.last: dict[str, Any] = {}
        self.first_change_ns = self.last_change_ns = 0
        self.reached_s = 0.0
        self.trouble = ""

    @property
    def is_over(self) -> bool:
        """Whether the benchmark and its cleaning up are over."""
        done = "cleanup done" in str(self.last.get("last_status", "")).lower()
        return done and bool(self.last.get("data_ready"))

    def poll(self) -> None:
        """Ask once; emit a reading where the counters have advanced."""
        try:
            answer = self._client.get(f"{self._base}/status")
            status = parsed_json(answer.content)
        except (httpx.HTTPError, ValueError):
            return  # It is not up yet, or on its way out.
        if answer.status_code != 200 or not isinstance(status, dict):
            return
        now = monotonic_ns()
        self.reached_s = time.monotonic()
        self.last = status
        self.trouble = str(status.get("error") or "").strip()
        realtime = status.get("realtime")
        if not isinstance(realtime, dict):
            return
        after = {name: totals(each) for name, each in _operations(realtime).items()}
        if after == self._before:
            return
        if self._seen_ns and not bool(status.get("data_ready")):
            self._tell(self._before, after, now)
        self._before, self._seen_ns = after, now

    def ask_to_end(self) -> bool:
        """Ask it to end after its benchmark; return whether it was asked long ago.

        Version 1.3.1 ends at DELETE /v1/stop, older ones at DELETE /v1; the
        connection is dropped without an answer.
        """
        now = time.monotonic()
        if not self._asked_to_end:
            self._asked_to_end = now
        for path in ("/stop", ""):
            try:
                answer = self._client.delete(f"{self._base}{path}")
            except httpx.HTTPError:
                return False  # it drops the connection where it heard the request
            if answer.status_code < 400:
                break
        return now - self._asked_to_end > _LONGEST_END_S

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()

    def counted(self) -> dict[str, Totals]:
        """Get the last counters by operation."""
        return dict(self._before)

    def _tell(
        self, before: Mapping[str, Totals], after: Mapping[str, Totals], now: int
    ) -> None:
        seconds = (now - self._seen_ns) / SECOND
        read = _change(before, after, READ_OPS)
        write = _change(before, after, WRITE_OPS)
        total = _change(before, after, after)
        if min(total.requests, total.bytes_) < 0:
            return  # The next stage began to count again.
        self.first_change_ns = self.first_change_ns or self._seen_ns
        self.last_change_ns = now
        values = (
            read.requests / seconds,
            read.bytes_ / seconds,
            write.requests / seconds,
            write.bytes_ / seconds,
            total.requests / seconds,
            total.errors / seconds,
        )
        ok = (Status.OK,) * len(values)
        self._emit(Reading(self.channels, self._seen_ns, now, values, ok))


def channels(source: str) -> tuple[Channel, ...]:
    """Make the channels of what WARP does: GET is read, PUT is write."""
    return tuple(
        Channel(source, what, unit, period_ns=PERIOD_NS, window_ns=PERIOD_NS)
        for what, unit in _QUANTITIES
    )


def _operations(realtime: Mapping[str, Any]) -> Mapping[str, Any]:
    by_operation = realtime.get("by_op_type")
    if isinstance(by_operation, dict) and by_operation:
        return by_operation
    return {"Total": realtime.get("total")}


def _change(
    before: Mapping[str, Totals], after: Mapping[str, Totals], names: Any
) -> Totals:
    none = Totals()
    pairs = [(after.get(name, none), before.get(name, none)) for name in names]
    return Totals(*(sum(now[i] - then[i] for now, then in pairs) for i in range(3)))
