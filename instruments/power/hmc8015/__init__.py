"""The R&S HMC8015 and NPA power analysers."""
