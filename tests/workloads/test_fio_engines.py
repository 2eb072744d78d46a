"""The I/O engines of fio that are open, with the real fio where it has them."""

import re
import threading
from pathlib import Path

import pytest

from tests.fio_said import counted_iops
from workloads.base import LoadOutcome
from workloads.fio.fine import with_logs
from workloads.fio.job_check import check_options
from workloads.fio.load import Fio
from workloads.fio_job import FioJob
from workloads.target.scratch import prepare

SIZE = 16 * 2**20


@pytest.mark.parametrize("engine", ["libaio", "psync", "io_uring", "null"])
@pytest.mark.parametrize("rw", ["randrw"])
def test_an_engine_runs_and_tells_its_values(
    tmp_path: Path, engine: str, rw: str
) -> None:
    options = {"rw": rw, "bs": "4k", "ioengine": engine, "iodepth": "4"}
    if engine != "null":
        options["rate_iops"] = "300"
    check_options(options)
    scratch = prepare(tmp_path / "x", SIZE, threading.Event(), lambda _: None)
    before = scratch.path.read_bytes()
    job = FioJob("x", (scratch.path,), SIZE, 1, 0, scratch.direct, options)
    said: list[str] = []
    load = Fio(with_logs(job))
    result = load.run(
        lambda _: None, lambda _, text: said.append(text), threading.Event()
    )
    scratch.close()
    if engine == "io_uring" and result.outcome is LoadOutcome.FAILED:
        # The kernel may forbid it (kernel.io_uring_disabled, seccomp).
        assert re.search("not permitted|not supported|not implemented", result.reason)
        assert result.values == {}
        pytest.skip(f"this kernel has no io_uring for us ({result.reason})")
    assert result.outcome is LoadOutcome.DONE, result.reason
    both = result.values["read_iops"].value, result.values["write_iops"].value
    if engine == "null":
        assert min(both) > 10_000
        assert scratch.path.read_bytes() == before
        assert result.logs == ()
    else:
        kept = {a.name: a.content for a in result.artefacts}["fio-output.json.zz"]
        assert sum(both) == pytest.approx(counted_iops(kept), rel=0.01)
        assert 0 < min(both) <= max(both) < 330
        assert scratch.path.read_bytes() != before
        assert len(result.logs) == 3
    assert said == []
