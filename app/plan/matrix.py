"""A sweep: the product of axes as labelled points, in an order; text in and out."""

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.plan.axes import Axis, AxisError, check_axes, make_axis
from app.plan.order import order_values, ordered, parse_order
from app.plan.toml_table import TomlTable
from instruments.errors import printable
from instruments.settings import did_you_mean

MOST_POINTS = 10_000
"""More runs than this are taken for a mistake."""

MOST_LABEL = 200
"""Characters of a step's label."""

_PLACE = re.compile(r"\{([A-Za-z0-9_.-]+)\}")


@dataclass(frozen=True, slots=True)
class Point:
    """One run of a sweep.

    Attributes:
        label: Of the row, such as "Random read 4k QD8".
        options: What the axes set, as the engine spells it.
    """

    label: str
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Axes and the order in which their product is run.

    Attributes:
        axes: The last one varies quickest.
        order: "fixed", "reversed" or "shuffled".
        seed: Of the shuffle.
    """

    axes: tuple[Axis, ...]
    order: str = "fixed"
    seed: int = 1

    @property
    def size(self) -> int:
        """How many points there are."""
        return math.prod(len(axis.values) for axis in self.axes)

    def points(self, label: str) -> tuple[Point, ...]:
        """Get the points as written, with labels that are all different.

        Args:
            label: Of the step. "{bs}" stands for the value of that axis; the axes
                that are not named are told behind it.
        """
        return tuple(
            self._point(label, values)
            for values in itertools.product(*(axis.values for axis in self.axes))
        )

    def runs(self, label: str, repeat: int = 1) -> tuple[tuple[str, Point], ...]:
        """Get the points in the order they are run.

        Repeats are passes over all points, each shuffled again where that is the
        order, so that a slow drift is not taken for an effect of an axis: a
        randomised block design (Box, Hunter and Hunter, "Statistics for
        Experimenters", chapter 4).

        Args:
            label: Of the step.
            repeat: How many passes; above 1 the label of a row ends in "(2/3)".

        Returns:
            For each run the label of its row, and the point.
        """
        points = self.points(label)
        runs = ordered(points, self.order, self.seed, repeat)
        if repeat == 1:
            return tuple((point.label, point) for point in runs)
        return tuple(
            (f"{point.label} ({number // len(points) + 1}/{repeat})", point)
            for number, point in enumerate(runs)
        )

    def _point(self, label: str, values: Sequence[str]) -> Point:
        chosen = dict(zip((axis.option for axis in self.axes), values, strict=True))
        named = set(_PLACE.findall(label))
        words = [
            axis.word(chosen[axis.option])
            for axis in self.axes
            if axis.option not in named
        ]
        base = _PLACE.sub(lambda match: chosen.get(match[1], match[0]), label)
        return Point(" ".join([base, *words]), chosen)


def _axes(table: TomlTable, options: Mapping[str, str]) -> tuple[Axis, ...]:
    """Read the axes of a sweep.

    Raises:
        AxisError: There is none, or one cannot be with the options or another one.
    """
    axes = tuple(make_axis(key, value) for key, value in table.rest().items())
    if not axes:
        raise AxisError("", "a sweep has no axis", 'Expected such as bs = ["4k"].')
    for axis in axes:
        if axis.option in options:
            raise AxisError(
                axis.option,
                f"{axis.option} is set in the step and swept, too",
                "Remove one of the two.",
            )
    check_axes(axes, options)
    return axes


def parse_matrix(
    table: TomlTable,
    own: TomlTable,
    options: Mapping[str, str],
    check: Callable[[Mapping[str, str]], tuple[str, str, str] | None],
) -> Matrix:
    """Read a table [step.sweep].

    Args:
        table: The table; every key but `order` and `seed` is an axis.
        own: The table of the step's own options, where mistakes in them stand.
        options: These options; they hold where no axis sets them.
        check: Tells what the engine would refuse of one run's options: the option,
            what is wrong and what was expected; None where all is well.

    Raises:
        BadInput: Names the file, the line and the key, and what was expected.
    """
    order, seed = parse_order(table)
    try:
        axes = _axes(table, options)
    except AxisError as error:
        table.fail(error.key, error.what, error.expected)
    if order != "shuffled" and "seed" in table.values:
        table.fail("seed", f"the order {order} has no seed", 'Set order = "shuffled".')
    matrix = Matrix(axes, order, seed)
    if matrix.size > MOST_POINTS:
        table.fail(
            axes[0].option,
            f"the sweep has {matrix.size} points",
            f"Expected at most {MOST_POINTS}; take fewer values or axes.",
        )
    swept = {axis.option for axis in axes}
    for point in matrix.points(""):
        mistake = check({**options, **point.options})
        if mistake is not None:
            option, what, expected = mistake
            if option in own.values and option not in swept:
                own.fail(option, what, expected)
            table.fail(option if option in swept else "", what, expected)
    return matrix


def check_label(table: TomlTable, label: str, matrix: Matrix | None) -> None:
    """Check a step's label: one line, and places that are axes.

    Raises:
        BadInput: It is too long, cannot be printed, or a place names no axis.
    """
    if len(label) > MOST_LABEL:
        what = f"the label has {len(label)} characters"
        table.fail("label", what, f"Expected at most {MOST_LABEL}.")
    if printable(label) != label:
        what = f'the label "{label}" has an invisible character or a line break'
        table.fail("label", what, "Write it again in one line.")
    known = [axis.option for axis in matrix.axes] if matrix is not None else []
    for name in _PLACE.findall(label):
        if name not in known:
            table.fail(
                "label",
                f'"{{{name}}}" in the label is not an axis of a sweep'
                f"{did_you_mean(name, known)}",
                f"Expected one of {', '.join(known)}." if known else "Remove it.",
            )


def matrix_values(matrix: Matrix) -> dict[str, object]:
    """Get what stands in a table [step.sweep], numbers as numbers."""
    axes = {axis.option: [*map(_plain, axis.values)] for axis in matrix.axes}
    return {**axes, **order_values(matrix.order, matrix.seed)}


def _plain(value: str) -> object:
    is_number = value.isdecimal() and value == str(int(value))
    return int(value) if is_number else value
