"""Older session files are brought up to date on opening, one version at a time."""

import sqlite3
from pathlib import Path

from app.record.store import database
from app.record.store.digest import content_digest, fits_hash
from app.record.store.errors import is_bug
from instruments.errors import BadInput

_REPORT_TABLE_3 = """
CREATE VIEW report_table AS
SELECT
    step.label AS step,
    step.outcome AS outcome,
    max(CASE result.name WHEN 'power_w' THEN value END) AS power_w,
    max(CASE result.name WHEN 'iops' THEN value END) AS iops,
    max(CASE result.name WHEN 'bandwidth_mb_s' THEN value END) AS bandwidth_mb_s,
    max(CASE result.name WHEN 'lambda' THEN value END) AS lambda,
    max(CASE result.name WHEN 'energy_wh' THEN value END) AS energy_wh,
    max(CASE result.name WHEN 'noise_db' THEN value END) AS noise_db,
    max(CASE result.name WHEN 'ambient_c' THEN value END) AS ambient_c,
    max(CASE result.name WHEN 'drive_min_c' THEN value END) AS drive_min_c,
    max(CASE result.name WHEN 'drive_max_c' THEN value END) AS drive_max_c,
    max(CASE result.name WHEN 'read_iops' THEN value END) AS read_iops,
    max(CASE result.name WHEN 'write_iops' THEN value END) AS write_iops,
    max(CASE result.name WHEN 'read_mb_s' THEN value END) AS read_mb_s,
    max(CASE result.name WHEN 'write_mb_s' THEN value END) AS write_mb_s,
    max(CASE result.name WHEN 'latency_mean_ms' THEN value END) AS latency_mean_ms,
    max(CASE result.name WHEN 'latency_p99_ms' THEN value END) AS latency_p99_ms,
    max(CASE result.name WHEN 'apparent_va' THEN value END) AS apparent_va,
    max(CASE result.name WHEN 'power_peak_w' THEN value END) AS power_peak_w,
    max(CASE result.name WHEN 'buffered' THEN value END) AS buffered,
    max(CASE result.name WHEN 'duration_s' THEN value END) AS duration_s,
    step.position AS position,
    step.engine AS engine,
    step.verdict AS verdict,
    step.reason AS reason,
    coalesce(
        group_concat(
            CASE WHEN result.value IS NOT NULL
                AND result.n_valid < 0.95 * result.n_expected
            THEN result.name END, ' '),
        '') AS thin,
    (SELECT simulated FROM session) AS simulated
FROM step LEFT JOIN result ON result.step_id = step.id
GROUP BY step.id
ORDER BY step.position, step.id
"""

MIGRATIONS: tuple[str, ...] = (
    "ALTER TABLE source ADD COLUMN measures TEXT NOT NULL DEFAULT 'dut'",
    f"DROP VIEW report_table; {_REPORT_TABLE_3}",
    "ALTER TABLE clock_pair ADD COLUMN offset_ns INTEGER NOT NULL DEFAULT 0",
)
"""SQL from version 1 to 2, from 2 to 3, and so on."""


def migrate(path: Path, migrations: tuple[str, ...] | None = None) -> None:
    """Bring a file to the newest version; each step and its number are one commit.

    A file that was unchanged since its recording gets the hash of its new form.

    Raises:
        sqlite3.OperationalError: The file cannot be written.
        BadInput: Its tables are not those of its version.
    """
    connection = database.connect_for_changes(path)
    try:
        steps = MIGRATIONS if migrations is None else migrations
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        due = steps[version - 1 :]
        intact = bool(due) and fits_hash(connection)
        for number, sql in enumerate(due, version + 1):
            try:
                connection.executescript(
                    f"BEGIN IMMEDIATE;{sql};PRAGMA user_version = {number};"
                )
                if intact:
                    connection.execute(
                        "UPDATE session SET sha256 = ?", (content_digest(connection),)
                    )
                connection.execute("COMMIT")
            except sqlite3.Error as error:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                if migrations is None and is_bug(error):
                    raise _misnumbered(path, version) from error
                raise
    finally:
        connection.close()


def _misnumbered(path: Path, version: int) -> BadInput:
    return BadInput(
        f"the session says that it has format {version}, and its tables are others",
        where=str(path),
        way_out="Somebody changed it; fetch a copy from before that.",
    )
