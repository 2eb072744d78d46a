"""Threads that run before a load, as seen from the kernel."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from instruments.priority import busy_told, keep_the_beat
from instruments.simulated.process import SimulatorProcess
from tests.needs import raised_priority


def nice_of(task: int) -> int:
    return os.getpriority(os.PRIO_PROCESS, task)


@raised_priority
def test_only_the_thread_that_asks_is_raised_and_what_it_starts() -> None:
    found: dict[str, int] = {}

    def work() -> None:
        before = nice_of(threading.get_native_id())
        keep_the_beat()
        found["change"] = nice_of(threading.get_native_id()) - before
        found["main"] = nice_of(threading.main_thread().native_id or 0) - before

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found["change"] < 0
    assert found["main"] == 0


@raised_priority
def test_a_simulated_bench_keeps_its_beat_in_all_of_its_threads() -> None:
    with SimulatorProcess() as simulator:
        tasks = [*Path(f"/proc/{simulator.pid}/task").iterdir()]
        assert len(tasks) > 1
        assert all(nice_of(int(task.name)) < 0 for task in tasks)


def test_who_may_not_ask_for_it_goes_on_as_before() -> None:
    script = """if True:
        import json, os, resource
        from instruments.priority import keep_the_beat
        resource.setrlimit(resource.RLIMIT_NICE, (0, 0))
        if not os.getuid():
            os.setresuid(65534, 65534, 65534)
        keep_the_beat()
        print(json.dumps(os.getpriority(os.PRIO_PROCESS, 0)))
    """
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == nice_of(0)


@pytest.mark.parametrize(("load", "is_told"), [(0.5, False), (1e4, True)])
def test_a_busy_machine_is_told_of(
    monkeypatch: pytest.MonkeyPatch, load: float, is_told: bool
) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    assert bool(busy_told()) == is_told
