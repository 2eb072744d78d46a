"""Sweeps of two sessions: which of them is the faster one at what size."""

from app.operations.sessions.compare import crossing_sentences, sweeps_over_sizes

CAMPAIGN = """
name = "Sizes"
[[step]]
label = "Random {bs}, {rwmixread} % read"
engine = "fio"
runtime = "1m"
[step.fio]
rw = "randrw"
[step.sweep]
rwmixread = [100, 0]
bs = ["32k", "64k"]
[[step]]
label = "Idle"
engine = "idle"
runtime = "1m"
"""


def table(*rates: float) -> list[dict[str, object]]:
    labels = [
        f"Random {bs}, {share} % read" for share in (100, 0) for bs in ("32k", "64k")
    ]
    return [
        {"step": label, "bandwidth_mb_s": rate}
        for label, rate in zip(labels, rates, strict=True)
    ]


def test_each_share_of_reads_is_a_sweep_of_its_own() -> None:
    assert sweeps_over_sizes(CAMPAIGN) == {
        "Random, 100 % read": {
            32768: "Random 32k, 100 % read",
            65536: "Random 64k, 100 % read",
        },
        "Random, 0 % read": {
            32768: "Random 32k, 0 % read",
            65536: "Random 64k, 0 % read",
        },
    }


def test_the_crossing_is_said_or_who_is_faster() -> None:
    sweeps = [sweeps_over_sizes(CAMPAIGN)] * 2
    told = crossing_sentences(sweeps, [table(480, 454, 10, 20), table(294, 518, 1, 2)])
    assert told == [
        "Random, 100 % read: A and B are equally fast at about 53.6 KiB "
        "(between 32 KiB and 64 KiB), above it B is faster",
        "Random, 0 % read: A is faster at every size from 32 KiB to 64 KiB",
    ]


def test_a_campaign_that_cannot_be_read_has_no_sweeps() -> None:
    assert sweeps_over_sizes("") == {}
    assert crossing_sentences([{}, {}], [[], []]) == []


def test_courses_that_cross_again_and_again_are_alike() -> None:
    sizes = [2**power for power in range(12, 18)]
    sweeps = [{"Random": {size: str(size) for size in sizes}}] * 2
    even = [{"step": str(size), "bandwidth_mb_s": 10.0} for size in sizes]
    odd: list[dict[str, object]] = [
        {"step": str(size), "bandwidth_mb_s": 9.0 + 2 * (number % 2)}
        for number, size in enumerate(sizes)
    ]
    (told,) = crossing_sentences(sweeps, [even, odd])
    assert told.startswith("Random: A and B cross 5 times from 5.66 KiB to ")
    assert told.endswith("neither is the faster one throughout")
