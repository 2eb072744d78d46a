"""A small Redfish service over real HTTP or HTTPS, modelled on DMTF's mock-ups."""

import copy
import datetime
import ipaddress
import json
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

USER = "bench"
PASSWORD = "bench-secret"

Tree = dict[str, dict[str, Any]]
Fault = Callable[[BaseHTTPRequestHandler], None]
_R = "/redfish/v1"


def _link(path: str) -> dict[str, str]:
    return {"@odata.id": f"{_R}{path}"}


def _many(*paths: str) -> dict[str, Any]:
    return {"Members": [_link(path) for path in paths]}


COMMON: Tree = {
    "/": {"Chassis": _link("/Chassis"), "Systems": _link("/Systems")}
    | {"Managers": _link("/Managers")},
    "/Chassis": _many("/Chassis/1U"),
    "/Systems": _many("/Systems/1"),
    "/Managers": _many("/Managers/BMC"),
    "/Managers/BMC": {"FirmwareVersion": "1.45.455b66-rev4"},
    "/Systems/1": {
        "PowerState": "On",
        "IndicatorLED": "Off",
        "Actions": {
            "#ComputerSystem.Reset": {
                "target": f"{_R}/Systems/1/Actions/ComputerSystem.Reset",
                "ResetType@Redfish.AllowableValues": [
                    "On",
                    "ForceOff",
                    "GracefulShutdown",
                    "PowerCycle",
                ],
            }
        },
    },
}
_CHASSIS: dict[str, Any] = {
    "Manufacturer": "Contoso",
    "Model": "3500RX",
    "SerialNumber": "437XR1138R2",
    "LocationIndicatorActive": False,
}
_OK = {"State": "Enabled", "Health": "OK"}
OLD: Tree = dict(COMMON)
OLD["/Chassis/1U"] = {
    **_CHASSIS,
    "Thermal": _link("/Chassis/1U/Thermal"),
    "Power": _link("/Chassis/1U/Power"),
}
OLD["/Chassis/1U/Thermal"] = {
    "Temperatures": [
        {"MemberId": "0", "Name": "Inlet Temp", "ReadingCelsius": 25}
        | {"Status": _OK, "UpperThresholdNonCritical": 40},
        {"MemberId": "1", "Name": "CPU1 Temp", "ReadingCelsius": 62}
        | {"Status": {"State": "Enabled"}, "UpperThresholdNonCritical": 60},
        {"MemberId": "2", "Name": "CPU2 Temp", "ReadingCelsius": None}
        | {"Status": {"State": "Disabled"}},
        {"MemberId": "3", "Name": "DIMM Temp", "ReadingCelsius": 0}
        | {"Status": {"State": "Absent"}},
    ],
    "Fans": [
        {"MemberId": "0", "Name": "Fan 1", "Reading": 2100}
        | {"ReadingUnits": "RPM", "Status": _OK},
        {"MemberId": "1", "Name": "Fan 2", "Reading": 45}
        | {"ReadingUnits": "Percent", "Status": _OK},
    ],
}
OLD["/Chassis/1U/Power"] = {
    "PowerControl": [{"MemberId": "0", "PowerConsumedWatts": 344, "Status": _OK}],
    "PowerSupplies": [
        {"MemberId": "0", "Name": "PSU 1", "LastPowerOutputWatts": 325}
        | {"LineInputVoltage": 119.5, "Status": {"State": "Enabled"}}
        | {"PowerInputWatts": None}
    ],
    "Voltages": [
        {"MemberId": "0", "Name": "VRM1", "ReadingVolts": 12.1, "Status": _OK}
    ],
}
SENSORS: Tree = {
    "Inlet": {"Name": "Inlet Temp", "ReadingType": "Temperature"}
    | {"Reading": 24.8, "ReadingUnits": "Cel", "Status": _OK},
    "CPU1": {"Name": "CPU #1 Temperature", "ReadingType": "Temperature"}
    | {"Reading": 97, "ReadingUnits": "Cel", "Status": {"State": "Enabled"}}
    | {"Thresholds": {"UpperCritical": {"Reading": 95}}},
    "Fan1": {"Name": "Fan 1", "ReadingType": "Percent", "PhysicalContext": "Fan"}
    | {"Reading": 45, "ReadingUnits": "%", "Status": _OK},
    "Gone": {"Name": "Spare Temp", "ReadingType": "Temperature"}
    | {"Reading": None, "ReadingUnits": "Cel", "Status": {"State": "Absent"}},
    "Power": {"Name": "Total Power", "ReadingType": "Power"}
    | {"Reading": 374.5, "ReadingUnits": "W", "Status": _OK},
}
NEW: Tree = (
    COMMON
    | {
        "/": COMMON["/"]
        | {"ProtocolFeaturesSupported": {"ExpandQuery": {"NoLinks": True}}},
        "/Chassis/1U": _CHASSIS
        | {"Sensors": _link("/Chassis/1U/Sensors")}
        | {"ThermalSubsystem": _link("/Chassis/1U/ThermalSubsystem")}
        | {"EnvironmentMetrics": _link("/Chassis/1U/EnvironmentMetrics")},
        "/Chassis/1U/Sensors": _many(*(f"/Chassis/1U/Sensors/{s}" for s in SENSORS)),
        "/Chassis/1U/ThermalSubsystem": {
            "Fans": _link("/Chassis/1U/ThermalSubsystem/Fans"),
            "ThermalMetrics": _link("/Chassis/1U/ThermalSubsystem/ThermalMetrics"),
        },
        "/Chassis/1U/ThermalSubsystem/Fans": _many(
            "/Chassis/1U/ThermalSubsystem/Fans/Bay1"
        ),
        "/Chassis/1U/ThermalSubsystem/Fans/Bay1": {
            "Name": "Fan Bay 1",
            "Status": _OK,
            "SpeedPercent": {"Reading": 45, "SpeedRPM": 1900}
            | {"DataSourceUri": f"{_R}/Chassis/1U/Sensors/Fan1"},
        },
        "/Chassis/1U/ThermalSubsystem/ThermalMetrics": {
            "TemperatureReadingsCelsius": [
                {"Reading": 24.8, "DeviceName": "Inlet"},
                {"Reading": 40.0, "DeviceName": "Exhaust"},
            ]
        },
        "/Chassis/1U/EnvironmentMetrics": {
            "PowerWatts": {"Reading": 374.5}
            | {"DataSourceUri": f"{_R}/Chassis/1U/Sensors/Power"},
        },
    }
    | {f"/Chassis/1U/Sensors/{name}": sensor for name, sensor in SENSORS.items()}
)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Say nothing: a client that hangs up is what some tests are about."""


class RedfishServer:
    """One service; `tree` may be changed while it runs.

    Attributes:
        tree: Its documents by path below /redfish/v1.
        faults: What to do in place of an answer, by path.
        asked: Method and path of every request.
        sessions: Tokens that are logged in.
        refused_logins: Answer to each login, in place of letting it in.
        refusal: Its status.

    Args:
        tree: Its documents; copied.
        certificate: A PEM file with key and certificate, for HTTPS.
        port: Where it listens; 0 for any.
    """

    def __init__(
        self, tree: Tree, certificate: Path | None = None, port: int = 0
    ) -> None:
        self.tree = copy.deepcopy(tree)
        self.faults: dict[str, Fault] = {}
        self.asked: list[str] = []
        self.sessions: set[str] = set()
        self.stuck = False
        self.refused_logins = b""
        self.refusal = 400
        self.expands = True
        outer = self

        class Handler(_Handler):
            service = outer

        self._server = _Server(("127.0.0.1", port), Handler)
        scheme = "http"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
            scheme = "https"
        self.port = self._server.server_address[1]
        self.url = f"{scheme}://127.0.0.1:{self.port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Stop it."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


class _Handler(BaseHTTPRequestHandler):
    service: RedfishServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        path = self._begin()
        if path is None:
            return
        path, _, query = path.partition("?")
        document = self.service.tree.get(path.rstrip("/") or "/")
        if document is None:
            self._answer(404, {"error": {"message": "no such resource"}})
            return
        shown: dict[str, Any] = {"@odata.id": f"{_R}{path}"} | document
        if query.startswith("$expand") and self.service.expands:
            members = (m["@odata.id"].removeprefix(_R) for m in document["Members"])
            tree = self.service.tree
            shown["Members"] = [{"@odata.id": f"{_R}{m}"} | tree[m] for m in members]
        self._answer(200, shown)

    def do_POST(self) -> None:
        if self.path == f"{_R}/SessionService/Sessions":
            self._log_in()
            return
        path = self._begin()
        if path is None:
            return
        wanted = self._body().get("ResetType")
        if not self.service.stuck:
            state = {"On": "On", "PowerCycle": "On"}.get(str(wanted), "Off")
            self.service.tree["/Systems/1"]["PowerState"] = state
        self._answer(204, None)

    def do_PATCH(self) -> None:
        path = self._begin()
        if path is None:
            return
        body = self._body()
        version = self.service.tree[path].get("@odata.etag")
        if version and self.headers.get("If-Match") != version:
            self._answer(412, {"error": {"message": "the version is missing"}})
            return
        if not self.service.stuck:
            self.service.tree[path].update(body)
        self._answer(200, self.service.tree[path])

    def do_DELETE(self) -> None:
        self.service.sessions.discard(self.path.rsplit("/", 1)[-1])
        self._answer(204, None)

    def _begin(self) -> str | None:
        """Note the request, do a fault, check who asks; None where it is over."""
        path = self.path.removeprefix(_R)
        self.service.asked.append(f"{self.command} {path}")
        fault = self.service.faults.get(path.partition("?")[0])
        if fault is not None:
            fault(self)
            return None
        token = self.headers.get("X-Auth-Token")
        basic = self.headers.get("Authorization")
        if path != "/" and token not in self.service.sessions and not basic:
            self._body()
            self._answer(401, {"error": {"message": "who are you"}})
            return None
        return path

    def _log_in(self) -> None:
        body = self._body()
        fault = self.service.faults.get("/SessionService/Sessions")
        if fault is not None:
            self.service.asked.append("POST /SessionService/Sessions")
            fault(self)
            return
        if self.service.refused_logins:
            send(self, self.service.refusal, self.service.refused_logins)
            return
        if body != {"UserName": USER, "Password": PASSWORD}:
            self._answer(401, {"error": {"message": "wrong"}})
            return
        token = f"token{len(self.service.sessions)}"
        self.service.sessions.add(token)
        place = f"{_R}/SessionService/Sessions/{token}"
        self._answer(201, {}, {"X-Auth-Token": token, "Location": place})

    def _body(self) -> dict[str, Any]:
        length = int(self.headers.get("Content-Length") or 0)
        return dict(json.loads(self.rfile.read(length))) if length else {}

    def _answer(
        self, code: int, document: object, headers: dict[str, str] | None = None
    ) -> None:
        content = b"" if document is None else json.dumps(document).encode()
        send(self, code, content, headers or {})


def send(
    handler: BaseHTTPRequestHandler,
    code: int,
    content: bytes,
    headers: dict[str, str] | None = None,
) -> None:
    """Send an answer as it is."""
    handler.send_response(code)
    for name, value in (headers or {}).items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def trickle(handler: BaseHTTPRequestHandler) -> None:
    """Send an answer so slowly that it never ends."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    for _ in range(200):
        try:
            handler.wfile.write(b" ")
            handler.wfile.flush()
        except OSError:
            return
        time.sleep(0.05)


def trickle_headers(handler: BaseHTTPRequestHandler) -> None:
    """Send headers that never end, a byte at a time."""
    _drip(handler, b"HTTP/1.1 200 OK\r\nX-Odd: ", b"a")


def trickle_chunk(handler: BaseHTTPRequestHandler) -> None:
    """Send an answer in chunks, of which the size of the second never ends."""
    begun = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1;x="
    _drip(handler, begun, b"a")


def pour(handler: BaseHTTPRequestHandler) -> None:
    """Send an answer in chunks that never ends, as fast as it is taken."""
    begun = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    handler.wfile.write(begun)
    handler.close_connection = True
    with suppress(OSError):
        while True:
            handler.wfile.write(b"10000\r\n" + b" " * 0x10000 + b"\r\n")


def _drip(handler: BaseHTTPRequestHandler, begun: bytes, drop: bytes) -> None:
    handler.close_connection = True
    handler.wfile.write(begun)
    with suppress(OSError):
        for _ in range(1200):
            handler.wfile.write(drop)
            handler.wfile.flush()
            time.sleep(0.05)


def make_certificate(file: Path, *, days: int = 30) -> None:
    """Write a self-signed certificate for 127.0.0.1 with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "bmc")])
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=60))
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    file.write_bytes(
        key.private_bytes(
            pem,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(pem)
    )
