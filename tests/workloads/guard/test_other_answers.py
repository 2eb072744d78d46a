"""What tools of the guard print in another form: no answer, and no traceback."""

import json
from collections.abc import Iterable, Mapping, Sequence

import pytest

from instruments.errors import BenchError
from instruments.tools.command import Completed
from workloads.guard.contents import read_blocks
from workloads.guard.nodes import _pages, list_disks
from workloads.guard.probe import try_devices
from workloads.guard.scan import scan
from workloads.hosts.site import stray_there
from workloads.hosts.target_names import find_there


class _Told:
    """A machine on which every tool says the same."""

    name = "told"

    def __init__(self, value: object) -> None:
        self._text = json.dumps(value)

    def run(
        self, argv: Sequence[str], timeout_s: float, *, env: object = None
    ) -> Completed:
        return Completed(self._text, "", 0)

    def read_many(
        self, paths: Iterable[str], timeout_s: float = 5.0
    ) -> Mapping[str, str | None]:
        return dict.fromkeys(paths)


ODD = [None, [], {}, 1, "a", [None], {"blockdevices": None}, [[None]], [1, [None]]]


@pytest.mark.parametrize("value", ODD)
def test_what_is_no_answer_is_one_sentence(value: object) -> None:
    host = _Told(value)
    with pytest.raises(BenchError):
        list_disks(host)  # type: ignore[arg-type]
    with pytest.raises(BenchError):
        find_there(host, ["/dev/sd?"])  # type: ignore[arg-type]
    with pytest.raises(BenchError):
        stray_there(
            host,  # type: ignore[arg-type]
            1,
            files=["/a", "/b"],
            numbers=(),
            folder="/x",
            writes=False,
        )
    assert scan(host).blind  # type: ignore[arg-type]
    for busy, blind in try_devices(host, ["/dev/sda"], held=False).values():  # type: ignore[arg-type]
        assert (busy, len(blind)) == ("", 1)
    blocks = read_blocks(host, ["/dev/sda"])  # type: ignore[arg-type]
    assert not any(blocks.values())


@pytest.mark.parametrize(
    "node",
    [
        {},
        {"kname": None},
        {"kname": "sda", "size": "many"},
        {"kname": "sda", "children": [None]},
        {"kname": "sda", "model": ["a"]},
    ],
)
def test_a_disk_in_another_form_is_one_sentence(node: object) -> None:
    with pytest.raises(BenchError):
        list_disks(_Told({"blockdevices": [node]}))  # type: ignore[arg-type]


def test_names_of_disks_that_were_not_asked_for_are_none() -> None:
    told = _Told(None)
    told.run = lambda *_args, **_more: Completed("00 11\n/sys 83\nx\n", "", 0)  # type: ignore[method-assign]
    assert _pages(told, ["sda"]) == {}  # type: ignore[arg-type]
