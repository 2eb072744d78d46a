"""The slots of an enclosure, drawn as they lie and coloured by temperature."""
