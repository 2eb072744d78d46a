"""The picker of what loads run on."""
