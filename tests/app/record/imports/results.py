"""Results to import: a run of this machine's fio with its logs, a meter's log."""

import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

DATA = Path(__file__).parents[3] / "fixtures" / "imports"

METER_HEAD = """\
#Device;HMC8015
#Date;{date}
#Version;01.403
#Serial No.;034889436
URMS[V]; IRMS[A]; P[W]; S[VA]; EMPTY; LAMBDA[]; Timestamp
"""


def run_fio(folder: Path, *options: str, name: str = "load", status: str = "") -> Path:
    """Run fio on the null engine for a second; return its JSON."""
    if shutil.which("fio") is None:
        pytest.skip("fio is not installed")
    output = folder / f"{name}.json"
    common = [f"--name={name}", "--ioengine=null", "--size=64m", "--bs=4k", "--thread"]
    timed = ["--time_based", "--runtime=1", "--rate_iops=2000", "--rw=randread"]
    interval = [f"--status-interval={status}"] if status else []
    with output.open("w", encoding="utf-8") as file:
        subprocess.run(
            ["fio", "--output-format=json+", *interval, *common, *timed, *options],
            stdout=file,
            cwd=folder,
            check=True,
        )
    return output


def meter_log(
    path: Path, start_s: float, seconds: float, *, dated: bool = True
) -> Path:
    """Write a meter's log in UTC: 100 W, and 300 W in the middle third."""
    begin = datetime.fromtimestamp(start_s, UTC)
    lines = METER_HEAD.format(date=f"{begin:%Y-%m-%d}" if dated else "").splitlines()
    for number in range(round(seconds * 10)):
        now = datetime.fromtimestamp(start_s + number / 10, UTC)
        power = 300 if seconds / 3 <= number / 10 < 2 * seconds / 3 else 100
        clock = f"{now:%H:%M:%S}:{now.microsecond // 1000:03}"
        lines.append(f"230.0E+00;1.0E+00;{power}E+00;400E+00;nan;950E-03; {clock}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
