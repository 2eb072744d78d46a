"""Calculators: capacity, reliability, links, cost; numbers in, numbers out.

Each is described once, as a `Calculator`; command, form and page of the manual follow
from it. They import nothing of app.
"""
