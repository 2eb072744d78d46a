"""Management controllers by Redfish."""
