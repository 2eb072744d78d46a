"""PDUs, UPSes and probes by SNMP."""
