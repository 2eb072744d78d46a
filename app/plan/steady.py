"""Steady state asked for in a plan: by which rule, of what, over which rounds."""

from dataclasses import dataclass

from app.plan.toml_table import TomlTable
from instruments.durations import format_duration

METHODS = ("sss-pts", "fio-slope", "7-of-25", "5x30min")
QUANTITIES = ("iops", "power", "temperature")
ENGINES = ("idle", "fio", "vdbench", "copy")
"""Engines whose steps can wait for it: a live trace, and an end at any moment."""

_WHY_NOT = {
    "iozone": "its tests follow each other, so no single rate of it becomes steady",
    "warp": "it reports its results only where it ends by itself",
}


@dataclass(frozen=True, slots=True)
class SteadyPlan:
    """A step that ends when it is steady; its runtime is its longest time.

    Attributes:
        method: One of METHODS.
        quantities: What has to be steady, all at once; () is what the bench has.
        round_s: Length of a round; 0 is that of the method.
        measure_s: So long the step goes on once it is steady, and only that is
            measured; 0 measures the rounds in which it was steady.
    """

    method: str = METHODS[0]
    quantities: tuple[str, ...] = ()
    round_s: float = 0.0
    measure_s: float = 0.0


def parse_steady(table: TomlTable, engine: str) -> SteadyPlan:
    """Read [step.steady].

    Raises:
        BadInput: Names the file, the line and the key, and what was expected.
    """
    if engine not in ENGINES:
        what = f"a step with the engine {engine} cannot wait for a steady state"
        why = f": {_WHY_NOT[engine]}" if engine in _WHY_NOT else ""
        known = f"{', '.join(ENGINES[:-1])} and {ENGINES[-1]}"
        table.fail("", f"{what}{why}", f"Remove it; {known} can.")
    plan = SteadyPlan(
        table.choice("method", METHODS, METHODS[0]),
        tuple(table.texts("quantities")),
        table.duration("round", 0.0),
        table.duration("measure", 0.0),
    )
    table.finish()
    for name in plan.quantities:
        if name not in QUANTITIES:
            expected = f"Expected some of {', '.join(QUANTITIES)}."
            table.fail("quantities", f'quantities has "{name}"', expected)
    if engine == "idle" and "iops" in plan.quantities:
        table.fail("quantities", "an idle step has no iops", "Remove it.")
    if "round" in table.values and plan.round_s < 1.0:
        table.fail("round", "round is too short", "Expected 1 s at least.")
    return plan


def steady_values(plan: SteadyPlan) -> dict[str, object]:
    """Get what stands in [step.steady]."""
    found: dict[str, object] = {"method": plan.method}
    if plan.quantities:
        found["quantities"] = list(plan.quantities)
    if plan.round_s:
        found["round"] = format_duration(plan.round_s)
    if plan.measure_s:
        found["measure"] = format_duration(plan.measure_s)
    return found
