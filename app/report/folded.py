"""Where the figures of a report come from, in fewer lines, as paper has it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.report.document import Document
from app.report.origins import numbered
from app.report.table import Cell, Kind, Table


def folded(document: Document) -> Document:
    """Say in fewer lines where the figures come from, as paper has it.

    What is made of the same samples or document is one line of its row, and so is what
    was kept of it. What is worked out from others leads to the first line of its row.
    """
    moved: dict[str, str] = {}
    appendix = [
        (title, _fold(table, *_FOLDED[table.kind], moved))
        if table.kind in _FOLDED
        else (title, table)
        for title, table in document.appendix
    ]

    def linked(table: Table) -> Table:
        links = {cell: moved.get(to, to) for cell, to in table.links.items()}
        several = {}
        for cell, places in table.several.items():
            found = {name: moved.get(to, to) for name, to in places.items()}
            first, *others = dict.fromkeys(found.values())
            if others:
                several[cell] = found
            else:
                links[cell] = first
        return replace(table, links=links, several=several)

    return replace(
        document,
        table=linked(document.table),
        more=tuple((title, linked(one)) for title, one in document.more),
        appendix=tuple((title, linked(one)) for title, one in appendix),
    )


_SHARED = ("step", "from", "until", "n_valid", "n_expected", "reason", "verdict")
"""Columns that figures of the same origin share."""

_FOLDED: Mapping[Kind, tuple[str, Sequence[str]]] = {
    Kind.ORIGINS: ("figure", _SHARED),
    Kind.OUTPUTS: ("output", ("step",)),
}
"""By kind of a table what its anchors begin with, and the columns that lines share."""


def _fold(table: Table, name: str, keys: Sequence[str], moved: dict[str, str]) -> Table:
    """Make one line of those that share some columns, their names in one cell.

    Args:
        table: The lines, those of a row one after another.
        name: What anchors begin with.
        keys: Of the columns they share.
        moved: Takes by its anchor the one of the line that stands for it now.
    """
    places = {column.key: place for place, column in enumerate(table.columns)}
    shared = [places[key] for key in keys]
    steps = list(dict.fromkeys(cells[0] for cells in table.rows))
    is_own = [bool(cells[places.get("verdict", 0)]) for cells in table.rows]
    # By row of the session, of each what is worked out from its others last.
    order = sorted(
        range(len(table.rows)),
        key=lambda n: (steps.index(table.rows[n][0]), not is_own[n]),
    )
    lines: dict[tuple[Cell, ...], tuple[int, list[str]]] = {}
    first: dict[Cell, str] = {}
    links: dict[tuple[int, int], str] = {}
    several: dict[tuple[int, int], Mapping[str, str]] = {}
    for number in order:
        cells, anchor = table.rows[number], table.anchors[number]
        if not is_own[number] and cells[0] in first:
            moved[anchor] = first[cells[0]]
            continue
        key = tuple(cells[place] for place in shared)
        at, names = lines.setdefault(key, (len(lines), []))
        names.append(str(cells[1]))
        moved[anchor] = f"{name}-{at + 1}"
        first.setdefault(cells[0], moved[anchor])
        for place in shared:
            now = at, 1 + shared.index(place)
            if (number, place) in table.links:
                links[now] = table.links[number, place]
            if (number, place) in table.several:
                several[now] = table.several[number, place]
    columns = [table.columns[place] for place in (shared[0], 1, *shared[1:])]
    return Table(
        tuple(columns),
        tuple((key[0], "; ".join(of), *key[1:]) for key, (_, of) in lines.items()),
        table.kind,
        anchors=numbered(name, len(lines)),
        links=links,
        several=several,
    )
