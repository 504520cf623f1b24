"""The four pages of the window. Each shows what it is given and sends signals; none knows the library."""
