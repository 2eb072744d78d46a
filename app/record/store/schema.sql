-- A Bayscope session, version 9. docs/session-file.md explains it and shows how to
-- read it without Bayscope. Times are int64 nanoseconds of CLOCK_MONOTONIC, carried on
-- over a restart of the computer, unless a name says realtime.

CREATE TABLE session (
    id           INTEGER PRIMARY KEY CHECK (id = 1),
    state        TEXT NOT NULL,              -- recording, complete, crashed
    name         TEXT NOT NULL,
    campaign     TEXT NOT NULL,              -- as run, TOML
    bench        TEXT NOT NULL,              -- as it was, TOML
    operator     TEXT NOT NULL,
    app_version  TEXT NOT NULL,
    simulated    INTEGER NOT NULL,
    dut          TEXT NOT NULL,
    boot_id      TEXT NOT NULL,
    monotonic_ns INTEGER NOT NULL,
    realtime_ns  INTEGER NOT NULL,
    ended_ns     INTEGER,
    outcome      TEXT NOT NULL DEFAULT '',
    verdict      TEXT,                       -- PASS, FAIL, ERROR, ABORTED
    note         TEXT NOT NULL DEFAULT '',
    seals        INTEGER NOT NULL DEFAULT 0, -- how often the tail was sealed
    sha256       TEXT                        -- of all but the annotations
);

CREATE TABLE source (
    id        INTEGER PRIMARY KEY,
    name      TEXT NOT NULL UNIQUE,
    section   TEXT NOT NULL DEFAULT '',      -- power, thermal, noise, load
    driver    TEXT NOT NULL DEFAULT '',
    maker     TEXT NOT NULL DEFAULT '',
    model     TEXT NOT NULL DEFAULT '',
    serial    TEXT NOT NULL DEFAULT '',
    firmware  TEXT NOT NULL DEFAULT '',
    address   TEXT NOT NULL DEFAULT '',
    simulated INTEGER NOT NULL DEFAULT 0,
    measures  TEXT NOT NULL DEFAULT 'dut',   -- dut, or the name of another device
    config    TEXT NOT NULL DEFAULT ''
);

CREATE TABLE channel (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,         -- source.quantity.location
    source_id  INTEGER NOT NULL REFERENCES source,
    quantity   TEXT NOT NULL,
    unit       TEXT NOT NULL,
    location   TEXT NOT NULL,
    period_ns  INTEGER NOT NULL,
    latency_ns INTEGER NOT NULL,
    window_ns  INTEGER NOT NULL
);

-- Channels that are read together share their times; they are a group.
CREATE TABLE channel_group (
    group_id   INTEGER NOT NULL,
    position   INTEGER NOT NULL,             -- column in the tail's values
    channel_id INTEGER NOT NULL REFERENCES channel,
    PRIMARY KEY (group_id, position)
) WITHOUT ROWID;

CREATE TABLE step (
    id              INTEGER PRIMARY KEY,
    position        INTEGER NOT NULL,
    label           TEXT NOT NULL,
    engine          TEXT NOT NULL,
    plan            TEXT NOT NULL,           -- the step as planned
    start_ns        INTEGER,
    window_start_ns INTEGER,                 -- the one measured window
    window_end_ns   INTEGER,
    end_ns          INTEGER,
    outcome         TEXT NOT NULL DEFAULT 'planned',
    verdict         TEXT,
    reason          TEXT NOT NULL DEFAULT '',
    cause           TEXT NOT NULL DEFAULT '', -- a code such as crashed or interlock
    attempt         INTEGER NOT NULL DEFAULT 0, -- of a void row that was planned again
    series          TEXT NOT NULL DEFAULT '', -- the label without pass and repeat
    pass_number     INTEGER NOT NULL DEFAULT 1 -- of a loop
);

CREATE TABLE result (
    step_id    INTEGER NOT NULL REFERENCES step,
    name       TEXT NOT NULL,
    value      REAL,
    unit       TEXT NOT NULL,
    start_ns   INTEGER NOT NULL,             -- window it is quoted over
    end_ns     INTEGER NOT NULL,
    n_valid    INTEGER,
    n_expected INTEGER,
    origin     TEXT NOT NULL DEFAULT '',
    note       TEXT NOT NULL DEFAULT '',
    basis      TEXT NOT NULL DEFAULT '',     -- 'mean power', 'one of several'
    over_range_s REAL NOT NULL DEFAULT 0,    -- so long it lacks what was over range
    u_meter    REAL,                         -- standard uncertainty by the meters
    u_scatter  REAL,                         -- standard uncertainty by scatter
    offset_id  INTEGER,                      -- last row of offset known when computed
    formulas   INTEGER,                      -- version of the formulas it is made by
    PRIMARY KEY (step_id, name)
) WITHOUT ROWID;

CREATE TABLE event (
    id      INTEGER PRIMARY KEY,
    t_ns    INTEGER NOT NULL,
    level   TEXT NOT NULL,                   -- info, warning, error
    source  TEXT NOT NULL,
    message TEXT NOT NULL
);

CREATE TABLE gap (
    id         INTEGER PRIMARY KEY,
    channel_id INTEGER NOT NULL REFERENCES channel,
    start_ns   INTEGER NOT NULL,
    end_ns     INTEGER NOT NULL,
    reason     TEXT NOT NULL,                -- a status: timeout, missed beats, ...
    detail     TEXT NOT NULL
);
CREATE INDEX gap_of_channel ON gap (channel_id, start_ns);

CREATE TABLE alarm (
    id         INTEGER PRIMARY KEY,
    channel_id INTEGER NOT NULL REFERENCES channel,
    start_ns   INTEGER NOT NULL,
    end_ns     INTEGER NOT NULL,
    reason     TEXT NOT NULL,                -- warn, crit
    detail     TEXT NOT NULL
);

-- Stored beside the data and applied on reading; positive means later; the last
-- row of a source holds.
CREATE TABLE "offset" (
    id        INTEGER PRIMARY KEY,
    source    TEXT NOT NULL,
    offset_ns INTEGER NOT NULL,
    spread_ns INTEGER NOT NULL,
    method    TEXT NOT NULL
);

CREATE TABLE artefact (
    id         INTEGER PRIMARY KEY,
    step_id    INTEGER REFERENCES step,
    name       TEXT NOT NULL,
    media_type TEXT NOT NULL,
    size       INTEGER NOT NULL,             -- before compression
    content    BLOB NOT NULL                 -- zlib
);

CREATE TABLE clock_pair (
    id           INTEGER PRIMARY KEY,
    boot_id      TEXT NOT NULL,
    monotonic_ns INTEGER NOT NULL,
    realtime_ns  INTEGER NOT NULL,
    offset_ns    INTEGER NOT NULL DEFAULT 0  -- in monotonic_ns beside CLOCK_MONOTONIC
);

CREATE TABLE journal (
    id     INTEGER PRIMARY KEY,
    t_ns   INTEGER NOT NULL,
    action TEXT NOT NULL,
    detail TEXT NOT NULL
);

-- The one thing that changes later; outside the session's hash.
CREATE TABLE annotation (
    id          INTEGER PRIMARY KEY,
    realtime_ns INTEGER NOT NULL,
    author      TEXT NOT NULL,
    kind        TEXT NOT NULL,               -- note, tag, mark
    text        TEXT NOT NULL,
    start_ns    INTEGER,
    end_ns      INTEGER
);

CREATE TABLE inventory (
    kind  TEXT NOT NULL,                     -- host, device
    name  TEXT NOT NULL,
    key   TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (kind, name, key)
) WITHOUT ROWID;

-- Recent readings, one row a commit and group, appended and never changed; the rows
-- of a bucket of 1024 s leave when it is sealed. Blobs are little-endian.
CREATE TABLE tail (
    id        INTEGER PRIMARY KEY,
    group_id  INTEGER NOT NULL,
    bucket    INTEGER NOT NULL,              -- time / 1024 s, rounded down
    count     INTEGER NOT NULL,
    first_ns  INTEGER NOT NULL,
    last_ns   INTEGER NOT NULL,
    starts    BLOB NOT NULL,                 -- count int64
    durations BLOB NOT NULL,                 -- count int64
    "values"  BLOB NOT NULL                  -- count x channels float64, NaN: gap
);

-- The times of a group in a sealed bucket, shared by its segments.
CREATE TABLE timeline (
    id        INTEGER PRIMARY KEY,
    group_id  INTEGER NOT NULL,
    bucket    INTEGER NOT NULL,
    count     INTEGER NOT NULL,
    first_ns  INTEGER NOT NULL,
    last_ns   INTEGER NOT NULL,
    codec     INTEGER NOT NULL,              -- 0 big-endian, 1 zlib, 2 pcodec
    starts    BLOB NOT NULL,
    durations BLOB NOT NULL
);

-- The values of one channel in a sealed bucket.
CREATE TABLE segment (
    id          INTEGER PRIMARY KEY,
    channel_id  INTEGER NOT NULL REFERENCES channel,
    timeline_id INTEGER NOT NULL REFERENCES timeline,
    first_ns    INTEGER NOT NULL,
    last_ns     INTEGER NOT NULL,
    count       INTEGER NOT NULL,            -- samples, gaps among them
    n_valid     INTEGER NOT NULL,            -- samples that are values
    min         REAL,
    max         REAL,
    mean        REAL,
    codec       INTEGER NOT NULL,
    data        BLOB NOT NULL
);
CREATE INDEX segment_of_channel ON segment (channel_id, first_ns, last_ns, count);

-- Minimum, maximum, mean and count of 128 cells a row; a cell is 8 s x 8^level. The
-- id keeps the rows of a channel together and in the order of time:
-- (level x 2^24 + channel_id) x 2^32 + start_ns / (1024 s x 8^level).
CREATE TABLE overview (
    id         INTEGER PRIMARY KEY,
    level      INTEGER NOT NULL,
    channel_id INTEGER NOT NULL REFERENCES channel,
    start_ns   INTEGER NOT NULL,
    data       BLOB NOT NULL                 -- zlib: count, min, max, mean x 128
);

-- Replies as they came: zlib of (int64 time, uint32 length, bytes), one after another.
CREATE TABLE raw_tail (
    id        INTEGER PRIMARY KEY,
    source_id INTEGER NOT NULL REFERENCES source,
    bucket    INTEGER NOT NULL,
    count     INTEGER NOT NULL,
    first_ns  INTEGER NOT NULL,
    last_ns   INTEGER NOT NULL,
    data      BLOB NOT NULL
);
CREATE TABLE raw (
    id        INTEGER PRIMARY KEY,
    source_id INTEGER NOT NULL REFERENCES source,
    first_ns  INTEGER NOT NULL,
    last_ns   INTEGER NOT NULL,
    count     INTEGER NOT NULL,
    data      BLOB NOT NULL
);
CREATE INDEX raw_of_source ON raw (source_id, first_ns);

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
        '') AS thin,                         -- values of too few of their samples
    (SELECT simulated FROM session) AS simulated
FROM step LEFT JOIN result ON result.step_id = step.id
GROUP BY step.id
ORDER BY step.position, step.id;
