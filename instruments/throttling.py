"""Counters of how often, and how long, heat has slowed down a drive or a processor."""

from collections.abc import Mapping

NVME: Mapping[str, tuple[str, float]] = {
    "warning_temp_time": ("s", 60.0),
    "critical_comp_time": ("s", 60.0),
    "thm_temp1_trans_count": ("", 1.0),
    "thm_temp2_trans_count": ("", 1.0),
    "thm_temp1_total_time": ("s", 1.0),
    "thm_temp2_total_time": ("s", 1.0),
}
"""Fields of the SMART / Health Information log (NVM Express Base) by nvme-cli's names:
the unit of their channel, and how much of it one of the field is."""

CPU = "cpu_throttle_count"
"""The kernel's core_throttle_count and package_throttle_count, all processors added."""

QUANTITIES = (*NVME, CPU)
