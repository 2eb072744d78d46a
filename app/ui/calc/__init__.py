"""The page of the calculators: a list, and a form with results and chart for each."""
