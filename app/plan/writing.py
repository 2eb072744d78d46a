"""Campaigns and steps written as TOML, as they are read."""

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
    table.update({key: format_duration(s) for key, s in lengths.items() if s})
    settings = {
        "repeat": step.repeat,
        "enabled": step.enabled,
        "role": step.role and str(step.role),
        "teardown": step.teardown,
        "devices": step.devices,
    }
    table.update({k: v for k, v in settings.items() if v != _USUAL.get(k)})
    lists = {"limits": [str(limit) for limit in step.limits], "needs": [*step.needs]}
    table.update({key: texts for key, texts in lists.items() if texts})
    if step.options:
        table[step.engine] = dict(step.options)
    tables = {
        "sweep": step.sweep and matrix_values(step.sweep),
        "steady": step.steady and steady_values(step.steady),
        "repeats": step.repeats and repeats_values(step.repeats),
        "rounds": step.rounds and rounds_values(step.rounds),
    }
    table.update({key: values for key, values in tables.items() if values})
    return table


def step_text(step: Step) -> str:
    """Write one step as TOML, the way it is stored with its row."""
    return tomlkit.dumps(step_table(step))
