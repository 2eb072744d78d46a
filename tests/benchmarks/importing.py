"""Measures of the import: megabytes of finished files a second, into a session."""

import io
import json
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from app.operations.sessions.import_files import import_files
from app.record.imports.answers import parse_answers
from app.record.store import Session
from tests.benchmarks.figure import Figure

DEVICES = 60
DOCUMENTS = 60
BINS = 200
LOG_ROWS = 1_000_000
METER_ROWS = 200_000
REQUESTS = 100_000
_START_S = 1_700_000_000
_DIRECTORY = "out"


def importing(folder: Path) -> list[Figure]:
    """Every kind of file from disk to a finished session, hash and all."""
    made = {
        "fio JSON": (_documents(folder / "run.json"), "documents of 60 devices, json+"),
        "fio log": (_log(folder / "run_bw.1.log"), "rows of 100 ms windows"),
        "HMC8015 log": (_meter(folder / "LOG0.CSV"), "rows of ten functions"),
        "WARP csv": (_requests(folder / "warp.csv"), "single requests, unpacked"),
    }
    answers = parse_answers(zone="UTC", day="2023-11-14", offsets=("0",))
    figures = []
    for kind, ((path, count), what) in made.items():
        begin = time.perf_counter()
        done = import_files([path], folder / _DIRECTORY, answers)
        spent = time.perf_counter() - begin
        with Session.open(done.session) as session:
            assert session.channels(), "nothing was imported"
        size = path.stat().st_size / 1e6
        how = f"{size:.1f} MB, {count:,} {what}"
        speed = f"{size / spent:.1f}"
        figures.append(Figure(f"import, {kind}", speed, "MB/s", "", how))
    return figures


def _documents(path: Path) -> tuple[Path, int]:
    """Write what fio prints with --status-interval of 60 devices."""
    rng = np.random.default_rng(4)
    values = [str(1000 + 64 * place) for place in range(BINS)]
    shares = rng.integers(1, 9, BINS)
    with path.open("w", encoding="utf-8") as file:
        for number in range(1, DOCUMENTS + 1):
            ios = int(shares.sum()) * number
            bins = {v: int(s) * number for v, s in zip(values, shares, strict=True)}
            lat = {"min": 900, "max": 99_000, "mean": 7400.5, "stddev": 5.0, "N": ios}
            side = {
                "io_bytes": 4096 * ios,
                "io_kbytes": 4 * ios,
                "runtime": 500 * number,
                "total_ios": ios,
                "lat_ns": lat,
                "clat_ns": {**lat, "bins": bins},
            }
            none = {"io_bytes": 0, "io_kbytes": 0, "runtime": 0, "total_ios": 0}
            jobs = [
                {
                    "jobname": f"d{device}",
                    "groupid": 0,
                    "error": 0,
                    "elapsed": number // 2,
                    "read": side,
                    "write": none,
                }
                for device in range(DEVICES)
            ]
            document = {
                "fio version": "fio-3.33",
                "timestamp_ms": 1000 * _START_S + 500 * number,
                "jobs": jobs,
            }
            file.write(json.dumps(document, indent=2) + "\n")
    return path, DOCUMENTS


def _log(path: Path) -> tuple[Path, int]:
    times = 100 * (np.arange(LOG_ROWS // 2) + 1)
    values = np.random.default_rng(5).integers(90_000, 110_000, LOG_ROWS // 2)
    rows = np.zeros((LOG_ROWS // 2 * 2, 5), np.int64)
    rows[0::2, 0] = rows[1::2, 0] = times
    rows[0::2, 1] = rows[1::2, 1] = values
    rows[1::2, 2] = 1
    text = io.StringIO()
    np.savetxt(text, rows, "%d", ", ")
    path.write_text(text.getvalue(), encoding="ascii")
    return path, len(rows)


def _meter(path: Path) -> tuple[Path, int]:
    rng = np.random.default_rng(6)
    columns = "URMS[V]; IRMS[A]; P[W]; FU[Hz]; S[VA]; Q[var]; LAMBDA[]; UTHD[%]"
    lines = ["#Device;HMC8015", f"{columns}; Timestamp"]
    power = 600 + 20 * rng.standard_normal(METER_ROWS)
    for number, value in enumerate(power):
        at = _START_S + number / 10
        moment = datetime.fromtimestamp(at, UTC)
        clock = f"{moment:%H:%M:%S}:{moment.microsecond // 1000:03}"
        lines.append(
            f"231.27E+00;2.7E+00;{value:.2f}E+00;50.0E+00;620.38E+00; 107.98E+00; "
            f"979E-03; 2E+00; {clock}"
        )
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return path, METER_ROWS


def _requests(path: Path) -> tuple[Path, int]:
    names = "idx thread op client_id n_objects bytes endpoint file error start"
    lines = ["\t".join(f"{names} first_byte end duration_ns".split())]
    begin = datetime.fromtimestamp(_START_S, UTC)
    for number in range(REQUESTS):
        seconds = number / 500
        moment = datetime.fromtimestamp(begin.timestamp() + seconds, UTC)
        stamp = f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond:06}123Z"
        operation = "GET" if number % 4 else "PUT"
        lines.append(
            f"{number}\t{number % 20}\t{operation}\tc1\t1\t10485760\t"
            f"http://10.0.0.9:9000\tobject\t\t{stamp}\t\t{stamp}\t38000000"
        )
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return path, REQUESTS
