"""Changes to one block of a TOML file: its keys, its header, its end."""

from collections.abc import Mapping
from dataclasses import replace

import tomlkit
from tomlkit.items import AbstractTable
from tomlkit.toml_document import TOMLDocument

from app.plan.blocks import Block
from instruments.errors import BadInput


def changed(body: str, path: tuple[str, ...], value: object) -> str:
    """Set or remove a key below a header; what is behind the last key stays there.

    Raises:
        BadInput: The path leads through what is no table.
    """
    keys = body.rstrip()
    rest = body[len(keys) :] or "\n"
    document = tomlkit.parse(f"{keys}\n" if keys else "")
    table: TOMLDocument | AbstractTable = document
    for name in path[:-1]:
        if name not in table:
            if value is None:
                return body
            table[name] = tomlkit.inline_table()
        inner = table[name]
        if not isinstance(inner, AbstractTable):
            raise BadInput(f"{name} is no table", where=".".join(path))
        table = inner
    if value is not None:
        table[path[-1]] = _item(value)
    elif path[-1] in table:
        del table[path[-1]]
    return tomlkit.dumps(document).rstrip("\n") + rest


def nested(path: tuple[str, ...], value: object) -> dict[str, object]:
    """Make tables of a path with a value at its end."""
    return {path[0]: nested(path[1:], value) if len(path) > 1 else value}


def new_table(prefix: tuple[str, ...], name: str, values: object) -> Block:
    """Make the block of a table with its header."""
    full = (*prefix, name)
    body = tomlkit.document()
    for key, value in values.items() if isinstance(values, Mapping) else ():
        body[key] = _item(value)
    header = f"[{'.'.join(tomlkit.key(part).as_string() for part in full)}]\n"
    return Block(full, False, "", header, f"{tomlkit.dumps(body).rstrip()}\n\n")


def closed(block: Block) -> Block:
    """Let a block end in a line feed, so that another can follow it."""
    if block.text.endswith("\n"):
        return block
    return replace(block, body=f"{block.body}\n")


def _item(value: object) -> object:
    if isinstance(value, str) and "\n" in value:
        return tomlkit.string(value, multiline=True)
    if isinstance(value, Mapping):
        inline = tomlkit.inline_table()
        for key, one in value.items():
            inline[key] = _item(one)
        return inline
    return list(value) if isinstance(value, tuple) else value
