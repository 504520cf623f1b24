"""The case, in the order in which it happens. Pure: the only effects go through the gate."""
