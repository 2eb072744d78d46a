"""What loads print while they run: fio's documents, and the lines of the others."""

from tests.fuzz.texts import mutated
from tests.fuzz.trial import fixtures, hunt_each
from workloads.fio.live import FioLive
from workloads.fio.stream import DocumentStream, error_text, job_errors
from workloads.iozone import output as iozone_output
from workloads.vdbench.output import Report, flatfile_average, io_errors
from workloads.vdbench.values import live_values

NAME = "streams"


def _fio(case: bytes) -> None:
    stream = DocumentStream()
    live = FioLive("fio", ("read", "write"), 0, lambda _: None)
    moment = 10**9
    for start in range(0, len(case), 5000):
        for document, _ in stream.feed(case[start : start + 5000]):
            moment += 10**9
            try:
                live.take(document, moment)
                list(job_errors(document))
            except (KeyError, TypeError, ValueError, AttributeError):
                continue
    live.window()
    error_text(stream.messages)
    assert all(len(message) < 1000 for message in stream.messages)


def _vdbench(case: bytes) -> None:
    text = case.decode("utf-8", "replace")
    report = Report()
    for line in text.splitlines():
        row = report.feed(line)
        if row is not None:
            live_values(row)
    flatfile_average(text, report.rd)
    io_errors(text)


def _iozone(case: bytes) -> None:
    text = case.decode("utf-8", "replace")
    iozone_output.parse(text)
    iozone_output.errors(text)


def run(seconds: float, seed: int) -> tuple[int, list[str]]:
    """Try for so long; return the cases tried, and what was found."""
    documents = fixtures("imports/fio-2*.json", "imports/fio-3.1/*.json")
    texts = fixtures("imports/vdbench*", "fio/*.txt")
    readers = {
        "fio": (_fio, mutated([b"\n".join([document] * 3) for document in documents])),
        "vdbench": (_vdbench, mutated(texts)),
        "iozone": (_iozone, mutated(fixtures("engines/*"))),
    }
    return hunt_each(readers, seconds, seed)
