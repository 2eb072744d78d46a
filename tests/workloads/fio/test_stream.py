"""fio's output divided into documents and messages."""

import json

import pytest

from workloads.fio.stream import DocumentStream, error_text, job_errors

DOCUMENT = {"jobs": [{"jobname": "a", "x": {"y": "}"}}]}
OUTPUT = (
    "note: both iodepth >= 1\n"
    f"{json.dumps(DOCUMENT, indent=2)}\n\nfio: bye\n"
    f"{json.dumps(DOCUMENT, indent=1)}\n{{odd\n"
).encode()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100, 10_000])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_documents_and_messages_are_told_apart(size: int, end: bytes) -> None:
    stream = DocumentStream()
    found: list[tuple[dict[str, object], bytes]] = []
    output = OUTPUT.replace(b"\n", end)
    for at in range(0, len(output), size):
        found += stream.feed(output[at : at + size])
    assert [document for document, _ in found] == [DOCUMENT, DOCUMENT]
    assert all(json.loads(text) == DOCUMENT for _, text in found)
    assert stream.messages == ["note: both iodepth >= 1", "fio: bye", "{odd"]


def test_what_is_said_of_a_document_stands_in_its_place() -> None:
    stream = DocumentStream()
    for document, _ in stream.feed(OUTPUT):
        stream.messages.append(f"took {document['jobs'][0]['jobname']}")
    assert stream.messages == [
        "note: both iodepth >= 1",
        "took a",
        "fio: bye",
        "took a",
        "{odd",
    ]


def test_garbage_between_braces_is_a_message() -> None:
    stream = DocumentStream()
    assert list(stream.feed(b"{\n half a\n}\n")) == []
    assert "not JSON" in stream.messages[0]


def test_the_error_is_picked_out_of_the_messages() -> None:
    messages = [
        "note: both iodepth >= 1",
        "fio: pid=1, err=5/file:b.c:471, func=full resid, error=Input/output error",
    ]
    assert error_text(messages) == "Input/output error (full resid)"
    assert error_text(["fio: terminating on signal 2"]) == ""


def test_job_errors_are_listed() -> None:
    document = {"jobs": [{"jobname": "a", "error": 0}, {"jobname": "b", "error": 5}]}
    assert list(job_errors(document)) == [("b", 5)]


def test_a_message_is_shown_without_what_cannot_be_shown() -> None:
    stream = DocumentStream()
    list(stream.feed(b"fio: \x1b[31mred\x07\n"))
    list(stream.feed(b"x" * 10_000 + b"\n"))
    assert stream.messages[0] == "fio: \ufffd[31mred\ufffd"
    assert len(stream.messages[1]) < 400


def test_output_without_an_end_takes_bounded_memory() -> None:
    stream = DocumentStream()
    held = 0
    for _ in range(200):
        list(stream.feed(b"x" * 65_536))
        held = max(held, len(stream._rest))
    for _ in range(20):
        list(stream.feed(b"note\n" * 10_000))
    assert held < 10 * 65_536
    assert sum(map(len, stream.messages)) < 10**7


def test_a_document_of_brackets_is_a_message() -> None:
    stream = DocumentStream()
    text = b"{\n" + b'"jobs":' + b"[" * 100_000 + b"\n}\n"
    assert list(stream.feed(text)) == []
    assert "not JSON" in stream.messages[0]
