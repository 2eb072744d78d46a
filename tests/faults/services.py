"""Parts that are asked over the network: BMCs and a PDU."""

import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from tests import ipmi_sim, redfish_server
from tests.faults.part import Fault, Part, paused
from tests.ipmi_sim import IpmiSim
from tests.redfish_server import NEW, RedfishServer, send, trickle
from tests.snmp_agent import SnmpAgentSim, eaton_records

PASSWORDS = {
    "BAYSCOPE_PASSWORD_BMC": ipmi_sim.PASSWORD,
    "BAYSCOPE_PASSWORD_REDFISH": redfish_server.PASSWORD,
    "BAYSCOPE_PASSWORD_UPS": "ups",
}
"""What has to be in the environment for these sources."""

__all__ = ["PASSWORDS", "ipmi", "redfish", "snmp"]


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

    faults = {
        "refused": Fault(bmc.kill, start),
        "process hung": paused(lambda: bmc._process),
        "back after 20 s": Fault(bmc.kill, start),
    }
    return Part(text, ("bmc",), faults, bmc.kill)


def redfish(_: Path) -> Part:
    """A Redfish service over HTTP."""
    server = RedfishServer(NEW)
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

    def halve(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "500")
        handler.end_headers()
        handler.wfile.write(b'{"Members": [')
        handler.close_connection = True

    def fault(act: redfish_server.Fault) -> Fault:
        def begin() -> None:
            mended.clear()
            server.faults |= dict.fromkeys(paths, act)

        def end() -> None:
            mended.set()
            server.faults.clear()

        return Fault(begin, end)

    sensors = [path for path in server.tree if path.startswith("/Chassis/1U/Sensors/")]

    def blank() -> None:
        for path in sensors:
            server.tree[path]["Reading"] = None

    def fill() -> None:
        for path in sensors:
            server.tree[path]["Reading"] = NEW[path]["Reading"]

    faults = {
        "unplugged in mid answer": fault(halve),
        "silent": fault(wait),
        "garbage": fault(lambda handler: send(handler, 200, b"\x00\xff<html>")),
        "slow without end": fault(trickle),
        "permission denied": fault(lambda handler: send(handler, 403, b"{}")),
        "values are null": Fault(blank, fill),
    }

    def close() -> None:
        mended.set()
        server.close()

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

    faults = {
        "refused": Fault(agent.kill, start),
        "process hung": paused(lambda: agent._process),
        "back after 20 s": Fault(agent.kill, start),
    }
    return Part(text, ("ups",), faults, agent.kill)
