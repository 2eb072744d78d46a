"""Which samples of a session are wanted: channels, from when to when, on what grid."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from app.record.store import Session, Window
from instruments.errors import BadInput
from instruments.reading import SECOND, Channel
from instruments.settings import did_you_mean, some_of

LEAST_GRID_NS, MOST_GRID_NS = SECOND // 1000, 3600 * SECOND
"""No channel is read more often, and an hour of any channel is read at once."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What is chosen of each session; all of it where nothing is said.

    Attributes:
        channels: Printed names, or patterns such as "mains.*" or "*.temperature.*".
        step: The label of the row whose measured window is wanted; "" for none.
        from_s: Seconds after the start of the session.
        until_s: The same; None for its end.
        grid_ns: Width of the cells of a common grid; None for samples as read.
    """

    channels: Sequence[str] = ()
    step: str = ""
    from_s: float = 0.0
    until_s: float | None = None
    grid_ns: int | None = None

    def __post_init__(self) -> None:
        if (
            self.grid_ns is not None
            and not LEAST_GRID_NS <= self.grid_ns <= MOST_GRID_NS
        ):
            raise BadInput(
                f"a grid of {self.grid_ns / SECOND:g} s cannot be made",
                where="--grid",
                way_out="Choose 1 ms to 1 h.",
            )
        if self.until_s is not None and self.until_s <= self.from_s:
            raise BadInput(
                f"nothing is from {self.from_s:g} s until {self.until_s:g} s",
                where="--until",
                way_out="Let it end after it begins.",
            )

    def channels_of(self, session: Session) -> list[Channel]:
        """Pick the channels, in the order of the session.

        Raises:
            BadInput: A name or pattern is that of no channel.
        """
        known = session.channels()
        if not self.channels:
            return known
        names = [channel.name for channel in known]
        for wanted in self.channels:
            if not any(_fits(name, wanted) for name in names):
                raise BadInput(
                    f'there is no channel "{wanted}"{did_you_mean(wanted, names)}',
                    where=str(session.path),
                    way_out=f"It has {some_of(names)}.",
                )
        return [one for one in known if any(_fits(one.name, w) for w in self.channels)]

    def window_of(self, session: Session) -> Window:
        """Get from when to when, both ends included, with offsets applied.

        Raises:
            BadInput: There is no such step, it has not begun, or nothing is so late.
        """
        if self.step:
            return _measured(session, self.step)
        shifts = [one.offset_ns for one in session.offsets()]
        _, last = session.extent()
        begin = session.begin_ns
        start = begin + round(self.from_s * SECOND)
        end = last + max(0, *shifts, 0)
        if self.from_s and start > end:
            raise BadInput(
                f"nothing is from {self.from_s:g} s on, the session ends at "
                f"{max(0, end - begin) / SECOND:.1f} s",
                where=str(session.path),
                way_out="Begin earlier (--from).",
            )
        if self.until_s is not None:
            return start, begin + round(self.until_s * SECOND) - 1
        # What an offset moves beyond the ends is of the session, too.
        earlier = min(0, *shifts, 0) if not self.from_s else 0
        return start + earlier, max(start, end)


def _fits(name: str, wanted: str) -> bool:
    """Tell whether a channel is meant; names of others may have brackets in them."""
    return name == wanted or fnmatchcase(name, wanted)


def _measured(session: Session, label: str) -> Window:
    steps = session.steps()
    # Of several attempts the last one is the row that counts.
    found = [step for step in steps if step.label == label]
    window = next((step.window for step in reversed(found) if step.window), None)
    if window is None:
        labels = [step.label for step in steps]
        what = f'"{label}" was not run' if found else f'there is no row "{label}"'
        raise BadInput(
            f"{what}{'' if found else did_you_mean(label, labels)}",
            where=str(session.path),
            way_out=f"Rows: {', '.join(dict.fromkeys(labels)) or 'none'}.",
        )
    start, end = window
    return start, end - 1
