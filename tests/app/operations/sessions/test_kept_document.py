"""Raw outputs as text, and the place of a figure in them."""

import zlib
from pathlib import Path

import pytest

from app.operations.sessions.explaining import explain_text
from app.operations.sessions.kept_document import kept_document
from app.record.store import Result, Writer
from instruments.errors import BadInput
from instruments.metric import in_order
from instruments.reading import SECOND
from tests.session_info import session_info

DOCUMENT = '{"iops": 15996.252810,\n"ü": "14996.25x",\n"iops": 14996.252810}\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    writer = Writer.create(tmp_path / "s.bayscope", session_info())
    step = writer.add_step(1, "Read", "fio", 'label = "Read"\n')
    writer.update_step(step, window_start_ns=0, window_end_ns=SECOND)
    for name, content in (
        ("fio-output.json.zz", zlib.compress(DOCUMENT.encode())),
        ("long.json.zz", zlib.compress(b"0123456789abcdef" * (1 << 17))),
        ("stdout.txt", b"a\r\nb\x1b[1m"),
        ("damaged.zz", b"no zlib"),
        ("short.zz", zlib.compress(DOCUMENT.encode())[:-5]),
        ("empty.zz", b""),
        ("ops.csv.zst", b"\xff\xfe\x00\x81"),
    ):
        writer.artefact(step, name, "text/plain", content)
    origin = "fio-output.json.zz, last document"
    window = 0, SECOND
    writer.result(step, Result("iops", 14996.252810392205, "1/s", *window, 1, 1))
    writer.result(step, Result("power_w", None, "W", *window, 3, 20, origin))
    writer.finish()
    return writer.path


@pytest.mark.parametrize("value", [14996.252810392205, 14.99625281, 0.0149962528])
def test_a_figure_is_found_where_it_stands_last(path: Path, value: float) -> None:
    found = kept_document(path, 1, "fio-output.json.zz", value)
    assert found.text == DOCUMENT
    assert found.text[found.place :].startswith(found.figure)
    assert found.place == DOCUMENT.rindex("14996")


@pytest.mark.parametrize(
    "printed", ["1108999", "10000000", "34851.1", "348.512", "0.348512", "99999999999"]
)
@pytest.mark.parametrize("factor", [1.0, 1e3, 1e6])
def test_a_figure_is_found_in_whatever_unit_it_was_printed(
    tmp_path: Path, printed: str, factor: float
) -> None:
    writer = Writer.create(tmp_path / "s.bayscope", session_info())
    step = writer.add_step(1, "Read", "fio", 'label = "Read"\n')
    writer.artefact(step, "stdout.txt", "text/plain", printed.encode())
    writer.finish()
    found = kept_document(writer.path, 1, "stdout.txt", float(printed) / factor)
    assert (found.place, found.text) == (0, printed)
    assert len(found.figure) >= 5
    assert printed.startswith(found.figure)


@pytest.mark.parametrize("value", [None, 0.0, 99.0, 4996.25281])
def test_a_figure_that_does_not_stand_there_has_no_place(
    path: Path, value: float | None
) -> None:
    found = kept_document(path, 1, "fio-output.json.zz", value)
    assert (found.figure, found.place) == ("", 0)


def test_of_a_long_output_the_end_is_read(path: Path) -> None:
    found = kept_document(path, 1, "long.json.zz", None)
    assert len(found.text) == found.omitted == 1 << 20
    assert found.text.endswith("abcdef")


def test_no_character_of_a_terminal_acts(path: Path) -> None:
    text = kept_document(path, 1, "stdout.txt", None).text
    assert text.startswith("a\nb")
    assert "\x1b" not in text


@pytest.mark.parametrize(
    "name", ["damaged.zz", "short.zz", "empty.zz", "ops.csv.zst", "nothing"]
)
def test_what_is_no_text_is_said_to_be_none(path: Path, name: str) -> None:
    with pytest.raises(BadInput):
        kept_document(path, 1, name, None)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("power_w", "only 3 of 20 samples"),
        ("noise_db", "(fio)"),
        ("iops_per_w", "no power_w"),
    ],
)
def test_a_blank_cell_says_why(path: Path, name: str, why: str) -> None:
    text = explain_text(path, "Read", name)
    assert ": blank\n" in text
    assert why in text


def test_percentiles_are_in_the_order_of_their_numbers() -> None:
    names = ["x", "latency_p99_99_ms", "latency_p99_9_ms", "latency_p99_ms", "iops"]
    assert sorted(names, key=in_order) == [*names[:0:-1], "x"]
