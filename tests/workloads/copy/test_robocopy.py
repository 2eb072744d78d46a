"""Robocopy as text: its command line, its table, its exit codes."""

import pytest

from workloads.copy.robocopy import (
    explain_code,
    has_succeeded,
    read_report,
    robocopy_argv,
)

# Made after the table on Microsoft's page and in many published logs.
REPORT = """
------------------------------------------------------------------------------

               Total    Copied   Skipped  Mismatch    FAILED    Extras
    Dirs :         2         1         1         0         0         0
   Files :         3         3         0         0         0         0
   Bytes : 3221225472 3221225472         0         0         0         0
   Times :   0:00:05   0:00:05                       0:00:00   0:00:00

   Speed :           572662306 Bytes/sec.
   Speed :           32768.000 MegaBytes/min.
"""


def test_the_command_line() -> None:
    assert robocopy_argv(r"D:\media", r"E:\copy") == [
        "robocopy",
        r"D:\media",
        r"E:\copy",
        *("/E", "/BYTES", "/R:0", "/W:0", "/NP", "/NFL", "/NDL"),
        *("/COPY:DAT", "/DCOPY:DAT", "/J"),
    ]
    assert "/J" not in robocopy_argv("D:\\", "E:\\copy", unbuffered=False)
    with pytest.raises(ValueError, match="misreads"):
        robocopy_argv("D:\\media\\", "E:\\copy")


def test_the_table_is_read() -> None:
    report = read_report(REPORT)
    assert report.files["copied"] == 3
    assert report.bytes_["total"] == 3 * 2**30
    assert report.bytes_s == 572662306
    assert report.is_whole


@pytest.mark.parametrize("speed", ["572.662.306", "572,662,306", "572 662 306"])
def test_other_languages_group_digits_otherwise(speed: str) -> None:
    assert read_report(REPORT.replace("572662306", speed)).bytes_s == 572662306


def test_a_failed_file_is_not_whole() -> None:
    text = REPORT.replace(
        "3         3         0         0         0         0",
        "3         2         0         0         1         0",
    )
    assert not read_report(text).is_whole


def test_a_stopped_robocopy_has_no_table() -> None:
    with pytest.raises(ValueError, match="no table"):
        read_report(REPORT[: REPORT.index("   Files")])


@pytest.mark.parametrize(
    ("code", "good", "words"),
    [
        (0, True, "nothing had to be copied"),
        (1, True, "files were copied"),
        (7, True, "files were copied"),
        (8, False, "could not be copied"),
        (16, False, "serious error"),
        (-1073741510, False, ""),
    ],
)
def test_exit_codes(code: int, good: bool, words: str) -> None:
    assert has_succeeded(code) is good
    assert words in explain_code(code)


@pytest.mark.parametrize("mark", [" ", "\n"])
def test_blanks_around_a_speed_are_no_reason_to_hang(mark: str) -> None:
    blanks = mark * 10**6
    assert read_report(f"{REPORT}\n{blanks}").bytes_s == 572662306
    with pytest.raises(ValueError, match="no table"):
        read_report(f"{blanks}Speed : {blanks}")
    assert read_report(f"{blanks}Speed : {blanks}x\n{REPORT}").is_whole
