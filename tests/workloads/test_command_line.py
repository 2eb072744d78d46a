"""The command line that is kept, with what names of targets lead to."""

from pathlib import Path

from workloads.command_line import command_line, fio_argv, led_to


def test_only_a_job_that_writes_may_write() -> None:
    assert "--readonly" in fio_argv(writes=False)
    assert "--readonly" not in fio_argv(writes=True)


def test_words_with_spaces_stay_words_and_links_are_followed(tmp_path: Path) -> None:
    disk = tmp_path.resolve() / "sdb"
    disk.touch()
    link = disk.with_name("by-id")
    link.symlink_to(disk)
    told = command_line(["iozone", "-f", "a b"], {"target": led_to(link)})
    assert told == f"$ iozone -f 'a b'\ntarget -> {link} -> {disk}\n"
    assert led_to(disk) == str(disk)
