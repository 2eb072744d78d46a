"""Scripts that were made to hang: read, in time that grows with their length.

With a reader whose time grows with the square of the length these would take minutes.
"""

import pytest

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
    ],
    ids=range(11),
)
def test_a_script_without_sense_is_read(text: str) -> None:
    assert len(read_pasted(text).groups) <= 10


def test_a_job_file_of_open_variables_is_read() -> None:
    text = "[a]\nrw=read\nbs=" + "${" * (LONG // 2)
    assert len(read_job_file(text, "a.fio").groups) == 1


def test_a_sequence_of_endless_digits_is_not_made() -> None:
    text = f"fio --name=a --rw=read --iodepth=$(seq {'9' * 5000})"
    assert read_pasted(text).findings
