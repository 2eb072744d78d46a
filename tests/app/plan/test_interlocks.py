"""Interlocks in campaign.toml: read, written, and refused with the way out."""

import pytest

from app.plan.campaign import parse_campaign
from app.plan.interlocks import Interlock
from app.plan.writing import campaign_text
from instruments.errors import BadInput

STEP = '[[step]]\nlabel = "a"\nengine = "idle"\nruntime = "1s"\n'

GOOD = """
name = "x"
[[interlock]]
name = "Drives too hot"
channels = ["*.temperature.slot*", "*.temperature.drive-*"]
above = 60
until = 55
for = "10s"
[[interlock]]
name = "Meter lost"
lost = ["mains*"]
action = "stop"
[[interlock]]
name = "Disk nearly full"
disk_free = "5g"
give_up = "10m"
"""


def test_text_in_is_text_out() -> None:
    campaign = parse_campaign(GOOD + STEP, "plan.toml")
    hot, lost, full = campaign.interlocks
    channels = ("*.temperature.slot*", "*.temperature.drive-*")
    assert hot == Interlock("Drives too hot", channels, above=60, until=55, for_s=10)
    assert lost == Interlock("Meter lost", lost=("mains*",), action="stop")
    assert full.disk_free == 5 * 2**30
    assert full.give_up_s == 600
    again = parse_campaign(campaign_text(campaign), "again.toml")
    assert again.interlocks == campaign.interlocks


def test_it_trips_and_clears_with_a_distance() -> None:
    hot = Interlock("hot", ("*",), above=60, until=55)
    assert [hot.trips_at(value) for value in (60, 60.1)] == [False, True]
    assert [hot.clears_at(value) for value in (55, 55.1)] == [True, False]
    slow = Interlock("fan", ("*",), below=500)
    assert [slow.trips_at(value) for value in (500, 499)] == [False, True]
    assert [slow.clears_at(value) for value in (500, 499)] == [True, False]


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('name = "a"', "watches 0 kinds of things"),
        ('name = "a"\nlost = ["m"]\ndisk_free = "1g"', "watches 2 kinds of things"),
        ('name = "a"\nchannels = ["m.P"]', "it needs one threshold"),
        ('name = "a"\nlost = ["m"]\nabove = 3', "a threshold needs channels"),
        (
            'name = "a"\nchannels = ["m.P"]\nabove = 60\nuntil = 61',
            "until is 61, which trips it again. Expected a value that is not above 60",
        ),
        ('name = "a"\ndisk_free = "much"', 'disk_free is "much"'),
        ('name = "a"\nlost = ["m"]\naction = "cry"', "one of hold, stop"),
    ],
)
def test_what_cannot_be_watched_is_refused(table: str, told: str) -> None:
    text = f'name = "x"\n[[interlock]]\n{table}\n{STEP}'
    with pytest.raises(BadInput) as raised:
        parse_campaign(text, "plan.toml")
    assert told in str(raised.value)
    assert "plan.toml, line" in str(raised.value)
