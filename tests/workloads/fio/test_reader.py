"""The reader of fio's output, on the output of a real fio."""

import json
import subprocess
import zlib
from pathlib import Path

import pytest

from instruments.reading import SECOND, Reading
from instruments.tools.command import start
from workloads.fio import reader as fio_reader
from workloads.fio.live import FioLive
from workloads.fio.reader import FioReader, moment_of
from workloads.fio.stream import DocumentStream


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fio") / "all.json"
    job = (
        *("fio", "--name=x", "--ioengine=null", "--size=1m", "--rw=write", "--thread"),
        *("--time_based", "--runtime=1500ms", "--rate_iops=1000", "--bs=4k"),
        *("--output-format=json+", "--status-interval=250ms", f"--output={path}"),
    )
    subprocess.run(job, check=True)
    return path


def read(output: Path) -> tuple[FioReader, list[Reading]]:
    readings: list[Reading] = []
    live = FioLive("fio", ("write",), 0, readings.append)
    with start(["cat", str(output)]) as cat:
        reader = FioReader(cat, live)
        reader.run()
    return reader, readings


def test_everything_is_kept_and_what_was_written_is_counted(output: Path) -> None:
    reader, readings = read(output)
    text = output.read_bytes()
    assert zlib.decompress(reader.compressed()) == text
    assert reader.last == list(DocumentStream().feed(text))[-1][0]
    assert len(readings) >= 4
    assert reader.newly_written() == reader.last["jobs"][0]["write"]["io_bytes"]
    assert reader.newly_written() == 0


def test_of_a_long_load_the_beginning_and_the_end_are_kept(
    output: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fio_reader, "MOST_KEPT", 0)
    monkeypatch.setattr(fio_reader, "_CHUNK", 4096)
    reader, _ = read(output)
    kept = zlib.decompress(reader.compressed())
    assert len(kept) < output.stat().st_size
    assert b"bytes were not kept" in kept
    last = kept[kept.rindex(b"\n{\n") :]
    assert json.loads(last) == reader.last


@pytest.mark.parametrize(
    ("stamp_ms", "expected"),
    [(99_990, 9_990), (100_001, 10_000), (50_000, 10_000), (0, 10_000)],
)
def test_a_stamp_that_cannot_be_is_not_believed(stamp_ms: int, expected: int) -> None:
    document = {"timestamp_ms": stamp_ms}
    moment = moment_of(document, 10 * SECOND, 100 * SECOND)
    assert moment == pytest.approx(expected * 1_000_000, abs=1_000_000)
