"""What a screen reader finds of the window: AT-SPI, asked from another process."""

import contextlib
import os
import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jeepney import (
    DBusAddress,
    HeaderFields,
    MatchRule,
    Message,
    Properties,
    message_bus,
    new_method_call,
)
from jeepney.io.blocking import DBusConnection, open_dbus_connection
from jeepney.wrappers import DBusErrorResponse, unwrap_msg

START_S = 60.0
_ACCESSIBLE = "org.a11y.atspi.Accessible"
_ROOT = "/org/a11y/atspi/accessible/root"
_REGISTRY = DBusAddress(
    "/org/a11y/atspi/registry", "org.a11y.atspi.Registry", "org.a11y.atspi.Registry"
)
_FOCUS = MatchRule(
    type="signal", interface="org.a11y.atspi.Event.Object", member="StateChanged"
)
_LABELLED_BY = 2
_PATH, _SENDER = HeaderFields.path, HeaderFields.sender
_CHECKED, _ENABLED, _FOCUSABLE, _SHOWING = 4, 8, 11, 25
"""Numbers of states, as AT-SPI has them."""

Ref = tuple[str, str]
"""Name on the bus and path of an object."""

_FULL = ("list", "table", "tree", "tree table")
"""Roles of what has items: they are not gone through."""


@dataclass(frozen=True, slots=True)
class Control:
    """What can be operated, as a screen reader hears of it.

    Attributes:
        ref: The object.
        role: What it is, such as "push button".
        name: What it is called.
        is_checked: Whether it is.
        is_enabled: Whether it can be operated now.
        is_focusable: Whether it can have the focus.
    """

    ref: Ref
    role: str
    name: str
    is_checked: bool
    is_enabled: bool
    is_focusable: bool


class AccessibleTree:
    """A session bus of its own with AT-SPI on it, and the one program there."""

    def __init__(self) -> None:
        """Start the bus.

        Raises:
            TimeoutError: It did not start.
        """
        self._bus = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--print-address=1"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        watchdog = threading.Timer(START_S, self._bus.kill)
        watchdog.start()
        assert self._bus.stdout is not None
        self._address = self._bus.stdout.readline().strip()
        watchdog.cancel()
        if not self._address:
            raise TimeoutError(f"dbus-daemon did not start within {START_S} s")
        with open_dbus_connection(self._address) as session:
            place = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus")
            asked = new_method_call(place, "GetAddress")
            [address] = session.send_and_get_reply(asked, timeout=START_S).body
        self._tree: DBusConnection = open_dbus_connection(address)
        # Before the program starts: one that runs already may move its focus before it
        # hears that somebody wants to know, and then says nothing.
        named = ("s", ("object:state-changed:focused",))
        for asked in (
            new_method_call(_REGISTRY, "RegisterEvent", *named),
            message_bus.AddMatch(_FOCUS),
        ):
            self._answer(asked)

    def environment(self, own: Mapping[str, str] = os.environ) -> dict[str, str]:
        """Return the variables of a program that is to be looked at."""
        return {
            **own,
            "DBUS_SESSION_BUS_ADDRESS": self._address,
            "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        }

    def close(self) -> None:
        """End the bus, and what it started with it."""
        self._tree.close()
        self._bus.terminate()
        self._bus.wait(START_S)
        assert self._bus.stdout is not None
        self._bus.stdout.close()

    def _ask(self, ref: Ref, method: str) -> Any:
        place = DBusAddress(ref[1], ref[0], _ACCESSIBLE)
        return self._answer(new_method_call(place, method))[0]

    def _property(self, ref: Ref, name: str) -> Any:
        asked = Properties(DBusAddress(ref[1], ref[0], _ACCESSIBLE)).get(name)
        return self._answer(asked)[0][1]

    def _answer(self, asked: Message) -> Any:
        """Get an answer; raises DBusErrorResponse, as where the object is gone."""
        return unwrap_msg(self._tree.send_and_get_reply(asked, timeout=START_S))

    def _name(self, ref: Ref, role: str) -> str:
        """Get what it is called; of a combo box Qt tells the value as its name."""
        if role != "combo box":
            return str(self._property(ref, "Name"))
        for kind, labels in self._ask(ref, "GetRelationSet"):
            if kind == _LABELLED_BY:
                return str(self._property(labels[0], "Name"))
        return ""

    def program(self) -> Ref:
        """Wait for the program.

        Raises:
            TimeoutError: None came.
        """
        deadline = time.monotonic() + START_S
        registry = ("org.a11y.atspi.Registry", _ROOT)
        while time.monotonic() < deadline:
            found = self._ask(registry, "GetChildren")
            if found:
                return found[0]  # type: ignore[no-any-return]
            time.sleep(0.1)
        raise TimeoutError(f"no program came within {START_S} s")

    def controls(self, ref: Ref, depth: int = 0) -> Iterator[Control]:
        """Go through all that is shown; what cannot be operated is among it.

        Raises:
            DBusErrorResponse: Something has gone meanwhile.
        """
        low, high = self._ask(ref, "GetState")
        states = low | high << 32

        def has(state: int) -> bool:
            return bool(states >> state & 1)

        if depth > 1 and not has(_SHOWING):
            return
        role = str(self._ask(ref, "GetRoleName"))
        name = self._name(ref, role)
        flags = has(_CHECKED), has(_ENABLED), has(_FOCUSABLE)
        yield Control(ref, role, name, *flags)
        if role not in _FULL and role != "combo box":
            for child in self._ask(ref, "GetChildren"):
                yield from self.controls(child, depth + 1)

    def wait_for_checked(self, ref: Ref, name: str) -> None:
        """Wait until what is called so is checked.

        Raises:
            TimeoutError: It is not.
        """
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            with contextlib.suppress(DBusErrorResponse):
                for one in self.controls(ref):
                    if one.name == name and one.is_checked:
                        return
        raise TimeoutError(f"{name} is not checked")

    @contextlib.contextmanager
    def focus(self) -> Iterator[deque[Any]]:
        """Hear where the focus goes."""
        with self._tree.filter(_FOCUS, bufsize=1000) as heard:
            yield heard

    def next_focus(self, heard: deque[Any], last: Ref | None) -> list[Ref]:
        """Wait for the focus to go on from what had it last.

        Returns:
            What has it now, and what that is part of.

        Raises:
            TimeoutError: It did not go on.
        """
        while True:
            message = self._tree.recv_until_filtered(heard, timeout=START_S)
            fields = message.header.fields
            now = str(fields[_SENDER]), str(fields[_PATH])
            if message.body[0] == "focused" and message.body[1] and now != last:
                break
        chain: list[Ref] = [now]
        while len(chain) < 30 and chain[-1][1] != _ROOT:
            chain.append(self._property(chain[-1], "Parent"))
        return chain
