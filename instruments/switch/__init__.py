"""What acts on the bench: outlets, chassis power, lights, fan requests."""
