"""Parts that are asked over the network: BMCs and a PDU."""

import json
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from tests import ipmi_sim, redfish_server
from tests.faults.part import Fault, Part, paused
from tests.ipmi_sim import IpmiSim
from tests.redfish_server import NEW, RedfishServer, send, trickle
from tests.snmp_agent import SnmpAgentSim, eaton_records
from tests.udp_babbler import Babbler

PASSWORDS = {
    "BAYSCOPE_PASSWORD_BMC": ipmi_sim.PASSWORD,
    "BAYSCOPE_PASSWORD_REDFISH": redfish_server.PASSWORD,
    "BAYSCOPE_PASSWORD_UPS": "ups",
}
"""What has to be in the environment for these sources."""

ROOT = "/redfish/v1"

__all__ = ["PASSWORDS", "ipmi", "redfish", "snmp"]


def _datagrams(
    port: int, kill: Callable[[], object], start: Callable[[], object]
) -> dict[str, Fault]:
    """Break a service of datagrams: gone, mute, or another one at its port."""

    def other(answer: bytes) -> Fault:
        held = ExitStack()

        def begin() -> None:
            kill()
            held.enter_context(Babbler(answer, port))

        def end() -> None:
            held.close()
            start()

        return Fault(begin, end)

    return {
        "refused": Fault(kill, start),
        "silent": other(b""),
        "garbage": other(b"\xff\x00no answer of this protocol"),
        "back after 20 s": Fault(kill, start),
    }


def ipmi(folder: Path) -> Part:
    """A BMC of OpenIPMI's simulator."""
    place = folder / "ipmi"
    place.mkdir()
    bmc = IpmiSim(place)
    bmc.start()
    text = f"""[[thermal]]
name = "bmc"
driver = "ipmi"
address = "127.0.0.1"
port = {bmc.port}
user = "{ipmi_sim.USER}"
period = 1
measures = "server"
"""

    def start() -> None:
        bmc.kill()
        bmc.start()

    faults = _datagrams(bmc.port, bmc.kill, start)
    faults["process hung"] = paused(lambda: bmc._process)
    return Part(text, ("bmc",), faults, bmc.kill)


def _late(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(2.5)  # later than the timeout of the bench
    send(handler, 200, b"{}")


def _slow(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(0.7)
    path, _, query = handler.path.removeprefix(ROOT).partition("?")
    shown = dict(NEW[path])
    if query:  # $expand
        members = (member["@odata.id"] for member in shown["Members"])
        shown["Members"] = [
            {"@odata.id": member} | NEW[member.removeprefix(ROOT)] for member in members
        ]
    send(handler, 200, json.dumps(shown).encode())


def _halve(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "500")
    handler.end_headers()
    handler.wfile.write(b'{"Members": [')
    handler.close_connection = True


def _hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True


def redfish(_: Path) -> Part:
    """A Redfish service over HTTP."""
    running = [RedfishServer(NEW)]
    server = running[0]
    port = server.port
    text = f"""[[thermal]]
name = "redfish"
driver = "redfish"
address = "{server.url}"
user = "{redfish_server.USER}"
period = 1
timeout = 2
measures = "server"
"""
    mended = threading.Event()
    paths = ("/Chassis/1U/Sensors", "/Chassis", "/Chassis/1U", "/SessionService")

    def wait(_: BaseHTTPRequestHandler) -> None:
        mended.wait(60)

    def fault(act: redfish_server.Fault) -> Fault:
        def begin() -> None:
            mended.clear()
            running[0].faults |= dict.fromkeys(paths, act)

        def end() -> None:
            mended.set()
            running[0].faults.clear()

        return Fault(begin, end)

    sensors = [path for path in server.tree if path.startswith("/Chassis/1U/Sensors/")]

    def blank() -> None:
        for path in sensors:
            running[0].tree[path]["Reading"] = None

    def fill() -> None:
        for path in sensors:
            running[0].tree[path]["Reading"] = NEW[path]["Reading"]

    def stop() -> None:
        if running:
            server = running.pop()
            # Connections that are kept alive end with the service as well.
            server.faults |= dict.fromkeys(server.tree, _hang_up)
            server.close()

    def start() -> None:
        if not running:
            running.append(RedfishServer(NEW, port=port))

    faults = {
        "refused": Fault(stop, start),
        "unplugged in mid answer": fault(_halve),
        "silent": fault(wait),
        "late": fault(_late),
        "garbage": fault(lambda handler: send(handler, 200, b"\x00\xff<html>")),
        "slow": fault(_slow),
        "slow without end": fault(trickle),
        "permission denied": fault(lambda handler: send(handler, 403, b"{}")),
        "values are null": Fault(blank, fill),
        "back after 20 s": Fault(stop, start),
    }

    def close() -> None:
        mended.set()
        stop()

    return Part(text, ("redfish",), faults, close)


def snmp(folder: Path) -> Part:
    """A UPS by SNMP, of snmpsim."""
    place = folder / "snmp"
    place.mkdir()
    agent = SnmpAgentSim(place, {"ups": eaton_records()})
    agent.start()
    text = f"""[[thermal]]
name = "ups"
driver = "snmp"
address = "127.0.0.1"
port = {agent.port}
profile = "eaton-ups"
period = 1
"""

    def start() -> None:
        agent.kill()
        agent.start()

    faults = _datagrams(agent.port, agent.kill, start)
    faults["process hung"] = paused(lambda: agent._process)
    return Part(text, ("ups",), faults, agent.kill)
