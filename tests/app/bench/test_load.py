"""[load] of a bench: the hosts that its loads come from."""

import pytest

from app.bench.edit import put_load
from app.bench.file import parse_bench
from app.bench.load import LoadHosts
from app.bench.load_places import build_places
from instruments.errors import BadInput

HOSTS = """
[[host]]
name = "load1"
driver = "ssh"
address = "load1.lab"
[[host]]
name = "load2"
driver = "ssh"
address = "load2.lab"
port = 2222
[[host]]
name = "here"
driver = "local"
"""


def bench(load: str) -> str:
    return (
        f'name = "b"\n[dut]\nname = "d"\ntarget = "/x/t"\nsize = "16m"\n{HOSTS}{load}'
    )


def test_a_bench_names_the_hosts_of_its_loads() -> None:
    found = parse_bench(bench('[load]\nhosts = ["load2", "load1"]\nport = 9000'), "b")
    places = build_places(found)
    assert (places.way, places.start) == ("server", True)
    assert [place.name for place in places.places] == ["load2", "load1"]
    assert {place.target for place in places.places} == {"/x/t"}
    assert [str(place.account) for place in places.places] == [
        "load2.lab:2222",
        "load1.lab",
    ]
    assert places.places[0].port == 9000


def test_hosts_have_targets_of_their_own() -> None:
    text = '[load]\nhosts = ["load1", "here"]\nway = "ssh"\ntargets = ["/a", "/dev/b"]'
    places = build_places(parse_bench(bench(text), "b"))
    assert [place.target for place in places.places] == ["/a", "/dev/b"]
    assert places.places[1].account is None


def test_a_host_has_several_targets() -> None:
    head = '[load]\nhosts = ["load1", "load2"]\ntargets = '
    own = build_places(parse_bench(bench(f'{head}[["/dev/a*", "/dev/b"], "/c"]'), "b"))
    assert [place.targets for place in own.places] == [("/dev/a*", "/dev/b"), ("/c",)]
    assert [place.has_disks for place in own.places] == [True, False]
    group = parse_bench(bench(f'{head}[["/a", "/b"]]'), "b")
    places = build_places(group).places
    assert {place.targets for place in places} == {("/a", "/b")}
    fewer = parse_bench(bench(f'{head}[["/a", "/b"], "/c"]'), "b").without_hosts(
        ["load1"]
    )
    assert [place.targets for place in build_places(fewer).places] == [("/c",)]
    for wrong in ('"/a"', "[[], []]", "[1, 2]", '[["/a", 1], "/b"]'):
        with pytest.raises(BadInput, match="targets"):
            parse_bench(bench(f"{head}{wrong}"), "b")


def test_load_is_written_and_read_again() -> None:
    plain = parse_bench(bench(""), "b")
    wanted = LoadHosts(("load1", "load2"), targets=(("/a", "/b"), ("/c",)))
    found = put_load(plain, wanted)
    assert found.load == wanted
    assert 'targets = [["/a", "/b"], "/c"]' in found.text
    again = put_load(found, LoadHosts(("load2",), start=False, port=9000))
    assert again.load == LoadHosts(("load2",), start=False, port=9000)
    assert "targets" not in again.text
    assert put_load(again, None).text.strip() == plain.text.strip()


@pytest.mark.parametrize(
    ("load", "told"),
    [
        ("hosts = []", r"hosts is missing"),
        ('hosts = ["load3"]', 'no host "load3" .* Available: load1, load2'),
        ('hosts = ["load1", "load1"]', "a host is named twice"),
        ('hosts = ["load1"]\nway = "rsh"', "way is"),
        ('hosts = ["load1"]\nway = "ssh"\nport = 1', "start and port are for fio's"),
        (
            'hosts = ["load1"]\ntargets = ["/a", "/b"]',
            "2 targets are named for 1 host",
        ),
        ('hosts = ["here"]', '"here" is not a host with driver "ssh"'),
        ('hosts = ["load1"]\nuser = "x"', "unknown key"),
    ],
)
def test_mistakes_name_their_line(load: str, told: str) -> None:
    with pytest.raises(BadInput, match=told) as caught:
        parse_bench(bench(f"[load]\n{load}"), "b.toml")
    assert "b.toml, line" in str(caught.value)


def test_a_run_can_do_without_some_hosts() -> None:
    text = '[load]\nhosts = ["load1", "load2"]\ntargets = ["/a", "/b"]'
    found = parse_bench(bench(text), "b")
    assert found.without_hosts(["mains"]) is found
    [place] = build_places(found.without_hosts(["load1"])).places
    assert (place.name, place.target) == ("load2", "/b")
    with pytest.raises(BadInput, match="no load host is left"):
        found.without_hosts(["load1", "load2"])
