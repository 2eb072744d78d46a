"""Values of SNMP by their types: numbers, counters, texts, and what is not there."""

from typing import Any

from pyasn1.type import univ  # type: ignore[import-untyped]  # ships no types
from pysnmp.proto import rfc1902, rfc1905  # type: ignore[import-untyped]

from instruments.thermal.snmp.agent import Answer

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
