"""A UDP service on loopback that answers everything with the same bytes."""

import socket
import threading


class Babbler:
    """Answers every datagram, or none; use it in a `with` block.

    Attributes:
        port: Where it listens on 127.0.0.1.
        heard: How many datagrams came.

    Args:
        answer: What it says; nothing at all where it is empty.
        port: Where it listens; 0 for any.
    """

    def __init__(self, answer: bytes, port: int = 0) -> None:
        self._answer = answer
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", port))
        self._socket.settimeout(0.05)
        self.port = int(self._socket.getsockname()[1])
        self.heard = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._babble, daemon=True)

    def __enter__(self) -> "Babbler":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join(5)
        self._socket.close()

    def _babble(self) -> None:
        while not self._ended.is_set():
            try:
                _, peer = self._socket.recvfrom(4096)
            except TimeoutError:
                continue
            self.heard += 1
            if self._answer:
                self._socket.sendto(self._answer, peer)
