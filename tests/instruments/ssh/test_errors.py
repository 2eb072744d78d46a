"""Why a machine could not be reached, with commands that work as they stand."""

import asyncssh

from instruments.ssh.connection import explain
from instruments.ssh.target import Target
from instruments.tools.command_errors import too_late


def test_a_command_to_try_has_port_and_user() -> None:
    target = Target("10.0.0.7", user="root", port=5599)
    known = asyncssh.SSHKnownHosts()
    error = explain(asyncssh.ConnectionLost("lost"), target, known, [])
    assert error.way_out.endswith(": ssh -p 5599 root@10.0.0.7")
    plain = explain(asyncssh.ConnectionLost("lost"), Target("lab"), known, [])
    assert plain.way_out.endswith(": ssh lab")


def test_what_is_late_on_a_machine_is_not_put_down_to_a_device() -> None:
    assert "that machine is too busy" in too_late("grep", 5, "10.0.0.7").way_out
    assert "device" not in too_late("grep", 5, "10.0.0.7").way_out
    assert "the device it asks" in too_late("smartctl", 5, "10.0.0.7").way_out
    assert too_late("smartctl", 5).way_out == (
        "Check whether the device it asks still answers."
    )
