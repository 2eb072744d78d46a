"""An SNMP agent that breaks the rules: it answers a walk as it is told to."""

import socket
import threading
from collections.abc import Sequence

from pyasn1.codec.ber import decoder, encoder  # type: ignore[import-untyped]
from pysnmp.proto import api  # type: ignore[import-untyped]

_V2C = api.PROTOCOL_MODULES[api.SNMP_VERSION_2C]


class Misfit:
    """An agent whose answer to each question is the next of its rows, round and round.

    Args:
        rows: Identifiers with whole numbers, in the order of the answers.
        at_once: How many it gives in one answer.
    """

    def __init__(self, rows: Sequence[tuple[str, int]], at_once: int = 2) -> None:
        self._rows = rows
        self._at_once = at_once
        self._next = 0
        self.questions = 0
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> "Misfit":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ending:
            ending.sendto(b"", ("127.0.0.1", self.port))
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while True:
            question, asker = self._socket.recvfrom(65_535)
            if not question:
                return
            self.questions += 1
            message, _ = decoder.decode(question, asn1Spec=_V2C.Message())
            answer = _V2C.apiMessage.get_response(message)
            pairs = []
            for _ in range(self._at_once):
                oid, number = self._rows[self._next % len(self._rows)]
                self._next += 1
                pairs.append((_V2C.ObjectIdentifier(oid), _V2C.Integer(number)))
            _V2C.apiPDU.set_varbinds(_V2C.apiMessage.get_pdu(answer), pairs)
            self._socket.sendto(encoder.encode(answer), asker)
