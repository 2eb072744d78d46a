"""A stand-in for MinIO WARP 1.3.1: its command line, status service, files and ends.

It is made after runs of the real program and the types of its public API, because
WARP cannot be had from a registry. It makes its figures up and speaks to no server;
with STANDIN_S3 it writes one object to its bucket, as WARP would. STANDIN_FAULT makes
it fail in ways that WARP does.
"""

import json
import os
import signal
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import zstandard

FAULT = os.environ.get("STANDIN_FAULT", "")
OPS = {"GET": 200, "PUT": 100, "STAT": 50, "DELETE": 30}
SIZE = 1 << 20
HEAD = (
    "idx\tthread\top\tclient_id\tn_objects\tbytes\tendpoint\tfile\terror\tstart\t"
    "first_byte\tend\tduration_ns\tcat"
)


def stamp(moment: datetime) -> str:
    """Write a time as Go does, with nine digits."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%f") + "000Z"


class Benchmark:
    """What runs: options, counters and the moments of its phases."""

    def __init__(self, flags: dict[str, str], command: str) -> None:
        self.flags = flags
        self.ops = {
            "get": ["GET"],
            "put": ["PUT"],
            "mixed": list(OPS),
        }[command]
        self.seconds = float(flags["duration"].rstrip("s"))
        self.status: dict[str, Any] = {
            "last_status": "Preparing server.\n",
            "error": "",
            "data_ready": False,
        }
        clients = [c for c in flags.get("warp-client", "").split(",") if c]
        if FAULT == "lost-client":
            clients = clients[:-1]
        self.clients = [f"client-{number}" for number, _ in enumerate(clients)] or [
            "local"
        ]
        self.began = datetime.now(UTC)
        self.over = threading.Event()

    def run(self) -> None:
        """Prepare, run, clean up and write the result."""
        time.sleep(0.3)
        if FAULT == "no-server":
            print("warp: <ERROR> Unable to prepare: connection refused.")
            os._exit(1)
        if FAULT == "dies":
            print("warp: Preparing server...", flush=True)
            os._exit(2)
        self.began = datetime.now(UTC)
        self.status["last_status"] = "Running benchmark.\n"
        begin = time.monotonic()
        while (elapsed := time.monotonic() - begin) < self.seconds:
            self.status["realtime"] = self.realtime(int(elapsed * 4) / 4, final=False)
            time.sleep(0.1)
        self.write()
        self.status["data_ready"] = True
        self.status["last_status"] = "Cleanup Done.\n"
        print(
            "Report: GET. Concurrency: 4. Ran: 1s\n * Average: 200.00 MiB/s", flush=True
        )

    def realtime(self, elapsed: float, *, final: bool) -> dict[str, Any]:
        """Make the aggregate of so many seconds."""
        by_op = {name: self.aggregate(name, elapsed) for name in self.ops}
        total = self.aggregate("Total", elapsed)
        return {
            "v": 2,
            "commandline": "warp (a stand-in) --access-key=*REDACTED*",
            "final": final and FAULT != "not-final",
            "total": total,
            "by_op_type": by_op,
        }

    def aggregate(self, name: str, elapsed: float) -> dict[str, Any]:
        names = self.ops if name == "Total" else [name]
        rate = sum(OPS[each] for each in names)
        moved = sum(OPS[each] * SIZE for each in names if each in ("GET", "PUT"))
        count = int(rate * elapsed)
        end = self.began + timedelta(seconds=elapsed)
        segments = [
            {
                "start": stamp(self.began + timedelta(seconds=number)),
                "bytes_per_sec": moved,
                "obj_per_sec": rate,
            }
            for number in range(int(elapsed))
        ]
        errors = 3 if FAULT == "errors" and name in ("GET", "Total") else 0
        return {
            "Title": name,
            "total_requests": count,
            "total_objects": count,
            "total_errors": errors,
            "total_bytes": int(moved * elapsed),
            "concurrency": 4,
            "start_time": stamp(self.began),
            "end_time": stamp(end),
            "first_errors": ["Internal Error: disk full"] if errors else None,
            "hosts": self.flags["host"].split(","),
            "clients": self.clients,
            "throughput": {
                "start_time": stamp(self.began),
                "end_time": stamp(end),
                "errors": errors,
                "measure_duration_millis": int(elapsed * 1000),
                "bytes": moved * elapsed,
                "objects": rate * elapsed,
                "ops": count,
                "segmented": {"segments": segments, "segment_duration_millis": 1000},
            },
            "requests_by_client": {
                client: [
                    {
                        "start_time": stamp(self.began),
                        "end_time": stamp(end),
                        "single_sized_requests": {
                            "skipped": False,
                            "obj_size": SIZE,
                            "requests": count,
                            "dur_avg_millis": 20 if name == "GET" else 40,
                            "dur_99_millis": 90,
                        },
                    }
                ]
                for client in self.clients
            },
        }

    def write(self) -> None:
        """Write the result as WARP does: aggregated, or every request with --full."""
        name = self.flags["benchdata"]
        if "full" in self.flags:
            lines = [HEAD]
            for op in self.ops:
                for number in range(int(OPS[op] * self.seconds)):
                    start = self.began + timedelta(seconds=number / OPS[op])
                    left = self.seconds - number / OPS[op]
                    thread = number % 2 if FAULT == "early" else 0
                    if thread and left < self.seconds / 2:
                        continue
                    duration = timedelta(seconds=min(left, 0.01 + number % 100 / 1000))
                    size = SIZE if op in ("GET", "PUT") else 0
                    cells = [
                        number,
                        thread,
                        op,
                        self.clients[0],
                        1,
                        size,
                        "http://x",
                        "f",
                    ]
                    times = ["", stamp(start), "", stamp(start + duration)]
                    cells += [*times, int(duration.total_seconds() * 1e9), 0]
                    lines.append("\t".join(str(cell) for cell in cells))
            path, text = Path(f"{name}.csv.zst"), "\n".join([*lines, "# warp\n"])
        else:
            path = Path(f"{name}.json.zst")
            text = json.dumps(self.realtime(self.seconds, final=True))
        if FAULT != "no-file":
            raw = zstandard.ZstdCompressor().compress(text.encode())
            path.write_bytes(raw[:-9] if FAULT == "cut" else raw)


def serve(benchmark: Benchmark) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/v1/status":
                self.send_error(404)
                return
            body = json.dumps(benchmark.status, indent=2).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def do_DELETE(self) -> None:
            if self.path == "/v1/stop" and FAULT != "deaf":
                os._exit(0)  # The connection is dropped without an answer.
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    host, _, port = benchmark.flags["serve"].partition(":")
    ThreadingHTTPServer((host, int(port)), Handler).serve_forever()


def leave_object(flags: dict[str, str]) -> None:
    """Put an object into the bucket, for a stop to leave behind."""
    import httpx  # noqa: PLC0415

    base = f"http://{flags['host']}/{flags['bucket']}"
    httpx.put(base, timeout=60).raise_for_status()
    httpx.put(f"{base}/left behind", content=b"x", timeout=60).raise_for_status()


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # It dies of any signal at once.
    if not os.environ.get("WARP_ACCESS_KEY"):
        raise SystemExit("warp: <ERROR> no access key")
    command, *rest = sys.argv[1:]
    flags = dict(word.removeprefix("--").partition("=")[::2] for word in rest)
    if any("SECRET" in word for word in sys.argv):
        raise SystemExit("warp: <ERROR> a key on the command line")
    if os.environ.get("STANDIN_S3"):
        leave_object(flags)
    print(f"key {os.environ['WARP_SECRET_KEY']} must not be kept", file=sys.stderr)
    benchmark = Benchmark(flags, command)
    threading.Thread(target=serve, args=(benchmark,), daemon=True).start()
    benchmark.run()
    benchmark.over.wait()


main()
