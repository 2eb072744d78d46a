"""The dialog that imports results made elsewhere."""
