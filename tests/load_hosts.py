"""Sessions whose load came from several hosts."""

import sqlite3
from contextlib import closing
from pathlib import Path

_ADD = """
INSERT INTO result (step_id, name, value, unit, start_ns, end_ns, n_valid, n_expected,
    origin) SELECT step_id, ?, ?, '1/s', start_ns, end_ns, 1, 1, 'x'
    FROM result WHERE name = 'iops' LIMIT 1
"""


def with_hosts(path: Path, rates: dict[str, float]) -> Path:
    """Let a load of a session have come from hosts; at 0 a host was lost at once."""
    names = (f'[[host]]\nname = "{name}"\n' for name in rates)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE session SET bench = ?", ("".join(names),))
        for host, rate in rates.items():
            name, value = ("iops", rate) if rate else ("not_reached", 1.0)
            connection.execute(_ADD, (f"{name}.{host}", value))
            connection.execute(_ADD, (f"iops.{host}.dev00", 1.0))
    return path
