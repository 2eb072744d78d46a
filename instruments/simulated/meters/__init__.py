"""Power meters of other makers, simulated on top of the same mains."""
