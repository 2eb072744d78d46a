"""Scripts that were made to hang: read, in time that grows with their length.

With a reader whose time grows with the square of the length these would take minutes.
"""

import contextlib

import pytest

from instruments.errors import BadInput
from workloads.fio.paste.file import read_job_file
from workloads.fio.paste.jobs import read_pasted

LONG = 190_000


@pytest.mark.parametrize(
    "text",
    [
        "fio --name=a --rw=read --\n" + "\n" * LONG,
        "fio --name=a --rw=read\n" + "cat <<A\n" * (LONG // 8),
        "user@" + "a" * LONG,
        "fio --name=" + "${" * (LONG // 2),
        "fio --name=" + "$(" * (LONG // 2),
        "fio --name=" + "`" * LONG,
        "fio --name=" + "{" * LONG,
        "fio --name=a" + " \\" * (LONG // 2),
        "%%" * (LONG // 2),
        "fio --name=" + "'" * LONG,
        "fio --name=a --rw=read " + "--a=" * (LONG // 4),
        "fio --name=a" + "${a:-" * (LONG // 5),
        "fio --name=a" + "$(seq " * (LONG // 6),
        "fio --name=a\n" + "\n".join(f"--bs={n}" for n in range(LONG // 11)),
        "for a in b\n" * (LONG // 11),
    ],
    ids=range(15),
)
def test_a_script_without_sense_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(BadInput):
        assert len(read_pasted(text).groups) <= 10


def test_a_job_file_of_open_variables_is_read() -> None:
    text = "[a]\nrw=read\nbs=" + "${" * (LONG // 2)
    assert len(read_job_file(text, "a.fio").groups) == 1


def test_a_sequence_of_endless_digits_is_not_made() -> None:
    text = f"fio --name=a --rw=read --iodepth=$(seq {'9' * 5000})"
    with pytest.raises(BadInput):
        read_pasted(text)
