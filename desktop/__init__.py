"""The desktop application and the command line: they show the log, start and stop work."""
