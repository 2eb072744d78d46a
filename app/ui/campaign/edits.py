"""What a user does with steps: each is one change that can be undone."""

from collections.abc import Callable, Mapping, Sequence

from app.operations.editing.new_step import new_step, title_of
from app.plan.blocks import items, read
from app.plan.edit import (
    Path,
    copied,
    duplicate,
    free_name,
    insert,
    move,
    pasted,
    put,
    remove,
)
from app.ui.campaign.file import CampaignFile

_STEP = "step"


class CampaignEdits:
    """Changes the steps of the campaign in hand."""

    def __init__(self, file: CampaignFile) -> None:
        self._file = file

    @property
    def steps(self) -> list[Mapping[str, object]]:
        """The steps as they stand in the text."""
        return items(self._file.values, _STEP)

    def _do(
        self,
        title: str,
        edit: Callable[[str], str],
        before: Sequence[int],
        after: Sequence[int],
    ) -> None:
        self._file.change(title, edit, rows=(before, after))

    def add(self, engine: str, after: Sequence[int]) -> None:
        """Put a new step behind the chosen ones, or at the end."""
        at = after[-1] + 1 if after else len(self.steps)
        taken = [str(step.get("label", "")) for step in self.steps]
        step = new_step(engine, free_name(title_of(engine), taken))
        name = f"add {step['label']}"
        self._do(name, lambda text: insert(text, _STEP, at, step), after, [at])

    def duplicate(self, rows: Sequence[int]) -> None:
        """Put a copy of steps behind them."""
        if rows:
            first = rows[-1] + 1
            self._do(
                _named("duplicate", len(rows)),
                lambda text: duplicate(text, _STEP, rows),
                rows,
                range(first, first + len(rows)),
            )

    def copied(self, rows: Sequence[int]) -> str:
        """Get steps as text for the clipboard."""
        return copied(self._file.text, _STEP, rows)

    def paste(self, piece: str, after: Sequence[int]) -> None:
        """Put copied steps behind the chosen ones, or at the end."""
        at = after[-1] + 1 if after else len(self.steps)
        count = len(items(read(piece), _STEP))
        self._do(
            "paste steps",
            lambda text: pasted(text, _STEP, at, piece),
            after,
            range(at, at + count),
        )

    def delete(self, rows: Sequence[int]) -> None:
        """Take steps out."""
        if rows:
            left = len(self.steps) - len(rows)
            near = [min(rows[0], left - 1)] if left else []
            title = _named("delete", len(rows))
            self._do(title, lambda text: remove(text, _STEP, rows), rows, near)

    def move(self, rows: Sequence[int], to: int) -> None:
        """Put steps in front of another one."""
        first = to - sum(row < to for row in rows)
        self._do(
            _named("move", len(rows)),
            lambda text: move(text, _STEP, rows, to),
            rows,
            range(first, first + len(rows)),
        )

    def shift(self, rows: Sequence[int], by: int) -> None:
        """Move steps up (-1) or down (1)."""
        if not rows:
            return
        to = rows[0] - 1 if by < 0 else rows[-1] + 2
        if 0 <= to <= len(self.steps):
            self.move(rows, to)

    def switch(self, rows: Sequence[int]) -> None:
        """Let all chosen steps be run, or none where the first one is."""
        if rows:
            is_on = self.steps[rows[0]].get("enabled", True) is not False
            title = _named("switch off" if is_on else "switch on", len(rows))
            self.set(rows, ("enabled",), False if is_on else None, title=title)

    def set(
        self,
        rows: Sequence[int],
        path: Path,
        value: object,
        merge: str = "",
        *,
        title: str = "",
    ) -> None:
        """Set a key of steps."""

        def edit(text: str) -> str:
            for row in rows:
                text = put(text, (_STEP, row), path, value)
                if path == ("engine",):
                    text = _other_engine(text, row, str(value))
            return text

        # Another engine rewrites the step, which is undone by itself.
        word = f"{list(rows)} {merge}" if merge and path != ("engine",) else ""
        self._file.change(title or f"change {'.'.join(path)}", edit, merge=word)

    def set_top(self, path: Path, value: object, merge: str) -> None:
        """Set a key of the campaign itself."""

        def edit(text: str) -> str:
            if path[0] == "ranging" and isinstance(read(text).get("ranging"), bool):
                text = put(text, None, ("ranging",), None)
            return put(text, None, path, value)

        self._file.change(f"change {'.'.join(path)}", edit, merge=merge)

    def set_tables(
        self, name: str, tables: Sequence[Mapping[str, object]], merge: str
    ) -> None:
        """Have these tables in a list beside the steps, such as [[interlock]]."""

        def edit(text: str) -> str:
            before = items(read(text), name)
            for row, table in enumerate(tables):
                if row >= len(before):
                    text = insert(text, name, row, table)
                    continue
                for key in {**before[row], **table}:
                    text = put(text, (name, row), (key,), table.get(key))
            return remove(text, name, range(len(tables), len(before)))

        self._file.change(f"change {name}", edit, merge=merge)


def _other_engine(text: str, row: int, engine: str) -> str:
    """Let a step have what its new engine needs, and nothing of the one before."""
    step = items(read(text), _STEP)[row]
    first = new_step(engine, "")
    for key, value in step.items():
        if isinstance(value, dict) and key != engine:
            text = put(text, (_STEP, row), (key,), None)
    for key in ("ramp", "runtime"):
        if key in step and key not in first:
            text = put(text, (_STEP, row), (key,), None)
    for key, value in first.items():
        if key not in step and key != "label":
            text = put(text, (_STEP, row), (key,), value)
    return text


def _named(verb: str, count: int) -> str:
    return f"{verb} {count} steps" if count > 1 else f"{verb} step"
