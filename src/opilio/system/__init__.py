"""What is asked of the operating system and of Python itself: processes, signals, files, memory, the clock."""
