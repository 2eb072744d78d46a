"""Results that were measured elsewhere: fio, VDBench, IOzone, WARP, a meter's log."""

import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import zstandard
from hypothesis import strategies as st

from app.record.imports.recognise import read_file
from instruments.errors import BenchError
from tests.fuzz.texts import json_near, mutated
from tests.fuzz.trial import fixtures, hunt_each

NAME = "imports"

_METER = b"""#Device;HMC8015
#Date;2026-03-31
#Version;01.403
#Serial No.;034889436
URMS[V]; IRMS[A]; P[W]; S[VA]; EMPTY; LAMBDA[]; Timestamp
2.300e+02;1.0e+00;2.2e+02;2.3e+02;;9.6e-01;12:00:00:000
2.301e+02;1.1e+00;2.3e+02;2.4e+02;;9.7e-01;12:00:00:100
2.302e+02;nan;2.3e+02;9.9e37;;9.7e-01;12:00:00:200
"""
_WARP_CSV = (
    "idx\tthread\top\tclient_id\tn_objects\tbytes\tendpoint\tfile\terror\tstart\t"
    "first_byte\tend\tduration_ns\n"
    + "".join(
        f"{n}\t1\tGET\tc\t1\t1000\th\tf\t\t2026-01-01T00:00:0{n}.5Z\t\t"
        f"2026-01-01T00:00:0{n + 1}.123456789Z\t600000000\n"
        for n in range(6)
    )
).encode()


def _segments() -> list[dict[str, object]]:
    return [
        {
            "start": f"2026-01-01T00:00:0{n}Z",
            "bytes_per_sec": 1.5e6 + n,
            "obj_per_sec": 15.5,
        }
        for n in range(4)
    ]


_WARP_JSON = json.dumps(
    {
        "final": True,
        "total": {
            "throughput": {
                "start_time": "2026-01-01T00:00:00Z",
                "end_time": "2026-01-01T00:00:08.5Z",
            },
            "clients": {"a": 1},
            "first_errors": ["x"],
        },
        "by_op_type": {
            "GET": {
                "total_requests": 100,
                "total_errors": 1,
                "throughput": {
                    "measure_duration_millis": 8000,
                    "bytes": 10**7,
                    "objects": 100,
                    "segmented": {"segments": _segments()},
                },
                "requests_by_client": {
                    "a": [
                        {
                            "single_sized_requests": {
                                "requests": 10,
                                "dur_avg_millis": 3.5,
                            },
                            "end_time": "2026-01-01T00:00:08Z",
                        }
                    ]
                },
            }
        },
    }
).encode()


def _reader(path: Path) -> Callable[[bytes], None]:
    def read(case: bytes) -> None:
        path.write_bytes(case)
        for keep in (False, True):
            with suppress(BenchError):
                read_file(path, keep_rest=keep)

    return read


def run(seconds: float, seed: int) -> tuple[int, list[str]]:
    """Try for so long; return the cases tried, and what was found."""
    documents = [*fixtures("imports/*.json", "imports/*/*.json"), _WARP_JSON]
    texts = [
        *fixtures("imports/*.txt", "imports/*.html", "engines/*", "fio/*.txt"),
        *(_METER, _WARP_CSV),
    ]
    packed = [zstandard.compress(each) for each in (_WARP_JSON, _WARP_CSV)]
    logs = fixtures("imports/*/*.log")
    with tempfile.TemporaryDirectory(prefix="fuzz-") as place:
        folder = Path(place)
        readers = {
            "documents": (
                _reader(folder / "a.json"),
                mutated(documents) | json_near(documents),
            ),
            "texts": (_reader(folder / "a.txt"), mutated(texts)),
            "packed": (
                _reader(folder / "a.json.zst"),
                mutated(packed)
                | st.builds(zstandard.compress, mutated([_WARP_JSON, _WARP_CSV])),
            ),
            "logs": (_reader(folder / "a_iops.1.log"), mutated(logs)),
            "latency logs": (_reader(folder / "a_clat_hist.1.log"), mutated(logs)),
        }
        return hunt_each(readers, seconds, seed)
