"""A conversation with one SNMP agent: get, walk and set by object identifiers.

pysnmp is used below its high-level interface, which would look every identifier up in
compiled MIBs. Each session has its own event loop and no thread, so that nothing
of one source waits for another one.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyasn1.error import PyAsn1Error  # type: ignore[import-untyped]
from pyasn1.type import univ  # type: ignore[import-untyped]
from pysnmp.carrier.asyncio.dgram import udp, udp6  # type: ignore[import-untyped]
from pysnmp.entity import config  # type: ignore[import-untyped]
from pysnmp.entity.engine import SnmpEngine  # type: ignore[import-untyped]
from pysnmp.entity.rfc3413 import cmdgen  # type: ignore[import-untyped]
from pysnmp.error import PySnmpError  # type: ignore[import-untyped]
from pysnmp.proto import rfc1902, rfc1905  # type: ignore[import-untyped]

from instruments.errors import SourceError
from instruments.link.errors import explain
from instruments.reading import Identity, Status
from instruments.thermal.snmp.agent import (
    DEADLINE_S,
    REPEATS,
    WAIT_S,
    Answer,
    SnmpAgent,
    resolve,
)
from instruments.thermal.snmp.profile import Profile

_LONGEST = 1024
"""Bytes of a text; names are shorter, and a walk has thousands of them."""


def answer_of(value: Any) -> Answer:
    """Read a value by its type; texts that are numbers count as numbers."""
    if isinstance(
        value, rfc1905.NoSuchObject | rfc1905.NoSuchInstance | rfc1905.EndOfMibView
    ):
        return Answer(missing=True)
    if isinstance(value, univ.Integer):
        return Answer(float(int(value)), bits=_bits(value))
    if isinstance(value, rfc1902.OctetString):
        text = bytes(value)[:_LONGEST].decode("utf-8", "replace").strip("\0 \r\n")
        try:
            return Answer(float(text), text)
        except ValueError:
            return Answer(text=text)
    return Answer(text=value.prettyPrint())


def _bits(value: Any) -> int:
    if isinstance(value, rfc1902.Counter64):
        return 64
    return 32 if isinstance(value, rfc1902.Counter32) else 0


# Some values fit one datagram of any agent; after tooBig half as many are asked for.
_BATCH = 24
_ROWS = 24  # max-repetitions of a GetBulk (RFC 3416)
_MOST_ROWS = 10_000
"""All values of all outlets of a chain of eight PDUs are some 5000."""

_LONGEST_S = 60.0
"""For all answers of a walk, or of a read, together."""

_DEVICE = "device"  # the name that all of its entries have in pysnmp's tables
_AUTH = {
    "sha": config.USM_AUTH_HMAC96_SHA,
    "sha256": config.USM_AUTH_HMAC192_SHA256,
    "sha512": config.USM_AUTH_HMAC384_SHA512,
    "md5": config.USM_AUTH_HMAC96_MD5,
    "none": config.USM_AUTH_NONE,
}
_PRIVACY = {
    "aes": config.USM_PRIV_CFB128_AES,
    "aes256": config.USM_PRIV_CFB256_AES,
    "none": config.USM_PRIV_NONE,
}
# error-status tooBig (RFC 3416).
_TOO_BIG = 1
_DESCRIPTION = "1.3.6.1.2.1.1.1.0"  # sysDescr.0 (RFC 3418)
_PRINTED = 60


@dataclass(frozen=True, slots=True)
class _Reply:
    error: str
    status: int
    values: Sequence[tuple[Any, Any]]


class SnmpSession:
    """An open conversation; used by one thread at a time.

    Args:
        agent: Its address and the account.
        where: Source and address, for errors.

    Raises:
        SourceError: The address is invalid, or the account's options do not fit.
    """

    def __init__(self, agent: SnmpAgent, where: str) -> None:
        self._where = where
        self._context = agent.context
        address, is_six = resolve(agent, where)
        self._loop = asyncio.new_event_loop()
        # pysnmp raises in the loop over datagrams that are not SNMP; here they are just
        # not the answer.
        self._loop.set_exception_handler(lambda *_: None)
        self._engine = None
        try:
            asyncio.set_event_loop(self._loop)  # pysnmp's dispatcher asks for it
            self._engine = SnmpEngine()
            _introduce(self._engine, agent)
            carrier = udp6.Udp6AsyncioTransport if is_six else udp.UdpAsyncioTransport
            domain = udp6.DOMAIN_NAME if is_six else udp.DOMAIN_NAME
            transport = carrier(loop=self._loop).open_client_mode()
            config.add_transport(self._engine, domain, transport)
            wait = round(WAIT_S * 100)  # in hundredths of a second (SNMP-TARGET-MIB)
            config.add_target_address(
                self._engine, _DEVICE, domain, address, _DEVICE, wait, REPEATS
            )
        except (PySnmpError, OSError) as error:
            self.close()
            raise explain(error, where, WAIT_S) from None
        except BaseException:
            self.close()
            raise
        finally:
            asyncio.set_event_loop(None)

    def get(self, oids: Sequence[str]) -> dict[str, Answer]:
        """Get values; what the agent does not have is an answer with `missing`.

        Raises:
            SourceError: No answer, or the agent refuses.
        """
        answers: dict[str, Answer] = {}
        batch = _BATCH
        left = list(oids)
        until = time.monotonic() + _LONGEST_S
        while left:
            self._check_time(until, f"its {len(oids)} values")
            part = left[:batch]
            reply = self._ask(cmdgen.GetCommandGenerator(), _nulls(part))
            if reply.status == _TOO_BIG and batch > 1:
                batch //= 2
                continue
            self._check(reply)
            # What an agent leaves out, or answers under another name, is not there.
            answers.update((oid, Answer(missing=True)) for oid in part)
            answers.update(
                (str(name), answer_of(value)) for name, value in reply.values
            )
            left = left[len(part) :]
        return answers

    def walk(self, column: str) -> dict[str, Answer]:
        """Get all values below an identifier, in the agent's order.

        Raises:
            SourceError: No answer, or the agent refuses.
        """
        answers: dict[str, Answer] = {}
        start = column
        until = time.monotonic() + _LONGEST_S
        # Bounded, and ended by an identifier that was there: broken agents go round.
        while len(answers) < _MOST_ROWS:
            self._check_time(until, f"its table {column}")
            reply = self._ask(cmdgen.BulkCommandGenerator(), 0, _ROWS, _nulls([start]))
            self._check(reply)
            fresh = 0
            for name, value in reply.values:
                oid = str(name)
                below = oid.startswith(f"{column}.") and oid not in answers
                if not below or isinstance(value, rfc1905.EndOfMibView):
                    return answers
                answers[oid] = answer_of(value)
                fresh += 1
                start = oid
            if not fresh:
                break
        return answers

    def identify(self, profile: Profile | None, address: str) -> Identity:
        """Ask who it is; a device without a profile has its description only.

        Raises:
            SourceError: No answer, or the agent refuses.
        """
        wanted = ("", _DESCRIPTION, "", "")
        if profile is not None:
            wanted = (profile.maker, profile.model, profile.serial, profile.firmware)
        oids = [text for text in wanted if text.startswith("1.")]
        answers = self.get(oids or [_DESCRIPTION])
        maker, model, serial, firmware = (_fact(text, answers) for text in wanted)
        return Identity(maker, model, serial, firmware, address)

    def set_integer(self, oid: str, number: int) -> None:
        """Write a whole number.

        Raises:
            SourceError: No answer, or the agent refuses to write.
        """
        value = rfc1902.Integer32(number)
        pair = (rfc1902.ObjectName(oid), value)
        self._check(self._ask(cmdgen.SetCommandGenerator(), [pair]))

    def close(self) -> None:
        """End it; may be called twice."""
        if self._loop.is_closed():
            return
        if self._engine is not None:
            self._engine.close_dispatcher()
        # A task that is left, such as pysnmp's timer, would be complained of.
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    def _ask(self, generator: Any, *request: Any) -> _Reply:
        done: asyncio.Future[_Reply] = self._loop.create_future()

        def take(*reply: Any) -> None:
            _, _, error, status, _, values, _ = reply
            if not done.done():
                done.set_result(_Reply(str(error or ""), int(status or 0), values))

        async def ask() -> _Reply:
            generator.send_varbinds(
                self._engine, _DEVICE, None, self._context, *request, take, None
            )
            return await asyncio.wait_for(done, DEADLINE_S)

        try:
            return self._loop.run_until_complete(ask())
        except (PySnmpError, OSError) as error:  # TimeoutError is an OSError
            raise explain(error, self._where, DEADLINE_S) from None
        except PyAsn1Error as error:
            raise SourceError(
                f"the request cannot be sent ({_first_line(error)})",
                where=self._where,
                way_out="Check the identifiers in oids and in the profile.",
            ) from None

    def _check_time(self, until: float, what: str) -> None:
        if time.monotonic() > until:
            raise SourceError(
                f"{what} did not come within {_LONGEST_S:g} s",
                where=self._where,
                way_out="Check whether the device is overloaded.",
                status=Status.TIMEOUT,
            )

    def _check(self, reply: _Reply) -> None:
        # pysnmp's words for a time-out: what it gives is a text.
        if "No SNMP response" in reply.error or "timed out" in reply.error.lower():
            raise SourceError(
                f"no answer within {WAIT_S * (REPEATS + 1):g} s",
                where=self._where,
                way_out="Check the address, and the community: an agent is silent "
                "where it is wrong.",
                status=Status.TIMEOUT,
            )
        if reply.error:
            raise SourceError(
                f"the agent refuses access ({_sentence(reply.error)})",
                where=self._where,
                way_out="Check user, auth, priv and both passwords.",
            )
        if reply.status:
            name = rfc1905.errorStatus.clone(reply.status).prettyPrint()
            raise SourceError(
                f"the agent refuses ({name})",
                where=self._where,
                way_out="See what the account may read and write.",
            )


def _introduce(engine: SnmpEngine, agent: SnmpAgent) -> None:
    """Give pysnmp the account."""
    if agent.version == "2c":
        config.add_v1_system(engine, _DEVICE, agent.secret)
        # 1 is the message processing model of v2c, 0 that of v1 (RFC 3411).
        config.add_target_parameters(engine, _DEVICE, _DEVICE, "noAuthNoPriv", 1)
        return
    auth, privacy = _AUTH[agent.auth], _PRIVACY[agent.priv]
    keys: list[Any] = [auth]
    level = "noAuthNoPriv"
    if agent.auth != "none":
        keys.append(agent.secret)
        level = "authNoPriv"
        if agent.priv != "none":
            keys += [privacy, agent.priv_secret]
            level = "authPriv"
    config.add_v3_user(engine, agent.user, *keys)
    config.add_target_parameters(engine, _DEVICE, agent.user, level)


def _fact(text: str, answers: Mapping[str, Answer]) -> str:
    """Get a text of a profile, or what is at the identifier that it is."""
    if not text.startswith("1."):
        return text
    answer = answers.get(text, Answer(missing=True))
    return "" if answer.missing else " ".join(answer.shown.split())[:_PRINTED]


def _nulls(oids: Sequence[str]) -> list[tuple[Any, Any]]:
    return [(rfc1902.ObjectName(oid), rfc1902.Null("")) for oid in oids]


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:100].rstrip(".")


def _sentence(error: str) -> str:
    return error[:1].lower() + error[1:].rstrip(".")
