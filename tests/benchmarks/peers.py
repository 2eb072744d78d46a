"""Other programs that record and load ticks; run by a Python that has them.

`python peers.py qcodes|pymeasure TICKS.npz FOLDER` prints JSON: processor time and wall
time of writing and of loading, and bytes of the file. Ten ticks, a second of them,
are durable at a time: QCoDeS commits as it ships (WAL, synchronous FULL), PyMeasure's
file, which it only flushes, is synchronised here.
"""

import gc
import json
import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

DURABLE = 10
LOADS = 5
LONG_S = 3.0
"""Of the processor: what takes longer to load is loaded once."""


def qcodes(times: Any, values: Any, folder: Path) -> tuple[Path, Any, Any]:
    """Add a result a tick; load the run by its number."""
    data = import_module("qcodes.dataset")
    path = folder / "ticks.db"
    data.initialise_or_create_database_at(str(path))
    measurement = data.Measurement(exp=data.load_or_create_experiment("ticks", "dut"))
    measurement.register_custom_parameter("time", unit="s")
    names = [f"c{number}" for number in range(values.shape[1])]
    for name in names:
        measurement.register_custom_parameter(name, setpoints=("time",))
    runs: list[int] = []

    def write() -> None:
        with measurement.run() as saver:
            for number, (moment, row) in enumerate(zip(times, values, strict=True), 1):
                saver.add_result(("time", moment), *zip(names, row, strict=True))
                if number % DURABLE == 0:
                    saver.flush_data_to_database()
            runs.append(saver.run_id)

    def load() -> Any:
        found = data.load_by_id(runs[0]).get_parameter_data()
        return np.column_stack([found[name][name] for name in names])

    return path, write, load


def pymeasure(times: Any, values: Any, folder: Path) -> tuple[Path, Any, Any]:
    """Emit a row a tick to the handler of its recorder; load the results."""
    experiment = import_module("pymeasure.experiment")
    listeners = import_module("pymeasure.experiment.listeners")
    names = [f"c{number}" for number in range(values.shape[1])]

    class Ticks(experiment.Procedure):  # type: ignore[misc, name-defined]
        DATA_COLUMNS = ("time", *names)

    path = folder / "ticks.csv"
    results = experiment.Results(Ticks(), str(path))

    def write() -> None:
        [handler] = listeners.Recorder(results, None).handlers
        for number, (moment, row) in enumerate(zip(times, values, strict=True), 1):
            handler.emit({"time": moment, **dict(zip(names, row, strict=True))})
            if number % DURABLE == 0:
                os.fsync(handler.stream.fileno())
        handler.close()

    def load() -> Any:
        found = experiment.Results.load(str(path), procedure_class=Ticks).data
        return found[names].to_numpy()

    return path, write, load


def measured(
    path: Path, write: Callable[[], object], load: Callable[[], Any], values: Any
) -> dict[str, float]:
    """Write once and load some times; what is loaded has to be what was written."""
    gc.collect()
    gc.freeze()  # The ticks in hand are no garbage of whoever records them.
    begin, work = time.perf_counter(), time.process_time()
    write()
    found = {
        "write_s": time.process_time() - work,
        "write_wall_s": time.perf_counter() - begin,
    }
    busy: list[float] = []
    took: list[float] = []
    while len(busy) < LOADS and sum(busy) < LONG_S:
        begin, work = time.perf_counter(), time.process_time()
        loaded = load()
        busy.append(time.process_time() - work)
        took.append(time.perf_counter() - begin)
        # QCoDeS gives 15 digits back, as SQLite writes them.
        assert np.allclose(loaded, values, rtol=1e-14, atol=0), "other values"
    size = sum(one.stat().st_size for one in path.parent.glob(f"{path.name}*"))
    return found | {
        "load_s": median(busy),
        "load_wall_s": median(took),
        "bytes": float(size),
    }


if __name__ == "__main__":
    how, source, place = sys.argv[1:]
    ticks = np.load(source)
    rows = ticks["values"]
    use = {"qcodes": qcodes, "pymeasure": pymeasure}[how]
    own = use(ticks["times"].tolist(), rows, Path(place))
    print(json.dumps(measured(*own, rows)))
