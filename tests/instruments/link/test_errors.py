"""What a failed link is called."""

import errno

import pytest
from pyvisa.constants import StatusCode
from pyvisa.errors import VisaIOError

from instruments.link.errors import explain
from instruments.reading import Status


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (ConnectionRefusedError(), "connection refused"),
        (ConnectionResetError(), "closed at the other end"),
        (TimeoutError(), "no answer within 1.5 s"),
        (Exception("could not connect: -1073807339"), "no answer within 1.5 s"),
        (OSError(errno.EHOSTUNREACH, "No route to host"), "does not reach it"),
        (OSError(errno.EIO, "Input/output error"), "unplugged"),
        (OSError(errno.ENODEV, "No such device"), "unplugged"),
        (
            OSError("read failed: device reports readiness (device disconnected?)"),
            "unplugged",
        ),
        (OSError("write failed: [Errno 5] Input/output error"), "unplugged"),
        (OSError("read failed: (5, 'Input/output error')"), "unplugged"),
        (PermissionError(errno.EACCES, "Permission denied"), "may not use"),
        (OSError(errno.EBUSY, "Resource busy"), "another program"),
        (OSError(errno.ENOENT, "could not open port"), "no such device"),
        (ValueError("No device found."), "no such device"),
        (ValueError("Please install PyUSB to use this"), "not installed"),
        (UnicodeError(), "not text"),
        (ValueError("strange"), r"cannot be reached \(strange\)"),
    ],
)
def test_every_failure_has_a_sentence_and_a_way_out(
    error: Exception, what: str
) -> None:
    found = explain(error, "mains", 1.5)
    with pytest.raises(type(found), match=what):
        raise found
    assert found.way_out
    assert found.where == "mains"
    assert (found.status is Status.TIMEOUT) is what.startswith("no answer")


@pytest.mark.parametrize(
    "error", [Exception("error creating link: 3"), VisaIOError(StatusCode.error_io)]
)
def test_an_error_of_vxi_11_that_took_its_time_is_a_time_out(error: Exception) -> None:
    assert explain(error, "mains", 1.5, 2.5).status is Status.TIMEOUT
    at_once = explain(error, "mains", 1.5, 0.1)
    assert at_once.status is Status.ERROR
    assert "cannot be reached" in at_once.what


def test_an_address_without_socket_is_said_to_lack_it() -> None:
    found = explain(ConnectionRefusedError(), "TCPIP::192.0.2.5::15999", 1.5)
    assert '"TCPIP::192.0.2.5::15999::SOCKET"' in found.way_out
    vxi = explain(ConnectionRefusedError(), "TCPIP::192.0.2.5::INSTR", 1.5)
    assert "SOCKET" not in vxi.way_out
