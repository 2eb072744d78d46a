"""Pre-flight: will this campaign on this bench give a valid result?"""
