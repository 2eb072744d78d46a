"""Campaigns and steps written as TOML, as they are read."""

from collections.abc import Mapping

import tomlkit
from tomlkit.items import Table

from app.plan.campaign import Campaign
from app.plan.configurations import configuration_tables
from app.plan.interlocks import interlock_tables
from app.plan.limits import Rule
from app.plan.matrix import matrix_values
from app.plan.repeats import repeats_values
from app.plan.rounds import rounds_values
from app.plan.steady import steady_values
from app.plan.step import EACH, Step
from instruments.durations import format_duration


def campaign_text(campaign: Campaign) -> str:
    """Write a campaign as the TOML text that `parse_campaign` reads."""
    document = tomlkit.document()
    document["name"] = campaign.name
    if campaign.description:
        document["description"] = campaign.description
    if campaign.ranging_s:
        document["ranging"] = {"seconds": campaign.ranging_s}
    if campaign.loop:
        document["loop"] = True
    if campaign.rule is not Rule.SIMPLE:
        document["rule"] = str(campaign.rule)
    if campaign.gates:
        document["gates"] = [gate.name for gate in campaign.gates]
    if campaign.shortened != 1.0:
        document["shortened"] = campaign.shortened
    document.update(configuration_tables(campaign.configurations))
    if campaign.interlocks:
        document["interlock"] = interlock_tables(campaign.interlocks)
    steps = tomlkit.aot()
    for step in campaign.steps:
        steps.append(step_table(step))
    document["step"] = steps
    return tomlkit.dumps(document)


_USUAL = {"repeat": 1, "enabled": True, "teardown": False, "devices": EACH}
"""What `parse_step` takes where nothing is written; a role has no such value."""


def step_table(step: Step) -> Table:
    """Write a step as the table that `parse_step` reads."""
    table = tomlkit.table()
    table["label"] = step.label
    table["engine"] = step.engine
    lengths = {
        "runtime": step.runtime_s,
        "ramp": step.ramp_s,
        "rampdown": step.rampdown_s,
    }
    _put(table, {key: s and format_duration(s) for key, s in lengths.items()})
    settings = {
        "repeat": step.repeat,
        "enabled": step.enabled,
        "role": step.role and str(step.role),
        "teardown": step.teardown,
        "devices": step.devices,
    }
    table.update({k: v for k, v in settings.items() if v != _USUAL.get(k)})
    lists = {"limits": [*map(str, step.limits)], "needs": [*step.needs]}
    tables = {
        step.engine: dict(step.options),
        "sweep": step.sweep and matrix_values(step.sweep),
        "steady": step.steady and steady_values(step.steady),
        "repeats": step.repeats and repeats_values(step.repeats),
        "rounds": step.rounds and rounds_values(step.rounds),
    }
    _put(table, lists)
    _put(table, tables)
    return table


def _put(table: Table, values: Mapping[str, object]) -> None:
    table.update({key: value for key, value in values.items() if value})


def step_text(step: Step) -> str:
    """Write one step as TOML, the way it is stored with its row."""
    return tomlkit.dumps(step_table(step))
