"""Running a campaign, from its checks to its evidence, and resuming one."""
