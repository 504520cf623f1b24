"""What a command tells the shell."""

DONE, BUG, MENDABLE, WITHHELD, STOPPED = 0, 1, 2, 3, 130
