"""Every option of fio's jobs: open, Bayscope's own, behind arming, or closed, and why.

An option that is not in this table is closed, whatever it may do: newer versions of
fio bring new ones, and some options run commands, name files or end a run. The table
is that of fio 3.33 (`fio --cmdhelp=all` and `--enghelp`) with the options known of
the versions up to 3.42.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from instruments.errors import printable


class Kind(StrEnum):
    """What may be done with an option.

    OPEN options say what the load is and reach nothing but its target. OURS are set
    by Bayscope. ARMED ones destroy data even where nothing is written, so they need
    a target that may be overwritten. CLOSED ones are never set.
    """

    OPEN = "open"
    OURS = "Bayscope sets it"
    ARMED = "needs arming"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Ruling:
    """What is done with one option.

    Attributes:
        kind: What is done with it.
        reason: Why, in words for the user.
        has_place: Whether the user sets it, at the place that the reason names.
    """

    kind: Kind
    reason: str = ""
    has_place: bool = False


# An option is open if it changes what the load is and can neither run a command, nor
# name a file, nor end the run (docs/decisions/0004-options-open-by-a-list.md).
_OPEN = """
rw readwrite rw_sequencer bs blocksize bssplit bsrange blocksize_range ba blockalign
bs_unaligned blocksize_unaligned bs_is_seq_rand iodepth iodepth_batch
iodepth_batch_submit iodepth_batch_complete iodepth_batch_complete_min
iodepth_batch_complete_max iodepth_low io_submit_mode serialize_overlap numjobs
ioengine direct norandommap softrandommap randrepeat allrandrepeat randseed
random_generator random_distribution percentage_random rwmixread rwmixwrite rwmixcycle
rate rate_iops rate_min ratemin rate_iops_min rate_process rate_cycle ratecycle
rate_ignore_thinktime thinktime thinktime_blocks thinktime_spin thinktime_blocks_type
thinktime_iotime thinkcycles latency_target latency_window latency_percentile
latency_run fsync fdatasync sync sync_file_range write_barrier atomic end_fsync
fsync_on_close refill_buffers scramble_buffers zero_buffers buffer_compress_percentage
buffer_compress_chunk buffer_pattern dedupe_percentage dedupe_mode
dedupe_working_set_percentage dedupe_global cpus_allowed cpus_allowed_policy cpumask
numa_cpu_nodes numa_mem_policy nice prio prioclass mem iomem hugepage-size
lat_percentiles clat_percentiles slat_percentiles percentile_list significant_figures
invalidate fadvise_hint write_hint hipri hipri_percentage registerfiles fixedbufs
sqthread_poll sqthread_poll_cpu nonvectored uncached nowait force_async userspace_reap
cmdprio_percentage cmdprio_class cmdprio cmdprio_bssplit readfua writefua
steadystate ss steadystate_duration ss_dur steadystate_ramp_time ss_ramp
steadystate_check_interval ss_interval
"""

# Options with a place of their own in the plan or the bench.
_ELSEWHERE = {
    "set runtime of the step": "runtime timeout io_size io_limit number_ios loops",
    "set ramp of the step": "ramp_time startdelay start_delay",
    "set target of [dut] in the bench": (
        "filename directory filename_format unique_filename opendir nrfiles openfiles "
        "file_service_type filetype"
    ),
    "set size of [dut] in the bench": (
        "size filesize offset offset_increment offset_align fill_device fill_fs"
    ),
    "set label of the step": "name description comm",
}

# Options that Bayscope sets, so that it can read and compare what comes out.
_OURS = {
    "every step is time based": "time_based",
    "Bayscope always runs fio with threads": "thread",
    "Bayscope chooses it": "group_reporting stats disk_util per_job_logs",
    "Bayscope keeps the output in the session": "output bandwidth-log",
    "Bayscope reads json+": "output-format terse-version minimal append-terse",
    "Bayscope reads at 2 Hz": "status-interval eta eta-newline eta-interval",
    "Bayscope keeps the logs": (
        "write_bw_log write_lat_log write_iops_log write_hist_log bwavgtime "
        "iopsavgtime log_avg_msec log_hist_msec log_hist_coarseness log_max_value "
        "log_window_value log_offset log_prio log_issue_time log_compression "
        "log_compression_cpus log_store_compressed log_unix_epoch "
        "log_alternate_epoch log_alternate_epoch_clock_id log_entries"
    ),
    "use direct": "buffered",
    "the step's own order counts": (
        "wait_for wait_for_previous stonewall new_group exitall exit_what "
        "exitall_on_error flow flow_id flow_watermark flow_sleep"
    ),
}

# Options that erase though no write is asked for.
_ARMED = {
    "a zone that is reset is erased": (
        "zonemode zonesize zone_size zonecapacity zonerange zone_range zoneskip "
        "zone_skip read_beyond_wp max_open_zones job_max_open_zones ignore_zone_limits "
        "zone_reset_threshold zone_reset_frequency recover_zbd_write_error"
    ),
    "what is trimmed is erased": (
        "trim_percentage trim_verify_zero trim_backlog trim_backlog_batch num_range"
    ),
}

# Options that reach beyond the target, or make results that cannot be read.
_CLOSED = {
    "it runs a command": (
        "exec_prerun exec_postrun trigger trigger-file trigger-timeout "
        "trigger-remote program arguments grace_time std_redirect"
    ),
    "it takes its I/O, and where it goes to, from a file": (
        "read_iolog read_iolog_chunked replay_no_stall replay_redirect replay_scale "
        "replay_align replay_time_scale replay_skip merge_blktrace_file "
        "merge_blktrace_scalars merge_blktrace_iters merge-blktrace-only"
    ),
    "it writes another file": (
        "write_iolog lockfile verify_dump verify_state_save aux-path inflate-log "
        "daemonize dp_scheme"
    ),
    "it loads other jobs": "profile include section client server remote-config",
    "it changes the machine beyond the target": (
        "ioscheduler cgroup cgroup_weight cgroup_nodelete uid gid lockmem"
    ),
    "it deletes, makes or grows files": (
        "unlink unlink_each_loop file_append overwrite fallocate create_serialize "
        "create_fsync create_on_open create_only allow_file_create pre_read"
    ),
    "the target guard decides it": "allow_mounted_write readonly",
    "a verify phase runs outside the measured window": (
        "verify do_verify verify_only verify_interval verify_offset verify_pattern "
        "verify_pattern_interval verify_fatal verify_async verify_async_cpus "
        "verify_backlog verify_backlog_batch verify_state_load verify_header_seed "
        "verify_write_sequence verifysort verifysort_nr experimental_verify"
    ),
    "it ends the load before its window does": ("max_latency"),
    "errors of the target must be reported": (
        "ignore_error continue_on_error error_dump block_error_percentiles"
    ),
    "Bayscope could not read the results": (
        "unified_rw_reporting kb_base unit_base gtod_reduce disable_lat disable_clat "
        "disable_slat disable_bw disable_bw_measurement clocksource gtod_cpu"
    ),
    "it burns CPU and so changes the power": "idle-prof",
    "it belongs to an engine that is not open": (
        "cmd_type sg_write_mode stream_id fdp fdp_pli plids plid_select dataplacement "
        "md_per_io_size pi_act pi_chk apptag apptag_mask deac write_mode verify_mode "
        "sprandom spr_op spr_over_provisioning spr_num_regions spr_cache_size thp"
    ),
    "it is a question to fio, not part of a job": (
        "debug parse-only version help cpuclock-test crctest cmdhelp enghelp showcmd "
        "alloc-size warnings-fatal max-jobs"
    ),
}

LONGEST_LINE = 4000
"""Bytes of a line of a job file; fio 3.33 reads 8191 at once, others fewer."""

MEMORY = ("malloc", "mmap", "mmaphuge", "mmapshared", "shm", "shmhuge")
"""Kinds of memory for buffers that name no file."""

ENGINES = (
    "libaio",
    "io_uring",
    "psync",
    "sync",
    "vsync",
    "pvsync",
    "pvsync2",
    "posixaio",
    "null",
)
"""Engines that move data to the target, past the page cache; null moves none at all."""

CLOSED_ENGINES: Mapping[str, str] = {
    name: reason
    for reason, names in {
        "it runs a program": "exec",
        "it loads a program from a file": "external",
        "it reaches other machines": (
            "net netsplice http rdma nbd rbd rados gfapi gfapi_async libiscsi nfs "
            "libhdfs ime sheepdog librpma_apm_client librpma_apm_server "
            "librpma_gpspm_client librpma_gpspm_server"
        ),
        "it makes, deletes or changes files": (
            "filecreate filestat filedelete dircreate dirdelete dirstat ftruncate "
            "falloc e4defrag"
        ),
        "it talks to the drive past the disk that was armed": (
            "sg bsg io_uring_cmd libzbc mtd xnvme spdk libblkio"
        ),
        "it reads and writes memory": (
            "mmap libpmem pmemblk dev-dax libcufile libhipfile page_fault"
        ),
        "it moves no data": "cpuio",
        "it uses its own pipe": "splice",
        "it is an engine of another system": "windowsaio solarisaio guasi",
    }.items()
    for name in names.split()
}
"""Engines that are never used, with the reason."""


def _table() -> dict[str, Ruling]:
    table = {_plain(name): Ruling(Kind.OPEN) for name in _OPEN.split()}
    groups = (
        (Kind.OURS, _ELSEWHERE),
        (Kind.OURS, _OURS),
        (Kind.ARMED, _ARMED),
        (Kind.CLOSED, _CLOSED),
    )
    for kind, group in groups:
        for reason, names in group.items():
            decided = Ruling(kind, reason, has_place=group is _ELSEWHERE)
            table.update(dict.fromkeys(map(_plain, names.split()), decided))
    return table


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


OPTIONS: Mapping[str, Ruling] = _table()
"""Each known option, with "_" for "-"."""

UNKNOWN = Ruling(Kind.CLOSED, "Bayscope does not know what it does")
"""The ruling on every option that is not in the table."""


def ruling(name: str) -> Ruling:
    """Get what may be done with an option; one that is not known is closed."""
    return OPTIONS.get(_plain(name), UNKNOWN)


def engine_trouble(engine: str) -> str:
    """Get why an I/O engine is not open, "" where it is."""
    if engine in ENGINES:
        return ""
    # "external:/path/to/module.o" names the engine before the colon.
    name = engine.partition(":")[0].strip()
    return CLOSED_ENGINES.get(name, "Bayscope does not know what it does")


def value_trouble(name: str, value: str) -> str:
    """Get why a value must not reach fio, "" where it may.

    fio ends a value at # and ; and what follows would begin a new option. It expands
    ${VARIABLE}, and hands values with $ncpus, $pagesize or $mb_memory to a shell that
    runs bc. A colon in mem names a file to be mapped, and quotes in a pattern one to
    be read. What is beyond the length of a line that it reads at once would become
    a line of its own: another option.
    """
    if len(f"{name}={value}".encode()) > LONGEST_LINE:
        return f"{name} is longer than the {LONGEST_LINE} bytes of a line"
    if set("#;") & set(value) or printable(value, "\t") != value:
        return f"{name} has a line break, # or ; in it, or what is not seen"
    if set("$`") & set(value):
        return f"{name} has a $ or ` in it, and fio would hand it to a shell"
    if _plain(name) in ("mem", "iomem") and value not in MEMORY:
        return f"{name} may name a file to be mapped; open are {', '.join(MEMORY)}"
    if _plain(name) == "buffer_pattern" and "'" in value:
        return f"{name} names a file to be read"
    return ""
