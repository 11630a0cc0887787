"""What a page says to a reader: its main text as text and as Markdown, and what is said about it.

extract: whoever asks; main_text: the work on HTML, done in a process of its own.
"""
