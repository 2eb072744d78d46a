"""Steady state: rules on the means of rounds, for a device and for a cool-down."""
