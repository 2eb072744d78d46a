"""The VISA transport against real sockets that behave badly."""

import gc
import os
import pty
import select
import socket
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress

import pytest

from instruments.errors import SourceError
from instruments.link.transport import VisaTransport, _inner
from instruments.reading import Status
from instruments.simulated.faults import Faults
from instruments.simulated.meters.vxi11 import Vxi11Server

TIMEOUT_S, PATIENCE_S = 0.4, 60.0

Behaviour = Callable[[socket.socket], None]


@contextmanager
def peer(behave: Behaviour) -> Iterator[str]:
    """Serve one connection; give the resource string that reaches it."""

    def serve() -> None:
        connection, _ = listening.accept()
        # The other end may hang up before it read all, or while it is sent more.
        with connection, suppress(ConnectionError):
            behave(connection)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve)
        thread.start()
        yield f"TCPIP::127.0.0.1::{listening.getsockname()[1]}::SOCKET"
        thread.join()


def ask(
    resource: str, timeout_s: float = PATIENCE_S
) -> tuple[SourceError, float, float]:
    """Ask in vain; give the error, and the seconds of time and of processor it took."""
    transport = VisaTransport(resource, timeout_s)
    began, busy = time.monotonic(), time.thread_time()
    with pytest.raises(SourceError) as caught:
        transport.query("*IDN?")
    taken = time.monotonic() - began, time.thread_time() - busy
    with pytest.raises(SourceError, match="closed after an error"):
        transport.query("*IDN?")
    transport.close()
    return caught.value, *taken


def hear(connection: socket.socket) -> bytes:
    return connection.recv(4096)


def test_lines_go_out_and_come_back_without_their_ends() -> None:
    heard: list[bytes] = []

    def behave(connection: socket.socket) -> None:
        heard.append(hear(connection))
        connection.sendall(b"one,two\r\n")
        while piece := hear(connection):
            heard.append(piece)

    with peer(behave) as resource:
        transport = VisaTransport(resource, PATIENCE_S)
        assert transport.query("*IDN?") == "one,two"
        transport.write("SYST:LOC")
        transport.close()
        transport.close()
    assert b"".join(heard) == b"*IDN?\nSYST:LOC\n"


def test_two_writes_and_a_query_do_not_wait_for_acknowledgement() -> None:
    def behave(connection: socket.socket) -> None:
        with connection.makefile("rb") as lines:
            for line in lines:
                if line.endswith(b"?\n"):
                    connection.sendall(b"1\n")

    with peer(behave) as resource:
        transport = VisaTransport(resource, PATIENCE_S)
        assert transport._session is not None
        link = _inner(transport._session).interface
        # Without it, 20 of these take 0.9 s.
        assert link.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        transport.write("A")
        transport.write("B")
        assert transport.query("C?") == "1"
        transport.close()


def test_a_silent_peer_is_a_time_out() -> None:
    def behave(connection: socket.socket) -> None:
        while hear(connection):
            pass

    with peer(behave) as resource:
        error, seconds, _ = ask(resource, TIMEOUT_S)
    assert error.status is Status.TIMEOUT
    assert seconds >= TIMEOUT_S
    assert f"no answer within {TIMEOUT_S:g} s" in str(error)
    assert resource in str(error)


def test_a_vxi_11_instrument_that_hangs_is_a_time_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    released = threading.Event()

    def hang(_line: str) -> None:
        released.wait()

    with closing(Vxi11Server(hang, Faults())) as server:
        error, *_ = ask(server.resource, TIMEOUT_S)
        released.set()
    assert error.status is Status.TIMEOUT
    assert f"no answer within {TIMEOUT_S:g} s" in str(error)
    del error
    gc.collect()
    assert not caplog.records  # pyvisa would tell of a second closing, which fails


@pytest.mark.parametrize("half", [b"", b"Rohde&Schwa"])
def test_a_peer_that_goes_away_is_known_at_once(half: bytes) -> None:
    def behave(connection: socket.socket) -> None:
        hear(connection)
        connection.sendall(half)

    with peer(behave) as resource:
        error, seconds, busy = ask(resource)
    assert error.status is Status.ERROR
    assert "closed at the other end" in str(error)
    assert seconds < PATIENCE_S / 2
    assert busy < PATIENCE_S / 20


def test_a_reset_is_known_at_once() -> None:
    def behave(connection: socket.socket) -> None:
        hear(connection)
        linger = (1).to_bytes(4, "little") + (0).to_bytes(4, "little")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)

    with peer(behave) as resource:
        error, seconds, _ = ask(resource)
    assert "closed at the other end" in str(error)
    assert seconds < PATIENCE_S / 2


def test_an_answer_that_does_not_end_is_a_time_out() -> None:
    def behave(connection: socket.socket) -> None:
        hear(connection)
        try:
            while True:
                connection.sendall(b"1")
                time.sleep(0.01)
        except OSError:
            pass

    with peer(behave) as resource:
        error, seconds, _ = ask(resource, TIMEOUT_S)
    assert error.status is Status.TIMEOUT
    assert seconds < PATIENCE_S


def test_bytes_that_are_no_text() -> None:
    def behave(connection: socket.socket) -> None:
        hear(connection)
        connection.sendall(b"\xff\xfe\x00\n")
        hear(connection)

    with peer(behave) as resource:
        error, _, _ = ask(resource)
    assert "bytes that are not text" in str(error)


@pytest.mark.parametrize("at_once", [True, False])
def test_a_line_that_nobody_asked_for_does_not_shift_the_answers(at_once: bool) -> None:
    sent = threading.Event()

    def behave(connection: socket.socket) -> None:
        hear(connection)
        if at_once:
            connection.sendall(b"one\ntwo\n")
        else:
            connection.sendall(b"one\n")
            connection.sendall(b"two\n")
        sent.set()
        hear(connection)

    with peer(behave) as resource:
        transport = VisaTransport(resource, PATIENCE_S)
        assert transport.query("A?") == "one"
        assert sent.wait(PATIENCE_S)
        with pytest.raises(SourceError, match=r'it sent "two" although nothing was as'):
            transport.query("B?")
        transport.close()


def test_white_space_after_an_answer_is_nothing() -> None:
    def behave(connection: socket.socket) -> None:
        for answer in (b"one\n\r", b"two\n\r"):
            hear(connection)
            connection.sendall(answer)
        hear(connection)

    with peer(behave) as resource:
        transport = VisaTransport(resource, PATIENCE_S)
        assert [transport.query("A?"), transport.query("B?")] == ["one", "two"]
        transport.close()


def test_nothing_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    error, seconds, _ = ask(f"TCPIP::127.0.0.1::{port}::SOCKET")
    assert "connection refused" in str(error)
    assert seconds < PATIENCE_S / 2


@pytest.mark.parametrize(
    ("resource", "sentence"),
    [
        ("", "not an address of an instrument"),
        ("rubbish", "not an address of an instrument"),
        ("192.168.1.5", "not an address of an instrument"),
        ("TCPIP::127.0.0.1::5025::SOCKETS", "not an address of an instrument"),
        ("TCPIP::127.0.0.1::99999::SOCKET", "not an address of an instrument"),
        ("TCPIP::127.0.0.1::x::SOCKET", "not an address of an instrument"),
        ("TCPIP::no-such-host.invalid::5025::SOCKET", "no such host"),
        ("ASRL/dev/no-such-port::INSTR", "no such device is plugged in"),
    ],
)
def test_addresses_that_lead_nowhere(resource: str, sentence: str) -> None:
    with pytest.raises(SourceError, match=sentence) as caught:
        VisaTransport(resource, TIMEOUT_S)
    assert "\n" not in str(caught.value)


def test_another_thread_is_a_bug_of_ours() -> None:
    failures: list[BaseException] = []

    def misuse() -> None:
        for call in (lambda: transport.query("*IDN?"), transport.close):
            try:
                call()
            except RuntimeError as error:
                failures.append(error)

    def behave(connection: socket.socket) -> None:
        hear(connection)

    with peer(behave) as resource:
        transport = VisaTransport(resource, TIMEOUT_S)
        thread = threading.Thread(target=misuse)
        thread.start()
        thread.join()
        transport.close()
    assert len(failures) == 2


def test_a_serial_line_that_never_ends_is_left_in_time() -> None:
    """Piece after piece comes in time, and no piece has an end of line."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    os.set_blocking(ours, False)
    is_over = threading.Event()

    def pour() -> None:
        while not is_over.is_set():
            select.select([], [ours], [], 0.05)
            with suppress(BlockingIOError):
                os.write(ours, b"1" * 1024)

    transport = VisaTransport(f"ASRL{os.ttyname(theirs)}::INSTR", TIMEOUT_S)
    thread = threading.Thread(target=pour)
    thread.start()
    try:
        with pytest.raises(SourceError, match=r"no answer within 0\.4 s"):
            transport.query("*IDN?")
    finally:
        transport.close()
        is_over.set()
        thread.join()
        os.close(theirs)
        os.close(ours)
