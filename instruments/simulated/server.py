"""The simulated bench on its two TCP ports: a meter in SCPI, an enclosure in lines."""

import signal
import threading
import time
from collections.abc import Callable

from instruments.errors import BadInput
from instruments.priority import keep_the_beat
from instruments.simulated.bench import BenchConfig, BenchModel
from instruments.simulated.enclosure import EnclosurePort, is_simulate
from instruments.simulated.faults import Port, parse_fault
from instruments.simulated.listener import LineListener
from instruments.simulated.meters.serial_line import SerialLine
from instruments.simulated.meters.vxi11 import Vxi11Server
from instruments.tools.closing import Closing

TICK_S = 0.1


class SimulatedBench(Closing):
    """A running simulated bench; a context manager that starts and closes it.

    Args:
        config: Speed-up, seed, target and faults.
        port: TCP port of the meter; 0 takes a free one.
        enclosure_port: TCP port of the enclosure; 0 takes a free one.
        vxi11_port: TCP port of the meter's VXI-11; 0 takes a free one, None is without.
        serial: Whether the meter has a serial line, too.

    Attributes:
        model: What is simulated.
        ways: VISA resources of the meter besides its socket: "vxi11", "serial".
        answer_meter: Gives the meter's answer to a line, for another way in.

    Raises:
        BadInput: A fault that there is not.
        BenchError: A port is taken.
    """

    def __init__(
        self,
        config: BenchConfig,
        *,
        port: int = 0,
        enclosure_port: int = 0,
        vxi11_port: int | None = None,
        serial: bool = False,
    ) -> None:
        self.model = BenchModel(config)
        for text in config.faults:
            try:
                self.model.faults.set(parse_fault(text))
            except ValueError as error:
                raise BadInput(str(error), where="fault") from None
        protocol = EnclosurePort(self.model)
        self.answer_meter = self._locked(self.model.meter.handle)
        enclosure = self._locked(protocol.handle)
        faults = self.model.faults
        self._meter = LineListener(
            Port.METER,
            port,
            faults,
            self.answer_meter,
            terminator=self.model.meter.terminator,
        )
        try:
            self._enclosure = LineListener(
                Port.ENCLOSURE, enclosure_port, faults, enclosure, unfailing=is_simulate
            )
        except BaseException:
            self._meter.close()
            raise
        self._more: list[Vxi11Server | SerialLine] = []
        try:
            if vxi11_port is not None:
                self._more.append(Vxi11Server(self.answer_meter, faults, vxi11_port))
            if serial:
                self._more.append(SerialLine(self.answer_meter, faults))
        except BaseException:
            self._close_ports()
            raise
        self.ways = {way.kind: way.resource for way in self._more}
        self._closing = threading.Event()
        self._ticker = threading.Thread(target=self._tick, name="physics", daemon=True)
        self._ticker.start()

    @property
    def meter_port(self) -> int:
        """TCP port of the meter."""
        return self._meter.number

    @property
    def enclosure_port(self) -> int:
        """TCP port of the enclosure."""
        return self._enclosure.number

    def close(self) -> None:
        """Close both ports and stop the physics; may be called twice."""
        if not self._closing.is_set():
            self._closing.set()
            self._ticker.join()
            self._close_ports()

    def _close_ports(self) -> None:
        for port in (self._meter, self._enclosure, *self._more):
            port.close()

    def _locked(
        self, handle: Callable[[str], str | None]
    ) -> Callable[[str], str | None]:
        def answer(line: str) -> str | None:
            with self.model.lock:
                return handle(line)

        return answer

    def _tick(self) -> None:
        before = time.monotonic()
        due = before + TICK_S
        while not self._closing.wait(max(0.0, due - time.monotonic())):
            now = time.monotonic()
            with self.model.lock:
                self.model.advance(now - before)
                unasked = self.model.meter.unasked()
            for line in unasked:
                self._meter.push(line)
            before = now
            due = max(due + TICK_S, now)  # ticks that were missed are not made up for


def serve(
    config: BenchConfig,
    port: int = 5025,
    enclosure_port: int | None = None,
    *,
    vxi11_port: int | None = None,
    serial: bool = False,
    ready: Callable[[SimulatedBench], object],
) -> None:
    """Be a simulated bench until SIGINT or SIGTERM; call it from the main thread.

    Args:
        config: What is simulated.
        port: TCP port of the meter; 0 takes a free one.
        enclosure_port: TCP port of the enclosure; None is the next one after `port`,
            or a free one where that is 0.
        vxi11_port: TCP port of the meter's VXI-11; 0 takes a free one, None is without.
        serial: Whether the meter has a serial line, too.
        ready: Takes the bench once clients can connect.

    Raises:
        BadInput: A fault or a speed-up that there is not.
        BenchError: A port is taken.
    """
    if not 0.1 <= config.speedup <= 1000.0:
        raise BadInput(
            f"speedup is {config.speedup:g}", way_out="Expected 0.1 to 1000."
        )
    if enclosure_port is None:
        enclosure_port = port + 1 if port else 0
    keep_the_beat()  # A real meter does not mind how busy this machine is.
    stop = threading.Event()
    before = {
        number: signal.signal(number, lambda _number, _frame: stop.set())
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        with SimulatedBench(
            config,
            port=port,
            enclosure_port=enclosure_port,
            vxi11_port=vxi11_port,
            serial=serial,
        ) as bench:
            ready(bench)
            stop.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
