"""VDBench's lines, as people have published them; sources are named beside each."""

import math

import pytest

from workloads.vdbench.output import (
    Report,
    columns,
    flatfile_average,
    io_errors,
    read_flatfile,
)
from workloads.vdbench.values import live_values

# 5.04.07, `vdbench -t` on Linux, from a blog's notes on building it for aarch64.
NEW = """\
Vdbench distribution: vdbench50407 Tue June 05  9:49:29 MDT 2018
16:46:14.003 Starting RD=rd1; I/O rate: 100; elapsed=5; For loops: None

Feb 18, 2019    interval        i/o   MB/sec   bytes   read     resp     read    write     read    write     resp  queue  cpu%  cpu%
                               rate  1024**2     i/o    pct     time     resp     resp      max      max   stddev  depth sys+u   sys
16:46:15.102           1       76.0     0.07    1024  52.63    0.011    0.008    0.014     0.02     0.04    0.006    0.0  23.4   5.6
16:46:17.012           3      112.0     0.11    1024  50.00    0.036    0.010    0.063     0.02     2.57    0.242    0.0   6.5   1.0
16:46:19.060     avg_2-5      113.0     0.11    1024  50.88    0.018    0.010    0.027     0.07     2.57    0.120    0.0   6.4   1.0
16:46:20.050 Vdbench execution completed successfully. Output directory: /out
"""  # noqa: E501  (as it was published)

# 5.04.06 with a warmup, from notes on Ceph benchmarks; its average has no space.
OLD = """\
17:44:05.001 Starting RD=rd1; I/O rate: Uncontrolled MAX; elapsed=120 warmup=30; For loops: None

Dec 02, 2020  interval        i/o   MB/sec   bytes   read     resp     read    write     resp     resp queue  cpu%  cpu%
                             rate  1024**2     i/o    pct     time     resp     resp      max   stddev depth sys+u   sys
17:46:35.085       150    2268.00  2268.00 1048576  29.70   28.058   22.932   30.190  301.354   50.011  64.0   1.0   0.4
17:46:35.163avg_31-150    2232.21  2232.21 1048576  29.99   28.504   23.495   30.650  540.899   49.877  63.6   1.2   0.5
"""  # noqa: E501  (as it was published)

# 5.04.06, a tree of files, from the same notes; the rates are cut to what is read.
TREE = """\
16:08:27.001 Starting RD=rd1; elapsed=600; fwdrate=max. For loops: None

Dec 11, 2020 .Interval. .ReqstdOps... ...cpu%...  read ....read..... ....write.... ..mb/sec... mb/sec .xfer.. ...mkdir.... ...rmdir.... ...create... ....open.... ...close.... ...delete...
                          rate   resp total  sys   pct   rate   resp   rate   resp  read write  total    size  rate   resp  rate   resp  rate   resp  rate   resp  rate   resp  rate   resp
16:18:58.063        590 3334.0 19.110  28.8 3.81  59.8 1995.0  6.600 1339.0 37.750  1995  1339 3334.0 1048576   0.0  0.000   0.0  0.000   0.0  0.000  14.0  0.049  14.0  0.018   0.0  0.000
"""  # noqa: E501  (as it was published)

# An older flatfile, from the test data of the program VdbenchExplorer; columns cut.
FLAT = """\
<pre>
* Run       : Name of run from RD=
* MB/sec    : Megabytes per second (MB=1024*1024)
* 'n/a'     : Data not available, or conflicting data.
*
         tod        Run   Interval    reqrate       rate     MB/sec   bytes/io      read%       resp   resp_max
10:57:09.033 random_write_max_4k         10 999988.0000   587.0000     2.2930       4096     0.0000    19.8714  1366.1720
10:57:09.037 random_write_max_4k   avg_2-10 999988.0000   327.4444     1.2791       4096     0.0000    23.9089        n/a
10:57:10 torn_in_the_mid
</pre>
"""  # noqa: E501  (as it was published)


def report(text: str) -> Report:
    found = Report()
    for line in text.splitlines():
        found.feed(line)
    return found


def test_the_newer_layout() -> None:
    found = report(NEW)
    assert (found.version, found.completed, found.torn) == ("vdbench50407", True, [])
    average = found.average("rd1")
    assert average is not None
    assert (average.first, average.last) == (2, 5)
    assert average.get("rate") == 113.0
    assert average.get("write_resp") == 0.027
    row = found.rows["rd1"][1]
    assert row.first == row.last == 3
    assert live_values(row)["read_iops"] == pytest.approx(56.0)
    assert live_values(row)["write_lat"] == pytest.approx(63e-6)


def test_the_older_layout_and_an_average_without_a_space() -> None:
    found = report(OLD)
    average = found.average("rd1")
    assert average is not None
    assert (average.first, average.last) == (31, 150)
    assert average.get("mb") == 2232.21
    assert average.get("bytes") == 1048576
    assert not found.completed


def test_a_tree_of_files_has_rates_of_its_own() -> None:
    (row,) = report(TREE).rows["rd1"]
    found = live_values(row)
    assert found["read_iops"] == 1995.0
    assert found["write_iops"] == 1339.0
    assert found["bw"] == 3334 * 2**20
    assert found["write_lat"] == pytest.approx(37.75e-3)


def test_columns_nobody_knows_are_left_out() -> None:
    first = "Feb 18, 2019    interval        i/o   sheep"
    assert columns(first, " rate counted") == ["rate", ""]


def test_a_torn_line_is_told_and_not_taken() -> None:
    torn = NEW.replace("    0.07     2.57    0.120    0.0   6.4   1.0", "")
    found = report(torn)
    assert found.average("rd1") is None
    assert len(found.torn) == 1


def test_an_interval_beyond_all_numbers_is_no_row() -> None:
    report = Report()
    for line in NEW.replace("   3      112.0", f"{'9' * 5000} 112.0").splitlines():
        report.feed(line)
    assert [row.first for row in report.rows["rd1"]] == [1, 2]


def test_a_value_that_is_none_stays_none() -> None:
    found = report(NEW.replace("0.0   6.4   1.0", "0.0   NaN   NaN"))
    average = found.average("rd1")
    assert average is not None
    assert math.isnan(average.get("nothing"))


def test_a_flatfile_is_read_by_its_own_header() -> None:
    assert len(list(read_flatfile(FLAT))) == 2
    average = flatfile_average(FLAT, "random_write_max_4k")
    assert average is not None
    assert average["rate"] == 327.4444
    assert average["mb/sec"] == 1.2791
    assert math.isnan(average["resp_max"])
    assert flatfile_average(FLAT, "rd1") is None


def test_only_errors_of_the_device_are_io_errors() -> None:
    told = "op: read lun: /x errno: EIO: 'I/O error'\nerrno: ENOSPC\nMERIO"
    assert len(io_errors(told)) == 1
