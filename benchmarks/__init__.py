"""Speed, scale and quality, measured; each module is a command that prints a table."""
