"""Changes to the text of a campaign: from text to text, and its comments stay.

What is changed need not be a campaign without mistakes: whoever edits one is always in
the middle of something. It only has to be TOML. A table of a list is named by the list
and its number from 0, such as ("step", 2); None is the top of the file.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import tomlkit
from tomlkit.items import AbstractTable
from tomlkit.toml_document import TOMLDocument

from app.plan.blocks import Block, items, join, read, spans, split
from instruments.errors import BadInput


def changed(body: str, path: tuple[str, ...], value: object) -> str:
    """Set or remove a key below a header; what is behind the last key stays there.

    Raises:
        BadInput: The path leads through what is not a table.
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
            raise BadInput(f"{name} is not a table", where=".".join(path))
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


Item = tuple[str, int] | None
Path = tuple[str, ...]

NEW = """name = "New campaign"
description = ""

[[step]]
label = "Idle"
engine = "idle"
runtime = "1m"
"""
"""What a new campaign begins with."""


def value_at(values: Mapping[str, object], path: Path) -> object:
    """Get what stands at a path, None where nothing does."""
    found: object = values
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def put(text: str, item: Item, path: Path, value: object) -> str:
    """Set a key, or remove it where the value is None.

    Args:
        text: The campaign.
        item: The table that has it.
        path: The key, with the tables it is in, such as ("fio", "bs").
        value: A text, number, flag, list, or the values of a whole table.

    Raises:
        BadInput: The text is not TOML, or has no such table.
    """
    blocks = split(text)
    first, end, prefix = _range(blocks, item)
    own = _own_table(blocks, item, (first, end), (*prefix, path[0]))
    if own is not None and len(path) > 1:
        return join(_put_table(blocks, own, path[1:], value))
    if own is not None:
        del blocks[own]
        end -= own < end
    document = tomlkit.parse(blocks[first].body)
    makes_table = isinstance(value, Mapping) or len(path) > 1
    if makes_table and path[0] not in document:
        if value is not None:
            values = nested(path, value)[path[0]]
            blocks.insert(end, new_table(prefix, path[0], values))
        return join(blocks)
    head = blocks[first]
    blocks[first] = replace(head, body=changed(head.body, path, value))
    return join(blocks)


def insert(text: str, name: str, at: int, values: Mapping[str, object]) -> str:
    """Put another table into a list; raises BadInput."""
    table = tomlkit.aot()
    table.append(tomlkit.item(dict(values)))
    made = list(split(tomlkit.dumps({name: table})))
    blocks = split(text)
    found = spans(blocks, name)
    if at < len(found):
        place = found[at][0]
    elif found:
        place = found[-1][1]
    else:
        steps = spans(blocks, "step")
        place = len(blocks) if name == "step" or not steps else steps[0][0]
    blocks[place:place] = [closed(block) for block in made]
    return join(blocks)


def remove(text: str, name: str, rows: Iterable[int]) -> str:
    """Take tables out of a list; raises BadInput."""
    blocks = split(text)
    found = spans(blocks, name)
    for row in sorted(set(rows), reverse=True):
        first, end = _nth(found, name, row)
        del blocks[first:end]
    return join(blocks)


def move(text: str, name: str, rows: Iterable[int], to: int) -> str:
    """Put tables of a list in front of another one, in their order.

    Args:
        text: The campaign.
        name: The list.
        rows: Which of its tables.
        to: Number of the table they go in front of; one too many is the end.

    Raises:
        BadInput: The text is not TOML, or there is no such table.
    """
    blocks = split(text)
    found = spans(blocks, name)
    chosen = sorted(set(rows))
    for row in chosen:
        _nth(found, name, row)
    others = [row for row in range(len(found)) if row not in chosen]
    before = [row for row in others if row < to]
    order = [*before, *chosen, *(row for row in others if row >= to)]
    pieces = [blocks[first:end] for first, end in found]
    result: list[Block] = []
    done = 0
    for number, (first, end) in enumerate(found):
        result += blocks[done:first]
        result += [closed(block) for block in pieces[order[number]]]
        done = end
    return join([*result, *blocks[done:]])


def duplicate(text: str, name: str, rows: Iterable[int]) -> str:
    """Put a copy of tables behind the last of them, with labels of their own."""
    blocks = split(text)
    found = spans(blocks, name)
    chosen = sorted(set(rows))
    if not chosen:
        return text
    key = "label" if name == "step" else "name"
    taken = {str(one.get(key, "")) for one in items(read(text), name)}
    copies: list[Block] = []
    for row in chosen:
        first, end = _nth(found, name, row)
        head = _renamed(blocks[first], key, taken)
        copies += [head, *blocks[first + 1 : end]]
    place = found[chosen[-1]][1]
    blocks[place:place] = [closed(block) for block in copies]
    return join(blocks)


def copied(text: str, name: str, rows: Iterable[int]) -> str:
    """Get tables of a list as their own text; raises BadInput."""
    blocks = split(text)
    found = spans(blocks, name)
    pieces: list[Block] = []
    for row in sorted(set(rows)):
        first, end = _nth(found, name, row)
        pieces += blocks[first:end]
    return join(closed(block) for block in pieces)


def pasted(text: str, name: str, at: int, piece: str) -> str:
    """Put the tables of a copied text in front of another one.

    Raises:
        BadInput: One of the texts is not TOML, or the copied one has no such table.
    """
    blocks, others = split(text), split(piece)
    places = spans(others, name)
    if not places:
        raise BadInput(
            f"the clipboard has no [[{name}]]",
            way_out="Copy steps of a campaign, or the lines of their text.",
        )
    key = "label" if name == "step" else "name"
    taken = {str(one.get(key, "")) for one in items(read(text), name)}
    fresh: list[Block] = []
    for first, end in places:
        head = _renamed(others[first], key, taken)
        fresh += [head, *others[first + 1 : end]]
    found = spans(blocks, name)
    place = found[at][0] if at < len(found) else len(blocks)
    if found and at >= len(found):
        place = found[-1][1]
    blocks[place:place] = [closed(block) for block in fresh]
    return join(blocks)


def _renamed(head: Block, key: str, taken: set[str]) -> Block:
    """Give a copied table a name that is not taken; one without a name gets none."""
    label = str(tomlkit.parse(head.body).unwrap().get(key, ""))
    if not label:
        return head
    fresh = free_name(label, taken)
    taken.add(fresh)
    if fresh == label:
        return head
    return replace(head, body=changed(head.body, (key,), fresh))


def free_name(name: str, taken: Iterable[str]) -> str:
    """Make a name that is not taken: "Idle", then "Idle 2"."""
    known = set(taken)
    if name not in known:
        return name
    stem, _, last = name.rpartition(" ")
    base = stem if stem and last.isdecimal() else name
    numbers = (f"{base} {number}" for number in range(2, len(known) + 3))
    return next(one for one in numbers if one not in known)


def _range(blocks: list[Block], item: Item) -> tuple[int, int, Path]:
    """Find the blocks of a table, and what the paths of its own tables begin with."""
    if item is not None:
        return *_nth(spans(blocks, item[0]), *item), (item[0],)
    if not blocks or blocks[0].path:
        blocks.insert(0, Block((), False, "", "", ""))
    lists = (number for number, block in enumerate(blocks) if block.is_item)
    return 0, next(lists, len(blocks)), ()


def _own_table(
    blocks: Sequence[Block], item: Item, span: tuple[int, int], path: Path
) -> int | None:
    """Find the block of a table of a table; those of the top may stand anywhere."""
    numbers = range(len(blocks)) if item is None else range(*span)
    return next((n for n in numbers if blocks[n].path == path), None)


def _nth(found: Sequence[tuple[int, int]], name: str, number: int) -> tuple[int, int]:
    if not 0 <= number < len(found):
        raise BadInput(f"there is no {name} {number + 1}", where=name)
    return found[number]


def _put_table(
    blocks: list[Block], number: int, path: Path, value: object
) -> list[Block]:
    """Set a key of a table that has a header; without any key it goes."""
    block = blocks[number]
    body = changed(block.body, path, value)
    if tomlkit.parse(body).unwrap():
        blocks[number] = replace(block, body=body)
    else:
        del blocks[number]
    return blocks
