"""The seven rounds. Each takes the case, what was said so far and the gate, and returns its own statements."""
