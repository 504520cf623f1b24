"""What the screen shows, as plain records and classes without widgets."""
