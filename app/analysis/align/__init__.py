"""The offset of a channel against the load, from the edges of load bursts."""
