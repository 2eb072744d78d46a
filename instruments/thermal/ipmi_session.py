"""One held IPMI session with a BMC over LAN, in which nothing waits without end.

pyghmi's own waiting loses wake-ups when it is used from threads: against a simulator
one command in ten took 0.8 s instead of 0.3 ms, and a dead BMC held the caller for 27
seconds. So commands are sent with a call-back here, and its event loop is turned in
small steps up to a deadline of our own. The loop and the sessions are global in
pyghmi: two users of one BMC share a session, which is closed with the last of them.
"""

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pyghmi.exceptions import (  # type: ignore[import-untyped]  # ships no types
    PyghmiException,
)
from pyghmi.ipmi.command import Command  # type: ignore[import-untyped]
from pyghmi.ipmi.private.session import Session  # type: ignore[import-untyped]
from pyghmi.ipmi.private.util import get_ipmi_error  # type: ignore[import-untyped]

from instruments.errors import SourceError
from instruments.link_errors import explain
from instruments.reading import Status

LOGIN_S = 15.0
"""Longest wait for a login; BMCs that know no SHA-256 are asked twice."""

COMMAND_S = 4.0
"""Longest wait for one answer, repeated requests included."""

_TURN_S = 0.02
_SHARED_TURN_S = 0.003
"""With several BMCs nobody may keep the loop for long: others cannot send meanwhile."""

_GIVE_WAY_S = 0.0002
_LOOP = threading.Lock()
_USERS: Counter[int] = Counter()
_BUSY: dict[int, threading.Lock] = {}


class BmcSession:
    """A session with one BMC; used by one thread.

    Attributes:
        command: pyghmi's view of the BMC, whose commands end by our deadline.

    Args:
        address: Name or address of the BMC.
        port: Its UDP port, as a rule 623.
        user: Name of the account.
        password: Password of the account; it is kept nowhere but in the session.
        where: Source and address, for errors.

    Raises:
        SourceError: It does not answer, or refuses the login.
    """

    def __init__(
        self, address: str, port: int, user: str, password: str, where: str
    ) -> None:
        self._where = where
        answers: list[dict[str, Any]] = []
        try:
            with _LOOP:
                self.command = Command(
                    bmc=address,
                    port=port,
                    # As bytes: of texts pyghmi never forgets a session that ended,
                    # and hands it out again instead of logging in.
                    userid=user.encode(),
                    password=password.encode(),
                    onlogon=lambda response, _: answers.append(response),
                )
        except (OSError, UnicodeError) as error:
            raise explain(error, where, LOGIN_S) from None
        self._session: Any = self.command.ipmi_session
        with _LOOP:
            _USERS[id(self._session)] += 1
            self._busy = _BUSY.setdefault(id(self._session), threading.Lock())
        self.command.ipmi_session = self
        self._open = True
        begin = time.monotonic()
        self._limit_s = 0.0
        self._end = math.inf
        try:
            if not _turn(lambda: bool(answers) or self._session.broken, LOGIN_S):
                raise self._silent(LOGIN_S)
            trouble = answers[0].get("error", "") if answers else "no answer"
            if trouble:
                raise self._refused(str(trouble), time.monotonic() - begin)
        except BaseException:
            self.close()
            raise

    def raw_command(
        self,
        netfn: int,
        command: int,
        data: Sequence[int] = (),
        bridge_request: Any = None,
        rslun: int = 0,
        **_: Any,
    ) -> dict[str, Any]:
        """Send one command and wait for its answer; pyghmi calls it, too.

        Returns:
            The answer with `code`, `data`, and `error` where the BMC refuses.

        Raises:
            SourceError: No answer came in time, or the session has ended.
        """
        if time.monotonic() > self._end:
            raise self._silent(self._limit_s)
        answers: list[dict[str, Any]] = []
        if not self._busy.acquire(timeout=COMMAND_S):
            raise self._silent(COMMAND_S)
        try:
            try:
                with _LOOP:
                    self._session.raw_command(
                        netfn=netfn,
                        command=command,
                        data=data,
                        bridge_request=bridge_request,
                        rslun=rslun,
                        callback=answers.append,
                    )
            except PyghmiException:
                raise self._ended() from None
            answered = _turn(lambda: bool(answers) or self._session.broken, COMMAND_S)
            with _LOOP:
                self._session.incommand = False
                while self._session.evq:
                    self._session.evq.popleft().set()
        finally:
            self._busy.release()
        if not answers:
            raise self._ended() if answered else self._silent(COMMAND_S)
        answer = answers[0]
        if answer.get("code") == 0xFFFF:  # pyghmi's own "timeout"
            raise self._silent(COMMAND_S)
        if trouble := get_ipmi_error(answer):
            answer["error"] = trouble
        return answer

    def ask(self, netfn: int, command: int, data: Sequence[int] = ()) -> bytes:
        """Send one command and get the data of its answer.

        Raises:
            SourceError: No answer came, or the BMC refuses the command.
        """
        answer = self.raw_command(netfn, command, data)
        if "error" in answer:
            raise SourceError(
                f"the BMC refuses a command ({answer['error']})",
                where=self._where,
                way_out="See what the account may do, and whether the BMC can do it.",
            )
        return bytes(answer["data"])

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Bound several commands together: a BMC may answer each just in time."""
        self._limit_s, self._end = seconds, time.monotonic() + seconds
        try:
            yield
        finally:
            self._end = math.inf

    def close(self) -> None:
        """Log out if nobody else uses the session; may be called twice."""
        if not self._open:
            return
        self._open = False
        with _LOOP:
            _USERS[id(self._session)] -= 1
            if _USERS[id(self._session)] > 0:
                return
            del _USERS[id(self._session)]
            _BUSY.pop(id(self._session), None)
            self._session.incommand = False
            self._session.lastpayload = None
            self._session.logout()

    def __getattr__(self, name: str) -> Any:
        # pyghmi looks up further values of its session, such as its version.
        return getattr(self.__dict__["_session"], name)

    def _silent(self, seconds: float) -> SourceError:
        return explain(TimeoutError(), self._where, seconds)

    def _ended(self) -> SourceError:
        return SourceError(
            "the BMC has ended the session, or answers no more",
            where=self._where,
            way_out="Is it switched on, and does the network reach it?",
            status=Status.TIMEOUT,
        )

    def _refused(self, trouble: str, waited_s: float) -> SourceError:
        if "imeout" in trouble or "timed out" in trouble or trouble == "no answer":
            return self._silent(round(waited_s, 1))
        way_out = "See user and password, and whether the account may use IPMI by LAN."
        what = f"the BMC refuses the login ({trouble.strip().rstrip('.')})"
        return SourceError(what, where=self._where, way_out=way_out)


def _turn(done: Callable[[], bool], seconds: float) -> bool:
    """Turn pyghmi's event loop until something is done; False where time ran out."""
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            return False
        shared = len(_USERS) > 1
        with _LOOP:
            Session.wait_for_rsp(timeout=_SHARED_TURN_S if shared else _TURN_S)
        if shared:
            time.sleep(_GIVE_WAY_S)
    return True
