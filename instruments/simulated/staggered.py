"""A staggered spin-up as equations: what a start-up has to show is known."""

GROUPS = 6
"""Groups of drives that spin up one after the other."""

FIRST_S = 2.0
"""When the first group begins, after the electronics."""

EVERY_S = 2.0
SPIN_S = 1.5
"""How long a group draws more than it does idle."""

SPIN_W = 18.0
"""What a drive draws while it spins up, in W."""

READY_S = FIRST_S + (GROUPS - 1) * EVERY_S + SPIN_S
"""When the last drive answers."""


def begins_s(group: int) -> float:
    """Get when a group begins to spin up, in seconds after switching on."""
    return FIRST_S + group * EVERY_S


def drive_w(group: int, since_s: float, idle_w: float) -> float:
    """Get what one drive of a group draws in W, some seconds after switching on."""
    spinning = since_s - begins_s(group)
    if spinning < 0.0:
        return 0.0
    return SPIN_W if spinning < SPIN_S else idle_w


def is_ready(group: int, since_s: float) -> bool:
    """Tell whether the drives of a group answer."""
    return since_s >= begins_s(group) + SPIN_S
